#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Who is on the video?  Reads what inferdecoder and infertrack found from each
buffer, in Python, through GObject introspection.

Usage: faces.py MODEL.xml [FILE]         (without a file: a test picture)
A model: pipelines/video/get-model mp_face_detection_full_sparse
Needs python3-gi, gir1.2-gst-plugins-base-1.0.
"""

import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GLib, Gst, GstVideo  # noqa: E402


def regions(buffer):
    """The regions of interest of a buffer."""
    api = GstVideo.VideoRegionOfInterestMeta.get_info().api
    metas = []
    n = buffer.get_n_meta(api)
    # Ids count from 1 on each buffer.
    for roi_id in range(1, n + 1):
        meta = GstVideo.buffer_get_video_region_of_interest_meta_id(
            buffer, roi_id)
        if meta is not None:
            metas.append(meta)
    return metas


def on_frame(sink):
    sample = sink.emit("pull-sample")
    buffer = sample.get_buffer()
    for roi in regions(buffer):
        found = roi.get_param("detection")
        track = roi.get_param("object_id")
        _, confidence = found.get_double("confidence")
        who = track.get_int("id")[1] if track is not None else 0
        print(f"{buffer.pts / Gst.SECOND:.2f} s: "
              f"{GLib.quark_to_string(roi.roi_type)} {who} at "
              f"{roi.x},{roi.y} {roi.w}x{roi.h} ({confidence:.2f})")
    return Gst.FlowReturn.OK


def main():
    if len(sys.argv) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    Gst.init(None)
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
