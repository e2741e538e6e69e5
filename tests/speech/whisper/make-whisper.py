#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the folder tiny/: a model of Whisper's form with random weights, as
optimum exports it for OpenVINO.  It hears nothing sensible, but always the same.
With --positions only the decoder, which is told the positions of its tokens, as
later versions of optimum export it (folder positions/).

Usage: make-whisper.py FOLDER [--positions]
"""

import json
import pathlib
import random
import struct
import sys

BANDS, POSITIONS, WIDTH, HEADS, LAYERS, CONTEXT = 8, 200, 16, 2, 2, 64
SIZE = WIDTH // HEADS
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SPECIAL = ["<|endoftext|>", "<|startoftranscript|>", "<|en|>", "<|de|>", "<|translate|>",
           "<|transcribe|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]
PIECES = ["\u0120", *LETTERS, *("\u0120" + letter for letter in LETTERS)]
VOCABULARY = len(PIECES) + len(SPECIAL) + POSITIONS + 1


class Net:
    """An IR, layer by layer; a value is (layer, port)."""

    def __init__(self, seed):
        self.layers, self.edges, self.weights, self.n = [], [], bytearray(), 0
        self.random = random.Random(seed)

    def add(self, kind, inputs=(), data=None, opset="opset1", name=None, outputs=1):
        number = self.n
        self.n += 1
        attributes = "".join(f' {k}="{v}"' for k, v in (data or {}).items())
        names = f' names="{name}"' if name and outputs else ""
        ports = "".join(f'<port id="{i}"/>' for i in range(len(inputs)))
        out = f'<output><port id="{len(inputs)}"{names}/></output>' if outputs else ""
        self.layers.append(
            f'<layer id="{number}" name="{name or kind + str(number)}" type="{kind}" version="{opset}">'
            + (f"<data{attributes}/>" if data else "") + (f"<input>{ports}</input>" if inputs else "")
            + out + "</layer>")
        for i, (layer, port) in enumerate(inputs):
            self.edges.append(f'<edge from-layer="{layer}" from-port="{port}" to-layer="{number}" to-port="{i}"/>')
        return number, len(inputs)

    def const(self, kind, shape, values):
        raw = struct.pack("<%d%s" % (len(values), {"f32": "f", "i64": "q", "i32": "i"}[kind]), *values)
        while len(self.weights) % 8:
            self.weights += b"\0"
        offset = len(self.weights)
        self.weights += raw
        return self.add("Const", (), {"element_type": kind, "shape": ",".join(map(str, shape)),
                                      "offset": offset, "size": len(raw)})

    def ints(self, *values):
        return self.const("i64", [len(values)], values)

    def scalar(self, value):
        return self.const("i64", [], [value])

    def normal(self, shape, scale):
        n = 1
        for dim in shape:
            n *= dim
        return self.const("f32", shape, [self.random.gauss(0, scale) for _ in range(n)])

    def linear(self, x, n, m, scale=1.0):
        w = self.normal([m, n], scale / n ** 0.5)
        return self.add("MatMul", (x, w), {"transpose_a": "false", "transpose_b": "true"})

    def norm(self, x):
        return self.add("MVN", (x, self.ints(-1)), {"eps": "1e-5", "normalize_variance": "true",
                                                    "eps_mode": "INSIDE_SQRT"}, "opset6")

    def heads(self, x, length):
        x = self.add("Reshape", (x, self.ints(0, length, HEADS, SIZE)), {"special_zero": "true"})
        return self.add("Transpose", (x, self.ints(0, 2, 1, 3)))

    def attention(self, q, k, v, length, mask=None):
        inputs = (q, k, v) + ((mask,) if mask else ())
        x = self.add("ScaledDotProductAttention", inputs, {"causal": "false"}, "opset13")
        x = self.add("Transpose", (x, self.ints(0, 2, 1, 3)))
        x = self.add("Reshape", (x, self.ints(0, length, WIDTH)), {"special_zero": "true"})
        return self.linear(x, WIDTH, WIDTH)

    def feed_forward(self, x):
        y = self.linear(self.norm(x), WIDTH, 2 * WIDTH)
        y = self.add("Gelu", (y,), {"approximation_mode": "ERF"}, "opset7")
        return self.add("Add", (x, self.linear(y, 2 * WIDTH, WIDTH)), {"auto_broadcast": "numpy"})

    def plus(self, a, b):
        return self.add("Add", (a, b), {"auto_broadcast": "numpy"})

    def write(self, path):
        path.write_text('<?xml version="1.0"?><net name="whisper" version="11"><layers>'
                        + "\n".join(self.layers) + "</layers><edges>" + "\n".join(self.edges)
                        + "</edges></net>\n")
        path.with_suffix(".bin").write_bytes(self.weights)


def encoder():
    net = Net(1)
    x = net.add("Parameter", (), {"element_type": "f32", "shape": f"?,{BANDS},{2 * POSITIONS}"},
                name="input_features")
    for n, stride in ((BANDS, 1), (WIDTH, 2)):
        x = net.add("Convolution", (x, net.normal([WIDTH, n, 3], (3 * n) ** -0.5)),
                    {"strides": stride, "dilations": 1, "pads_begin": 1, "pads_end": 1, "auto_pad": "explicit"})
        x = net.add("Gelu", (x,), {"approximation_mode": "ERF"}, "opset7")
    x = net.add("Transpose", (x, net.ints(0, 2, 1)))
    x = net.plus(x, net.normal([1, POSITIONS, WIDTH], 0.5))
    for _ in range(LAYERS):
        y = net.norm(x)
        q, k, v = (net.heads(net.linear(y, WIDTH, WIDTH), POSITIONS) for _ in range(3))
        x = net.plus(x, net.attention(q, k, v, POSITIONS))
        x = net.feed_forward(x)
    net.add("Result", (net.norm(x),), name="last_hidden_state", outputs=0)
    return net


def cache(net, x, ids, beams, name):
    """The values of the tokens before, with those of @x after them."""
    batch = net.add("Gather", (net.add("ShapeOf", (ids,), {"output_type": "i64"}, "opset3"), net.ints(0),
                               net.scalar(0)), {"batch_dims": 0}, "opset8")
    shape = net.add("Concat", (batch, net.ints(HEADS), net.ints(0), net.ints(SIZE)), {"axis": 0})
    empty = net.add("Broadcast", (net.const("f32", [], [0.0]), shape), {"mode": "numpy"}, "opset3")
    read = net.add("ReadValue", (empty,), {"variable_id": name, "variable_type": "f32",
                                           "variable_shape": f"?,{HEADS},?,{SIZE}"}, "opset6")
    past = net.add("Gather", (read, beams, net.scalar(0)), {"batch_dims": 0}, "opset8")
    joined = net.add("Concat", (past, x), {"axis": -2})
    return past, joined


def positions(net, ids, past):
    """Numbers of the tokens, and a mask that hides later ones."""
    tokens = net.add("Gather", (net.add("ShapeOf", (ids,), {"output_type": "i64"}, "opset3"), net.scalar(1),
                                net.scalar(0)), {"batch_dims": 0}, "opset8")
    before = net.add("Gather", (net.add("ShapeOf", (past,), {"output_type": "i64"}, "opset3"), net.scalar(2),
                                net.scalar(0)), {"batch_dims": 0}, "opset8")
    total = net.plus(before, tokens)
    row = net.add("Range", (before, total, net.scalar(1)), {"output_type": "i64"}, "opset4")
    column = net.add("Range", (net.scalar(0), total, net.scalar(1)), {"output_type": "i64"}, "opset4")
    seen = net.add("LessEqual", (net.add("Unsqueeze", (column, net.ints(0))),
                                 net.add("Unsqueeze", (row, net.ints(1)))), {"auto_broadcast": "numpy"})
    mask = net.add("Select", (seen, net.const("f32", [], [0.0]), net.const("f32", [], [-65504.0])),
                   {"auto_broadcast": "numpy"})
    return row, net.add("Unsqueeze", (mask, net.ints(0, 1)))


def decoder(positions_given=False):
    net = Net(2)
    ids = net.add("Parameter", (), {"element_type": "i64", "shape": "?,?"}, name="input_ids")
    hidden = net.add("Parameter", (), {"element_type": "f32", "shape": f"?,?,{WIDTH}"},
                     name="encoder_hidden_states")
    beams = net.add("Parameter", (), {"element_type": "i32", "shape": "?"}, name="beam_idx")
    table = net.normal([VOCABULARY, WIDTH], 1)
    x = net.add("Gather", (table, ids, net.scalar(0)), {"batch_dims": 0}, "opset8")
    assigns, mask = [], None
    first = None
    for layer in range(LAYERS):
        if first is None:
            # The first cache says how many tokens came before.
            probe = net.linear(net.norm(x), WIDTH, WIDTH)
            past, joined = cache(net, net.heads(probe, 0), ids, beams, "past.0.key")
            row, mask = positions(net, ids, past)
            if positions_given:
                row = net.add("Parameter", (), {"element_type": "i64", "shape": "?"}, name="cache_position")
            first = joined
            x = net.plus(x, net.add("Gather", (net.normal([CONTEXT, WIDTH], 1), row, net.scalar(0)),
                                    {"batch_dims": 0}, "opset8"))
        y = net.norm(x)
        q = net.heads(net.linear(y, WIDTH, WIDTH), 0)
        if layer == 0:
            k = first
        else:
            _, k = cache(net, net.heads(net.linear(y, WIDTH, WIDTH), 0), ids, beams, f"past.{layer}.key")
        _, v = cache(net, net.heads(net.linear(y, WIDTH, WIDTH), 0), ids, beams, f"past.{layer}.value")
        assigns += [(f"past.{layer}.key", k), (f"past.{layer}.value", v)]
        x = net.plus(x, net.attention(q, k, v, 0, mask))
        q = net.heads(net.linear(net.norm(x), WIDTH, WIDTH, 3), 0)
        cross = []
        for name in ("key", "value"):
            once = net.heads(net.linear(hidden, WIDTH, WIDTH, 3), 0)
            read = net.add("ReadValue", (once,), {"variable_id": f"cross.{layer}.{name}", "variable_type": "dynamic",
                                                  "variable_shape": "..."}, "opset6")
            assigns.append((f"cross.{layer}.{name}", read))
            cross.append(read)
        x = net.plus(x, net.attention(q, *cross, 0))
        x = net.feed_forward(x)
    logits = net.add("MatMul", (net.norm(x), table), {"transpose_a": "false", "transpose_b": "true"}, name="logits")
    net.add("Result", (logits,), name="logits_result", outputs=0)
    for name, value in assigns:
        net.add("Assign", (value,), {"variable_id": name}, "opset6", outputs=0)
    return net


def files():
    special = [{"id": len(PIECES) + i, "content": text, "single_word": False, "lstrip": False, "rstrip": False,
                "normalized": False, "special": True} for i, text in enumerate(SPECIAL)]
    yield "tokenizer.json", {
        "version": "1.0", "added_tokens": special,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True},
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": {piece: i for i, piece in enumerate(PIECES)}, 
                  "merges": ["\u0120 " + letter for letter in LETTERS]}}
    yield "config.json", {
        "model_type": "whisper", "d_model": WIDTH, "num_mel_bins": BANDS, "max_source_positions": POSITIONS,
        "max_target_positions": CONTEXT, "vocab_size": VOCABULARY, "decoder_layers": LAYERS,
        "decoder_attention_heads": HEADS}
    yield "preprocessor_config.json", {"sampling_rate": 16000, "hop_length": 160, "feature_size": BANDS}
    yield "generation_config.json", {
        "is_multilingual": False, "suppress_tokens": list(range(len(PIECES) + 1, len(PIECES) + len(SPECIAL) - 1)),
        "begin_suppress_tokens": [len(PIECES)], "alignment_heads": [[1, 0], [1, 1]]}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    if "--positions" in sys.argv:
        decoder(True).write(folder / "openvino_decoder_model.xml")
        return
    encoder().write(folder / "openvino_encoder_model.xml")
    decoder().write(folder / "openvino_decoder_model.xml")
    for name, content in files():
        (folder / name).write_text(json.dumps(content, indent=1) + "\n")


main()
