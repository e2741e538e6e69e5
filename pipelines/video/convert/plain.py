# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Converts a network to IR with its model_info; get-model runs it.

Usage: plain.py SOURCE MODEL.xml [KEY=VALUE…] [--labels=FILE.json]
"""

import pathlib
import sys

import labels
import openvino


def save(model, source, target):
    """Sets model_info from the command line."""
    for argument in sys.argv[3:]:
        key, value = argument.lstrip("-").split("=", 1)
        if argument.startswith("--labels"):
            value = labels.words(source, value)
        model.set_rt_info(value, ["model_info", key])
    openvino.save_model(model, target)


def main(read):
    source, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    save(read(source), source, target)


if __name__ == "__main__":
    main(openvino.convert_model)
