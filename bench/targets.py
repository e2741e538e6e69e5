#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Checks the figures of bench/compare against targets.

    build/bench/compare --json one.json && bench/targets.py one.json

One line per target, and the models below it.  Exit status 0 if all are met, 1 if
one is not, 2 if figures are missing for one (peers, or models of that group).
"""

import argparse
import json
import math
import sys

# Name, group, ratio, minimum of the mean, minimum of each model (None: no target).
# "=NAME" is a single model.
TARGETS = [
    ("latency, beside OpenVINO", "all", "openvino", 1.5, 1.0),
    ("latency of voice models", "voice", "openvino", 2.0, None),
    ("latency of gtcrn", "=gtcrn", "openvino", 5.0, None),
    ("latency of 8-bit models", "int8", "openvino", 1.2, None),
    ("latency in the mode PERFORMANCE", "all", "openvino_performance", 1.5, 1.0),
    ("16-bit weights, beside our own f32", "f16", "stored_f32", 1.4, None),
    ("latency, beside ONNX Runtime", "all", "onnxruntime", 1.8, 1.0),
    ("latency, beside LiteRT with XNNPACK", "all", "litert", 1.3, 1.0),
    ("latency, beside ncnn", "all", "ncnn", 1.5, 1.0),
    ("voice models, beside ONNX Runtime", "voice", "onnxruntime", 2.0, None),
    ("tiny models, beside LiteRT as published", "tiny", "published", None, 1.0),
    ("tiny models, beside LiteRT here", "tiny", "litert", None, 1.0),
    ("throughput", "all", "throughput", 1.2, None),
    ("load to first result", "all", "load", 3.0, None),
    ("load to first result, with a cache", "all", "cached_load", 5.0, None),
    ("resident memory", "all", "memory", 2.0, None),
]


def in_group(model, group):
    if group.startswith("="):
        return model["model"] == group[1:]
    if group == "all":
        return "f16" not in model["groups"]
    return group in model["groups"]


def ratios_of(report, group, ratio):
    """(model, ratio) of the models that have the ratio."""
    return [
        (model["model"], model["ratios"][ratio])
        for model in report["models"]
        if in_group(model, group) and ratio in model.get("ratios", {})
    ]


def check(report, target):
    """The state ("met", "not met", "unknown") and a text."""
    what, group, ratio, least_mean, least = target
    found = ratios_of(report, group, ratio)
    if not found:
        return "unknown", f"{what}: no figures"
    mean = math.exp(sum(math.log(value) for _, value in found) / len(found))
    aims, met = [], True
    if least_mean is not None:
        aims.append(f"mean {mean:.2f}, to be {least_mean:.2f}")
        met = met and mean >= least_mean
    worst = min(found, key=lambda item: item[1])
    if least is not None:
        aims.append(f"least {worst[1]:.2f} ({worst[0]}), to be {least:.2f}")
        met = met and worst[1] >= least
    text = f"{what}: {'; '.join(aims)}; {len(found)} models"
    bound = least if least is not None else least_mean
    below = sorted((v, name) for name, v in found if v < bound)
    if below and len(found) > 1:
        names = ", ".join(f"{name} {value:.2f}" for value, name in below)
        text += f"\n{'':10}below {bound:.2f}: {names}"
    return "met" if met else "not met", text


def failures(report):
    return [m["model"] for m in report["models"] if "error" in m]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", nargs="+", help="JSON of bench/compare")
    states = set()
    for path in parser.parse_args().report:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        print(f"{path}: threads: {report['threads']:.0f}")
        for target in TARGETS:
            state, text = check(report, target)
            states.add(state)
            print(f"{state:<9} {text}")
        for model in failures(report):
            states.add("not met")
            print(f"not met   {model}: could not be measured")
    return 1 if "not met" in states else 2 if "unknown" in states else 0


if __name__ == "__main__":
    sys.exit(main())
