# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the elements found on a video frame, as plain objects.

Boxes and points are in pixels of the frame.
"""

import dataclasses
from typing import Any, Callable, Iterator, Optional

import numpy as np
from gi.repository import GLib

from ._load import GstInfer, Infer
from .arrays import Array, array
from .structures import structure


@dataclasses.dataclass(frozen=True)
class Label:
    """What a model said of an object or of the whole frame."""
    name: str  # "classification", "text", …
    label: Optional[str]
    label_id: int  # -1: none
    confidence: float
    model_name: Optional[str]
    layer_name: Optional[str]


@dataclasses.dataclass(frozen=True)
class Object:
    """A region of the frame."""
    id: int  # of its region of interest
    parent_id: int  # -1: found on the whole frame
    label: str
    confidence: float
    box: tuple[float, float, float, float]  # x0, y0, x1, y1
    track_id: int  # of infertrack; 0: none
    labels: tuple[Label, ...]


@dataclasses.dataclass(frozen=True)
class Keypoints:
    """Points of an object, or of the frame (roi_id -1)."""
    kind: int  # GstInfer.KeypointsKind
    roi_id: int
    points: Array  # [n, 3]: x, y, score


@dataclasses.dataclass(frozen=True)
class Mask:
    """The pixels of an object, or of classes (roi_id -1)."""
    kind: int  # GstInfer.MaskKind
    roi_id: int
    data: Array  # [height, width] bytes; shares the mask's memory
    place: tuple[float, float, float, float]  # x, y, scale_x, scale_y
    labels: tuple[str, ...]  # names of the classes


@dataclasses.dataclass(frozen=True)
class Shape:
    """A zone, tripwire or speed line of inferscene."""
    kind: str  # "zone", "tripwire", "speed_line"
    id: str
    points: tuple[tuple[float, float], ...]  # x, y
    count: int  # objects in it now
    entered: int  # or crossed it inwards, so far
    left: int  # or crossed it outwards, so far
    area: float  # share of a zone that masks cover; below 0: not known


@dataclasses.dataclass(frozen=True)
class Inference:
    """The tensors of one inference."""
    names: tuple[Optional[str], ...]
    tensors: tuple[Any, ...]  # Infer.Tensor
    model_info: dict[str, Any]
    model_instance_id: Optional[str]
    place: tuple[float, float, float, float]  # of the input on the frame
    input_size: tuple[int, int]  # width, height
    roi_id: int  # -1: the whole frame
    age: int  # frames since the inference
    decoded: bool

    @property
    def arrays(self) -> tuple[Array, ...]:
        """The tensors as arrays; memory is shared."""
        return tuple(array(tensor) for tensor in self.tensors)


def _all(nth: Callable[[int], Any]) -> Iterator[Any]:
    n = 0
    while (found := nth(n)) is not None:
        yield found
        n += 1


def _label(given: dict[str, Any]) -> Label:
    return Label(given["name"], given.get("label"), given.get("label_id", -1),
                 given.get("confidence", 0.0), given.get("model_name"),
                 given.get("layer_name"))


def _place(map_: Any) -> tuple[float, float, float, float]:
    return map_.x, map_.y, map_.scale_x, map_.scale_y


def labels(buffer: Any, roi: Any = None) -> list[Label]:
    """All labels of the whole frame, or of the region ``roi``."""
    return [_label(structure(s))
            for s in _all(lambda n: GstInfer.nth_label(buffer, roi, n))]


def objects(buffer: Any, width: int, height: int) -> list[Object]:
    """The objects of a frame of ``width`` × ``height`` pixels."""
    found = []
    for roi in _all(lambda n: GstInfer.nth_object(buffer, n)):
        detection = roi.get_param("detection")
        said = structure(detection) if detection is not None else {}
        box = GstInfer.get_object_box(roi, width, height)
        found.append(Object(
            roi.id, roi.parent_id, GLib.quark_to_string(roi.roi_type),
            said.get("confidence", 1.0), (box[0], box[1], box[2], box[3]),
            GstInfer.object_id(roi), tuple(labels(buffer, roi))))
    return found


def keypoints(buffer: Any) -> list[Keypoints]:
    """All keypoints of a frame and of its objects."""
    found = []
    for meta in _all(lambda n: GstInfer.nth_keypoints_meta(buffer, n)):
        points = [meta.get_point(i)[1:] for i in range(meta.n)]
        found.append(Keypoints(meta.kind, meta.roi_id,
                               np.array(points, float).reshape(-1, 3)))
    return found


def masks(buffer: Any) -> list[Mask]:
    """All masks of a frame and of its objects."""
    found = []
    for meta in _all(lambda n: GstInfer.nth_mask_meta(buffer, n)):
        data = Infer.Tensor.new_from_bytes(
            Infer.Type.U8, [meta.height, meta.width], meta.get_data())
        names = tuple(_all(lambda n: meta.get_label(n)))
        found.append(Mask(meta.kind, meta.roi_id, array(data),
                          _place(meta.map), names))
    return found


def inferences(buffer: Any) -> list[Inference]:
    """All tensor metas of a frame, in the order of the inferences."""
    found = []
    for meta in _all(lambda n: GstInfer.nth_tensor_meta(buffer, n)):
        info = meta.model_info()
        found.append(Inference(
            tuple(meta.name(i) for i in range(meta.n)),
            tuple(meta.get_tensor(i) for i in range(meta.n)),
            structure(info) if info is not None else {},
            meta.model_instance_id, _place(meta.map),
            (meta.input_width, meta.input_height), meta.roi_id, meta.age,
            bool(meta.decoded)))
    return found


def _shape(meta: Any, index: int) -> Optional[Shape]:
    given = meta.get_shape(index)
    if given is None:
        return None
    said = structure(given)
    points = tuple(meta.get_point(index, i)[1:] for i in range(said["points"]))
    return Shape(said["kind"], said["id"], points, said["count"], said["in"],
                 said["out"], said["area"])


def shapes(buffer: Any) -> list[Shape]:
    """The zones, tripwires and speed lines of a frame."""
    return [shape for meta in _all(lambda n: GstInfer.nth_scene_meta(buffer, n))
            for shape in _all(lambda i: _shape(meta, i))]


def events(buffer: Any) -> list[dict[str, Any]]:
    """What inferscene says of a frame, in order; the keys are those of its
    messages."""
    return [structure(event)
            for meta in _all(lambda n: GstInfer.nth_scene_meta(buffer, n))
            for event in _all(lambda i: meta.get_event(i))]
