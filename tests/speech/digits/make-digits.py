#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The streaming transducer of spoken digits beside this file (card.md).

Starts from the CTC model of ../shared/digits/training (data.py, model.py and
weights.npz, found through PYTHONPATH) and its corpus.npz; the loss is that of
a transducer with at most one token per frame.  Needs numpy, scipy, jax, optax
to train, and onnx to export.

Usage: make-digits.py train CORPUS.npz WEIGHTS.npz OUT.npz MINUTES
       make-digits.py export OUT.npz FOLDER
"""

import importlib
import multiprocessing
import os
import pathlib
import sys
import time

import numpy as np

WORDS = "zero one two three four five six seven eight nine".split()
CLASSES, JOIN, EMBED, HIDDEN = 11, 96, 48, 160
CHUNK, CONTEXT = 10, 9  # frames of features: a chunk, and those before it
FRAMES, BATCH, LABELS = 480, 20, 12
ENCODER = ("w1", "b1", "w2", "b2", "wx1", "wh1", "bl1", "wx2", "wh2", "bl2",
           "wo", "bo")

# --- Kaldi's filter banks, as inference/media/features/fbank.c has them ---

RATE, WINDOW, HOP, FFT, BANDS, FMIN, FMAX = 16000, 400, 160, 512, 40, 20, 7600
POVEY = ((0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / (WINDOW - 1)))
         ** 0.85).astype(np.float32)
FLOOR = float(np.finfo(np.float32).eps)


def mel(hz):
    return 1127 * np.log(1 + np.asarray(hz, np.float64) / 700)


def mel_matrix(warp=1.0):
    edges = np.linspace(mel(FMIN), mel(FMAX), BANDS + 2)
    edges = mel(700 * (np.exp(edges / 1127) - 1) * warp)
    at = mel(np.arange(FFT // 2) * RATE / FFT)[:, None]
    up = (at - edges[:-2]) / (edges[1:-1] - edges[:-2])
    down = (edges[2:] - at) / (edges[2:] - edges[1:-1])
    weights = np.maximum(0, np.minimum(up, down))
    return np.concatenate([weights, np.zeros((1, BANDS))]).astype(np.float32)


def power(samples):
    x = np.asarray(samples, np.float32)
    n, lead = (len(x) + HOP // 2) // HOP, WINDOW // 2 - HOP // 2
    x = np.concatenate([x[:lead][::-1], x, x[::-1][:WINDOW]])
    frames = np.lib.stride_tricks.sliding_window_view(x, WINDOW)[::HOP][:n]
    frames = frames - frames.mean(1, keepdims=True)
    before = np.concatenate([frames[:, :1], frames[:, :-1]], 1)
    s = np.fft.rfft((frames - np.float32(0.97) * before) * POVEY, FFT)
    return (s.real ** 2 + s.imag ** 2).astype(np.float32)


def fbank(samples):
    return np.log(np.maximum(power(samples) @ mel_matrix(), FLOOR))


def load_data():
    """data.py with these features."""
    data = importlib.import_module("data")
    data.quick_power, data.fe.log_mel, data.fe.FLOOR = power, fbank, FLOOR
    data.WARPS = [mel_matrix(w) for w in np.linspace(0.82, 1.2, 19)]

    def speaker(mixer):
        pool = mixer.human if mixer.rng.random() < 0.7 else mixer.small
        return pool[list(pool)[mixer.rng.integers(len(pool))]]
    data.Mixer.speaker = speaker
    return data


# --- training ---


def produce(corpus, seed, queue):
    data = load_data()
    mixer = data.Mixer(data.Corpus(corpus), FRAMES, seed)
    while True:
        queue.put(mixer.batch(BATCH))


def start_parameters(weights, data, corpus):
    """Those of the CTC model; the features' means are moved to ours."""
    import frontend
    r = np.random.default_rng(5)
    p = {k: v for k, v in np.load(weights).items() if k not in ("wa", "ba")}
    ours, theirs = [], []
    for i in r.permutation(len(corpus.ends))[:300]:
        x = 0.3 * corpus.clip(i)
        x = x + 1e-3 * r.standard_normal(len(x))
        energies = frontend.power_spectrum(x) @ frontend.MEL
        n = min(len(energies), len(fbank(x)))
        theirs.append(np.log(np.maximum(energies, 1e-6))[:n])
        ours.append(fbank(x)[:n])
    p["mean"] = p["mean"] + (np.concatenate(ours)
                             - np.concatenate(theirs)).mean(0)

    def uniform(fan, *shape):
        return r.uniform(-1, 1, shape) / np.sqrt(fan)
    p.update(we=uniform(HIDDEN, HIDDEN, JOIN), be=np.zeros(JOIN),
             emb=0.5 * uniform(1, CLASSES, EMBED),
             wc=uniform(2 * EMBED, 2 * EMBED, EMBED),
             wd=uniform(EMBED, EMBED, JOIN), bd=np.zeros(JOIN),
             wj=uniform(JOIN, JOIN, CLASSES), bj=np.zeros(CLASSES))
    return {k: np.asarray(v, np.float32) for k, v in p.items()}


def make_loss(fixed, model):
    import jax
    import jax.numpy as jnp
    import optax

    def lstm(p, i, x, h, c):
        def step(s, gates):
            h, c = model.cell(gates + s[0] @ p["wh" + i], s[1], jnp)
            return (h, c), h
        x = jnp.swapaxes(x @ p["wx" + i] + p["bl" + i], 0, 1)
        (h, c), y = jax.lax.scan(step, (h, c), x, unroll=4)
        return jnp.swapaxes(y, 0, 1), h, c

    def drop(x, key):
        return x * jax.random.bernoulli(key, 0.88, x.shape) / 0.88

    def predict(p, labels):
        batch = labels.shape[0]
        last = jnp.concatenate([jnp.zeros((batch, 1), int), labels], 1)
        one = jnp.concatenate([-jnp.ones((batch, 1), int), last[:, :-1]], 1)
        e = [p["emb"][jnp.maximum(y, 0)] * (y >= 0)[..., None]
             for y in (one, last)]
        d = jax.nn.relu(jnp.concatenate(e, -1) @ p["wc"])
        return d @ p["wd"] + p["bd"]

    def transducer(blank, emit, n):
        """-log of the sum over all alignments."""
        start = jnp.full((blank.shape[0], LABELS + 1), -1e9).at[:, 0].set(0)

        def step(a, now):
            emitted = jnp.concatenate(
                [jnp.full((a.shape[0], 1), -1e9), a[:, :-1] + now[1]], 1)
            return jnp.logaddexp(a + now[0], emitted), 0
        a, _ = jax.lax.scan(step, start, (jnp.swapaxes(blank, 0, 1),
                                          jnp.swapaxes(emit, 0, 1)), unroll=4)
        return -jnp.take_along_axis(a, n[:, None], 1).mean()

    def loss(p, feats, labels, pad, state, key):
        p, state = {**p, **fixed}, dict(state)
        keys = jax.random.split(key, 3)
        x, state["ctx1"], state["ctx2"] = model.front(p, feats, state, jnp)
        for k, i in enumerate("12"):
            x, state["h" + i], state["c" + i] = lstm(
                p, i, drop(x, keys[k]), state["h" + i], state["c" + i])
        x = drop(x, keys[2])
        ctc = optax.ctc_loss(x @ p["wo"] + p["bo"], jnp.zeros(x.shape[:2]),
                             labels, pad).mean()
        labels, n = labels[:, :LABELS], (1 - pad[:, :LABELS]).sum(1).astype(int)
        h = x @ p["we"] + p["be"]
        z = jnp.tanh(h[:, :, None] + predict(p, labels)[:, None])
        z = jax.nn.log_softmax(z @ p["wj"] + p["bj"])
        emit = jnp.take_along_axis(z[:, :, :-1], labels[:, None, :, None], -1)
        there = (jnp.arange(LABELS)[None] < n[:, None])[:, None]
        emit = jnp.where(there, emit[..., 0], -1e9)
        # Early tokens are worth a little more (FastEmit).
        emit = emit + 0.01 * (emit - jax.lax.stop_gradient(emit))
        return transducer(z[..., 0], emit, n) + 0.3 * ctc, state
    return loss


def train(corpus_path, weights, out, minutes):
    import jax
    import jax.numpy as jnp
    import optax
    data, model = load_data(), importlib.import_module("model")
    context = multiprocessing.get_context("spawn")
    queue = context.Queue(4)
    context.Process(target=produce, args=(corpus_path, os.getpid(), queue),
                    daemon=True).start()
    p = start_parameters(weights, data, data.Corpus(corpus_path))
    fixed = {k: p.pop(k) for k in ("mean", "std")}
    loss = jax.value_and_grad(make_loss(fixed, model), has_aux=True)
    make = optax.inject_hyperparams(lambda learning_rate: optax.chain(
        optax.clip_by_global_norm(5.0),
        optax.adamw(learning_rate, weight_decay=1e-3)))
    optimiser = make(learning_rate=2e-3)

    @jax.jit
    def update(p, memory, feats, labels, pad, state, keep, key):
        state = {k: v * keep.reshape((-1,) + (1,) * (v.ndim - 1))
                 for k, v in state.items()}
        (value, state), g = loss(p, feats, labels, pad, state, key)
        change, memory = optimiser.update(g, memory, p)
        change = {k: v * (0.15 if k in ENCODER else 1)
                  for k, v in change.items()}
        return optax.apply_updates(p, change), memory, value, state

    memory, mean = optimiser.init(p), dict(p)
    state, key = model.zero_state(BATCH), jax.random.PRNGKey(1)
    rng, pool = np.random.default_rng(7), []
    begun, length, step = time.time(), 60 * float(minutes), 0
    while time.time() < begun + length:
        part = (time.time() - begun) / length
        memory.hyperparams["learning_rate"] = jnp.float32(
            2e-3 * min(1, (step + 1) / 50) * (0.5 + 0.5 * np.cos(np.pi * part))
            + 1e-5)
        if not queue.empty() or len(pool) < 6:
            pool.append(queue.get())
            batch = pool[-1]
        else:
            batch = pool[rng.integers(len(pool))]
        key, now = jax.random.split(key)
        keep = (rng.random(BATCH) < 0.5).astype(np.float32)
        p, memory, value, state = update(p, memory, *batch[:3], state, keep,
                                         now)
        decay = min(0.995, 0.5 + step / 400)
        mean = {k: decay * mean[k] + (1 - decay) * p[k] for k in p}
        step += 1
        if step % 50 == 0:
            print(step, float(value), flush=True)
    np.savez(out, **{k: np.asarray(v) for k, v in {**mean, **fixed}.items()})


# --- export ---


def export(weights, folder):
    sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
    tool = importlib.import_module("make-transducer")
    from onnx import TensorProto, numpy_helper
    p, folder = dict(np.load(weights)), pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)

    class Graph(tool.Graph):
        def stored(self, value):
            """A constant as f16."""
            name = f"c{len(self.constants)}"
            self.constants.append(numpy_helper.from_array(
                np.ascontiguousarray(value, np.float16), name))
            return self.op("Cast", name, to=TensorProto.FLOAT)

        def affine(self, x, weight, bias):
            return self.op("Add", self.op("MatMul", x, self.stored(p[weight])),
                           self.const(p[bias]))

    def gates(w):  # f, i, c, o → ONNX's i, o, f, c
        f, i, c, o = np.split(w, 4, -1)
        return np.concatenate([i, o, f, c], -1)

    g = Graph(0)
    x = g.input("x", ["N", CHUNK + CONTEXT, BANDS])
    x = g.op("Sub", x, g.const(p["mean"]))
    x = g.op("Transpose", g.op("Mul", x, g.const(1 / p["std"])), perm=[0, 2, 1])
    for name, kernel, stride in (("1", 5, 1), ("2", 10, 5)):
        w = p["w" + name]
        w = w.reshape(kernel, -1, w.shape[1]).transpose(2, 1, 0)
        x = g.op("Relu", g.op("Conv", x, g.stored(w), g.const(p["b" + name]),
                              strides=[stride]))
    x = g.op("Transpose", x, perm=[2, 0, 1])
    shape = [2, "N", HIDDEN]
    before = [g.input("state0", shape), g.input("state1", shape)]
    after = [[], []]
    for k in range(2):
        bias = gates(p[f"bl{k + 1}"])
        y, h, c = g.op("LSTM", x, g.stored(gates(p[f"wx{k + 1}"]).T[None]),
                       g.stored(gates(p[f"wh{k + 1}"]).T[None]),
                       g.const(np.concatenate([bias, 0 * bias])[None]), "",
                       *(g.slice(s, k, k + 1, 0) for s in before), n=3,
                       hidden_size=HIDDEN)
        after[0].append(h)
        after[1].append(c)
        x = g.op("Squeeze", y, g.ints(1))
    x = g.op("Transpose", g.affine(x, "we", "be"), perm=[1, 0, 2])
    g.output(x, "encoder_out", ["N", CHUNK // 5, JOIN])
    for k in range(2):
        g.output(g.op("Concat", *after[k], axis=0), f"new_state{k}", shape)
    g.save(folder / "encoder.onnx", {
        "model_type": "lstm", "version": 1, "T": CHUNK + CONTEXT,
        "decode_chunk_len": CHUNK, "num_encoder_layers": 2,
        "rnn_hidden_size": HIDDEN, "d_model": HIDDEN})

    g = Graph(0)
    y = g.input("y", ["N", 2], TensorProto.INT64)
    e = g.op("Gather", g.stored(p["emb"]), g.op("Max", y, g.ints(0)), axis=0)
    there = g.op("Cast", g.op("GreaterOrEqual", y, g.ints(0)),
                 to=TensorProto.FLOAT)
    e = g.op("Mul", e, g.op("Unsqueeze", there, g.ints(2)))
    e = g.op("MatMul", g.op("Reshape", e, g.ints(0, -1)), g.stored(p["wc"]))
    g.output(g.affine(g.op("Relu", e), "wd", "bd"), "decoder_out", ["N", JOIN])
    g.save(folder / "decoder.onnx", {"context_size": 2, "vocab_size": CLASSES})

    g = Graph(0)
    y = g.op("Tanh", g.op("Add", g.input("encoder_out", ["N", JOIN]),
                          g.input("decoder_out", ["N", JOIN])))
    g.output(g.affine(y, "wj", "bj"), "logit", ["N", CLASSES])
    g.save(folder / "joiner.onnx", {"joiner_dim": JOIN})
    (folder / "tokens.txt").write_text("".join(
        f"{t} {i}\n" for i, t in
        enumerate(["<blk>"] + ["\u2581" + w for w in WORDS])), encoding="utf-8")


if __name__ == "__main__":
    {"train": train, "export": export}[sys.argv[1]](*sys.argv[2:])
