/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/tensor-caps.h"

#include "infer/error.h"

/* As NNStreamer's elements write it. */
#define CAPS(n, types, dimensions)                                             \
  "other/tensors, format=(string)static, num_tensors=(int)" n                  \
  ", types=(string)" types ", dimensions=(string)" dimensions                  \
  ", framerate=(fraction)10/1"

static void
test_parse (void)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (
      CAPS ("2", "\"float32,uint8\"", "\"40:10:1,3:224:224:1\""));
  g_autoptr (GError) error = NULL;
  GstInferTensors tensors;
  InferShape first = infer_shape_make (3, (gint64) 1, (gint64) 10, (gint64) 40);

  gst_infer_tensors_from_caps (caps, &tensors, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (tensors.n, ==, 2);
  g_assert_cmpint (tensors.descs[0].type, ==, INFER_TYPE_F32);
  g_assert_cmpint (tensors.descs[1].type, ==, INFER_TYPE_U8);
  g_assert_true (infer_shape_equal (&tensors.descs[0].shape, &first));
  g_assert_cmpint (tensors.descs[1].shape.rank, ==, 4);
  g_assert_cmpint (tensors.fps_n, ==, 10);
  g_autoptr (GstCaps) again = gst_infer_tensors_to_caps (&tensors);
  g_assert_true (gst_caps_is_equal (caps, again));
}

static void
test_refused (void)
{
  static const char *const cases[] = {
    CAPS ("1", "float31", "40:1"),
    CAPS ("1", "float32", "40:0"),
    CAPS ("1", "float32", "40:-1"),
    CAPS ("1", "float32", "40:x"),
    CAPS ("1", "float32", "1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1"),
    CAPS ("1", "float32", "2000000000:2000000000:2000000000:2000000000"),
    CAPS ("2", "float32", "40:1"),
    CAPS ("17", "float32", "40:1"),
    CAPS ("0", "float32", "40:1"),
    "other/tensors, format=(string)flexible, framerate=(fraction)0/1",
    "other/tensors, framerate=(fraction)0/1",
    "audio/x-raw",
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstCaps) caps = gst_caps_from_string (cases[i]);
    g_autoptr (GError) error = NULL;
    GstInferTensors tensors;

    g_assert_nonnull (caps);
    g_assert_false (gst_infer_tensors_from_caps (caps, &tensors, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  }
}

/* "40:10" and "40:10:1" mean the same. */
static void
test_template (void)
{
  const InferDesc desc = { INFER_TYPE_F32,
    infer_shape_make (3, (gint64) 1, (gint64) 10, (gint64) 40) };
  const InferDesc *descs[] = { &desc };
  g_autoptr (GstCaps) template = gst_infer_tensors_template (1, descs);
  static const struct
  {
    const char *caps;
    gboolean fits;
  } cases[] = {
    { CAPS ("1", "float32", "40:10:1"), TRUE },
    { CAPS ("1", "float32", "40:10"), TRUE },
    { CAPS ("1", "float32", "40:10:1:1"), TRUE },
    { CAPS ("1", "float32", "40:11:1"), FALSE },
    { CAPS ("1", "uint8", "40:10:1"), FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstCaps) caps = gst_caps_from_string (cases[i].caps);

    g_assert_cmpint (
        gst_caps_can_intersect (template, caps), ==, cases[i].fits);
  }
}

static void
test_fit (void)
{
  InferShape pattern =
      infer_shape_make (3, (gint64) 1, (gint64) -1, (gint64) 40);
  InferShape flat = infer_shape_make (2, (gint64) 10, (gint64) 40);
  InferShape deep =
      infer_shape_make (4, (gint64) 1, (gint64) 1, (gint64) 10, (gint64) 40);
  InferShape batch =
      infer_shape_make (4, (gint64) 2, (gint64) 1, (gint64) 10, (gint64) 40);
  InferShape want = infer_shape_make (3, (gint64) 1, (gint64) 10, (gint64) 40);
  InferShape fitted;

  g_assert_true (gst_infer_shape_fit (&pattern, &flat, &fitted));
  g_assert_true (infer_shape_equal (&fitted, &want));
  g_assert_true (gst_infer_shape_fit (&pattern, &deep, &fitted));
  g_assert_true (infer_shape_equal (&fitted, &want));
  g_assert_false (gst_infer_shape_fit (&pattern, &batch, &fitted));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/tensor-caps/parse", test_parse);
  g_test_add_func ("/tensor-caps/refused", test_refused);
  g_test_add_func ("/tensor-caps/template", test_template);
  g_test_add_func ("/tensor-caps/fit", test_fit);
  return g_test_run ();
}
