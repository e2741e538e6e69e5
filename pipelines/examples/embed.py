#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""An application that feeds a model and reads its tensors, states and figures:
appsrc → inferfilter → appsink.  docs/guides/embedding.md explains it; embed.c and
embed.rs do the same.

Usage: embed.py ../models/digits/digits-wave.xml ../recordings/af_kore-0-clean.wav
Needs python3-gi, gir1.2-gst-plugins-base-1.0 and the typelib GstInfer-1.0.
"""

import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstInfer", "1.0")
from gi.repository import Gst, GstInfer, Infer  # noqa: E402

WAV_HEADER = 44
RATE = 16000


def print_tensor(sample):
    caps = sample.get_caps()
    tensor = GstInfer.buffer_get_tensor(sample.get_buffer(), caps, 0)
    shape = Infer.Shape.new(tensor.get_dims()).to_string()
    print(f"tensor {Infer.type_name(tensor.get_element_type())} {shape}, "
          f"caps {caps.get_structure(0).get_string('dimensions')}")


def print_states(filter_):
    """Saves the states, resets them, and sets what was saved."""
    for name in filter_.get_property("state-names"):
        sample = filter_.emit("get-state", name)
        reset = filter_.emit("reset-state")
        done = filter_.emit("set-state", name, sample)
        print(f"state {name}, {sample.get_buffer().get_size()} bytes, "
              f"{'set' if reset and done else 'not set'}")


def print_stats(filter_):
    stats = filter_.get_property("stats")
    print(f"{stats.get_value('buffers')} buffers, "
          f"{stats.get_value('inferences')} inferences")


def main():
    if len(sys.argv) != 3:
        print("usage: embed.py MODEL RECORDING.wav (16 kHz, mono)",
              file=sys.stderr)
        return 2
    Gst.init(None)
    with open(sys.argv[2], "rb") as file:
        samples = file.read()[WAV_HEADER:]
    pipeline = Gst.parse_launch(
        "appsrc name=in format=time caps=audio/x-raw,format=S16LE,rate=16000,"
        "channels=1,layout=interleaved ! audioconvert ! "
        "inferfilter name=filter ! appsink name=out sync=false")
    source = pipeline.get_by_name("in")
    sink = pipeline.get_by_name("out")
    filter_ = pipeline.get_by_name("filter")
    filter_.set_property("model", sys.argv[1])
    pipeline.set_state(Gst.State.PLAYING)
    buffer = Gst.Buffer.new_wrapped(samples)
    buffer.pts = 0
    buffer.duration = len(samples) // 2 * Gst.SECOND // RATE
    source.emit("push-buffer", buffer)
    source.emit("end-of-stream")
    n = 0
    while (sample := sink.emit("pull-sample")) is not None:
        if n == 0:
            print_tensor(sample)
        n += 1
    print(f"{n} tensors")
    print_states(filter_)
    print_stats(filter_)
    pipeline.set_state(Gst.State.NULL)
    return 0 if n > 0 else 1


sys.exit(main())
