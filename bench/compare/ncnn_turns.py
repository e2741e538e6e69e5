# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""ncnn for bench/compare: ncnn_turns.py MODEL.ncnn.param THREADS

bench/make-ncnn wrote the model and MODEL.ncnn.json, with the shapes of its
inputs.  All sums are in f32.  A run is what an application does: an extractor,
its inputs, its outputs; from Python that takes 4 µs for an empty network.
"""

import json
import sys

import ncnn
import numpy as np
from turns import serve


def make_input(spec, rng):
    shape, axis = spec["shape"], spec["batch_axis"]
    if spec["type"] == "i32":
        values = np.full(shape, spec["value"], np.int32)
    else:
        values = rng.uniform(-1, 1, shape).astype(np.float32)
    return ncnn.Mat(values, batch_index=axis).clone()


def load(path, threads):
    net = ncnn.Net()
    net.opt.num_threads = threads
    for name in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic",
                 "use_bf16_storage", "use_bf16_packed", "use_vulkan_compute"):
        if hasattr(net.opt, name):
            setattr(net.opt, name, False)
    stem = path[:-len(".param")]
    if net.load_param(path) != 0 or net.load_model(stem + ".bin") != 0:
        sys.exit(f"ncnn: {path} cannot be loaded")
    with open(stem + ".json", encoding="utf-8") as file:
        return net, json.load(file)


def make_run(net, described, inputs):
    outputs = described["outputs"]

    def run():
        extractor = net.create_extractor()
        for name, mat in inputs:
            extractor.input(name, mat)
        return [extractor.extract(name) for name in outputs]

    return run


def main():
    net, described = load(sys.argv[1], int(sys.argv[2]))
    rng = np.random.default_rng(1)
    inputs = [(spec["name"], make_input(spec, rng)) for spec in described["inputs"]]
    run = make_run(net, described, inputs)
    if any(status != 0 for status, _ in run()):
        sys.exit(f"ncnn: {sys.argv[1]} cannot be run")
    serve(run, ncnn.__version__)


if __name__ == "__main__":
    main()
