# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Neural networks in GStreamer pipelines, from Python.

Importing this module makes the elements and the introspected libraries known:
``Gst``, ``GstVideo``, ``GstInfer`` and ``Infer`` are imported with their
versions.  What it adds to them:

- arrays: NumPy arrays that share memory with tensors, buffers and masks;
- results: what the elements found, as plain objects;
- structures: a ``Gst.Structure`` (``stats``, messages) as a ``dict``;
- Session: a model without a pipeline.
"""

from ._load import Gst, GstInfer, GstVideo, Infer
from .arrays import array, convert, empty, sample, tensor, tensors
from .results import (Inference, Keypoints, Label, Mask, Object, Shape, events,
                      inferences, keypoints, labels, masks, objects, shapes)
from .session import Operation, Port, Session
from .structures import message, structure

__all__ = [
    "Gst", "GstInfer", "GstVideo", "Infer", "Inference", "Keypoints", "Label",
    "Mask", "Object", "Operation", "Port", "Session", "Shape", "array", "convert",
    "empty", "events", "inferences", "keypoints", "labels", "masks", "message",
    "objects", "sample", "shapes", "structure", "tensor", "tensors",
]
