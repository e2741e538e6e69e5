#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the folder stacked/: a Whisper with random weights whose files,
inputs, outputs and metadata are those that sherpa-onnx has for OpenAI's own
networks, and what ONNX Runtime and sherpa-onnx make of it:

  logits.f32       [STEPS, VOCABULARY]: of the last token of each call of a loop
                   over the two networks, on features that the test makes too
  sherpa-onnx.txt  the tokens that sherpa-onnx hears in transducer/noise.wav

Needs numpy, onnx, onnxruntime and sherpa-onnx.

Usage: make-stacked.py FOLDER
"""

import base64
import importlib.util
import pathlib
import sys
import wave

import numpy as np
from onnx import TensorProto, helper

HERE = pathlib.Path(__file__).resolve().parent
SPEC = importlib.util.spec_from_file_location(
    "transducer", HERE.parent / "make-transducer.py")
transducer = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(transducer)

BANDS, POSITIONS, WIDTH, HEADS, LAYERS, CONTEXT = 80, 750, 16, 2, 2, 64
SIZE = WIDTH // HEADS
BYTES = [bytes([b]) for b in b" abcdefghijklmnopqrstuvwxyz'.,ABC"]
PIECES = BYTES + [b" " + bytes([b]) for b in b"abcdefghijklmnop"] + [
    b" th", b" the", b"er", b" her", "\u00e4".encode()[:1],
    "\u00e4".encode()[1:]]
NAMES = ["eot", "sot", "en", "de", "translate", "transcribe", "sot_lm",
         "sot_prev", "no_speech", "no_timestamps"]
ID = {name: len(PIECES) + i for i, name in enumerate(NAMES)}
VOCABULARY = ID["no_timestamps"] + 1 + POSITIONS // 2 + 1
FRAMES = 400
CALLS = [[ID["sot"], ID["en"], ID["transcribe"]], [7], [20], [9], [31], [40]]


class Graph(transducer.Graph):
    """With what OpenAI's networks are made of, as PyTorch writes it."""

    def norm(self, x):
        scale = self.const(1 + 0.1 * self.random.standard_normal(WIDTH))
        shift = self.const(0.1 * self.random.standard_normal(WIDTH))
        mean = self.op("ReduceMean", x, axes=[-1])
        x = self.op("Sub", x, mean)
        var = self.op("ReduceMean", self.op("Pow", x, self.const(2.0)),
                      axes=[-1])
        x = self.op("Div", x, self.op("Sqrt", self.op("Add", var,
                                                      self.const(1e-5))))
        return self.op("Add", self.op("Mul", x, scale), shift)

    def gelu(self, x):
        y = self.op("Erf", self.op("Div", x, self.const(2.0 ** 0.5)))
        y = self.op("Mul", x, self.op("Add", y, self.const(1.0)))
        return self.op("Mul", y, self.const(0.5))

    def dim(self, x, axis):
        """[1]"""
        return self.op("Gather", self.op("Shape", x), self.ints(axis), axis=0)

    def heads(self, x):
        """[N, T, WIDTH] -> [N, T, HEADS, SIZE]"""
        shape = self.op("Concat", self.dim(x, 0), self.dim(x, 1),
                        self.ints(HEADS, SIZE), axis=0)
        return self.op("Reshape", x, shape)

    def attention(self, q, k, v, mask=None):
        scale = self.const(SIZE ** -0.25)
        q = self.op("Mul", self.op("Transpose", self.heads(q),
                                   perm=[0, 2, 1, 3]), scale)
        k = self.op("Mul", self.op("Transpose", self.heads(k),
                                   perm=[0, 2, 3, 1]), scale)
        v = self.op("Transpose", self.heads(v), perm=[0, 2, 1, 3])
        scores = self.op("MatMul", q, k)
        if mask:
            scores = self.op("Add", scores, mask)
        y = self.op("MatMul", self.op("Softmax", scores, axis=-1), v)
        y = self.op("Transpose", y, perm=[0, 2, 1, 3])
        shape = self.op("Concat", self.dim(y, 0), self.dim(y, 1),
                        self.ints(WIDTH), axis=0)
        return self.linear(self.op("Reshape", y, shape), WIDTH, WIDTH)

    def mlp(self, x):
        y = self.gelu(self.linear(self.norm(x), WIDTH, 2 * WIDTH))
        return self.op("Add", x, self.linear(y, 2 * WIDTH, WIDTH))


def encoder(path):
    g = Graph(31)
    x = g.input("mel", ["n_audio", BANDS, "T"])
    for n, stride in ((BANDS, 1), (WIDTH, 2)):
        x = g.op("Conv", x, g.weight(WIDTH, n, 3), g.const(
            0.1 * g.random.standard_normal(WIDTH)), strides=[stride],
            pads=[1, 1])
        x = g.gelu(x)
    x = g.op("Transpose", x, perm=[0, 2, 1])
    table = g.const(0.5 * g.random.standard_normal((POSITIONS, WIDTH)))
    x = g.op("Add", x, g.op("Slice", table, g.ints(0), g.dim(x, 1),
                            g.ints(0)))
    for _ in range(LAYERS):
        y = g.norm(x)
        q, k, v = (g.linear(y, WIDTH, WIDTH) for _ in range(3))
        x = g.mlp(g.op("Add", x, g.attention(q, k, v)))
    x = g.norm(x)
    for name in ("k", "v"):
        layers = [g.op("Unsqueeze", g.linear(x, WIDTH, WIDTH, gain=3),
                       g.ints(0)) for _ in range(LAYERS)]
        g.output(g.op("Concat", *layers, axis=0), f"n_layer_cross_{name}",
                 [LAYERS, "n_audio", "T", WIDTH])
    g.save(path, {
        "model_type": "whisper-stacked", "version": 1, "maintainer": "k2-fsa",
        "n_mels": BANDS, "n_audio_ctx": POSITIONS, "n_audio_state": WIDTH,
        "n_audio_head": HEADS, "n_audio_layer": LAYERS, "n_vocab": VOCABULARY,
        "n_text_ctx": CONTEXT, "n_text_state": WIDTH, "n_text_head": HEADS,
        "n_text_layer": LAYERS,
        "sot_sequence": f"{ID['sot']},{ID['en']},{ID['transcribe']}",
        "all_language_tokens": f"{ID['en']},{ID['de']}",
        "all_language_codes": "en,de", "sot_index": 0, "blank_id": 0,
        "is_multilingual": 1, "non_speech_tokens": "27,28",
        **{name: ID[name] for name in NAMES if name not in ("en", "de")}})


def write_rows(g, cache, layer, rows, offset, end):
    """@cache with @rows in place of those of the tokens."""
    batch = g.op("Range", g.const(0, np.int64),
                 g.op("Squeeze", g.dim(rows, 0)), g.const(1, np.int64))
    place = g.op("Range", g.op("Squeeze", offset), g.op("Squeeze", end),
                 g.const(1, np.int64))
    shape = g.op("Concat", g.dim(rows, 0), g.dim(rows, 1), g.ints(1), axis=0)
    index = [g.op("Expand", v, shape) for v in (
        g.const([[[layer]]], np.int64), g.op("Unsqueeze", batch, g.ints(1, 2)),
        g.op("Unsqueeze", place, g.ints(0, 2)))]
    return g.op("ScatterND", cache, g.op("Concat", *index, axis=2), rows)


def decoder(path):
    g = Graph(33)
    ids = g.input("tokens", ["n_audio", "n_tokens"], TensorProto.INT64)
    cached = [LAYERS, "n_audio", CONTEXT, WIDTH]
    caches = [g.input(f"in_n_layer_self_{n}_cache", cached) for n in "kv"]
    crossed = [LAYERS, "n_audio", "T", WIDTH]
    cross = [g.input(f"n_layer_cross_{n}", crossed) for n in "kv"]
    offset = g.input("offset", [1], TensorProto.INT64)
    table = g.random.standard_normal((VOCABULARY, WIDTH))
    table[len(PIECES):] *= 0.3  # most of what is heard is text
    table = g.const(table)
    places = g.weight(CONTEXT, WIDTH, gain=CONTEXT ** 0.5)
    n = g.dim(ids, 1)
    end = g.op("Add", offset, n)
    x = g.op("Add", g.op("Gather", table, ids, axis=0),
             g.op("Slice", places, offset, end, g.ints(0)))
    mask = g.const(np.triu(np.full((CONTEXT, CONTEXT), -np.inf), 1))
    for axis in (0, 1):
        mask = g.op("Slice", mask, g.ints(0), n, g.ints(axis))
    for layer in range(LAYERS):
        y = g.norm(x)
        q = g.linear(y, WIDTH, WIDTH)
        kv = []
        for i in range(2):
            rows = g.linear(y, WIDTH, WIDTH)
            caches[i] = write_rows(g, caches[i], layer, rows, offset, end)
            one = g.op("Gather", caches[i], g.const(layer, np.int64), axis=0)
            kv.append(g.op("Slice", one, g.ints(0), end, g.ints(1)))
        x = g.op("Add", x, g.attention(q, *kv, mask))
        q = g.linear(g.norm(x), WIDTH, WIDTH, gain=3)
        kv = [g.op("Gather", c, g.const(layer, np.int64), axis=0)
              for c in cross]
        x = g.mlp(g.op("Add", x, g.attention(q, *kv)))
    y = g.op("MatMul", table, g.op("Transpose", g.norm(x), perm=[0, 2, 1]))
    g.output(g.op("Transpose", y, perm=[0, 2, 1]), "logits",
             ["n_audio", "n_tokens", VOCABULARY])
    for name, cache in zip("kv", caches):
        g.output(cache, f"out_n_layer_self_{name}_cache", cached)
    g.save(path, {})


def features():
    """[1, BANDS, FRAMES], as tests/check/inference/speech makes them."""
    n = np.arange(BANDS * FRAMES, dtype=np.uint64)
    hashed = (n * np.uint64(2654435761)) % np.uint64(1 << 32) >> np.uint64(16)
    rows = hashed.astype(np.float32) / np.float32(32768) - np.float32(1)
    return rows.reshape(FRAMES, BANDS).T[None].copy()


def loop(folder):
    import onnxruntime
    run = {part: onnxruntime.InferenceSession(
        str(folder / f"tiny-{part}.onnx")).run
        for part in ("encoder", "decoder")}
    cross = run["encoder"](None, {"mel": features()})
    caches = [np.zeros((LAYERS, 1, CONTEXT, WIDTH), np.float32)] * 2
    offset, rows = 0, []
    for tokens in CALLS:
        logits, *caches = run["decoder"](None, {
            "tokens": np.array([tokens]), "offset": np.array([offset]),
            "in_n_layer_self_k_cache": caches[0],
            "in_n_layer_self_v_cache": caches[1],
            "n_layer_cross_k": cross[0], "n_layer_cross_v": cross[1]})
        offset += len(tokens)
        rows.append(logits[0, -1])
    return np.stack(rows).astype("<f4")


def hear(folder):
    import sherpa_onnx
    recogniser = sherpa_onnx.OfflineRecognizer.from_whisper(
        encoder=str(folder / "tiny-encoder.onnx"),
        decoder=str(folder / "tiny-decoder.onnx"),
        tokens=str(folder / "tiny-tokens.txt"), language="en",
        tail_paddings=100, num_threads=1)
    with wave.open(str(HERE.parent / "transducer" / "noise.wav")) as w:
        samples = np.frombuffer(w.readframes(w.getnframes()), "<i2")
    stream = recogniser.create_stream()
    stream.accept_waveform(16000, (samples / 32768).astype(np.float32))
    recogniser.decode_stream(stream)
    return stream.result


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    encoder(folder / "tiny-encoder.onnx")
    decoder(folder / "tiny-decoder.onnx")
    (folder / "tiny-tokens.txt").write_text("".join(
        f"{base64.b64encode(piece).decode()} {i}\n"
        for i, piece in enumerate(PIECES)))
    (folder / "logits.f32").write_bytes(loop(folder).tobytes())
    result = hear(folder)
    print(result.text, result.tokens)
    (folder / "sherpa-onnx.txt").write_text(
        "".join(token + "\n" for token in result.tokens), encoding="utf-8")


main()
