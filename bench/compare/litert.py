# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""LiteRT for bench/compare: litert.py MODEL.tflite THREADS

The time of a run includes the call from Python to C++ (about 0.5 µs).
"""

import os
import sys

import ai_edge_litert
import numpy as np
from ai_edge_litert.interpreter import Interpreter
from turns import serve


def load(path, threads):
    # Silences the message about its delegate on stderr; errors are exceptions.
    kept = os.dup(2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    try:
        interpreter = Interpreter(model_path=path, num_threads=threads)
        interpreter.allocate_tensors()
    finally:
        os.dup2(kept, 2)
    rng = np.random.default_rng(1)
    for detail in interpreter.get_input_details():
        kind, shape = detail["dtype"], detail["shape"]
        if np.issubdtype(kind, np.floating):
            values = rng.uniform(-1, 1, shape).astype(kind)
        else:
            values = rng.integers(0, 2, shape).astype(kind)
        interpreter.set_tensor(detail["index"], values)
    return interpreter


def main():
    interpreter = load(sys.argv[1], int(sys.argv[2]))
    serve(interpreter.invoke, getattr(ai_edge_litert, "__version__", "ready"))


if __name__ == "__main__":
    main()
