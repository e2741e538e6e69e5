/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A running inference ends soon after it is cancelled, whatever operation it is
 * in: see infer_async_request_cancel. */

#include <time.h>

#include "infer/error.h"
#include "infer/request.h"
#include "tests/check/support/net.h"
#include "tests/check/support/process.h"

/* Seconds.  Beside other load, the time that the process computes counts. */
#define BOUND (TEST_IS_SANITIZED ? 3.0 : 0.3)
#define CANCELS 6

static double
now (void)
{
  return (double) g_get_monotonic_time () / G_USEC_PER_SEC;
}

static double
computed (void)
{
  return (double) clock () / CLOCKS_PER_SEC;
}

/* Dynamic sizes become @open. */
static void
fill (InferRequest *request, const InferModel *model, gint64 open)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    InferShape shape = infer_model_input_desc (model, i)->shape;

    for (int d = 0; d < shape.rank; d++)
      if (shape.dims[d] < 0)
        shape.dims[d] = d == 0 ? 1 : open;
    g_assert_nonnull (
        infer_request_set_input_shape (request, i, &shape, &error));
    g_assert_no_error (error);
  }
}

/* Cancels at moments all over an inference. */
static void
check (InferModel *model, const char *name, gint64 open)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, &error);
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, &error);
  double most = 0, most_computed = 0;
  guint n_cancelled = 0;

  g_assert_no_error (error);
  g_autoptr (InferAsyncRequest) async =
      infer_async_request_new (executable, NULL, &error);
  fill (infer_async_request_get_request (async), model, open);
  /* The first run packs weights. */
  for (guint run = 0; run < 2; run++) {
    g_assert_true (
        infer_async_request_start (async, INFER_START_DEFAULT, &error));
    g_assert_true (infer_async_request_wait (async, -1, &error));
  }
  const double begin = now ();
  g_assert_true (
      infer_async_request_start (async, INFER_START_DEFAULT, &error));
  g_assert_true (infer_async_request_wait (async, -1, &error));
  const double whole = now () - begin;
  for (guint i = 0; i < CANCELS; i++) {
    g_autoptr (GError) cancelled = NULL;

    g_assert_true (
        infer_async_request_start (async, INFER_START_DEFAULT, &error));
    g_usleep ((gulong) (whole * G_USEC_PER_SEC * i / CANCELS));
    const double at = now (), used = computed ();
    infer_async_request_cancel (async);
    if (!infer_async_request_wait (async, -1, &cancelled)) {
      g_assert_error (cancelled, INFER_ERROR, INFER_ERROR_CANCELLED);
      n_cancelled++;
    }
    most = MAX (most, now () - at);
    most_computed = MAX (most_computed, computed () - used);
  }
  g_test_message ("%s: an inference takes %.3f s, %u were cancelled, within "
                  "%.3f s, of which it computed for %.3f s",
      name, whole, n_cancelled, most, most_computed);
  g_assert_cmpuint (n_cancelled, >, 0);
  g_assert_cmpfloat (MIN (most, most_computed), <, BOUND);
}

#define WEIGHTS                                                                \
  "f = f32 0.01; s = i64 128 128 3 3; w = Broadcast f s mode=numpy; "
#define CONVOLUTION " strides=1,1 dilations=1,1 pads_begin=1,1 pads_end=1,1; "

/* Some 10^10 multiplications in few operations; sanitizers are too slow for as
 * many. */
static void
test_operations (void)
{
  if (TEST_IS_SANITIZED) {
    g_autoptr (InferModel) small = net_of (
        "x = Parameter 1,128,24,24; " WEIGHTS "a = Convolution x w" CONVOLUTION
        "b = Convolution a w" CONVOLUTION "y = Result b");

    check (small, "small", 1);
    return;
  }
  g_autoptr (InferModel) wide = net_of (
      "x = Parameter 1,128,160,160; " WEIGHTS "a = Convolution x w" CONVOLUTION
      "b = Convolution a w" CONVOLUTION "y = Result b");
  /* Narrow rows, and a batch: oneDNN's, where there is one. */
  g_autoptr (InferModel) narrow = net_of (
      "x = Parameter 128,128,16,16; " WEIGHTS "a = Convolution x w" CONVOLUTION
      "b = Convolution a w" CONVOLUTION "y = Result b");
  g_autoptr (InferModel) product =
      net_of ("x = Parameter 2048,2048; p = MatMul x x transpose_a=false "
              "transpose_b=false; e = Exp p; y = Result e");

  check (wide, "wide", 1);
  check (narrow, "narrow", 1);
  check (product, "product", 1);
}

/* The largest that there are, at sizes above the usual. */
static void
test_models (void)
{
  static const struct
  {
    const char *path;
    gint64 open;
  } models[] = { { "ppocr_v4_det/model.xml", 1280 },
    { "deeplabv3_dm05_int8/model.xml", 513 },
    { "whisper_tiny_en_encoder/model.xml", 3000 } };
  const char *shared = g_getenv ("INFER_SHARED");
  guint n = 0;

  if (TEST_IS_SANITIZED) {
    g_test_skip ("sanitizers are too slow for large models");
    return;
  }
  if (shared == NULL)
    shared = SOURCE_ROOT "/../shared";
  for (guint i = 0; i < G_N_ELEMENTS (models); i++) {
    g_autofree char *path =
        g_build_filename (shared, "models", models[i].path, NULL);
    g_autoptr (GError) error = NULL;

    if (!g_file_test (path, G_FILE_TEST_EXISTS))
      continue;
    g_autoptr (InferModel) model = infer_model_load (path, NULL, &error);
    g_assert_no_error (error);
    check (model, models[i].path, models[i].open);
    n++;
  }
  if (n == 0)
    g_test_skip ("no models beside the project");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cancel/operations", test_operations);
  g_test_add_func ("/cancel/models", test_models);
  return g_test_run ();
}
