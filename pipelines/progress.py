# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""One line on stderr that says what takes longer than a second; nothing where
stderr is no terminal."""

import contextlib
import os
import shutil
import sys
import threading
import time

STEP = 0.2  # seconds between two updates
quiet = False  # --quiet


@contextlib.contextmanager
def progress(text):
    """Shows text, and the seconds, while the block runs; then takes it away."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    ended = threading.Event()
    begin = time.monotonic()

    def show():
        wait = 1.0
        while not ended.wait(wait):
            line = f"{text}, {time.monotonic() - begin:.0f} s"
            width = max(shutil.get_terminal_size().columns - 1, 1)
            os.write(2, ("\r" + line[:width] + "\033[K").encode())
            wait = STEP
        if wait == STEP:
            os.write(2, b"\r\033[K")

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
