# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""An ONNX file as onnxinference and ONNX Runtime take it best, written without
the onnx package: onnxinference needs the outputs' names in the metadata, and
ONNX Runtime folds weights only where they are not inputs of the graph, too, as
older exporters wrote them."""

# Field numbers of onnx.proto.
IR_VERSION, GRAPH, METADATA = 1, 7, 14     # ModelProto
INITIALIZER, INPUT, OUTPUT = 5, 11, 12     # GraphProto
TENSOR_NAME, VALUE_NAME = 8, 1
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def fields(message):
    """(number, whole field, its content) of each field."""
    at = 0
    while at < len(message):
        start = at
        key, at = read_varint(message, at)
        kind = key & 7
        if kind == VARINT:
            content, at = read_varint(message, at)
        else:
            size = {FIXED64: 8, FIXED32: 4}.get(kind)
            if size is None:
                size, at = read_varint(message, at)
            content = message[at:at + size]
            at += size
        yield key >> 3, message[start:at], content


def field(number, content):
    return varint(number << 3 | BYTES) + varint(len(content)) + content


def find(message, number):
    return next((content for n, _, content in fields(message) if n == number), b"")


def for_peers(model):
    """The bytes of an .onnx file: weights that are no inputs, named outputs."""
    graph = find(model, GRAPH)
    weights = {find(c, TENSOR_NAME) for n, _, c in fields(graph) if n == INITIALIZER}
    outputs = [find(c, VALUE_NAME) for n, _, c in fields(graph) if n == OUTPUT]
    graph = b"".join(whole for n, whole, c in fields(graph)
                     if n != INPUT or find(c, VALUE_NAME) not in weights)
    # From version 4 on weights need not be inputs.
    rest = b"".join(whole for n, whole, _ in fields(model) if n not in (GRAPH, IR_VERSION))
    version = max(4, find(model, IR_VERSION) or 0)
    names = b"".join(field(METADATA, field(1, name) + field(2, name)) for name in outputs)
    return varint(IR_VERSION << 3) + varint(version) + rest + field(GRAPH, graph) + names
