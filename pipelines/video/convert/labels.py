# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Labels and letters that come with a model."""

import ast
import json
import pathlib


def _number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _fields(data):
    """Number and value of each field of a message of Protocol Buffers."""
    at = 0
    while at < len(data):
        key, at = _number(data, at)
        if key & 7 == 2:
            size, at = _number(data, at)
            yield key >> 3, data[at:at + size]
            at += size
        elif key & 7 == 0:
            value, at = _number(data, at)
            yield key >> 3, value
        else:
            at += {1: 8, 5: 4}[key & 7]


def metadata(source, key):
    """ModelProto.metadata_props of an ONNX file."""
    for number, value in _fields(memoryview(source.read_bytes())):
        entry = dict(_fields(value)) if number == 14 else {}
        if bytes(entry.get(1, b"")) == key.encode():
            return bytes(entry.get(2, b"")).decode()
    raise ValueError(f"{source}: its metadata have no '{key}'")


def words(source, key):
    """Labels without the characters that separate them."""
    if key.endswith(".json"):
        names = json.loads(pathlib.Path(key).read_text())
    else:
        text = metadata(source, key)
        if text.startswith("{"):
            numbered = ast.literal_eval(text)
            names = [numbered[i] for i in range(len(numbered))]
        else:
            names = text.splitlines()
    return " ".join(n.replace(",", "").replace(";", "").replace(" ", "_")
                    for n in names)


def write_letters(source, key, path):
    """PP-OCR's letters; 0 is CTC's blank."""
    lines = ["<blank>", *metadata(source, key).splitlines(), " "]
    path.write_text("\n".join(lines) + "\n")
