# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every meta, read in Python, equals what the C API reads from it.

Usage: test_metas.py      (GST_PLUGIN_PATH_1_0 has the plugin writemetas)
"""

import gc
import json
import os
import tempfile
import unittest

import told
import numpy as np
import gstinfer
from gstinfer import Gst

FRAMES = 3


def run():
    """(samples, what C told of each)."""
    with tempfile.TemporaryDirectory() as folder:
        location = os.path.join(folder, "metas.json")
        pipeline = Gst.parse_launch(
            f"videotestsrc num-buffers={FRAMES} ! video/x-raw, format=RGB, "
            f"width=64, height=48 ! writemetas location={location} ! "
            "appsink name=out sync=false")
        sink = pipeline.get_by_name("out")
        pipeline.set_state(Gst.State.PLAYING)
        samples = [sink.emit("pull-sample") for _ in range(FRAMES)]
        pipeline.set_state(Gst.State.NULL)
        with open(location, encoding="utf-8") as file:
            return samples, [json.loads(line) for line in file]


class Metas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        samples, cls.told = run()
        cls.buffers = [sample.get_buffer() for sample in samples]

    def frames(self):
        self.assertEqual(len(self.told), FRAMES)
        return zip(self.buffers, self.told)

    def test_objects(self):
        for buffer, c in self.frames():
            found = gstinfer.objects(buffer, 64, 48)
            self.assertEqual(len(found), 2)
            self.assertEqual(len(c["objects"]), 2)
            for one, expected in zip(found, c["objects"]):
                self.assertEqual(one.id, expected["id"])
                self.assertEqual(one.parent_id, expected["parent_id"])
                self.assertEqual(one.track_id, expected["track_id"])
                self.assertEqual(one.label, expected["label"])
                self.assertEqual([one.confidence], expected["confidence"])
                self.assertEqual(list(one.box), expected["box"])
                said = [p for p in expected["params"]
                        if "classification" in p or "text" in p]
                self.assertEqual(len(one.labels), len(said))
                for label, param in zip(one.labels, said):
                    (name, fields), = param.items()
                    self.same_label(label, fields | {"name": name})

    def test_objects_have_three_labels(self):
        first, second = gstinfer.objects(self.buffers[0], 64, 48)
        self.assertEqual([label.label for label in first.labels],
                         ["calm", "glad", "calm"])
        self.assertEqual(second.labels, ())
        self.assertEqual((first.track_id, second.parent_id), (7, first.id))

    def same_label(self, label, fields):
        self.assertEqual(label.name, fields["name"])
        self.assertEqual(label.label, fields.get("label"))
        self.assertEqual(label.label_id, fields.get("label_id", -1))
        self.assertEqual(label.confidence, fields["confidence"])
        self.assertEqual(label.model_name, fields.get("model_name"))
        self.assertEqual(label.layer_name, fields.get("layer_name"))

    def test_labels_of_the_frame(self):
        for buffer, c in self.frames():
            found = gstinfer.labels(buffer)
            self.assertEqual([x.name for x in found],
                             ["classification", "classification", "text"])
            self.assertEqual(len(c["labels"]), 3)
            for label, expected in zip(found, c["labels"]):
                self.same_label(label, expected["label"])

    def test_keypoints(self):
        for buffer, c in self.frames():
            found = gstinfer.keypoints(buffer)
            self.assertEqual(len(found), 2)
            for one, expected in zip(found, c["keypoints"], strict=True):
                self.assertEqual(int(one.kind), expected["kind"])
                self.assertEqual(one.roi_id, expected["roi_id"])
                self.assertEqual(one.points.ravel().tolist(),
                                 expected["points"])

    def test_scene(self):
        for buffer, c in self.frames():
            scene, = c["scenes"]
            found = gstinfer.shapes(buffer)
            self.assertEqual(len(found), 2)
            for one, expected in zip(found, scene["shapes"], strict=True):
                self.assertEqual((one.kind, one.id, one.count, one.entered,
                                  one.left, one.area),
                                 tuple(expected[k] for k in (
                                     "kind", "id", "count", "in", "out",
                                     "area")))
                self.assertEqual([v for point in one.points for v in point],
                                 expected["points"])
            events = gstinfer.events(buffer)
            for one, expected in zip(events, scene["events"], strict=True):
                for key in ("type", "id", "time"):
                    self.assertEqual(one[key], expected[key])
                self.assertEqual(one.get("object_id", 0), expected["object_id"])
                self.assertEqual([one.get("speed", 0.0)], expected["speed"])
                self.assertEqual(one.get("text"), expected.get("text"))
            self.assertEqual(events[0]["reason"], "lost")
            self.assertNotIn("duration", events[1])
            self.assertNotIn("text", events[1])
            self.assertEqual((events[2]["type"], events[2]["text"],
                              events[2]["confidence"]),
                             ("reading", "MÜ-X 42", 0.75))

    def test_masks(self):
        for buffer, c in self.frames():
            found = gstinfer.masks(buffer)
            self.assertEqual(len(found), 2)
            for one, expected in zip(found, c["masks"], strict=True):
                self.assertEqual(int(one.kind), expected["kind"])
                self.assertEqual(one.roi_id, expected["roi_id"])
                self.assertEqual(one.data.shape,
                                 (expected["height"], expected["width"]))
                self.assertEqual(one.data.tobytes(),
                                 told.told_bytes(expected["data"]))
                self.assertEqual(list(one.place), expected["map"])
                self.assertEqual(list(one.labels), expected["labels"])

    def test_inferences(self):
        for buffer, c in self.frames():
            found = gstinfer.inferences(buffer)
            self.assertEqual(len(found), 2)
            for one, expected in zip(found, c["inferences"], strict=True):
                for name in ("model_instance_id", "roi_id", "age", "decoded"):
                    self.assertEqual(getattr(one, name), expected[name])
                self.assertEqual(one.model_info, expected["model_info"] or {})
                self.assertEqual(list(one.place), expected["map"])
                self.assertEqual(
                    one.input_size,
                    (expected["input_width"], expected["input_height"]))
                self.same_tensors(one, expected["tensors"])

    def same_tensors(self, one, expected):
        self.assertEqual(len(one.tensors), len(expected))
        for name, tensor, c in zip(one.names, one.tensors, expected):
            self.assertEqual(name, c["name"])
            self.assertEqual(
                gstinfer.Infer.type_name(tensor.get_element_type()), c["type"])
            self.assertEqual(tensor.get_dims(), json.loads(c["shape"]))
            self.assertEqual(tensor.get_bytes().get_data(),
                             told.told_bytes(c["data"]))
            self.assertEqual(tensor.get_address(), c["address"])

    def test_arrays_are_the_metas_memory(self):
        one = gstinfer.inferences(self.buffers[0])[1]
        told_tensor = self.told[0]["inferences"][1]["tensors"][0]
        found, = one.arrays
        self.assertEqual(found.__array_interface__["data"][0],
                         told_tensor["address"])

    def test_arrays_outlive_the_buffer(self):
        samples, c = run()
        arrays = gstinfer.inferences(samples[0].get_buffer())[0].tensors
        masks = gstinfer.masks(samples[0].get_buffer())
        f4 = gstinfer.array(arrays[2])
        del samples, arrays
        gc.collect()
        expected = c[0]["inferences"][0]["tensors"][2]
        self.assertEqual(f4.tobytes(), told.told_bytes(expected["data"]))
        self.assertEqual(masks[0].data.tobytes(),
                         told.told_bytes(c[0]["masks"][0]["data"]))
        self.assertEqual(f4.dtype, np.float32)

    def test_nothing_is_found_on_a_bare_buffer(self):
        buffer = Gst.Buffer.new_allocate(None, 16, None)
        self.assertEqual(gstinfer.objects(buffer, 64, 48), [])
        self.assertEqual(gstinfer.labels(buffer), [])
        self.assertEqual(gstinfer.keypoints(buffer), [])
        self.assertEqual(gstinfer.masks(buffer), [])
        self.assertEqual(gstinfer.inferences(buffer), [])
        self.assertEqual(gstinfer.shapes(buffer), [])
        self.assertEqual(gstinfer.events(buffer), [])


if __name__ == "__main__":
    unittest.main()
