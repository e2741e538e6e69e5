# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starts the servers of others, from their wheels."""

import contextlib
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time


def free_ports(n):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


def has_module(python, name):
    return subprocess.run([python, "-c", f"import {name}"], capture_output=True).returncode == 0


def said(python, code):
    return subprocess.run([python, "-c", code], capture_output=True, text=True,
                          check=True).stdout.strip()


@contextlib.contextmanager
def server(command, http_port, environment, folder):
    """A server that is ready as the protocol says it."""
    with open(folder / "log", "w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder,
                                   env={**os.environ, **environment})
        try:
            end = time.monotonic() + 120
            while True:
                assert process.poll() is None, (folder / "log").read_text()[-3000:]
                assert time.monotonic() < end, (folder / "log").read_text()[-3000:]
                with contextlib.suppress(OSError, http.client.HTTPException):
                    connection = http.client.HTTPConnection("127.0.0.1", http_port, timeout=5)
                    connection.request("GET", "/v2/health/ready")
                    if connection.getresponse().status == 200:
                        break
                time.sleep(0.2)
            yield
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextlib.contextmanager
def triton(python, folder):
    """The Triton of nvidia-pytriton, with the models of `folder`/models: (port of gRPC, of HTTP)."""
    site = pathlib.Path(said(python, "import pytriton; print(pytriton.__path__[0])"))
    home = site / "tritonserver"
    version = said(python, "import sys; print('%d.%d' % sys.version_info[:2])")
    shutil.copytree(home / "backends", folder / "backends")
    shutil.copy(home / "python_backend_stubs" / version / "triton_python_backend_stub",
                folder / "backends" / "python")
    grpc, http_port, metrics = free_ports(3)
    prefix = said(python, "import sys; print(sys.base_prefix)")
    site = site.parent
    environment = {
        "LD_LIBRARY_PATH": f"{site}/nvidia_pytriton.libs:{prefix}/lib",
        "PATH": f"{pathlib.Path(python).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(site)}
    command = [home / "bin" / "tritonserver", f"--model-repository={folder}/models",
               f"--backend-directory={folder}/backends", f"--grpc-port={grpc}",
               f"--http-port={http_port}", f"--metrics-port={metrics}",
               "--model-control-mode=none", "--strict-readiness=true"]
    with server(command, http_port, environment, folder):
        yield grpc, http_port


@contextlib.contextmanager
def mlserver(python, folder, workers=0):
    """MLServer with the models of `folder`, whose code lies there: (port of gRPC, of HTTP)."""
    grpc, http_port, metrics = free_ports(3)
    (folder / "settings.json").write_text(json.dumps({
        "http_port": http_port, "grpc_port": grpc, "metrics_port": metrics,
        "host": "127.0.0.1", "parallel_workers": workers}))
    with server([python, "-m", "mlserver.cli.main", "start", str(folder)], http_port,
                {"PYTHONPATH": str(folder)}, folder):
        yield grpc, http_port
