#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Small transducers with random weights, and what sherpa-onnx hears.

The folders have the files, inputs, outputs, states and metadata of icefall's
exports; the networks between them are small.  `zipformer` has the interface of
zipformer2, `conformer` that of the streaming conformer, whose encoder also
takes the number of frames before; that of `whole` takes utterances.  Needs
numpy, onnx and sherpa-onnx.

Usage: make-transducer.py FOLDER
"""

import json
import pathlib
import sys
import wave

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

CLASSES, JOIN, CONTEXT = 40, 24, 2


class Graph:
    """Nodes in order; values are names."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.constants = [], []
        self.inputs, self.outputs = [], []

    def op(self, kind, *inputs, out=None, n=1, **attributes):
        names = [out] if out else [f"v{len(self.nodes)}_{i}" for i in range(n)]
        self.nodes.append(helper.make_node(kind, list(inputs), names,
                                           **attributes))
        return names[0] if n == 1 else names

    def const(self, value, kind=np.float32):
        name = f"c{len(self.constants)}"
        self.constants.append(
            numpy_helper.from_array(np.asarray(value, kind), name))
        return name

    def ints(self, *values):
        return self.const(values, np.int64)

    def weight(self, *shape, gain=1.0):
        fan = np.prod(shape[1:]) if len(shape) > 2 else shape[0]
        return self.const(gain * self.random.standard_normal(shape)
                          / np.sqrt(fan))

    def linear(self, x, n_in, n_out, gain=1.0, bias=0.3):
        y = self.op("MatMul", x, self.weight(n_in, n_out, gain=gain))
        return self.op("Add", y, self.const(
            bias * self.random.standard_normal(n_out)))

    def input(self, name, shape, kind=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, value, name, shape, kind=TensorProto.FLOAT):
        self.op("Identity", value, out=name)
        self.outputs.append(helper.make_tensor_value_info(name, kind, shape))

    def slice(self, x, first, last, axis):
        return self.op("Slice", x, self.ints(first), self.ints(last),
                       self.ints(axis))

    def state(self, x, name, shape, axis, keep):
        """@x after what the state holds; its last @keep are the next state."""
        both = self.op("Concat", self.input(name, shape), x, axis=axis)
        self.output(self.slice(both, -keep, 1 << 40, axis), "new_" + name,
                    shape)
        return both

    def save(self, path, metadata):
        graph = helper.make_graph(self.nodes, "net", self.inputs, self.outputs,
                                  self.constants)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        helper.set_model_props(model, {k: str(v) for k, v in metadata.items()})
        onnx.checker.check_model(model)
        onnx.save(model, str(path))


def swoosh(g, x):
    return g.op("Mul", x, g.op("Sigmoid", x))


def subsample(g, x):
    """[N, 45, 80] -> [N, 128, 19, 19]"""
    x = g.op("Unsqueeze", x, g.ints(1))
    x = g.op("Mul", g.op("Add", x, g.const(8.0)), g.const(0.25))
    x = swoosh(g, g.op("Conv", x, g.weight(8, 1, 3, 3), pads=[0, 1, 0, 1]))
    x = swoosh(g, g.op("Conv", x, g.weight(32, 8, 3, 3), strides=[2, 2]))
    return swoosh(g, g.op("Conv", x, g.weight(128, 1, 3, 3), group=32,
                          strides=[1, 2]))


def layer(g, x, i, dim, heads, size, left, kernel, seen):
    """A layer of zipformer2 on [T, N, dim]: attention over `left` past frames
    and convolutions, six states."""
    def split(v, width):  # [T, N, heads * width] -> [N, heads, T, width]
        v = g.op("Reshape", v, g.ints(0, 0, heads, width))
        return g.op("Transpose", v, perm=[1, 2, 0, 3])

    key = g.state(g.linear(x, dim, heads * size), f"cached_key_{i}",
                  [left, "N", heads * size], 0, left)
    scores = g.op("MatMul", split(g.linear(x, dim, heads * size), size),
                  g.op("Transpose", split(key, size), perm=[0, 1, 3, 2]))
    # Frames before the first one are not looked at.
    frames = g.op("Gather", g.op("Shape", scores), g.ints(3), axis=0)
    age = g.op("Range", g.const(0, np.int64), g.op("Squeeze", frames),
               g.const(1, np.int64))
    age = g.op("Sub", g.const(left, np.int64), age)  # of a key, before frame 0
    unseen = g.op("Greater", age, g.op("Unsqueeze", seen, g.ints(1)))
    unseen = g.op("Unsqueeze", unseen, g.ints(1, 2))
    scores = g.op("Where", unseen, g.const(-1000.0), scores)
    weights = g.op("Softmax", scores, axis=-1)
    first = g.slice(weights, 0, 1, 1)

    wide = 3 * dim // 4
    value = g.op("Transpose", g.linear(x, dim, wide), perm=[1, 0, 2])
    value = g.op("Unsqueeze", value, g.ints(0))
    value = g.state(value, f"cached_nonlin_attn_{i}", [1, "N", left, wide], 2,
                    left)
    value = g.op("Transpose", value, perm=[1, 0, 2, 3])
    y = g.op("Squeeze", g.op("MatMul", first, value), g.ints(1))
    y = g.op("Transpose", y, perm=[1, 0, 2])
    x = g.op("Add", x, g.linear(g.op("Tanh", y), wide, dim))

    for k in (1, 2):
        value = g.state(g.linear(x, dim, heads * size), f"cached_val{k}_{i}",
                        [left, "N", heads * size], 0, left)
        y = g.op("MatMul", weights, split(value, size))
        y = g.op("Reshape", g.op("Transpose", y, perm=[2, 0, 1, 3]),
                 g.ints(0, 0, heads * size))
        x = g.op("Add", x, g.linear(y, heads * size, dim))
    for k in (1, 2):
        y = g.op("Transpose", x, perm=[1, 2, 0])
        y = g.state(y, f"cached_conv{k}_{i}", ["N", dim, kernel // 2], 2,
                    kernel // 2)
        y = g.op("Conv", y, g.weight(dim, 1, kernel // 2 + 1), group=dim)
        x = g.op("Add", x, g.op("Tanh", g.op("Transpose", y, perm=[2, 0, 1])))
    mean = g.op("ReduceMean", g.op("Mul", x, x), axes=[-1])
    return g.op("Div", x, g.op("Sqrt", g.op("Add", mean, g.const(1e-3))))


def halve(g, x):
    """[T, N, D] -> [T / 2, N, D]"""
    x = g.op("Reshape", x, g.ints(-1, 2, 1, 16))
    return g.op("ReduceMean", x, axes=[1], keepdims=0)


def zipformer(folder):
    g = Graph(3)
    dim, heads, size, kernel, left = 16, 2, 4, 5, (8, 4)
    x = g.input("x", ["N", 45, 80])
    x = subsample(g, x)
    seen = "processed_lens"
    embed = g.op("Concat", "embed_states", x, axis=2)
    y = swoosh(g, g.op("Conv", embed, g.weight(128, 1, 7, 1), group=128))
    y = g.op("ReduceMean", y, axes=[3], keepdims=0)          # [N, 128, 16]
    y = g.linear(g.op("Transpose", y, perm=[2, 0, 1]), 128, dim, gain=3)
    y = layer(g, y, 0, dim, heads, size, left[0], kernel, seen)
    half = g.op("Div", seen, g.const(2, np.int64))
    z = layer(g, halve(g, y), 1, dim, heads, size, left[1], kernel, half)
    z = g.op("Concat", z, z, axis=2)                         # each frame twice
    z = g.op("Reshape", z, g.ints(16, 1, 16))
    out = g.linear(halve(g, g.op("Add", y, z)), dim, JOIN, gain=4)
    g.op("Transpose", out, out="encoder_out", perm=[1, 0, 2])
    g.outputs.insert(0, helper.make_tensor_value_info(
        "encoder_out", TensorProto.FLOAT, ["N", 8, JOIN]))
    g.input("embed_states", ["N", 128, 3, 19])
    g.output(g.slice(embed, 16, 19, 2), "new_embed_states", ["N", 128, 3, 19])
    g.input(seen, ["N"], TensorProto.INT64)
    g.output(g.op("Add", seen, g.const(16, np.int64)), "new_processed_lens",
             ["N"], TensorProto.INT64)
    both = f"{dim},{dim}"
    g.save(folder / "encoder-epoch-1-avg-1-chunk-16-left-8.onnx", {
        "model_type": "zipformer2", "version": 1, "T": 45,
        "decode_chunk_len": 32, "num_encoder_layers": "1,1",
        "encoder_dims": both, "cnn_module_kernels": f"{kernel},{kernel}",
        "left_context_len": f"{left[0]},{left[1]}",
        "query_head_dims": f"{size},{size}", "value_head_dims": f"{size},{size}",
        "num_heads": f"{heads},{heads}"})


def conformer(folder):
    g = Graph(5)
    dim, left, kernel = 16, 8, 5
    x = g.input("x", ["N", 39, 80])
    y = g.op("Mul", g.op("Add", x, g.const(8.0)), g.const(0.25))
    y = g.op("Transpose", y, perm=[0, 2, 1])
    y = swoosh(g, g.op("Conv", y, g.weight(dim, 80, 3, gain=2), strides=[2]))
    y = swoosh(g, g.op("Conv", y, g.weight(dim, dim, 3, gain=2), strides=[2]))
    y = g.op("Transpose", g.slice(y, 1, 9, 2), perm=[2, 0, 1])   # [8, N, 16]
    shape = [1, left, "N", dim]
    keys = g.op("Squeeze", g.state(
        g.op("Unsqueeze", y, g.ints(0)), "attn_cache", shape, 1, left),
        g.ints(0))
    a = g.op("MatMul",
             g.op("Transpose", g.linear(y, dim, dim), perm=[1, 0, 2]),
             g.op("Transpose", g.linear(keys, dim, dim), perm=[1, 2, 0]))
    a = g.op("MatMul", g.op("Softmax", a, axis=-1),
             g.op("Transpose", g.linear(keys, dim, dim), perm=[1, 0, 2]))
    y = g.op("Add", y, g.op("Transpose", a, perm=[1, 0, 2]))
    c = g.op("Squeeze", g.state(
        g.op("Unsqueeze", y, g.ints(0)), "conv_cache",
        [1, kernel - 1, "N", dim], 1, kernel - 1), g.ints(0))
    c = g.op("Conv", g.op("Transpose", c, perm=[1, 2, 0]),
             g.weight(dim, 1, kernel, gain=2), group=dim)
    y = g.op("Add", y, g.op("Transpose", c, perm=[2, 0, 1]))
    lens = g.input("processed_lens", ["N"], TensorProto.INT64)
    phase = g.op("Sin", g.op("Mul", g.op("Cast", lens, to=TensorProto.FLOAT),
                             g.const(0.05)))
    y = g.op("Add", y, g.op("Unsqueeze", phase, g.ints(0, 2)))
    # All frames, but nobody knows how many before it has run.
    there = g.op("GreaterOrEqual", g.op("Add", g.ints(*range(8)), lens),
                 g.ints(0))
    y = g.op("Compress", y, there, axis=0)
    g.op("Transpose", g.linear(g.op("Tanh", y), dim, JOIN, gain=2),
         out="encoder_out", perm=[1, 0, 2])
    g.outputs.insert(0, helper.make_tensor_value_info(
        "encoder_out", TensorProto.FLOAT, ["N", 8, JOIN]))
    g.save(folder / "encoder.onnx", {
        "model_type": "conformer", "version": 1, "T": 39, "pad_length": 7,
        "decode_chunk_len": 32, "num_encoder_layers": 1, "encoder_dim": dim,
        "cnn_module_kernel": kernel, "left_context": left})


def whole(folder):
    g = Graph(21)
    dim = 16
    y = g.input("x", ["N", "T", 80])
    lens = g.input("x_lens", ["N"], TensorProto.INT64)
    y = g.op("Mul", g.op("Add", y, g.const(8.0)), g.const(0.25))
    y = g.op("Transpose", y, perm=[0, 2, 1])
    y = swoosh(g, g.op("Conv", y, g.weight(dim, 80, 3, gain=2), strides=[2]))
    y = swoosh(g, g.op("Conv", y, g.weight(dim, dim, 3, gain=2), strides=[2]))
    y = g.op("Transpose", y, perm=[0, 2, 1])
    a = g.op("MatMul", g.linear(y, dim, dim),
             g.op("Transpose", g.linear(y, dim, dim), perm=[0, 2, 1]))
    a = g.op("MatMul", g.op("Softmax", a, axis=-1), g.linear(y, dim, dim))
    y = g.op("Tanh", g.op("Add", y, a))
    g.output(g.linear(y, dim, JOIN, gain=2), "encoder_out", ["N", "T'", JOIN])
    for _ in range(2):  # two convolutions halve it
        lens = g.op("Div", g.op("Sub", lens, g.ints(1)), g.ints(2))
    g.output(lens, "encoder_out_lens", ["N"], TensorProto.INT64)
    g.save(folder / "encoder.onnx", {"model_type": "zipformer2", "version": 1})


def decoder(path):
    g = Graph(11)
    y = g.input("y", ["N", CONTEXT], TensorProto.INT64)
    known = g.op("Max", y, g.const(0, np.int64))
    e = g.op("Gather", g.weight(CLASSES, 16, gain=4), known, axis=0)
    mask = g.op("Cast", g.op("GreaterOrEqual", y, g.const(0, np.int64)),
                to=TensorProto.FLOAT)
    e = g.op("Mul", e, g.op("Unsqueeze", mask, g.ints(2)))
    e = g.op("Conv", g.op("Transpose", e, perm=[0, 2, 1]),
             g.weight(16, 4, CONTEXT), group=4)
    e = g.op("Relu", g.op("Squeeze", e, g.ints(2)))
    g.output(g.linear(e, 16, JOIN), "decoder_out", ["N", JOIN])
    g.save(path, {"context_size": CONTEXT, "vocab_size": CLASSES})


def joiner(path, width=JOIN):
    g = Graph(13)
    both = g.op("Add", g.input("encoder_out", ["N", width]),
                g.input("decoder_out", ["N", width]))
    y = g.op("MatMul", g.op("Tanh", both), g.weight(width, CLASSES, gain=5))
    bias = np.zeros(CLASSES)
    bias[0] = 7.0
    g.output(g.op("Add", y, g.const(bias)), "logit", ["N", CLASSES])
    g.save(path, {"joiner_dim": JOIN})


def tokens(path):
    pieces = ["<blk>", "<sos/eos>", "<unk>"]
    for k, c in enumerate("abcdefghijklmnopqrs"):
        pieces += ["\u2581" + c, c + "aeiou"[k % 5]]
    pieces = pieces[:CLASSES]
    lines = [f"{p} {i}" for i, p in enumerate(pieces + ["#0", "#1"])]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return pieces


def sound(seed):
    """3.3 s of noise whose colour and level change, and silence, as 16 bits."""
    r = np.random.default_rng(seed)
    x = []
    for _ in range(22):
        n = r.standard_normal(2400)
        if r.random() < 0.2:
            n[:] = 0
        for _ in range(r.integers(0, 4)):
            n = np.convolve(n, [0.5, r.choice([-0.5, 0.5])], "same")
        x.append(n * 10 ** r.uniform(-2.5, -0.7))
    return np.clip(np.round(np.concatenate(x) * 32767), -32768, 32767)


def hear(folder, samples, method):
    import sherpa_onnx
    names = [next(folder.glob(p + "*.onnx")) for p in
             ("encoder", "decoder", "joiner")]
    files = {"tokens": str(folder / "tokens.txt"), "encoder": str(names[0]),
             "decoder": str(names[1]), "joiner": str(names[2])}
    if folder.name == "whole":
        recogniser = sherpa_onnx.OfflineRecognizer.from_transducer(
            **files, decoding_method=method, max_active_paths=4)
        stream = recogniser.create_stream()
        stream.accept_waveform(16000, (samples / 32768).astype(np.float32))
        recogniser.decode_stream(stream)
        return list(zip(stream.result.tokens, stream.result.timestamps))
    recogniser = sherpa_onnx.OnlineRecognizer.from_transducer(
        **files, num_threads=1, decoding_method=method, max_active_paths=4)
    stream = recogniser.create_stream()
    stream.accept_waveform(16000, (samples / 32768).astype(np.float32))
    stream.accept_waveform(16000, np.zeros(12800, np.float32))
    while recogniser.is_ready(stream):
        recogniser.decode_stream(stream)
    result = json.loads(recogniser.get_result_as_json_string(stream))
    return list(zip(result["tokens"], result["timestamps"]))


def main(root):
    root = pathlib.Path(root)
    samples = sound(1)
    root.mkdir(parents=True, exist_ok=True)
    with wave.open(str(root / "noise.wav"), "wb") as w:
        w.setparams((1, 2, 16000, len(samples), "NONE", ""))
        w.writeframes(samples.astype("<i2").tobytes())
    lines = []
    for make in (zipformer, conformer, whole):
        folder = root / make.__name__
        folder.mkdir(exist_ok=True)
        make(folder)
        decoder(folder / "decoder.onnx")
        joiner(folder / "joiner.onnx")
        tokens(folder / "tokens.txt")
        for method in ("greedy_search", "modified_beam_search"):
            for token, time in hear(folder, samples, method):
                lines.append(f"{make.__name__}\t{method}\t{time:.2f}\t{token}")
    joiner(root / "other-joiner.onnx", JOIN + 8)
    (root / "sherpa-onnx.tsv").write_text("\n".join(lines) + "\n",
                                          encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
