#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Small Moonshine models with random weights, and the tokens they give.

`looping` has decoders that never end.  `separate` has the four files of Keras' export, as sherpa-onnx takes them: its
tokens are those of sherpa-onnx.  `merged` has optimum's two files, whose
decoder chooses a branch by use_cache_branch: its tokens are those of a plain
loop over ONNX Runtime.  Needs numpy, onnx, onnxruntime and sherpa-onnx.

Usage: make-moonshine.py FOLDER NOISE.wav
"""

import importlib
import json
import pathlib
import sys
import wave

import numpy as np
import onnx
from onnx import TensorProto, helper

sys.path.insert(0, str(pathlib.Path(__file__).parent))
Graph = importlib.import_module("make-transducer").Graph

CLASSES, WIDTH, HEADS, SIZE, LAYERS = 64, 16, 2, 8, 2
START, END = 1, 2


class Branch(Graph):
    """A graph in a graph: names of its own, values of the outer one."""

    def __init__(self, seed, prefix):
        super().__init__(seed)
        self.prefix = prefix

    def op(self, kind, *inputs, out=None, n=1, **attributes):
        out = out or (f"{self.prefix}{len(self.nodes)}" if n == 1 else None)
        return super().op(kind, *inputs, out=out, n=n, **attributes)

    def const(self, value, kind=np.float32):
        name = super().const(value, kind)
        self.constants[-1].name = self.prefix + name
        return self.prefix + name

    def graph(self):
        return helper.make_graph(self.nodes, self.prefix, [], self.outputs,
                                 self.constants)


def gelu(g, x):
    return g.op("Mul", x, g.op("Sigmoid", x))


def stem(g, samples):
    """[1, n] -> [1, n / 384, 16]"""
    x = g.op("Unsqueeze", samples, g.ints(1))
    x = g.op("Tanh", g.op("Conv", x, g.weight(8, 1, 127, gain=60),
                          strides=[64]))
    x = gelu(g, g.op("Conv", x, g.weight(WIDTH, 8, 7, gain=3), strides=[3]))
    x = gelu(g, g.op("Conv", x, g.weight(WIDTH, WIDTH, 3, gain=3),
                     strides=[2]))
    return g.op("Transpose", x, perm=[0, 2, 1])


def split(g, x):
    """[1, n, 16] -> [1, heads, n, 8]"""
    return g.op("Transpose", g.op("Reshape", x, g.ints(0, -1, HEADS, SIZE)),
                perm=[0, 2, 1, 3])


def attend(g, query, key, value):
    w = g.op("Softmax", g.op("MatMul", query,
                             g.op("Transpose", key, perm=[0, 1, 3, 2])),
             axis=-1)
    y = g.op("Transpose", g.op("MatMul", w, value), perm=[0, 2, 1, 3])
    return g.op("Reshape", y, g.ints(0, -1, WIDTH))


def encoder(g, x, n):
    phase = g.op("Cast", n, to=TensorProto.FLOAT)
    key, value = (split(g, g.linear(x, WIDTH, WIDTH, gain=2))
                  for _ in range(2))
    y = attend(g, split(g, g.linear(x, WIDTH, WIDTH, gain=2)), key, value)
    y = g.op("Add", x, y)
    y = g.op("Add", y, g.op("Sin", phase))
    return g.op("Tanh", g.linear(y, WIDTH, WIDTH, gain=2))


def decoder(g, ids, hidden, length, past=None):
    """Logits, then per layer the keys and values of the tokens, and of what the
    encoder gave.  @length [1]: tokens with this one.  @past: the same values of
    the step before."""
    x = g.op("Gather", g.weight(CLASSES, WIDTH, gain=4), ids, axis=0)
    place = g.op("Cast", length, to=TensorProto.FLOAT)
    angles = g.op("Mul", place, g.const(np.linspace(0.3, 2.5, WIDTH)))
    x = g.op("Add", x, g.op("Mul", g.op("Sin", angles), g.const(1.5)))
    states = []
    for layer in range(LAYERS):
        old = past[4 * layer:4 * layer + 4] if past else None
        new = [split(g, g.linear(x, WIDTH, WIDTH)) for _ in range(2)]
        if old:
            new = [g.op("Concat", old[i], new[i], axis=2) for i in range(2)]
        query = split(g, g.linear(x, WIDTH, WIDTH))
        x = g.op("Add", x, attend(g, query, *new))
        # The same random numbers, whether they are used or not.
        cross = [split(g, g.linear(hidden, WIDTH, WIDTH, gain=2))
                 for _ in range(2)]
        if old:
            cross = [g.op("Identity", old[2 + i]) for i in range(2)]
        query = split(g, g.linear(x, WIDTH, WIDTH, gain=2))
        x = g.op("Add", x, attend(g, query, *cross))
        x = g.op("Tanh", g.linear(x, WIDTH, WIDTH, gain=2))
        states += new + cross
    y = g.op("MatMul", x, g.weight(WIDTH, CLASSES, gain=6))
    ends = np.zeros(CLASSES)
    ends[END] = 0.5
    y = g.op("Add", y, g.op("Mul", place, g.const(ends)))
    return g.op("Sub", y, g.const(3 * (np.arange(CLASSES) < 2))), states


# --- four files ---

STATE = ["N", HEADS, None, SIZE]


def separate(folder):
    g = Graph(21)
    out = stem(g, g.input("args_0", ["N", None]))
    g.output(out, "sequential", ["N", None, WIDTH])
    g.save(folder / "preprocess.onnx", {})
    g = Graph(22)
    x = g.input("args_0", ["N", None, WIDTH])
    n = g.input("args_1", ["N"], TensorProto.INT32)
    n = g.op("Mul", g.op("Cast", n, to=TensorProto.FLOAT), g.const(0.1))
    g.output(encoder(g, x, n), "layer_normalization", ["N", None, WIDTH])
    g.save(folder / "encode.onnx", {})
    for name, cached in (("uncached_decode", False), ("cached_decode", True)):
        g = Graph(23)
        ids = g.input("args_0", ["N", None], TensorProto.INT32)
        hidden = g.input("args_1", ["N", None, WIDTH])
        length = g.input("args_2", ["N"], TensorProto.INT32)
        past = [g.input(f"args_{3 + i}", STATE)
                for i in range(4 * LAYERS)] if cached else None
        logits, states = decoder(g, ids, hidden, length, past)
        g.output(logits, "reversible_embedding", ["N", None, CLASSES])
        for i, state in enumerate(states):
            g.output(state, f"functional_{22 + i}", STATE)
        g.save(folder / f"{name}.onnx", {})


def looping(folder):
    """Decoders for the four files that give three tokens again and again."""
    for name, cached in (("uncached_decode", False), ("cached_decode", True)):
        g = Graph(0)
        ids = g.input("args_0", ["N", None], TensorProto.INT32)
        hidden = g.input("args_1", ["N", None, WIDTH])
        g.input("args_2", ["N"], TensorProto.INT32)
        after = np.full(CLASSES, 5)
        after[[5, 6]] = 6, 7
        scores = np.zeros((CLASSES, CLASSES))
        scores[np.arange(CLASSES), after] = 1
        g.output(g.op("Gather", g.const(scores), ids, axis=0), "logits",
                 ["N", None, CLASSES])
        state = g.input("args_3", STATE[:1] + [1, None, WIDTH]) if cached \
            else g.op("Unsqueeze", hidden, g.ints(1))
        g.output(g.op("Identity", state), "state",
                 STATE[:1] + [1, None, WIDTH])
        g.save(folder / f"{name}.onnx", {})


def hear_separate(folder, samples):
    import sherpa_onnx
    recogniser = sherpa_onnx.OfflineRecognizer.from_moonshine(
        preprocessor=str(folder / "preprocess.onnx"),
        encoder=str(folder / "encode.onnx"),
        uncached_decoder=str(folder / "uncached_decode.onnx"),
        cached_decoder=str(folder / "cached_decode.onnx"),
        tokens=str(folder / "tokens.txt"))
    stream = recogniser.create_stream()
    stream.accept_waveform(16000, samples)
    recogniser.decode_stream(stream)
    return [t.replace("\u2581", " ") for t in stream.result.tokens]


# --- two files ---

def merged(folder):
    g = Graph(21)
    x = stem(g, g.input("input_values", ["batch_size", "num_samples"]))
    n = g.op("Gather", g.op("Shape", x), g.ints(1), axis=0)
    n = g.op("Mul", g.op("Cast", n, to=TensorProto.FLOAT), g.const(0.1))
    g.output(encoder(g, x, n), "last_hidden_state",
             ["batch_size", "frames", WIDTH])
    g.save(folder / "encoder_model.onnx", {})

    names = [f"{layer}.{of}.{what}" for layer in range(LAYERS)
             for of in ("decoder", "encoder") for what in ("key", "value")]
    g = Graph(0)
    g.input("input_ids", ["batch_size", "tokens"], TensorProto.INT64)
    g.input("encoder_hidden_states", ["batch_size", "frames", WIDTH])
    past = [g.input("past_key_values." + n,
                    ["batch_size", HEADS, "past_" + n.split(".")[1], SIZE])
            for n in names]
    g.input("use_cache_branch", [1], TensorProto.BOOL)
    branches = []
    for prefix, given in (("with_past_", past), ("no_past_", None)):
        b = Branch(23, prefix)
        length = b.ints(1)
        if given:
            length = b.op("Add", length, b.op(
                "Gather", b.op("Shape", given[0]), b.ints(2), axis=0))
        logits, states = decoder(b, "input_ids", "encoder_hidden_states",
                                 length, given)
        if given:  # as optimum does: they are not computed again
            states = [b.op("ConstantOfShape", b.ints(0, HEADS, 1, SIZE))
                      if i % 4 > 1 else s for i, s in enumerate(states)]
        for i, value in enumerate([logits] + states):
            b.output(value, f"{prefix}out{i}", None)
        branches.append(b.graph())
    outputs = ["logits"] + ["present." + n for n in names]
    g.nodes.append(helper.make_node("If", ["use_cache_branch"], outputs,
                                    then_branch=branches[0],
                                    else_branch=branches[1]))
    for name in outputs:
        g.outputs.append(helper.make_tensor_value_info(
            name, TensorProto.FLOAT,
            ["batch_size", "tokens", CLASSES] if name == "logits" else
            ["batch_size", HEADS, "all_" + name.split(".")[2], SIZE]))
    g.save(folder / "decoder_model_merged.onnx", {})
    (folder / "config.json").write_text(json.dumps({
        "model_type": "moonshine", "decoder_start_token_id": START,
        "eos_token_id": END, "vocab_size": CLASSES}) + "\n")


def hear_merged(folder, samples):
    import onnxruntime
    encoder_run, run = (
        onnxruntime.InferenceSession(str(folder / (name + ".onnx")),
                                     providers=["CPUExecutionProvider"])
        for name in ("encoder_model", "decoder_model_merged"))
    hidden = encoder_run.run(None, {"input_values": samples[None]})[0]
    names = [i.name for i in run.get_inputs() if i.name.startswith("past_")]
    past = {n: np.zeros((1, HEADS, 0, SIZE), np.float32) for n in names}
    ids, token = [], START
    while len(ids) < int(len(samples) / 16000 * 6.5):
        out = run.run(None, {
            "input_ids": np.array([[token]]), "encoder_hidden_states": hidden,
            "use_cache_branch": np.array([len(ids) > 0]), **past})
        for name, value in zip(names, out[1:]):
            if not ids or ".decoder." in name:
                past[name] = value
        token = int(out[0][0, -1].argmax())
        if token == END:
            break
        ids.append(token)
    return [pieces()[i].replace("\u2581", " ") for i in ids]


# --- both ---

def pieces():
    names = ["<unk>", "<s>", "</s>"]
    for k in range(CLASSES):
        letters = chr(97 + k % 26) + "aeiou"[k % 5]
        names.append(("\u2581" if k % 3 < 2 else "") + letters)
    return names[:CLASSES]


def main(root, sound):
    root = pathlib.Path(root)
    with wave.open(sound) as w:
        samples = np.frombuffer(w.readframes(w.getnframes()), "<i2")
    samples = samples.astype(np.float32) / 32768
    lines = []
    for make, hear in ((separate, hear_separate), (merged, hear_merged)):
        folder = root / make.__name__
        folder.mkdir(parents=True, exist_ok=True)
        make(folder)
        (folder / "tokens.txt").write_text(
            "".join(f"{p} {i}\n" for i, p in enumerate(pieces())),
            encoding="utf-8")
        for n in (len(samples), 20000, 9000):
            lines.append(f"{make.__name__}\t{n}\t"
                         + "".join(hear(folder, samples[:n])).strip())
    (root / "looping").mkdir(exist_ok=True)
    looping(root / "looping")
    (root / "more-tokens.txt").write_text(
        "".join(f"{p} {i}\n" for i, p in enumerate(pieces() + ["more"])),
        encoding="utf-8")
    (root / "expected.tsv").write_text("\n".join(lines) + "\n",
                                       encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
