# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Converts a network to IR with its model_info; get-model runs it.

Usage: plain.py SOURCE MODEL.xml [KEY=VALUE…] [--labels=KEY|FILE.json]
                [--letters=KEY]
--labels: an ONNX model's metadata of that name, or a list; --letters: the same,
to characters.txt, for CTC.
"""

import ast
import json
import pathlib
import sys

import openvino


def metadata(source, key):
    import onnx
    model = onnx.load(source, load_external_data=False)
    return next(p.value for p in model.metadata_props if p.key == key)


def words(source, key):
    """Labels without the blanks that separate them."""
    if key.endswith(".json"):
        names = json.loads(pathlib.Path(key).read_text())
    else:
        text = metadata(source, key)
        if text.startswith("{"):
            numbered = ast.literal_eval(text)
            names = [numbered[i] for i in range(len(numbered))]
        else:
            names = text.splitlines()
    return " ".join(n.replace(",", "").replace(" ", "_") for n in names)


def write_letters(source, key, path):
    """PP-OCR's letters; 0 is CTC's blank."""
    lines = ["<blank>", *metadata(source, key).splitlines(), " "]
    path.write_text("\n".join(lines) + "\n")


def save(model, source, target):
    """Sets model_info from the command line."""
    for argument in sys.argv[3:]:
        key, value = argument.lstrip("-").split("=", 1)
        if argument.startswith("--letters"):
            write_letters(source, value, target.with_name("characters.txt"))
            continue
        if argument.startswith("--labels"):
            value = words(source, value)
        model.set_rt_info(value, ["model_info", key])
    openvino.save_model(model, target)


def main(read):
    source, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    save(read(source), source, target)


if __name__ == "__main__":
    main(openvino.convert_model)
