#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the folder onnx/: a Whisper with random weights as optimum exports it
to ONNX, with its decoders of the first and of later tokens (decoder_model,
decoder_with_past_model) and both in one (decoder_model_merged).  Values inside
the graphs get short names.  The configuration is that of tiny/.

Made with torch 2.1.2, transformers 4.40.2, optimum 1.20.0 and onnx.

Usage: make-onnx.py FOLDER
"""

import json
import pathlib
import sys

import onnx
import torch
from optimum.exporters.onnx import onnx_export_from_model
from transformers import WhisperConfig, WhisperForConditionalGeneration

TINY = pathlib.Path(__file__).resolve().parent / "tiny"
END, START = 53, 54


def spread(name, parameter):
    """The standard deviation of the random values of @parameter."""
    if "positions" in name:
        return 0.5
    if "embed" in name:
        return 1
    return (3 if "encoder_attn" in name else 1) * parameter[0].numel() ** -0.5


def model(config):
    torch.manual_seed(3)
    whisper = WhisperForConditionalGeneration._from_config(
        WhisperConfig(**config), attn_implementation="eager").eval()
    with torch.no_grad():
        for name, parameter in whisper.named_parameters():
            if parameter.dim() >= 2:
                parameter.normal_(0, spread(name, parameter))
    whisper.tie_weights()
    return whisper


def shorten(path):
    net = onnx.load(path)
    kept = {value.name for value in [*net.graph.input, *net.graph.output]}
    names = {}

    def short(name):
        if not name or name in kept:
            return name
        return names.setdefault(name, f"v{len(names)}")

    def visit(graph):
        for value in [*graph.initializer, *graph.output]:
            value.name = short(value.name)
        del graph.value_info[:]
        for node in graph.node:
            node.name = node.doc_string = ""
            node.input[:] = map(short, node.input)
            node.output[:] = map(short, node.output)
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    visit(attribute.g)

    visit(net.graph)
    onnx.save(net, path)


def main():
    folder = pathlib.Path(sys.argv[1])
    config = json.loads((TINY / "config.json").read_text())
    config.update(encoder_layers=2, encoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32,
                  decoder_start_token_id=START, bos_token_id=END, eos_token_id=END, pad_token_id=END)
    onnx_export_from_model(model(config), folder, task="automatic-speech-recognition-with-past",
                           do_validation=False, nb_max_frames=2 * config["max_source_positions"],
                           feature_size=config["num_mel_bins"])
    for file in folder.glob("*.json"):
        file.unlink()
    for file in folder.glob("*.onnx"):
        shorten(file)


main()
