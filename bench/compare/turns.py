# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""For the engines of bench/compare that have an interface for Python only.

Turns are measured here: for each line with a number of nanoseconds the model
runs that long, at least once, and prints the time of each run.
"""

import sys
import time


def turn(invoke, budget):
    clock, took = time.perf_counter_ns, []
    begin = clock()
    invoke()  # warms the caches after another engine's turn
    now = clock()
    if now - begin > budget:
        return [now - begin]
    while True:
        start = clock()
        invoke()
        now = clock()
        took.append(now - start)
        if now - begin >= budget:
            return took


def serve(invoke, first):
    """@first: the line that says that it is ready."""
    print(first, flush=True)
    for line in sys.stdin:
        print(*turn(invoke, int(line)), flush=True)
