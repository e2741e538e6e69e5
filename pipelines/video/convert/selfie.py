# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""MediaPipe's selfie segmentation: its operation Convolution2DTransposeBias,
which no converter supports, becomes TRANSPOSE_CONV and ADD.  Usage: see plain.py;
MediaPipe's schema_py_generated.py must be next to SOURCE.
"""

import pathlib
import struct
import sys

import flatbuffers
import openvino

from plain import main

sys.path.insert(0, str(pathlib.Path(sys.argv[1]).parent))
import schema_py_generated as schema  # noqa: E402

CUSTOM = b"Convolution2DTransposeBias"


def opcode(model, builtin):
    """Adds an operation code of the format and returns its index."""
    code = schema.OperatorCodeT()
    code.builtinCode = code.deprecatedBuiltinCode = builtin
    code.version = 1
    model.operatorCodes.append(code)
    return len(model.operatorCodes) - 1


def tensor(model, graph, like, shape=None, data=None):
    """Another tensor, of values or (as wide as @like) without."""
    buffer = schema.BufferT()
    buffer.data = data
    model.buffers.append(buffer)
    made = schema.TensorT()
    made.type = schema.TensorType.FLOAT32 if data is None else \
        schema.TensorType.INT32
    made.shape = like.shape if shape is None else shape
    made.buffer = len(model.buffers) - 1
    made.name = like.name + b"_part%d" % len(graph.tensors)
    graph.tensors.append(made)
    return len(graph.tensors) - 1


def split(model, graph, old):
    """The two operations that one of the custom kind is."""
    image, kernel, bias = old.inputs
    result = graph.tensors[old.outputs[0]]
    # TfLitePaddingAndStride: padding (1: same), stride across, stride down.
    padding, across, down = struct.unpack("<iii", bytes(old.customOptions)[:12])
    shape = tensor(model, graph, result, [4],
                   list(struct.pack("<4i", *result.shape)))
    middle = tensor(model, graph, result)

    convolution = schema.OperatorT()
    convolution.opcodeIndex = opcode(model,
                                     schema.BuiltinOperator.TRANSPOSE_CONV)
    convolution.inputs = [shape, kernel, image]
    convolution.outputs = [middle]
    convolution.builtinOptionsType = schema.BuiltinOptions.TransposeConvOptions
    options = convolution.builtinOptions = schema.TransposeConvOptionsT()
    options.padding = schema.Padding.SAME if padding == 1 else \
        schema.Padding.VALID
    options.strideW, options.strideH = across, down

    add = schema.OperatorT()
    add.opcodeIndex = opcode(model, schema.BuiltinOperator.ADD)
    add.inputs, add.outputs = [middle, bias], old.outputs
    add.builtinOptionsType = schema.BuiltinOptions.AddOptions
    add.builtinOptions = schema.AddOptionsT()
    return [convolution, add]


def read(source):
    model = schema.ModelT.InitFromObj(
        schema.Model.GetRootAsModel(source.read_bytes(), 0))
    graph = model.subgraphs[0]
    operators = []
    for operator in graph.operators:
        code = model.operatorCodes[operator.opcodeIndex]
        custom = code.customCode == CUSTOM
        operators += split(model, graph, operator) if custom else [operator]
    graph.operators = operators
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    changed = source.with_name("selfie_changed.tflite")
    changed.write_bytes(bytes(builder.Output()))
    return openvino.convert_model(changed)


main(read)
