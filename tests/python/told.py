# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests share: places, and what C told as JSON."""

import base64
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
if "INFER_INSTALLED_MODULE" not in os.environ:
    sys.path.insert(0, str(ROOT / "python"))

DIGITS = ROOT / "pipelines/models/digits/digits.xml"
DIGITS_WAVE = ROOT / "pipelines/models/digits/digits-wave.xml"
RECORDING = ROOT / "pipelines/recordings/af_kore-0-clean.wav"


def told_bytes(text):
    return base64.b64decode(text)
