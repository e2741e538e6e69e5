#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes positions/decoder_with_past_model.onnx: that of onnx/, but told the
positions of its tokens, as later versions of optimum export it: what is cut out
of the table of positions is gathered by an input `cache_position`.

Needs numpy and onnx.

Usage: make-positions.py FOLDER
"""

import json
import pathlib
import sys

import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
NAME = "decoder_with_past_model.onnx"


def main():
    config = json.loads((HERE / "tiny" / "config.json").read_text())
    table = (config["max_target_positions"], config["d_model"])
    net = onnx.load(HERE / "onnx" / NAME)
    graph = net.graph
    shapes = {i.name: tuple(i.dims) for i in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant":
            shapes[node.output[0]] = numpy_helper.to_array(node.attribute[0].t).shape
    found = [node for node in graph.node
             if node.op_type == "Slice" and shapes.get(node.input[0]) == table]
    assert len(found) == 1, found
    found[0].CopyFrom(helper.make_node(
        "Gather", [found[0].input[0], "cache_position"], found[0].output, axis=0))
    graph.input.append(helper.make_tensor_value_info(
        "cache_position", TensorProto.INT64, ["decoder_sequence_length"]))
    onnx.checker.check_model(net)
    onnx.save(net, pathlib.Path(sys.argv[1]) / NAME)


main()
