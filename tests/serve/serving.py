# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Servers to test, models for them, and HTTP."""

import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time

# y = x + x, for any number of rows.
DOUBLE = """<net name="double" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1">
<data shape="?,4" element_type="{type}"/>
<output><port id="0" names="x"><dim>-1</dim><dim>4</dim></port></output></layer>
<layer id="1" name="y" type="Add" version="opset1">
<input><port id="0"><dim>-1</dim><dim>4</dim></port>
<port id="1"><dim>-1</dim><dim>4</dim></port></input>
<output><port id="2" names="y"><dim>-1</dim><dim>4</dim></port></output></layer>
<layer id="2" name="y/out" type="Result" version="opset1">
<input><port id="0"><dim>-1</dim><dim>4</dim></port></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="0" from-port="0" to-layer="1" to-port="1"/>
<edge from-layer="1" from-port="2" to-layer="2" to-port="0"/>
</edges></net>"""

# s += x; y = s: of one variable, which begins with 0.
SUM = """<net name="sum" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1">
<data shape="1,4" element_type="f32"/>
<output><port id="0" names="x"><dim>1</dim><dim>4</dim></port></output></layer>
<layer id="1" name="s" type="ReadValue" version="opset6">
<data variable_id="{variable}" variable_type="f32" variable_shape="1,4"/>
<output><port id="0"><dim>1</dim><dim>4</dim></port></output></layer>
<layer id="2" name="y" type="Add" version="opset1">
<input><port id="0"><dim>1</dim><dim>4</dim></port>
<port id="1"><dim>1</dim><dim>4</dim></port></input>
<output><port id="2" names="y"><dim>1</dim><dim>4</dim></port></output></layer>
<layer id="3" name="a" type="Assign" version="opset6">
<data variable_id="{variable}" variable_type="f32" variable_shape="1,4"/>
<input><port id="0"><dim>1</dim><dim>4</dim></port></input>
<output><port id="1"><dim>1</dim><dim>4</dim></port></output></layer>
<layer id="4" name="y/out" type="Result" version="opset1">
<input><port id="0"><dim>1</dim><dim>4</dim></port></input></layer>
</layers><edges>
<edge from-layer="0" from-port="0" to-layer="2" to-port="0"/>
<edge from-layer="1" from-port="0" to-layer="2" to-port="1"/>
<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>
<edge from-layer="2" from-port="2" to-layer="4" to-port="0"/>
</edges></net>"""


def write_models(folder):
    """double (f32), versions of it, sum (one variable), broken."""
    for name, text in {"double": DOUBLE.format(type="f32"),
                       "versions/1": DOUBLE.format(type="f32"),
                       "versions/10": DOUBLE.format(type="i64"),
                       "versions/9": DOUBLE.format(type="f32"),
                       "sum": SUM.format(variable="s"),
                       "other": SUM.format(variable="t"),
                       "broken": "<net"}.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "model.xml").write_text(text)
    (folder / "empty").mkdir()
    (folder / ".hidden").mkdir()


def free_ports(n):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(n)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


class Server:
    """A server of the folder `models`, ready unless not @wait."""

    def __init__(self, program, models, *options, wait=True):
        self.grpc, self.http, self.metrics = free_ports(3)
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [program, str(models), f"--grpc-port={self.grpc}",
             f"--http-port={self.http}", f"--metrics-port={self.metrics}", *options],
            stderr=self.log)
        end = time.monotonic() + 60
        while wait and "ready:" not in self.said():
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < end, self.said()
            time.sleep(0.01)

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.log.close()

    def stop(self):
        """Ends it by SIGTERM, which must succeed."""
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(30)
        assert status == 0, (status, self.said())

    def memory_kb(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0])

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def ask(self, method, path, body=None, headers=None, port=None):
        """(status, bytes, headers)"""
        connection = http.client.HTTPConnection("127.0.0.1", port or self.http,
                                                timeout=30)
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, data, answer.headers

    def post(self, path, message):
        """(status, JSON)"""
        status, data, _ = self.ask("POST", path, json.dumps(message))
        return status, json.loads(data) if data else None

    def step(self, model, values, **parameters):
        """A request of one row in JSON: (status, values or the error)."""
        status, answer = self.post(f"/v2/models/{model}/infer", {
            "parameters": parameters,
            "inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 4],
                        "data": values}]})
        if status != 200:
            return status, answer["error"]
        return status, answer["outputs"][0]["data"]
