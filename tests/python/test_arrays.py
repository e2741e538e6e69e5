# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays share memory with tensors, buffers and masks, and keep it alive."""

import gc
import unittest
import weakref

import told  # noqa: F401
import numpy as np
import gstinfer
from gi.repository import GLib
from gstinfer import Gst, GstInfer, Infer


def address(array):
    return array.__array_interface__["data"][0]


class Arrays(unittest.TestCase):
    TYPES = "? f8 f4 f2 i8 i4 i2 i1 u8 u4 u2 u1".split()

    def test_every_type(self):
        for name in self.TYPES:
            values = np.arange(6).astype(name).reshape(2, 3)
            found = gstinfer.array(gstinfer.tensor(values))
            self.assertEqual(found.dtype, np.dtype(name))
            np.testing.assert_array_equal(found, values)

    def test_scalar_and_empty(self):
        self.assertEqual(gstinfer.array(gstinfer.tensor(2.5)), 2.5)
        self.assertEqual(
            gstinfer.array(gstinfer.empty((0, 3), "f4")).shape, (0, 3))

    def test_address_is_the_tensors(self):
        tensor = gstinfer.empty((2, 3), "f4")
        self.assertEqual(address(gstinfer.array(tensor)), tensor.get_address())

    def test_writes_are_seen(self):
        tensor = gstinfer.empty((2, 3), "i4")
        reader = gstinfer.array(tensor)
        gstinfer.array(tensor, writable=True)[1, 2] = 42
        self.assertEqual(reader[1, 2], 42)

    def test_readers_cannot_write(self):
        reader = gstinfer.array(gstinfer.empty((2,), "i4"))
        with self.assertRaises(ValueError):
            reader[0] = 1

    def test_memory_outlives_the_tensor(self):
        arrays = [gstinfer.array(gstinfer.tensor(np.full(100000, i, "f8")))
                  for i in range(20)]
        gc.collect()
        for i, found in enumerate(arrays):
            self.assertTrue((found == i).all())

    def test_a_view_keeps_the_memory(self):
        view = gstinfer.array(gstinfer.tensor(np.arange(100000.)))[10:20:2]
        gc.collect()
        more = [gstinfer.tensor(np.zeros(100000)) for _ in range(10)]
        np.testing.assert_array_equal(view, [10, 12, 14, 16, 18])
        del more

    def test_big_tensors_are_not_copied(self):
        tensor = gstinfer.empty((64 << 20,), "u1")
        before = resident()
        arrays = [gstinfer.array(tensor) for _ in range(16)]
        self.assertEqual(len({address(a) for a in arrays}), 1)
        self.assertLess(resident() - before, 1 << 20)

    def test_types_without_numpy(self):
        tensor = gstinfer.tensor([1.5, 2], Infer.Type.BF16)
        with self.assertRaisesRegex(TypeError, "bf16.*F32"):
            gstinfer.array(tensor)
        np.testing.assert_array_equal(
            gstinfer.array(gstinfer.convert(tensor, Infer.Type.F32)), [1.5, 2])
        with self.assertRaisesRegex(TypeError, "complex"):
            gstinfer.tensor([1j])

    def test_bytes(self):
        values = np.arange(6, dtype="i2")
        given = GLib.Bytes.new(values.tobytes())
        tensor = Infer.Tensor.new_from_bytes(Infer.Type.I16, [2, 3], given)
        del given
        gc.collect()
        np.testing.assert_array_equal(gstinfer.array(tensor),
                                      values.reshape(2, 3))
        self.assertEqual(tensor.get_bytes().get_data(), values.tobytes())
        with self.assertRaisesRegex(GLib.Error, "too few"):
            Infer.Tensor.new_from_bytes(Infer.Type.I16, [2, 4],
                                        tensor.get_bytes())
        with self.assertRaisesRegex(GLib.Error, "dim 1 of a shape is -7"):
            Infer.Shape.new([1, -7])
        with self.assertRaisesRegex(GLib.Error, "at most 16 dims, not 17"):
            Infer.Shape.new([1] * 17)

    def test_bytes_share_memory(self):
        tensor = gstinfer.tensor(np.arange(6, dtype="i4"))
        data = tensor.get_bytes()
        again = Infer.Tensor.new_from_bytes(Infer.Type.I32, [6], data)
        self.assertEqual(again.get_address(), tensor.get_address())


class Samples(unittest.TestCase):
    def test_shared_with_the_sample(self):
        tensor = gstinfer.tensor(np.arange(6, dtype="f4").reshape(2, 3))
        sample = GstInfer.sample_new_tensors([tensor])
        found, = gstinfer.tensors(sample)
        self.assertEqual(address(found), tensor.get_address())
        del sample, tensor
        gc.collect()
        np.testing.assert_array_equal(found, np.arange(6).reshape(2, 3))

    def test_dimension_order(self):
        sample = gstinfer.sample(np.zeros((1, 10, 40), "f4"),
                                 np.zeros((3, 2), "u1"))
        caps = sample.get_caps().get_structure(0)
        self.assertEqual(caps.get_string("dimensions"), "40:10:1,2:3")
        self.assertEqual([a.shape for a in gstinfer.tensors(sample)],
                         [(1, 10, 40), (3, 2)])

    def test_wrong_caps(self):
        buffer = Gst.Buffer.new_allocate(None, 4, None)
        caps = gstinfer.sample(np.zeros((2, 3), "f4")).get_caps()
        with self.assertRaisesRegex(GLib.Error, "too few"):
            GstInfer.buffer_get_tensor(buffer, caps, 0)
        with self.assertRaisesRegex(GLib.Error, "none of index 1"):
            GstInfer.buffer_get_tensor(buffer, caps, 1)
        two = gstinfer.sample(np.zeros(1, "f4"), np.zeros(1, "f4")).get_caps()
        with self.assertRaisesRegex(GLib.Error, "one for each"):
            GstInfer.buffer_get_tensor(buffer, two, 0)
        with self.assertRaisesRegex(GLib.Error, "must be fixed"):
            GstInfer.buffer_get_tensor(buffer, Gst.Caps.new_any(), 0)
        with self.assertRaises(GLib.Error):
            GstInfer.buffer_get_tensor(
                buffer, Gst.Caps.from_string("video/x-raw"), 0)
        with self.assertRaisesRegex(GLib.Error, "1 to 16 tensors, not 17"):
            GstInfer.sample_new_tensors([gstinfer.tensor(1)] * 17)


class Sessions(unittest.TestCase):
    def setUp(self):
        self.session = gstinfer.Session(str(told.DIGITS))
        self.frames = np.linspace(-1, 1, 1600, dtype="f4").reshape(1, 40, 40)

    def test_ports(self):
        self.assertEqual(self.session.inputs[0].shape, (1, -1, 40))
        self.assertEqual(self.session.inputs[0].type, "f32")
        self.assertEqual(self.session.outputs[0].name, "logits")

    def test_outputs_stay(self):
        first = self.session.run([self.frames])["logits"]
        kept = first.copy()
        second = self.session.run([self.frames * 3])["logits"]
        self.assertNotEqual(address(first), address(second))
        np.testing.assert_array_equal(first, kept)
        self.assertFalse(np.array_equal(first, second))

    def test_states(self):
        name = self.session.inputs[0].name
        first = self.session.run({name: self.frames})["logits"]
        saved = {n: self.session.get_state(n)
                 for n in self.session.state_names()}
        self.assertEqual(len(saved), 6)
        second = self.session.run({name: self.frames})["logits"]
        self.assertFalse(np.array_equal(first, second))
        for n, value in saved.items():
            self.session.set_state(n, value)
        again = self.session.run({name: self.frames})["logits"]
        np.testing.assert_array_equal(second, again)
        self.session.reset()
        np.testing.assert_array_equal(
            first, self.session.run({name: self.frames})["logits"])

    def test_asynchronous(self):
        executable = self.session.request.get_executable()
        request = Infer.AsyncRequest.new(executable, None)
        inner = request.get_request()
        inner.set_input(0, gstinfer.tensor(self.frames))
        request.start(Infer.StartFlags.DEFAULT)
        self.assertTrue(request.wait(-1))
        found = gstinfer.array(inner.get_output(0))
        del request
        gc.collect()
        np.testing.assert_array_equal(
            found, self.session.run([self.frames])["logits"])

    def started(self, context):
        """An asynchronous request whose callback is set with @context, and what
        it tells."""
        request = Infer.AsyncRequest.new(
            self.session.request.get_executable(), None)
        request.get_request().set_input(0, gstinfer.tensor(self.frames))
        told_of = []
        context.push_thread_default()
        request.set_callback(lambda error, name: told_of.append((error, name)),
                             "first")
        context.pop_thread_default()
        request.start(Infer.StartFlags.DEFAULT)
        return request, told_of

    def test_callback(self):
        context = GLib.MainContext()
        request, told_of = self.started(context)
        while not told_of:
            context.iteration(True)
        self.assertEqual(told_of, [(None, "first")])
        found = gstinfer.array(request.get_request().get_output(0))
        np.testing.assert_array_equal(
            found, self.session.run([self.frames])["logits"])

    def test_callback_starts_the_next_run(self):
        loop, left = GLib.MainLoop(), [20]
        request = Infer.AsyncRequest.new(
            self.session.request.get_executable(), None)
        request.get_request().set_input(0, gstinfer.tensor(self.frames))

        def done(error, _):
            left[0] -= 1
            if error is None and left[0] > 0:
                request.start(Infer.StartFlags.DEFAULT)
            else:
                loop.quit()
        request.set_callback(done, None)
        request.start(Infer.StartFlags.DEFAULT)
        loop.run()
        self.assertEqual(left, [0])
        request.set_callback(None)

    def test_callback_of_a_failed_run(self):
        context = GLib.MainContext()
        request, told_of = self.started(context)
        while not told_of:
            context.iteration(True)
        del told_of[:]
        request.get_request().set_input(0, None)  # its length is not known
        request.start(Infer.StartFlags.DEFAULT)
        while not told_of:
            context.iteration(True)
        (error, name), = told_of
        self.assertEqual(error.domain, "infer-error-quark")
        self.assertEqual(name, "first")

    def test_no_callback_after_the_request(self):
        context = GLib.MainContext()
        request, told_of = self.started(context)
        request.wait(-1)
        self.assertEqual(told_of, [])  # the context has not run yet
        request.set_callback(None)
        while context.iteration(False):
            pass
        self.assertEqual(told_of, [])
        for _ in range(20):  # dropped while it runs
            request, told_of = self.started(context)
            del request
            gc.collect()
            while context.iteration(False):
                pass
            self.assertEqual(told_of, [])

    def test_data_of_a_callback_are_released(self):
        class Data:
            pass
        data = Data()
        released = weakref.ref(data)
        request = Infer.AsyncRequest.new(
            self.session.request.get_executable(), None)
        request.set_callback(lambda error, user: None, data)
        del data
        self.assertIsNotNone(released())
        request.set_callback(None)
        gc.collect()
        self.assertIsNone(released())

    def test_times_of_operations(self):
        session = gstinfer.Session(self.session.model.get_path(),
                                   config="PERF_COUNT=YES")
        self.assertEqual(session.operations(), [])
        session.run([self.frames])
        found = session.operations()
        self.assertIn("LSTMSequence", [o.type for o in found])
        self.assertGreater(sum(o.ns for o in found), 0)
        self.assertEqual({o.device for o in found}, {"CPU"})

    def test_errors_name_the_domain(self):
        with self.assertRaisesRegex(GLib.Error, "no.such.xml") as caught:
            gstinfer.Session("no.such.xml")
        self.assertEqual(caught.exception.domain, "infer-error-quark")
        self.assertEqual(caught.exception.code, Infer.ErrorCode.NOT_FOUND)
        with self.assertRaisesRegex(GLib.Error, "nothing"):
            self.session.run({"nothing": self.frames})

    def test_model_information(self):
        model = self.session.model
        self.assertEqual(model.get_info("model_type"), "ctc")
        desc = model.variable_desc(0)
        del model, self.session
        gc.collect()
        self.assertEqual(desc.get_shape().get_dims(), [1, 96, 5])


class Memory(unittest.TestCase):
    def test_models(self):
        case = told.ROOT / "tests/onnx/cases/fused-gemm/model.onnx"
        for found, weights in ((case, None), (told.DIGITS, told.DIGITS.with_suffix(".bin"))):
            model = Infer.Model.load_bytes(
                GLib.Bytes.new(found.read_bytes()),
                weights and GLib.Bytes.new(weights.read_bytes()), "in memory")
            gc.collect()
            other = Infer.Model.load(str(found), None)
            self.assertEqual(model.n_inputs(), other.n_inputs())
            self.assertEqual(model.output_name(0), other.output_name(0))
            request = Infer.Request.new(
                Infer.Executable.new(model, Infer.Runtime.new("CPU", None)))
            self.assertIsNotNone(request)
        with self.assertRaisesRegex(GLib.Error, "^infer-error-quark: in memory: it is"):
            Infer.Model.load_bytes(GLib.Bytes.new(b"GGUF"), None, "in memory")


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


if __name__ == "__main__":
    unittest.main()
