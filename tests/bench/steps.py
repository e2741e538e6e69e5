# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""bench/steps: steps.py STEPS ROOT

Its table has each convolution and product of a model once, with times of both
sides, and sums that agree with its rows.
"""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

STEPS, ROOT = sys.argv[1:3]
MODEL = os.path.join(ROOT, "pipelines", "models", "digits", "digits.xml")
ROW = re.compile(r"\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)"
                 r"  (\w+)\s+(\S+)\s+(\w+) (\S.*)")
SUM = re.compile(r"\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)  sum of (\d+) "
                 r"steps, (\d+) of them slower than oneDNN's")


def main():
    env = {**os.environ, "INFER_CPU_ISA": "avx2"}
    done = subprocess.run([STEPS, "--seconds", "0", MODEL], env=env, text=True,
                          capture_output=True, timeout=120)
    assert done.returncode == 0 and done.stderr == "", (done.returncode,
                                                        done.stderr)
    lines = done.stdout.splitlines()
    assert lines[0] == MODEL, lines[0]
    rows = [ROW.fullmatch(line).groups() for line in lines[2:-1]]
    total = SUM.fullmatch(lines[-1]).groups()
    products = {(layer.get("type"), layer.get("name"))
                for layer in ET.parse(MODEL).iter("layer")
                if layer.get("type") in ("Convolution", "GroupConvolution",
                                         "MatMul")}
    found = {(row[7], row[8]) for row in rows}
    assert len(found) == len(rows) == int(total[4]) > 0, rows
    assert found <= products, found - products
    for column in 0, 1:
        times = [float(row[column]) for row in rows]
        assert min(times) > 0
        assert abs(sum(times) - float(total[column])) < 0.02 * len(rows), times
    slower = sum(float(row[1]) < float(row[0]) for row in rows)
    assert abs(slower - int(total[5])) <= sum(row[0] == row[1] for row in rows)
    for row in rows:
        assert "avx512" not in row[6], row


main()
