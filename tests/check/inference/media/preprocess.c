/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/preprocess.h"

#include <math.h>
#include <string.h>

#include "infer/request.h"
#include "inference/runtime/runtime-private.h"
#include "tests/check/support/fake-backend.h"

static InferDesc
image_desc (gint64 n, gint64 c, gint64 h, gint64 w)
{
  return (InferDesc){ INFER_TYPE_F32, infer_shape_make (4, n, c, h, w) };
}

/* NHWC bytes. */
static InferTensor *
bytes_image (gint64 h, gint64 w, gint64 c, const guint8 *values)
{
  InferShape shape = infer_shape_make (4, (gint64) 1, h, w, c);
  InferTensor *tensor = infer_tensor_new (INFER_TYPE_U8, &shape, NULL);

  memcpy (tensor->data, values, tensor->size);
  return tensor;
}

static void
assert_gives (const InferPreprocess *settings, const InferDesc *desc,
    const InferTensor *source, guint n, const float *expected)
{
  g_autoptr (GError) error = NULL;
  g_autofree float *target = g_new (float, n);
  InferShape shape;
  InferPreprocessor *self = infer_preprocessor_new (settings, desc, &error);

  g_assert_no_error (error);
  g_assert_true (infer_preprocessor_shape (self, source, &shape, &error));
  g_assert_cmpuint (infer_shape_count (&shape), ==, n);
  infer_preprocessor_run (self, source, target);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (target[i], expected[i], 1e-4);
  infer_preprocessor_free (self);
}

static void
test_values (void)
{
  InferDesc desc = image_desc (1, 3, 1, 2);
  InferPreprocess settings;
  g_autoptr (InferTensor) image =
      bytes_image (1, 2, 3, (const guint8[]){ 1, 2, 3, 4, 5, 6 });

  infer_preprocess_defaults (&settings, &desc);
  g_assert_true (settings.model == INFER_IMAGE_NCHW);
  assert_gives (
      &settings, &desc, image, 6, (const float[]){ 1, 4, 2, 5, 3, 6 });
  settings.reverse = TRUE;
  for (guint i = 0; i < 3; i++) {
    settings.mean[i] = (float) i;
    settings.scale[i] = 2;
  }
  assert_gives (&settings, &desc, image, 6,
      (const float[]){ 1.5f, 3, 0.5f, 2, -0.5f, 1 });
  desc = image_desc (1, 1, 2, 3); /* channels last: 1 × 1 × 2 × 3 */
  infer_preprocess_defaults (&settings, &desc);
  settings.model = INFER_IMAGE_NHWC;
  assert_gives (
      &settings, &desc, image, 6, (const float[]){ 1, 2, 3, 4, 5, 6 });
}

static void
test_colours (void)
{
  InferDesc three = image_desc (1, 3, 1, 1), one = image_desc (1, 1, 1, 1);
  InferPreprocess settings;
  g_autoptr (InferTensor) grey = bytes_image (1, 1, 1, (const guint8[]){ 7 });
  g_autoptr (InferTensor) rgb =
      bytes_image (1, 1, 3, (const guint8[]){ 100, 50, 10 });
  g_autoptr (InferTensor) rgba =
      bytes_image (1, 1, 4, (const guint8[]){ 1, 2, 3, 4 });

  infer_preprocess_defaults (&settings, &three);
  assert_gives (&settings, &three, grey, 3, (const float[]){ 7, 7, 7 });
  assert_gives (&settings, &three, rgba, 3, (const float[]){ 1, 2, 3 });
  assert_gives (&settings, &one, rgb, 1, (const float[]){ 60.39f });
  settings.reverse = TRUE;
  assert_gives (&settings, &three, rgba, 3, (const float[]){ 3, 2, 1 });
  assert_gives (&settings, &one, rgb, 1, (const float[]){ 43.74f });
}

static void
test_sizes (void)
{
  InferDesc wide = image_desc (1, 1, 1, 4), square = image_desc (1, 1, 4, 4);
  InferPreprocess settings;
  g_autoptr (InferTensor) two =
      bytes_image (1, 2, 1, (const guint8[]){ 0, 10 });
  g_autoptr (InferTensor) flat =
      bytes_image (2, 4, 1, (const guint8[]){ 1, 2, 3, 4, 5, 6, 7, 8 });

  infer_preprocess_defaults (&settings, &wide);
  assert_gives (&settings, &wide, two, 4, (const float[]){ 0, 2.5f, 7.5f, 10 });
  settings.interpolate = INFER_SAMPLING_NEAREST;
  assert_gives (&settings, &wide, two, 4, (const float[]){ 0, 0, 10, 10 });
  settings.resize = INFER_RESIZE_FIT;
  settings.pad = 9;
  assert_gives (&settings, &square, flat, 16,
      (const float[]){ 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9, 9 });
  settings.resize = INFER_RESIZE_LETTERBOX;
  assert_gives (&settings, &square, flat, 16,
      (const float[]){ 9, 9, 9, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9 });
  settings.resize = INFER_RESIZE_CROP;
  assert_gives (&settings, &square, flat, 16,
      (const float[]){ 2, 2, 3, 3, 2, 2, 3, 3, 6, 6, 7, 7, 6, 6, 7, 7 });
}

/* Means over areas; cubic weights from their definition. */
static void
test_sums (void)
{
  InferDesc two = image_desc (1, 1, 1, 2), three = image_desc (1, 1, 1, 3),
            one = image_desc (1, 3, 1, 1), wide = image_desc (1, 1, 1, 8);
  InferPreprocess settings;
  g_autoptr (InferTensor) line =
      bytes_image (1, 4, 1, (const guint8[]){ 10, 20, 40, 80 });
  g_autoptr (InferTensor) rgb = bytes_image (2, 2, 3,
      (const guint8[]){ 0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110 });

  infer_preprocess_defaults (&settings, &two);
  settings.interpolate = INFER_SAMPLING_AREA;
  assert_gives (&settings, &two, line, 2, (const float[]){ 15, 60 });
  /* 4 / 3 pixels each: 1 and 1/3, 2/3 and 2/3, 1/3 and 1. */
  assert_gives (&settings, &three, line, 3, (const float[]){ 12.5f, 30, 70 });
  assert_gives (&settings, &one, rgb, 3, (const float[]){ 45, 55, 65 });
  assert_gives (&settings, &wide, line, 8,
      (const float[]){ 10, 10, 20, 20, 40, 40, 80, 80 });

  settings.interpolate = INFER_SAMPLING_CUBIC;
  /* Half-way: (−3, 19, 19, −3) / 32 of the four around, the edge repeated. */
  assert_gives (&settings, &two, line, 2,
      (const float[]){ (-3 * 10 + 19 * 10 + 19 * 20 - 3 * 40) / 32.f,
          (-3 * 20 + 19 * 40 + 19 * 80 - 3 * 80) / 32.f });
  /* The first of eight lies a quarter before the first pixel: weights of
   * −13.5, 33.75 …, as of |x| 1.75, 0.75, 0.25, 1.25. */
  static const float w[] = { -0.03515625f, 0.26171875f, 0.87890625f,
    -0.10546875f };
  InferPreprocessor *self = infer_preprocessor_new (&settings, &wide, NULL);
  float out[8];
  infer_preprocessor_run (self, line, out);
  infer_preprocessor_free (self);
  g_assert_cmpfloat_with_epsilon (
      out[0], 10 * (w[0] + w[1] + w[2]) + 20 * w[3], 1e-4);
  g_assert_cmpfloat_with_epsilon (
      out[3], 10 * w[3] + 20 * w[2] + 40 * w[1] + 80 * w[0], 1e-4);
}

/* One channel stretched, pixel by pixel from the definition. */
static double
expected_at (const InferTensor *image, int y, int x, int h, int w)
{
  int from_h = (int) image->shape.dims[1], from_w = (int) image->shape.dims[2];
  const guint8 *data = image->data;
  double ty = CLAMP ((y + 0.5) * from_h / h - 0.5, 0, from_h - 1.0);
  double tx = CLAMP ((x + 0.5) * from_w / w - 0.5, 0, from_w - 1.0);
  int y0 = (int) ty, x0 = (int) tx;
  int y1 = MIN (y0 + 1, from_h - 1), x1 = MIN (x0 + 1, from_w - 1);
  double fy = ty - y0, fx = tx - x0;

  return (1 - fy)
             * ((1 - fx) * data[y0 * from_w + x0] + fx * data[y0 * from_w + x1])
         + fy
               * ((1 - fx) * data[y1 * from_w + x0]
                   + fx * data[y1 * from_w + x1]);
}

static void
test_random_sizes (void)
{
  for (guint round = 0; round < 200; round++) {
    int h = g_test_rand_int_range (1, 40), w = g_test_rand_int_range (1, 40);
    InferDesc desc = image_desc (1, 1, h, w);
    InferShape shape =
        infer_shape_make (4, (gint64) 1, (gint64) g_test_rand_int_range (1, 40),
            (gint64) g_test_rand_int_range (1, 40), (gint64) 1);
    g_autoptr (InferTensor) image =
        infer_tensor_new (INFER_TYPE_U8, &shape, NULL);
    g_autofree float *expected = g_new (float, h *w);
    InferPreprocess settings;

    for (gsize i = 0; i < image->size; i++)
      ((guint8 *) image->data)[i] = (guint8) g_test_rand_int ();
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++)
        expected[y * w + x] = (float) expected_at (image, y, x, h, w);
    infer_preprocess_defaults (&settings, &desc);
    settings.model = INFER_IMAGE_NCHW;
    assert_gives (&settings, &desc, image, (guint) (h * w), expected);
    /* The other resizes stay inside their memory. */
    for (int resize = INFER_RESIZE_FIT; resize <= INFER_RESIZE_CROP; resize++) {
      settings.resize = (InferResize) resize;
      InferPreprocessor *self = infer_preprocessor_new (&settings, &desc, NULL);
      infer_preprocessor_run (self, image, expected);
      infer_preprocessor_free (self);
    }
  }
}

static InferRequest *
make_request (const char *shape)
{
  fake_reset ();
  g_autoptr (InferModel) model = fake_model (shape, NULL);
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new_for_backend (&fake_cpu, 0, NULL, NULL);
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, NULL);
  return infer_request_new (executable, NULL);
}

/* A region of an image, and a batch made of two. */
static void
test_request (void)
{
  g_autoptr (InferRequest) request = make_request ("2,1,2,2");
  InferShape region =
      infer_shape_make (4, (gint64) 1, (gint64) 2, (gint64) 2, (gint64) 1);
  InferPreprocess settings;
  g_autoptr (InferTensor) image =
      bytes_image (3, 3, 1, (const guint8[]){ 1, 2, 3, 4, 5, 6, 7, 8, 9 });
  g_autoptr (InferTensor) part = infer_tensor_new_roi (
      image, (const gint64[]){ 0, 1, 1, 0 }, &region, NULL);
  InferTensor *parts[] = { part, image };
  static const float expected[] = { 5, 6, 8, 9, 1, 3, 7, 9 };
  g_autoptr (GError) error = NULL;

  infer_preprocess_defaults (&settings,
      infer_model_input_desc (
          infer_executable_get_model (infer_request_get_executable (request)),
          0));
  settings.interpolate = INFER_SAMPLING_NEAREST;
  g_assert_true (infer_request_set_preprocess (request, 0, &settings, &error));
  g_assert_true (infer_request_set_input_batch (request, 0, parts, 2, &error));
  g_assert_true (infer_request_infer (request, &error));
  const float *out = infer_request_get_output (request, 0, NULL)->data;
  for (guint i = 0; i < 8; i++)
    g_assert_cmpfloat (out[i], ==, expected[i]);
  /* One image is not a batch of two. */
  g_assert_false (infer_request_set_input (request, 0, image, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_clear_error (&error);
  g_assert_true (infer_request_set_preprocess (request, 0, NULL, &error));
  g_assert_false (infer_request_set_input (request, 0, image, &error));
}

/* Images of f32 at an odd address. */
static void
test_unaligned (void)
{
  g_autoptr (InferRequest) request = make_request ("1,1,2,2");
  InferShape shape =
      infer_shape_make (4, (gint64) 1, (gint64) 2, (gint64) 2, (gint64) 1);
  static const float values[] = { 1, 2, 3, 4 };
  guint8 bytes[sizeof values + 1];
  g_autoptr (GError) error = NULL;
  InferPreprocess settings;

  memcpy (bytes + 1, values, sizeof values);
  g_autoptr (InferTensor) image = infer_tensor_new_wrapped (
      INFER_TYPE_F32, &shape, bytes + 1, sizeof values, NULL, NULL, &error);
  g_assert_no_error (error);
  infer_preprocess_defaults (&settings,
      infer_model_input_desc (
          infer_executable_get_model (infer_request_get_executable (request)),
          0));
  g_assert_true (infer_request_set_preprocess (request, 0, &settings, &error));
  g_assert_true (infer_request_set_input (request, 0, image, &error));
  g_assert_true (infer_request_infer (request, &error));
  const InferTensor *out = infer_request_get_output (request, 0, NULL);
  g_assert_cmpmem (out->data, out->size, values, sizeof values);
}

static void
test_open_size (void)
{
  g_autoptr (InferRequest) request = make_request ("1,1,?,?");
  InferPreprocess settings = { .scale = { 1, 1, 1, 1 },
    .model = INFER_IMAGE_NCHW };
  g_autoptr (InferTensor) image =
      bytes_image (2, 3, 1, (const guint8[]){ 1, 2, 3, 4, 5, 6 });

  g_assert_true (infer_request_set_preprocess (request, 0, &settings, NULL));
  g_assert_true (infer_request_set_input (request, 0, image, NULL));
  g_assert_true (infer_request_infer (request, NULL));
  const InferTensor *out = infer_request_get_output (request, 0, NULL);
  g_assert_cmpint (out->shape.dims[3], ==, 3);
  for (guint i = 0; i < 6; i++)
    g_assert_cmpfloat (((float *) out->data)[i], ==, (float) (i + 1));
}

/* A line of text: fixed height, width by the aspect ratio. */
static void
test_open_height (void)
{
  static const struct
  {
    gint64 height, width;
    guint open_height, multiple;
    gint64 want_height, want_width;
  } cases[] = {
    { 24, 100, 48, 8, 48, 200 },
    { 24, 101, 48, 8, 48, 200 },
    { 100, 10, 48, 8, 48, 8 },
    { 100, 70, 0, 32, 96, 64 },
    { 3, 3, 0, 32, 32, 32 },
    { 5, 7, 0, 0, 5, 7 },
    { 1, 16384, 48, 8, 48, 16384 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    InferPreprocess settings = { .scale = { 1, 1, 1, 1 },
      .model = INFER_IMAGE_NCHW,
      .open_height = cases[i].open_height,
      .open_multiple = cases[i].multiple };
    const InferDesc input = { INFER_TYPE_F32,
      infer_shape_make (4, (gint64) 1, (gint64) 1, (gint64) -1, (gint64) -1) };
    InferPreprocessor *self = infer_preprocessor_new (&settings, &input, NULL);
    InferShape shape = infer_shape_make (
        4, (gint64) 1, cases[i].height, cases[i].width, (gint64) 1);
    g_autoptr (InferTensor) image =
        infer_tensor_new (INFER_TYPE_U8, &shape, NULL);

    g_assert_true (infer_preprocessor_shape (self, image, &shape, NULL));
    g_assert_cmpint (shape.dims[2], ==, cases[i].want_height);
    g_assert_cmpint (shape.dims[3], ==, cases[i].want_width);
    infer_preprocessor_free (self);
  }
}

/* Pictures of every format through a request, as a batch, with regions: the
 * colours are those of the definition (BT.601 for Y, U, V). */
static void
test_pictures (void)
{
  static const guint8 rgb[] = { 255, 0, 0, 10, 20, 30, 0, 255, 0, 40, 50, 60 };
  static const guint8 bgrx[] = { 0, 0, 255, 9, 30, 20, 10, 9, 0, 255, 0, 9, 60,
    50, 40, 9 };
  static const guint8 xrgb[] = { 9, 255, 0, 0, 9, 10, 20, 30, 9, 0, 255, 0, 9,
    40, 50, 60 };
  static const guint8 grey[] = { 1, 2, 3, 4 };
  /* Y of four pixels; U and V of all. */
  static const guint8 nv12[] = { 81, 145, 41, 235, 90, 240 };
  static const guint8 i420[] = { 81, 145, 41, 235, 90, 240 };
  static const struct
  {
    const char *format;
    const guint8 *data;
    gsize size;
    gint64 row;
    float want[12]; /* planes of 2 × 2 */
  } cases[] = {
    { "RGB", rgb, sizeof rgb, 6,
        { 255, 10, 0, 40, 0, 20, 255, 50, 0, 30, 0, 60 } },
    { "BGRx", bgrx, sizeof bgrx, 8,
        { 255, 10, 0, 40, 0, 20, 255, 50, 0, 30, 0, 60 } },
    { "xRGB", xrgb, sizeof xrgb, 8,
        { 255, 10, 0, 40, 0, 20, 255, 50, 0, 30, 0, 60 } },
    { "GRAY8", grey, sizeof grey, 2, { 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4 } },
    /* 255/219 (Y − 16) plus 1.596 · 112, 0.392 · 38 − 0.813 · 112,
     * −2.017 · 38: clamped to 0 … 255. */
    { "NV12", nv12, sizeof nv12, 2,
        { 254.439f, 255, 207.863f, 255, 0, 74.0388f, 0, 178.833f, 0, 73.5586f,
            0, 178.353f } },
    { "I420", i420, sizeof i420, 2,
        { 254.439f, 255, 207.863f, 255, 0, 74.0388f, 0, 178.833f, 0, 73.5586f,
            0, 178.353f } },
  };
  g_autoptr (InferModel) model = fake_model ("?,3,2,2", NULL);
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new_for_backend (&fake_cpu, 0, NULL, NULL);
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, NULL);
  g_autoptr (InferRequest) request = infer_request_new (executable, NULL);
  InferPreprocess settings;
  g_autoptr (GError) error = NULL;

  infer_preprocess_defaults (&settings, infer_model_input_desc (model, 0));
  g_assert_true (infer_request_set_preprocess (request, 0, &settings, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    InferImage images[2];
    static const InferBox regions[2] = { { 0, 0, 2, 2 }, { 1, 1, 1, 1 } };

    infer_image_init (&images[0], cases[i].format, cases[i].data, cases[i].size,
        2, 2, cases[i].row, &error);
    g_assert_no_error (error);
    images[1] = images[0];
    g_assert_true (
        infer_request_set_pictures (request, 0, images, regions, 2, &error));
    g_assert_true (infer_request_infer (request, &error));
    const InferTensor *out = infer_request_get_output (request, 0, NULL);
    g_assert_cmpint (out->shape.dims[0], ==, 2);
    for (guint k = 0; k < 12; k++) {
      g_assert_cmpfloat_with_epsilon (
          ((float *) out->data)[k], cases[i].want[k], 0.2);
      /* The last pixel, enlarged. */
      g_assert_cmpfloat_with_epsilon (
          ((float *) out->data)[12 + k], cases[i].want[k / 4 * 4 + 3], 0.2);
    }
  }
}

static void
test_picture_errors (void)
{
  static const guint8 data[64] = { 0 };
  InferImage image;

  g_assert_false (infer_image_init (&image, "RGB", data, 11, 2, 2, 6, NULL));
  g_assert_true (infer_image_init (&image, "RGB", data, 12, 2, 2, 6, NULL));
  g_assert_false (infer_image_init (&image, "RGB", data, 12, 2, 2, 5, NULL));
  g_assert_false (infer_image_init (&image, "NV12", data, 5, 2, 2, 2, NULL));
  g_assert_true (infer_image_init (&image, "NV12", data, 6, 2, 2, 2, NULL));
  g_assert_true (infer_image_init (
      &image, "I420", data, 4 * 3 + 2 * 4 - 0, 3, 3, 4, NULL));
  g_assert_false (infer_image_init (&image, "I420", data, 64, 3, 3, 3, NULL));
  g_assert_false (infer_image_init (&image, "P010", data, 64, 2, 2, 4, NULL));
  g_assert_false (infer_image_init (&image, "RGB", data, 64, 0, 2, 4, NULL));
  g_assert_false (infer_image_init (
      &image, "RGB", data, 64, G_MAXINT64 / 2, 2, G_MAXINT64, NULL));

  g_autoptr (InferModel) model = fake_model ("1,3,2,2", NULL);
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new_for_backend (&fake_cpu, 0, NULL, NULL);
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, NULL);
  g_autoptr (InferRequest) request = infer_request_new (executable, NULL);
  InferPreprocess settings;
  InferImage images[2];
  InferBox outside = { 1, 1, 2, 1 };

  g_assert_true (infer_image_init (&images[0], "RGB", data, 12, 2, 2, 6, NULL));
  images[1] = images[0];
  g_assert_false (
      infer_request_set_pictures (request, 0, images, NULL, 1, NULL));
  infer_preprocess_defaults (&settings, infer_model_input_desc (model, 0));
  g_assert_true (infer_request_set_preprocess (request, 0, &settings, NULL));
  g_assert_true (
      infer_request_set_pictures (request, 0, images, NULL, 1, NULL));
  g_assert_false (
      infer_request_set_pictures (request, 0, images, NULL, 2, NULL));
  g_assert_false (
      infer_request_set_pictures (request, 0, images, &outside, 1, NULL));
  g_assert_false (
      infer_request_set_pictures (request, 1, images, NULL, 1, NULL));

  g_autoptr (GError) error = NULL;
  images[0].type = INFER_TYPE_U16;
  images[0].unit = 1;
  for (guint c = 0; c < 3; c++)
    images[0].planes[c] = (InferPlane){ data + 1 + 8 * c, 4, 2, 0, 0 };
  g_assert_false (
      infer_request_set_pictures (request, 0, images, NULL, 1, &error));
  g_assert_cmpstr (strstr (error->message, "samples of u16 in plane 0"), ==,
      "samples of u16 in plane 0 of a picture do not lie at multiples of 2 "
      "bytes");
}

static void
test_errors (void)
{
  InferDesc vector = { INFER_TYPE_F32,
    infer_shape_make (2, (gint64) 1, (gint64) 3) };
  InferDesc five = image_desc (1, 5, 2, 2), empty = image_desc (1, 3, 0, 2);
  InferDesc desc = image_desc (1, 3, 2, 2);
  InferDesc huge = image_desc (1, 3, 2, G_MAXINT64);
  const InferDesc *bad[] = { &vector, &five, &empty, &huge };
  InferPreprocess settings;
  InferShape shape;
  g_autoptr (GError) error = NULL;
  g_autoptr (InferTensor) two_channels =
      bytes_image (1, 1, 2, (const guint8[]){ 1, 2 });

  infer_preprocess_defaults (&settings, &desc);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_assert_null (infer_preprocessor_new (&settings, bad[i], &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
    g_clear_error (&error);
  }
  InferPreprocessor *self = infer_preprocessor_new (&settings, &desc, NULL);
  g_assert_false (
      infer_preprocessor_shape (self, two_channels, &shape, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  infer_preprocessor_free (self);
}

static gboolean
read_settings (const char *info, InferPreprocess *settings, GError **error)
{
  g_autofree char *xml = g_strdup_printf (
      "<net name=\"m\" version=\"11\"><layers>"
      "<layer id=\"0\" name=\"in\" type=\"Parameter\" version=\"opset1\">"
      "<data shape=\"1,3,4,4\" element_type=\"f32\"/><output><port id=\"0\" "
      "precision=\"FP32\"><dim>1</dim><dim>3</dim><dim>4</dim><dim>4</dim>"
      "</port></output></layer>"
      "<layer id=\"1\" name=\"out\" type=\"Result\" version=\"opset1\">"
      "<input><port id=\"0\" precision=\"FP32\"><dim>1</dim><dim>3</dim>"
      "<dim>4</dim><dim>4</dim></port></input></layer></layers><edges>"
      "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"1\" to-port=\"0\"/>"
      "</edges><rt_info><model_info>%s</model_info></rt_info></net>",
      info);
  g_autoptr (GBytes) bytes = g_bytes_new (xml, strlen (xml));
  g_autoptr (InferModel) model =
      infer_model_load_bytes (bytes, NULL, "m.xml", error);

  return model && infer_preprocess_from_model (settings, model, 0, error);
}

static void
test_model_info (void)
{
  static const char *const bad[] = { "<resize_type value=\"squeeze\"/>",
    "<mean_values value=\"1 2 x\"/>", "<scale_values value=\"1 0 1\"/>",
    "<mean_values value=\"1 2 3 4 5\"/>", "<pad_value value=\"inf\"/>",
    "<interpolation value=\"lanczos\"/>", "<layout value=\"CHWN\"/>",
    "<reverse_input_channels value=\"perhaps\"/>" };
  InferPreprocess settings;
  g_autoptr (GError) error = NULL;

  g_assert_true (read_settings (
      "<resize_type value=\"fit_to_window_letterbox\"/>"
      "<mean_values value=\"123.5 116 103\"/><scale_values value=\"58\"/>"
      "<reverse_input_channels value=\"True\"/><pad_value value=\"114\"/>"
      "<interpolation value=\"nearest\"/><layout value=\"x:[N,H,W,C]\"/>",
      &settings, &error));
  g_assert_no_error (error);
  g_assert_true (settings.resize == INFER_RESIZE_LETTERBOX);
  g_assert_true (settings.reverse);
  g_assert_true (settings.interpolate == INFER_SAMPLING_NEAREST);
  g_assert_true (settings.model == INFER_IMAGE_NHWC);
  g_assert_cmpfloat (settings.pad, ==, 114);
  g_assert_cmpfloat (settings.mean[0], ==, 123.5);
  g_assert_cmpfloat (settings.mean[2], ==, 103);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpfloat (settings.scale[i], ==, 58);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_assert_false (read_settings (bad[i], &settings, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_MODEL);
    g_assert_true (g_str_has_prefix (error->message, "m.xml: model_info: "));
    g_clear_error (&error);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/preprocess/values", test_values);
  g_test_add_func ("/preprocess/colours", test_colours);
  g_test_add_func ("/preprocess/sizes", test_sizes);
  g_test_add_func ("/preprocess/sums", test_sums);
  g_test_add_func ("/preprocess/random-sizes", test_random_sizes);
  g_test_add_func ("/preprocess/request", test_request);
  g_test_add_func ("/preprocess/unaligned", test_unaligned);
  g_test_add_func ("/preprocess/open-size", test_open_size);
  g_test_add_func ("/preprocess/open-height", test_open_height);
  g_test_add_func ("/preprocess/pictures", test_pictures);
  g_test_add_func ("/preprocess/picture-errors", test_picture_errors);
  g_test_add_func ("/preprocess/errors", test_errors);
  g_test_add_func ("/preprocess/model-info", test_model_info);
  return g_test_run ();
}
