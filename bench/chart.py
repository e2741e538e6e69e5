#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""Draws the figures of bench/compare.

    bench/chart.py OUT.svg ONE-THREAD.json [TWO-THREADS.json]

Left: speed-up over OpenVINO per model at f32.  Right: means of the other
ratios.  Scales are logarithmic; a bar to the right of 1 is in our favour.
"""

import argparse
import json
import math
from xml.sax.saxutils import escape

BACKGROUND, INK, FAINT, GRID = "#ffffff", "#1b1f24", "#5b6570", "#dfe3e8"
AHEAD, BEHIND = ["#1f6fb4", "#7fb3dc"], ["#c4541a", "#e8a077"]
GAP, LABEL, PANEL, VALUE = 7, 190, 300, 52
TOP = 104

MEANS = [
    ("latency, f32: all", "all", "openvino"),
    ("latency, f32: voice", "voice", "openvino"),
    ("latency, f32: tiny", "tiny", "openvino"),
    ("latency, f32: video", "video", "openvino"),
    ("latency: 8-bit models", "int8", "openvino"),
    ("latency, mode PERFORMANCE", "all", "openvino_performance"),
    ("latency, to ONNX Runtime", "all", "onnxruntime"),
    ("latency, to LiteRT", "all", "litert"),
    ("throughput", "all", "throughput"),
    ("load to first result", "all", "load"),
    ("the same, with a cache", "all", "cached_load"),
    ("resident memory", "all", "memory"),
    ("16-bit weights, to our f32", "f16", "stored_f32"),
]


class Drawing:
    def __init__(self):
        self.parts = []

    def rect(self, x, y, width, height, fill):
        self.parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0.5):.1f}" '
            f'height="{height:.1f}" fill="{fill}"/>'
        )

    def line(self, x, top, bottom, colour):
        self.rect(x - 0.5, top, 1, bottom - top, colour)

    def text(self, x, y, text, size=12, colour=INK, anchor="start", bold=False):
        weight = ' font-weight="600"' if bold else ""
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" '
            f'text-anchor="{anchor}"{weight}>{escape(text)}</text>'
        )

    def svg(self, width, height):
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{height}" viewBox="0 0 {width} {height}" '
            'stroke="none" font-family="DejaVu Sans, Verdana, sans-serif">\n'
            f'<rect width="{width}" height="{height}" fill="{BACKGROUND}"/>\n'
            + "\n".join(self.parts)
            + "\n</svg>\n"
        )


def bounds(values):
    """A range of powers of two with 1 and nearly all values; the bar of an outlier
    is cut, its number is still written."""
    ordered = sorted(values)
    most = ordered[min(len(ordered) - 1, int(0.97 * len(ordered)))]
    low = math.floor(math.log2(min(ordered[0], 1.0)))
    high = math.ceil(math.log2(max(most, 2.0)))
    return max(low, -3), min(high, 6)


def panel(drawing, x, title, rows):
    """@rows: (label, [value or None for each report])."""
    values = [v for _, row in rows for v in row if v]
    low, high = bounds(values)
    left = x + LABEL
    bar = 12 if len(rows[0][1]) == 1 else 9
    height = sum(bar * len(row) + GAP for _, row in rows)

    def at(value):
        part = (math.log2(value) - low) / (high - low)
        return left + PANEL * min(max(part, 0), 1)

    drawing.text(x, TOP - 34, title, 13, bold=True)
    for power in range(low, high + 1):
        position = at(2.0**power)
        drawing.line(position, TOP - 10, TOP + height, GRID)
        drawing.text(position, TOP - 14, f"{2.0 ** power:g}", 10, FAINT, "middle")
    y = TOP
    for label, row in rows:
        middle = y + bar * len(row) / 2 + 4
        drawing.text(left - 8, middle, label, 11, anchor="end")
        for index, value in enumerate(row):
            if not value:
                continue
            top = y + bar * index
            ends = sorted((at(1.0), at(value)))
            colours = AHEAD if value >= 1 else BEHIND
            fill = colours[index % len(colours)]
            drawing.rect(ends[0], top, ends[1] - ends[0], bar - 1, fill)
            number = f"{value:.2f}" if value < 100 else f"{value:.0f}"
            drawing.text(max(ends[1], at(1.0)) + 4, top + bar - 1.5, number, 9, FAINT)
        y += bar * len(row) + GAP
    drawing.line(at(1.0), TOP - 10, TOP + height, FAINT)
    return height


def model_rows(reports):
    found = {}
    for index, report in enumerate(reports):
        for model in report["models"]:
            ratio = model.get("ratios", {}).get("openvino")
            if ratio and "f16" not in model["groups"]:
                row = found.setdefault(model["model"], [None] * len(reports))
                row[index] = ratio
    return sorted(found.items(), key=lambda item: -max(v or 0 for v in item[1]))


def mean_rows(reports):
    rows = []
    for label, group, ratio in MEANS:
        row = []
        for report in reports:
            means = {g["group"]: g["means"] for g in report["groups"]}
            row.append(means.get(group, {}).get(ratio))
        if any(row):
            rows.append((label, row))
    return rows


def describe(reports):
    engines = reports[0]["engines"]
    named = [
        f"{name} {engines[key].split('-')[0]}"
        for key, name in (
            ("openvino", "OpenVINO"),
            ("onnxruntime", "ONNX Runtime"),
            ("litert", "LiteRT"),
        )
        if key in engines
    ]
    threads = [f"{report['threads']:.0f}" for report in reports]
    shades = " (dark, light)" if len(reports) > 1 else ""
    word = "thread" if threads == ["1"] else "threads"
    return f"{', '.join(named)}; {' and '.join(threads)} {word}{shades}"


def draw(reports):
    models, means = model_rows(reports), mean_rows(reports)
    if not models and not means:
        return None
    drawing = Drawing()
    drawing.text(16, 26, "inferfilter beside its peers on CPU", 16, bold=True)
    drawing.text(
        16, 44, f"{describe(reports)}; above 1: inferfilter is better", 11, FAINT
    )
    x, height, width = 16, 0, LABEL + PANEL + VALUE
    for title, rows in (
        ("Latency at f32, times as fast as OpenVINO", models),
        ("Geometric means, to OpenVINO where not said", means),
    ):
        if rows:
            height = max(height, panel(drawing, x, title, rows))
            x += width
    return drawing.svg(x + 8, TOP + height + 16)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", help="the picture, SVG")
    parser.add_argument("report", nargs="+", help="JSON of bench/compare")
    options = parser.parse_args()
    reports = []
    for path in options.report:
        with open(path, encoding="utf-8") as file:
            reports.append(json.load(file))
    picture = draw(reports)
    if not picture:
        parser.exit(1, "chart.py: no ratios: were there peers to compare with?\n")
    with open(options.out, "w", encoding="utf-8") as file:
        file.write(picture)


if __name__ == "__main__":
    main()
