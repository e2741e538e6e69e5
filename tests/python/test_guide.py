# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Python blocks of a guide run as they stand, in the root of the tree.

Usage: test_guide.py GUIDE.md…
"""

import os
import pathlib
import re
import subprocess
import sys

import told


def main():
    failed = count = 0
    places = [str(told.ROOT / "python"), os.environ.get("PYTHONPATH", "")]
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, places))}
    for guide in map(pathlib.Path, sys.argv[1:]):
        text = guide.read_text(encoding="utf-8")
        for block in re.finditer(r"^```python\n(.*?)^```", text, re.S | re.M):
            line = text.count("\n", 0, block.start()) + 1
            count += 1
            done = subprocess.run([sys.executable, "-c", block[1]], env=env,
                                  cwd=told.ROOT, text=True, timeout=60,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            if done.returncode != 0 or not done.stdout.strip():
                failed += 1
                print(f"{guide}:{line}: status {done.returncode}\n"
                      f"{done.stdout}")
    print(f"{count} blocks, {failed} failed")
    return 1 if failed or not count else 0


sys.exit(main())
