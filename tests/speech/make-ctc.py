#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A small CTC model with random weights, and what sherpa-onnx hears.

It has the interface of icefall's streaming zipformer2 with CTC: the encoder of
make-transducer.py and a layer that scores tokens.  (sherpa-onnx's features for
NeMo's models are not NeMo's, so it is no reference for these.)  Needs numpy,
onnx and sherpa-onnx.

Usage: make-ctc.py FOLDER
"""

import importlib.util
import json
import pathlib
import sys

import numpy as np
from onnx import TensorProto, helper

HERE = pathlib.Path(__file__).parent
SPEC = importlib.util.spec_from_file_location("transducer",
                                              HERE / "make-transducer.py")
transducer = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(transducer)
CLASSES = transducer.CLASSES


def scores(g, x, width, gain):
    """Of [N, T, width], with a bias for the blank."""
    bias = np.zeros(CLASSES)
    bias[0] = 4
    y = g.op("MatMul", x, g.weight(width, CLASSES, gain=gain))
    return g.op("LogSoftmax", g.op("Add", y, g.const(bias)), axis=-1)


class Ctc(transducer.Graph):
    """A zipformer whose output is scores of tokens."""

    def save(self, path, metadata):
        y = scores(self, self.op("Tanh", "encoder_out"), transducer.JOIN, 9)
        self.op("Identity", y, out="log_probs")
        self.outputs[0] = helper.make_tensor_value_info(
            "log_probs", TensorProto.FLOAT, ["N", 8, CLASSES])
        super().save(path.parent / "model.onnx", metadata)


def zipformer(folder):
    graph, transducer.Graph = transducer.Graph, Ctc
    transducer.zipformer(folder)
    transducer.Graph = graph


def hear(folder, samples):
    import sherpa_onnx
    files = {"tokens": str(folder / "tokens.txt"),
             "model": str(folder / "model.onnx"), "num_threads": 1}
    samples = (samples / 32768).astype(np.float32)
    recogniser = sherpa_onnx.OnlineRecognizer.from_zipformer2_ctc(**files)
    stream = recogniser.create_stream()
    stream.accept_waveform(16000, samples)
    stream.accept_waveform(16000, np.zeros(12800, np.float32))
    while recogniser.is_ready(stream):
        recogniser.decode_stream(stream)
    result = json.loads(recogniser.get_result_as_json_string(stream))
    return list(zip(result["tokens"], result["timestamps"]))


def main(root):
    root = pathlib.Path(root)
    folder = root / "zipformer"
    folder.mkdir(parents=True, exist_ok=True)
    zipformer(folder)
    transducer.tokens(folder / "tokens.txt")
    lines = [f"{time:.2f}\t{token}"
             for token, time in hear(folder, transducer.sound(1))]
    (root / "sherpa-onnx.tsv").write_text("\n".join(lines) + "\n",
                                          encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
