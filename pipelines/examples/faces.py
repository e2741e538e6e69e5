#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Who is on the video?  Reads what inferdecoder and infertrack found from each
buffer, by the Python module gstinfer.

Usage: faces.py MODEL.xml [FILE]         (without a file: a test picture)
A model: pipelines/video/get-model mp_face_detection_full_sparse
Needs python3-gstinfer, or in a clone PYTHONPATH=python with
GI_TYPELIB_PATH=build/introspection and LD_LIBRARY_PATH=build.
"""

import sys

import gstinfer
from gstinfer import Gst


def on_frame(sink):
    sample = sink.emit("pull-sample")
    buffer, caps = sample.get_buffer(), sample.get_caps().get_structure(0)
    width, height = caps.get_int("width")[1], caps.get_int("height")[1]
    for face in gstinfer.objects(buffer, width, height):
        x0, y0, x1, y1 = map(round, face.box)
        print(f"{buffer.pts / Gst.SECOND:.2f} s: {face.label} {face.track_id} "
              f"at {x0},{y0} {x1 - x0}x{y1 - y0} "
              f"({face.confidence:.2f})")
    return Gst.FlowReturn.OK


def main():
    if len(sys.argv) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    source = ("videotestsrc num-buffers=25" if len(sys.argv) < 3 else
              "filesrc name=file ! decodebin")
    pipeline = Gst.parse_launch(
        f"{source} ! videoconvert ! inferfilter name=filter "
        "output=media-with-meta ! inferdecoder threshold=0.6 ! infertrack ! "
        "appsink name=sink emit-signals=true sync=false")
    if len(sys.argv) > 2:
        pipeline.get_by_name("file").set_property("location", sys.argv[2])
    infer = pipeline.get_by_name("filter")
    infer.set_property("model", sys.argv[1])
    pipeline.get_by_name("sink").connect("new-sample", on_frame)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    failed = message.type == Gst.MessageType.ERROR
    if failed:
        print(message.parse_error()[0].message, file=sys.stderr)
    pipeline.set_state(Gst.State.NULL)
    return 1 if failed else 0


sys.exit(main())
