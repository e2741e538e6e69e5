#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Small transducers with random weights in the form of NeMo's exports.  As
sherpa-onnx has them: `rnnt` and `tdt` (with durations) take utterances,
`streaming` a window at a time with caches.  In two files, as NeMo's export()
writes them, without metadata: `joint-rnnt` and `joint-tdt`; in `joint-two` two
values of the decoder meet the encoder's, `other-width` takes frames of another
width.  expected.tsv has the tokens of a plain
loop over ONNX Runtime, on features that the test makes too.  (sherpa-onnx's
features for NeMo's models are not NeMo's, so it is no reference for these.)

Needs numpy, onnx and onnxruntime.

Usage: make-nemo.py FOLDER
"""

import importlib.util
import pathlib
import sys

import numpy as np
from onnx import TensorProto

HERE = pathlib.Path(__file__).parent
SPEC = importlib.util.spec_from_file_location("transducer",
                                              HERE / "make-transducer.py")
transducer = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(transducer)
Graph = transducer.Graph

BANDS, WIDTH, HIDDEN, JOIN, DURATIONS = 80, 16, 12, 20, 5
WINDOW, SHIFT, CACHE, KERNEL = 41, 32, 8, 3
FRAMES, MOST = 300, {"rnnt": 10, "streaming": 10, "tdt": 5, "joint-rnnt": 10,
                     "joint-tdt": 5}


def pieces():
    list_ = ["<unk>"]
    for k, c in enumerate("abcdefghijklmnopqrs"):
        list_ += ["\u2581" + c, c + "aeiou"[k % 5]]
    return list_ + ["<blk>"]


PIECES = pieces()
BLANK = len(PIECES) - 1


def subsample(g, x, lens):
    """[N, BANDS, T] -> [N, WIDTH, T / 4]"""
    for n in (BANDS, WIDTH):
        x = transducer.swoosh(g, g.op(
            "Conv", x, g.weight(WIDTH, n, 3, gain=2), strides=[2], pads=[1, 1]))
        lens = g.op("Div", g.op("Add", lens, g.ints(1)), g.ints(2))
    return x, lens


def linear(g, x, n, m, gain=1.0):
    """[N, n, T] -> [N, m, T]"""
    y = g.linear(g.op("Transpose", x, perm=[0, 2, 1]), n, m, gain=gain)
    return g.op("Transpose", y, perm=[0, 2, 1])


def metadata(streaming):
    both = {"vocab_size": BLANK, "subsampling_factor": 4, "pred_rnn_layers": 1,
            "pred_hidden": HIDDEN, "model_type": "EncDecRNNTBPEModel",
            "normalize_type": "" if streaming else "per_feature"}
    if streaming:
        both.update({
            "window_size": WINDOW, "chunk_shift": SHIFT,
            "cache_last_channel_dim1": 1, "cache_last_channel_dim2": CACHE,
            "cache_last_channel_dim3": WIDTH, "cache_last_time_dim1": 1,
            "cache_last_time_dim2": WIDTH, "cache_last_time_dim3": KERNEL - 1})
    return both


def encoder(path, streaming, named=True):
    g = Graph(41)
    x = g.input("audio_signal", ["N", BANDS, "T"])
    lens = g.input("length", ["N"], TensorProto.INT64)
    y, lens = subsample(g, x, lens)
    if streaming:
        y = g.slice(y, 0, SHIFT // 4, 2)
        lens = g.op("Min", lens, g.ints(SHIFT // 4))
        shapes = {"cache_last_channel": (["N", 1, CACHE, WIDTH], 1),
                  "cache_last_time": (["N", 1, WIDTH, KERNEL - 1], 1)}
        channel, time = (g.op("Squeeze", g.input(name, shape), g.ints(axis))
                         for name, (shape, axis) in shapes.items())
        count = g.input("cache_last_channel_len", ["N"], TensorProto.INT64)
        both = g.op("Concat", time, y, axis=2)
        rows = g.op("Concat", channel, g.op("Transpose", y, perm=[0, 2, 1]),
                    axis=1)
        mean = g.op("ReduceMean", rows, axes=[1], keepdims=1)
        mean = g.op("Transpose", mean, perm=[0, 2, 1])
        phase = g.op("Sin", g.op("Cast", count, to=TensorProto.FLOAT))
        z = g.op("Conv", both, g.weight(WIDTH, 1, KERNEL, gain=2), group=WIDTH)
        y = g.op("Add", g.op("Add", y, z), g.op("Add", mean, g.op(
            "Unsqueeze", g.op("Mul", phase, g.const(0.1)), g.ints(1, 2))))
    y = linear(g, g.op("Tanh", y), WIDTH, WIDTH, gain=3)
    g.output(y, "outputs", ["N", WIDTH, "T'"])
    g.output(lens, "encoded_lengths", ["N"], TensorProto.INT64)
    if streaming:
        g.output(g.op("Unsqueeze", g.slice(rows, -CACHE, 1 << 40, 1),
                      g.ints(1)), "cache_last_channel_next",
                 shapes["cache_last_channel"][0])
        g.output(g.op("Unsqueeze", g.slice(both, 1 - KERNEL, 1 << 40, 2),
                      g.ints(1)), "cache_last_time_next",
                 shapes["cache_last_time"][0])
        g.output(g.op("Min", g.op("Add", count, g.ints(SHIFT // 4)),
                      g.ints(CACHE)), "cache_last_channel_next_len", ["N"],
                 TensorProto.INT64)
    g.save(path, metadata(streaming) if named else {})


def predict_rows(g, names):
    """[N, HIDDEN, U]; ends the graph's part of the decoder."""
    y = g.input("targets", ["N", "U"], TensorProto.INT32)
    lens = g.input("target_length", ["N"], TensorProto.INT32)
    table = g.random.standard_normal((BLANK + 1, HIDDEN)) * 2
    table[BLANK] = 0
    x = g.op("Gather", g.const(table), y, axis=0)
    x = g.op("Transpose", x, perm=[1, 0, 2])
    state = [1, "N", HIDDEN]
    h, c = (g.input(name, state) for name in names[:2])
    w, r = (g.const(g.random.standard_normal((1, 4 * HIDDEN, HIDDEN))
                    / HIDDEN ** 0.5) for _ in range(2))
    bias = g.const(0.2 * g.random.standard_normal((1, 8 * HIDDEN)))
    out, h, c = g.op("LSTM", x, w, r, bias, "", h, c, n=3, hidden_size=HIDDEN)
    out = g.op("Transpose", g.op("Squeeze", out, g.ints(1)), perm=[1, 2, 0])
    def end():
        g.output(g.op("Identity", lens), "prednet_lengths", ["N"],
                 TensorProto.INT32)
        g.output(h, names[2], state)
        g.output(c, names[3], state)

    return g.op("Mul", out, g.const(4.0)), end


def decoder(path):
    g = Graph(43)
    out, end = predict_rows(g, ("states.1", "onnx::LSTM_3", "states", "162"))
    g.output(out, "outputs", ["N", HIDDEN, "U"])
    end()
    g.save(path, {})


def joiner(path, durations):
    g = Graph(47)
    e = g.input("encoder_outputs", ["N", WIDTH, "T"])
    d = g.input("decoder_outputs", ["N", HIDDEN, "U"])
    join(g, e, d, durations)
    g.save(path, {})


def joint(path, durations, twice=False, width=WIDTH):
    """Decoder and joiner."""
    g = Graph(71)
    e = g.input("encoder_outputs", ["N", width, "T"])
    d, end = predict_rows(g, ("input_states_1", "input_states_2",
                              "output_states_1", "output_states_2"))
    join(g, e, d, durations, twice, width)
    end()
    g.save(path, {})


def join(g, e, d, durations, twice=False, width=WIDTH):
    e = g.linear(g.op("Transpose", e, perm=[0, 2, 1]), width, JOIN)
    d = g.linear(g.op("Transpose", d, perm=[0, 2, 1]), HIDDEN, JOIN, gain=2)
    y = g.op("Tanh", g.op("Add", g.op("Unsqueeze", e, g.ints(2)),
                          g.op("Unsqueeze", d, g.ints(1))))
    bias = np.zeros(BLANK + 1 + durations)
    bias[BLANK] = 9
    y = g.op("MatMul", y, g.weight(JOIN, len(bias), gain=5))
    if twice:
        y = g.op("Mul", y, g.op("ReduceMean", d, keepdims=1))
    g.output(g.op("Add", y, g.const(bias)), "outputs",
             ["N", "T", "U", len(bias)])


def features(normal):
    """[1, BANDS, FRAMES]"""
    n = np.arange(BANDS * FRAMES, dtype=np.uint64)
    hashed = (n * np.uint64(2654435761)) % np.uint64(1 << 32) >> np.uint64(16)
    rows = hashed.astype(np.float64) / 32768 - 1
    rows = rows.reshape(FRAMES, BANDS) * np.sin(
        np.arange(FRAMES) / 7)[:, None]
    rows = rows.astype(np.float32).astype(np.float64)
    if normal:
        rows = (rows - rows.mean(0)) / (rows.std(0, ddof=1) + 1e-5)
    return rows.T[None].astype(np.float32)


def encode(run, streaming):
    rows = features(not streaming)
    if not streaming:
        out, n = run(None, {"audio_signal": rows, "length": [FRAMES]})
        return out[0, :, :n[0]].T
    caches = {"cache_last_channel": np.zeros((1, 1, CACHE, WIDTH), np.float32),
              "cache_last_time": np.zeros((1, 1, WIDTH, KERNEL - 1),
                                          np.float32),
              "cache_last_channel_len": np.zeros(1, np.int64)}
    all_ = []
    for at in range(0, FRAMES - WINDOW + 1, SHIFT):
        out, n, *values = run(None, {
            "audio_signal": rows[:, :, at:at + WINDOW], "length": [WINDOW],
            **caches})
        caches = dict(zip(caches, values))
        all_.append(out[0, :, :n[0]].T)
    return np.concatenate(all_)


def choose(scores, kind):
    """Token, and frames to go on by."""
    token = int(scores[:BLANK + 1].argmax())
    return token, int(scores[BLANK + 1:].argmax()) if "tdt" in kind else \
        int(token == BLANK)


def search(frames, kind, score):
    """@score: (frame, the last token) -> scores; each token's states follow
    from those of the one before, which it keeps."""
    found, t, here = [], 0, 0
    while t < len(frames):
        token, on = choose(score(frames[t], found), kind)
        if token != BLANK:
            found.append((t, token))
            here += 1
        if on == 0 and (token == BLANK or here == MOST[kind]):
            on = 1
        if on > 0:
            here = 0
        t += on
    return found


def joint_score(run):
    """Runs decoder and joiner anew for each frame, with the states before the
    last token."""
    before, after = [], [np.zeros((1, 1, HIDDEN), np.float32)] * 2
    known = -1

    def score(frame, found):
        nonlocal before, after, known
        if known != len(found):
            known, before = len(found), after
        scores, _, *after = run(None, {
            "encoder_outputs": frame[None, :, None],
            "targets": np.array([[found[-1][1] if found else BLANK]], np.int32),
            "target_length": np.array([1], np.int32),
            "input_states_1": before[0], "input_states_2": before[1]})
        return scores.ravel()

    return score


def loop(folder, kind):
    import onnxruntime
    if kind.startswith("joint"):
        run = {part: onnxruntime.InferenceSession(
            str(folder / f"{part}-model.onnx")).run
            for part in ("encoder", "decoder_joint")}
        return search(encode(run["encoder"], False), kind,
                      joint_score(run["decoder_joint"]))
    run = {part: onnxruntime.InferenceSession(
        str(folder / f"{part}.onnx")).run
        for part in ("encoder", "decoder", "joiner")}
    states = [np.zeros((1, 1, HIDDEN), np.float32)] * 2
    known, row = -1, None

    def predict(token):
        out, _, *states[:] = run["decoder"](None, {
            "targets": np.array([[token]], np.int32),
            "target_length": np.array([1], np.int32),
            "states.1": states[0], "onnx::LSTM_3": states[1]})
        return out

    def score(frame, found):
        nonlocal known, row
        if known != len(found):
            known = len(found)
            row = predict(found[-1][1] if found else BLANK)
        return run["joiner"](None, {
            "encoder_outputs": frame[None, :, None],
            "decoder_outputs": row})[0].ravel()

    return search(encode(run["encoder"], kind == "streaming"), kind, score)


def write_tokens(path):
    path.write_text("".join(f"{p} {i}\n" for i, p in enumerate(PIECES)),
                    encoding="utf-8")


def write_folder(folder, kind):
    durations = DURATIONS if "tdt" in kind else 0
    folder.mkdir(parents=True, exist_ok=True)
    if kind.startswith("joint"):
        encoder(folder / "encoder-model.onnx", False, named=False)
        joint(folder / "decoder_joint-model.onnx", durations)
        write_tokens(folder / "vocab.txt")
    else:
        encoder(folder / "encoder.onnx", kind == "streaming")
        decoder(folder / "decoder.onnx")
        joiner(folder / "joiner.onnx", durations)
        write_tokens(folder / "tokens.txt")


def main():
    root = pathlib.Path(sys.argv[1])
    lines = []
    for kind in MOST:
        write_folder(root / kind, kind)
        found = loop(root / kind, kind)
        print(kind, len(found), found[:12])
        lines += [f"{kind}\t{t}\t{token}" for t, token in found]
    joint(root / "joint-two.onnx", 0, twice=True)
    joint(root / "other-width.onnx", 0, width=12)
    (root / "expected.tsv").write_text("\n".join(lines) + "\n")


main()
