#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""ONNX files of real sizes with random weights, for bench/compare-onnx.

    make-onnx.py FOLDER

A streaming zipformer's encoder, Moonshine's encoder and a step of its decoder, a
detector of the YOLO family, and these as ONNX Runtime's quantisers write them:
static int8 (QDQ), dynamic int8 (DynamicQuantizeLinear and MatMulInteger) and
4-bit weights (MatMulNBits).  Needs numpy, onnx and onnxruntime.
"""

import importlib
import logging
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "speech"))
transducer = importlib.import_module("make-transducer")


class Net(transducer.Graph):
    """Graphs of opset 17."""

    def save(self, path, metadata=None):
        graph = helper.make_graph(self.nodes, "net", self.inputs, self.outputs,
                                  self.constants)
        opsets = [helper.make_opsetid("", 17)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8),
                  str(path))

    def norm(self, x, width):
        return self.op("LayerNormalization", x, self.const(np.ones(width)),
                       self.const(np.zeros(width)), axis=-1)

    def gelu(self, x):
        y = self.op("Erf", self.op("Div", x, self.const(np.sqrt(2))))
        y = self.op("Mul", x, self.op("Add", y, self.const(1)))
        return self.op("Mul", y, self.const(0.5))


# --- speech ------------------------------------------------------------------


def feed_forward(g, x, dim, wide):
    y = transducer.swoosh(g, g.linear(x, dim, wide))
    return g.op("Add", x, g.linear(y, wide, dim, gain=0.3))


def zipformer(path):
    """Six stacks of two layers at the rates of zipformer2, 32 frames a step."""
    g = Net(3)
    dims, heads, size, kernel = (192, 256, 384, 512, 384, 256), 4, 32, 31
    rates, left = (1, 2, 4, 8, 4, 2), 128
    x = transducer.subsample(g, g.input("x", [1, 45, 80]))
    embed = g.op("Concat", g.input("embed_states", [1, 128, 3, 19]), x, axis=2)
    y = g.op("Conv", embed, g.weight(128, 1, 7, 7), group=128, pads=[0, 3, 0, 3])
    y = g.op("Transpose", transducer.swoosh(g, y), perm=[2, 0, 1, 3])
    y = g.linear(g.op("Reshape", y, g.ints(0, 0, 128 * 19)), 128 * 19, dims[0])
    y = g.slice(y, 0, 16, 0)
    g.output(g.slice(embed, 16, 19, 2), "new_embed_states", [1, 128, 3, 19])
    lens = g.input("processed_lens", [1], TensorProto.INT64)
    g.output(g.op("Add", lens, g.const(16, np.int64)), "new_processed_lens", [1],
             TensorProto.INT64)
    for i, (dim, rate) in enumerate(zip(dims, rates)):
        if i > 0:
            y = g.linear(y, dims[i - 1], dim)
        z = g.op("Reshape", y, g.ints(-1, rate, 1, dim))
        z = g.op("ReduceMean", z, axes=[1], keepdims=0)
        for k in (0, 1):
            z = feed_forward(g, z, dim, 2 * dim)
            z = transducer.layer(
                g, z, 2 * i + k, dim, heads, size, left // rate, kernel,
                g.op("Div", lens, g.const(rate, np.int64)))
            z = feed_forward(g, z, dim, 2 * dim)
        z = g.op("Concat", *[g.op("Unsqueeze", z, g.ints(1))] * rate, axis=1)
        y = g.op("Add", y, g.op("Reshape", z, g.ints(16, 1, dim)))
    y = g.linear(y, dims[-1], 512)
    g.output(g.op("Transpose", y, perm=[1, 0, 2]), "encoder_out", [1, 16, 512])
    g.save(path)


DIM, HEADS, LAYERS, WORDS = 288, 8, 6, 32768
SIZE = DIM // HEADS


def split(g, x):
    x = g.op("Reshape", x, g.ints(0, -1, HEADS, SIZE))
    return g.op("Transpose", x, perm=[0, 2, 1, 3])


def attend(g, query, key, value):
    scores = g.op("MatMul", query, g.op("Transpose", key, perm=[0, 1, 3, 2]))
    scores = g.op("Mul", scores, g.const(SIZE ** -0.5))
    y = g.op("MatMul", g.op("Softmax", scores, axis=-1), value)
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]),
             g.ints(0, -1, DIM))
    return g.linear(y, DIM, DIM)


def moonshine_encoder(path):
    """Four seconds of sound."""
    g = Net(21)
    x = g.op("Unsqueeze", g.input("input_values", [1, 64000]), g.ints(1))
    x = g.op("Tanh", g.op("Conv", x, g.weight(DIM, 1, 127), strides=[64]))
    x = g.gelu(g.op("Conv", x, g.weight(2 * DIM, DIM, 7), strides=[3]))
    x = g.gelu(g.op("Conv", x, g.weight(DIM, 2 * DIM, 3), strides=[2]))
    x = g.op("Transpose", x, perm=[0, 2, 1])
    for _ in range(LAYERS):
        y = g.norm(x, DIM)
        parts = [split(g, g.linear(y, DIM, DIM)) for _ in range(3)]
        x = g.op("Add", x, attend(g, *parts))
        y = g.gelu(g.linear(g.norm(x, DIM), DIM, 4 * DIM))
        x = g.op("Add", x, g.linear(y, 4 * DIM, DIM))
    g.output(g.norm(x, DIM), "last_hidden_state", [1, None, DIM])
    g.save(path)


def moonshine_decoder(path):
    """One token, after 32 of them, of four seconds of sound."""
    g = Net(22)
    ids = g.input("input_ids", [1, 1], TensorProto.INT64)
    x = g.op("Gather", g.weight(WORDS, DIM, gain=100), ids, axis=0)
    for layer in range(LAYERS):
        y = g.norm(x, DIM)
        query, *new = [split(g, g.linear(y, DIM, DIM)) for _ in range(3)]
        both = []
        for name, value in zip(("key", "value"), new):
            old = g.input(f"past_key_values.{layer}.decoder.{name}",
                          [1, HEADS, 32, SIZE])
            both.append(g.op("Concat", old, value, axis=2))
            g.output(both[-1], f"present.{layer}.decoder.{name}",
                     [1, HEADS, 33, SIZE])
        x = g.op("Add", x, attend(g, query, *both))
        cross = [g.input(f"past_key_values.{layer}.encoder.{name}",
                         [1, HEADS, 166, SIZE]) for name in ("key", "value")]
        query = split(g, g.linear(g.norm(x, DIM), DIM, DIM))
        x = g.op("Add", x, attend(g, query, *cross))
        y = g.linear(g.norm(x, DIM), DIM, 8 * DIM)
        y, gate = g.op("Split", y, n=2, axis=-1)
        y = g.op("Mul", y, transducer.swoosh(g, gate))
        x = g.op("Add", x, g.linear(y, 4 * DIM, DIM))
    y = g.op("MatMul", g.norm(x, DIM), g.weight(DIM, WORDS))
    g.output(y, "logits", [1, 1, WORDS])
    g.save(path)


# --- video -------------------------------------------------------------------


def conv(g, x, n_in, n_out, size=1, stride=1):
    x = g.op("Conv", x, g.weight(n_out, n_in, size, size, gain=1.4),
             g.const(0.1 * g.random.standard_normal(n_out)),
             kernel_shape=[size, size], strides=[stride, stride],
             pads=[size // 2] * 4)
    return transducer.swoosh(g, x)


def stage(g, x, n_in, n, repeats, shortcut):
    """C2f: halves, one of them through pairs of convolutions."""
    parts = g.op("Split", conv(g, x, n_in, n), n=2, axis=1)
    for _ in range(repeats):
        y = conv(g, conv(g, parts[-1], n // 2, n // 2, 3), n // 2, n // 2, 3)
        parts.append(g.op("Add", parts[-1], y) if shortcut else y)
    return conv(g, g.op("Concat", *parts, axis=1), n * (2 + repeats) // 2, n)


def pyramid(g, x):
    """SPPF."""
    parts = [conv(g, x, 256, 128)]
    for _ in range(3):
        parts.append(g.op("MaxPool", parts[-1], kernel_shape=[5, 5],
                          pads=[2] * 4))
    return conv(g, g.op("Concat", *parts, axis=1), 512, 256)


def upsample(g, x):
    return g.op("Resize", x, "", g.const([1, 1, 2, 2]), mode="nearest",
                coordinate_transformation_mode="asymmetric",
                nearest_mode="floor")


def yolo(path, classes=80, size=320):
    """Of the sizes of YOLOv8n."""
    g = Net(5)
    x = conv(g, g.input("images", [1, 3, size, size]), 3, 16, 3, 2)
    x = stage(g, conv(g, x, 16, 32, 3, 2), 32, 32, 1, True)
    fine = stage(g, conv(g, x, 32, 64, 3, 2), 64, 64, 2, True)
    middle = stage(g, conv(g, fine, 64, 128, 3, 2), 128, 128, 2, True)
    x = stage(g, conv(g, middle, 128, 256, 3, 2), 256, 256, 1, True)
    coarse = pyramid(g, x)
    x = g.op("Concat", upsample(g, coarse), middle, axis=1)
    middle = stage(g, x, 384, 128, 1, False)
    x = g.op("Concat", upsample(g, middle), fine, axis=1)
    fine = stage(g, x, 192, 64, 1, False)
    x = g.op("Concat", conv(g, fine, 64, 64, 3, 2), middle, axis=1)
    middle = stage(g, x, 192, 128, 1, False)
    x = g.op("Concat", conv(g, middle, 128, 128, 3, 2), coarse, axis=1)
    coarse = stage(g, x, 384, 256, 1, False)
    boxes, scores = [], []
    for x, n, cells in ((fine, 64, size // 8), (middle, 128, size // 16),
                        (coarse, 256, size // 32)):
        for wide, out, to in ((64, 64, boxes), (80, classes, scores)):
            y = conv(g, conv(g, x, n, wide, 3), wide, wide, 3)
            y = g.op("Conv", y, g.weight(out, wide, 1, 1))
            to.append(g.op("Reshape", y, g.ints(1, out, cells * cells)))
    y = g.op("Reshape", g.op("Concat", *boxes, axis=2), g.ints(1, 4, 16, -1))
    y = g.op("Softmax", g.op("Transpose", y, perm=[0, 2, 1, 3]), axis=1)
    y = g.op("Conv", y, g.const(np.arange(16).reshape(1, 16, 1, 1)))
    y = g.op("Reshape", y, g.ints(1, 4, -1))
    scores = g.op("Sigmoid", g.op("Concat", *scores, axis=2))
    g.output(g.op("Concat", y, scores, axis=1), "output0",
             [1, 4 + classes, size * size * 21 // 1024])
    g.save(path)


# --- quantised ---------------------------------------------------------------


class Pictures(quantization.CalibrationDataReader):
    def __init__(self):
        random = np.random.default_rng(1)
        shape = (1, 3, 320, 320)
        self.rest = iter([{"images": random.uniform(-1, 1, shape).astype("f4")}
                          for _ in range(2)])

    def get_next(self):
        return next(self.rest, None)


def static_int8(source, path):
    quantization.quantize_static(
        str(source), str(path), Pictures(), per_channel=True,
        quant_format=quantization.QuantFormat.QDQ,
        activation_type=quantization.QuantType.QUInt8,
        weight_type=quantization.QuantType.QInt8)


def dynamic_int8(source, path):
    quantization.quantize_dynamic(
        str(source), str(path), weight_type=quantization.QuantType.QInt8,
        op_types_to_quantize=["MatMul"])


def four_bits(source, path, block=32):
    """Constant matrices become MatMulNBits without zero points."""
    model = onnx.load(str(source))
    values = {t.name: t for t in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type != "MatMul" or node.input[1] not in values:
            continue
        w = numpy_helper.to_array(values.pop(node.input[1])).T
        n, k = w.shape
        w = w.reshape(n, k // block, block)
        scale = np.abs(w).max(axis=2, keepdims=True) / 7
        codes = (np.clip(np.round(w / scale), -8, 7) + 8).astype(np.uint8)
        codes = codes[..., ::2] | codes[..., 1::2] << 4
        names = [node.input[1] + "_codes", node.input[1] + "_scales"]
        values[names[0]] = numpy_helper.from_array(codes, names[0])
        values[names[1]] = numpy_helper.from_array(
            scale.reshape(-1).astype(np.float32), names[1])
        node.CopyFrom(helper.make_node(
            "MatMulNBits", [node.input[0], *names], node.output, node.name,
            domain="com.microsoft", K=k, N=n, bits=4, block_size=block))
    del model.graph.initializer[:]
    model.graph.initializer.extend(values.values())
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    onnx.save(model, str(path))


MODELS = (
    ("zipformer", zipformer, None),
    ("moonshine_encoder", moonshine_encoder, None),
    ("moonshine_decoder", moonshine_decoder, None),
    ("yolo", yolo, None),
    ("yolo_qdq", static_int8, "yolo"),
    ("zipformer_dynamic_int8", dynamic_int8, "zipformer"),
    ("moonshine_encoder_dynamic_int8", dynamic_int8, "moonshine_encoder"),
    ("moonshine_decoder_dynamic_int8", dynamic_int8, "moonshine_decoder"),
    ("moonshine_encoder_4bit", four_bits, "moonshine_encoder"),
    ("moonshine_decoder_4bit", four_bits, "moonshine_decoder"),
)


def main(folder):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    logging.disable(logging.WARNING)
    for name, make, source in MODELS:
        path = folder / f"{name}.onnx"
        if path.exists():
            continue
        part = path.with_suffix(".part")
        if source is None:
            make(part)
        else:
            make(folder / f"{source}.onnx", part)
        part.rename(path)
    print(f"make-onnx: {len(MODELS)} files are in {folder}")


if __name__ == "__main__":
    main(*sys.argv[1:])
