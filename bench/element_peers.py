# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What benchmarks beside GStreamer elements of others have in common."""

import os
import pathlib
import re
import subprocess


def has(element):
    return subprocess.run(['gst-inspect-1.0', '--exists', element]).returncode == 0


def print_machine():
    version = subprocess.run(['gst-inspect-1.0', '--version'], stdout=subprocess.PIPE, text=True)
    model = re.search(r'model name\s*: (.*)', pathlib.Path('/proc/cpuinfo').read_text())
    print(f'# {version.stdout.splitlines()[1]}; {model and model[1]}, '
          f'{len(os.sched_getaffinity(0))} processors')
