# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What elements tell beside metas: buffers, messages, states and `stats`, read in
Python, equal what a C program reads from the same pipeline.

Usage: test_elements.py TELL          TELL: the program tell
"""

import json
import subprocess
import sys
import unittest

import told
import numpy as np
import gstinfer
from gi.repository import GLib
from gstinfer import Gst, GstInfer

TELL = sys.argv.pop(1)
AUDIO = (f"filesrc location={told.RECORDING} ! wavparse ! audioconvert ! "
         "audioresample ! ")
# Digits by hand: the states, the tensors, the text.
FILTER = (AUDIO + f"inferfilter name=it model={told.DIGITS_WAVE} ! "
          "appsink name=out sync=false")
DECODER = (AUDIO + f"inferfilter name=it model={told.DIGITS_WAVE} ! "
           "inferdecoder ! appsink name=out sync=false")
SPEECH = (AUDIO + f"infertranscriber name=it model={told.DIGITS_WAVE} ! "
          "appsink name=out sync=false")


class Run:
    """A pipeline at its end: samples, element messages, and the element."""

    def __init__(self, description):
        self.pipeline = Gst.parse_launch(description)
        self.samples, self.messages = [], []
        sink = self.pipeline.get_by_name("out")
        sink.set_property("emit-signals", True)
        sink.connect("new-sample", self.keep)
        self.it = self.pipeline.get_by_name("it")
        self.pipeline.set_state(Gst.State.PLAYING)
        self.wait()

    def keep(self, sink):
        self.samples.append(sink.emit("pull-sample"))
        return Gst.FlowReturn.OK

    def wait(self):
        bus = self.pipeline.get_bus()
        kinds = (Gst.MessageType.EOS | Gst.MessageType.ERROR
                 | Gst.MessageType.ELEMENT)
        while True:
            message = bus.timed_pop_filtered(30 * Gst.SECOND, kinds)
            if message is None:
                raise TimeoutError("the pipeline does not end")
            if message.type == Gst.MessageType.ERROR:
                raise RuntimeError(message.parse_error())
            if message.type == Gst.MessageType.EOS:
                return
            self.messages.append(gstinfer.message(message))

    def close(self):
        self.pipeline.set_state(Gst.State.NULL)


class Elements(unittest.TestCase):
    def both(self, description):
        run = Run(description)
        self.addCleanup(run.close)
        text = subprocess.run([TELL, description], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
        return run, json.loads(text)

    def same_buffers(self, run, c):
        self.assertGreater(len(run.samples), 0)
        for sample, expected in zip(run.samples, c["buffers"], strict=True):
            buffer = sample.get_buffer()
            self.assertEqual(buffer.pts, expected["pts"])
            if expected["duration"] is not None:
                self.assertEqual(buffer.duration, expected["duration"])
            self.assertEqual(buffer.extract_dup(0, buffer.get_size()),
                             told.told_bytes(expected["data"]))

    def same_stats(self, run, c):
        stats = gstinfer.structure(run.it.get_property("stats"))
        self.assertEqual(stats.keys(), c["stats"].keys())
        return stats

    def test_tensors_states_and_stats(self):
        run, c = self.both(FILTER)
        self.same_buffers(run, c)
        for sample, expected in zip(run.samples, c["buffers"], strict=True):
            logits, = gstinfer.tensors(sample)
            self.assertEqual(logits.shape[-1], 11)
            self.assertEqual(logits.tobytes(),
                             told.told_bytes(expected["data"]))
        self.same_states(run, c)
        stats = self.same_stats(run, c)
        for name in ("buffers", "inferences", "resets", "errors", "dropped",
                     "skipped"):
            self.assertEqual(stats[name], c["stats"][name], name)
        self.assertGreater(stats["inferences"], 0)
        for name in ("preprocess", "execute", "postprocess"):
            self.assertEqual(stats[name].keys(), c["stats"][name].keys())
        self.assertGreater(stats["execute"]["mean"], 0)

    def same_states(self, run, c):
        names = run.it.get_property("state-names")
        self.assertEqual(sorted(names), sorted(c["states"]))
        self.assertGreater(len(names), 0)
        sums = []
        for name in names:
            value, = gstinfer.tensors(run.it.emit("get-state", name))
            sums.append(np.abs(value).sum())
            self.assertEqual(value.tobytes(),
                             told.told_bytes(c["states"][name]), name)
        self.assertGreater(max(sums), 0)

    def test_states_are_set_and_reset(self):
        run = Run(FILTER)
        self.addCleanup(run.close)
        name = run.it.get_property("state-names")[0]
        value, = gstinfer.tensors(run.it.emit("get-state", name))
        self.assertTrue(run.it.emit("set-state", name,
                                    gstinfer.sample(value * 2)))
        found, = gstinfer.tensors(run.it.emit("get-state", name))
        np.testing.assert_array_equal(found, value * 2)
        self.assertTrue(run.it.emit("reset-state"))
        sample = run.it.emit("get-state", name)
        self.assertFalse(np.array_equal(gstinfer.tensors(sample)[0], found))
        self.assertFalse(run.it.emit("set-state", "nothing",
                                     gstinfer.sample(value)))

    def test_text(self):
        run, c = self.both(DECODER)
        self.same_buffers(run, c)
        said = b" ".join(s.get_buffer().extract_dup(
            0, s.get_buffer().get_size()) for s in run.samples)
        self.assertRegex(said.decode(), r"\b(zero|one|two|three|four|five|six|"
                                        r"seven|eight|nine)\b")

    def test_transcripts(self):
        run, c = self.both(SPEECH)
        self.same_buffers(run, c)
        said = [fields for name, fields in run.messages
                if name == "infer-transcript" and fields["final"]]
        expected = [fields for message in c["messages"]
                    for name, fields in message.items()
                    if name == "infer-transcript" and fields["final"]]
        self.assertGreater(len(said), 0)
        for one, of_c in zip(said, expected, strict=True):
            self.assertGreater(len(one["words"]), 0)
            for name in ("text", "timestamp", "end", "language", "words",
                         "stable"):
                self.assertEqual(one[name], of_c[name], name)
        stats = self.same_stats(run, c)
        self.assertEqual(stats["finals"], c["stats"]["finals"])


class Signals(unittest.TestCase):
    def test_before_a_model_is_loaded(self):
        it = Gst.ElementFactory.make("inferfilter")
        self.assertFalse(it.emit("reset-state"))
        self.assertIsNone(it.emit("get-state", "x"))
        self.assertTrue(it.emit("set-state", "x", gstinfer.sample([1.0])))

    def test_a_name_that_no_model_has(self):
        with self.assertRaises((GLib.Error, TypeError)):
            GstInfer.buffer_get_tensor(None, None, 0)


if __name__ == "__main__":
    unittest.main()
