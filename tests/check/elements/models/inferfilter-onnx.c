/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* inferfilter with ONNX files: all that is done with OpenVINO IR. */

#include <string.h>

#include "infer/runtime.h"
#include "inference/base/npy.h"
#include "tests/check/support/folder.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/onnx.h"
#include "tests/check/support/stream.h"

#define TENSOR_CAPS                                                            \
  "other/tensors, format=static, num_tensors=1, types=(string)float32, "       \
  "dimensions=(string)1:1, framerate=(fraction)10/1"
#define ROW ONNX_D (1) ONNX_D (1)

/* x, h and w [1,1]: hn = x + h, y = hn w.  @weight: a tensor's fields. */
#define SUM(weight)                                                            \
  ONNX_MODEL (ONNX_NODE ("Add", ONNX_I ("x") ONNX_I ("h"), ONNX_O ("hn"), "")  \
          ONNX_NODE ("Mul", ONNX_I ("hn") ONNX_I ("w"), ONNX_O ("y"), "")      \
              ONNX_INITIALIZER ("w", ONNX_F32, "1=1 1=1 " weight) ONNX_INPUT ( \
                  "x", ONNX_F32, ROW) ONNX_INPUT ("h", ONNX_F32, ROW)          \
                  ONNX_OUTPUT ("y", ONNX_F32, ROW)                             \
                      ONNX_OUTPUT ("hn", ONNX_F32, ROW))
#define WEIGHT(value) "4~" #value
#define WEIGHT_FILE "14=1 13{1'location' 2'w.data'}"

/* A recurrence: y = relu (x + y before), x [1,1,1]. */
#define CUBE ONNX_D (1) ONNX_D (1) ONNX_D (1)
#define RNN                                                                    \
  ONNX_MODEL (ONNX_NODE ("RNN", ONNX_I ("x") ONNX_I ("w") ONNX_I ("w"),        \
      ONNX_O ("all") ONNX_O ("y"),                                             \
      "5{1'activations' 9'Relu' 20=8}" ONNX_INT ("hidden_size", 1))            \
          ONNX_INITIALIZER ("w", ONNX_F32, "1=1 1=1 1=1 4~1") ONNX_INPUT (     \
              "x", ONNX_F32, CUBE) ONNX_OUTPUT ("y", ONNX_F32, CUBE))
#define CUBE_CAPS                                                              \
  "other/tensors, format=static, num_tensors=1, types=(string)float32, "       \
  "dimensions=(string)1:1:1, framerate=(fraction)10/1"

static char *folder;

static void
set_up (void)
{
  folder = g_dir_make_tmp ("inferfilter-XXXXXX", NULL);
}

static void
tear_down (void)
{
  test_remove_folder (folder);
  g_clear_pointer (&folder, g_free);
}

/* A file of the folder.  (transfer full) */
static char *
put (const char *name, gconstpointer data, gsize size)
{
  char *path = g_build_filename (folder, name, NULL);

  fail_unless (g_file_set_contents (path, data, (gssize) size, NULL));
  return path;
}

static char *
put_onnx (const char *name, const char *text)
{
  g_autoptr (GBytes) bytes = onnx_text_bytes (text);

  return put (name, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

/* An element with @path and the properties @more, in which FOLDER is replaced.
 */
static GstHarness *
start (const char *path, const char *more, const char *caps)
{
  g_auto (GStrv) parts = g_strsplit (more, "FOLDER", -1);
  g_autofree char *whole = g_strjoinv (folder, parts);
  g_autofree char *description =
      g_strdup_printf ("inferfilter model=%s %s", path, whole);
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, caps);
  return h;
}

static GstBuffer *
pass_buffer (GstHarness *h, float value)
{
  fail_unless_equals_int (
      gst_harness_push (h, gst_buffer_new_memdup (&value, sizeof value)),
      GST_FLOW_OK);
  return gst_harness_pull (h);
}

static float
pass (GstHarness *h, float value)
{
  g_autoptr (GstBuffer) buffer = pass_buffer (h, value);
  float out;

  fail_unless_equals_int (gst_buffer_get_size (buffer), sizeof out);
  gst_buffer_extract (buffer, 0, &out, sizeof out);
  return out;
}

/* Sets the model and waits until it is loaded, or has failed. */
static void
change (GstHarness *h, const char *path, GstProgressType wanted)
{
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");
  GstProgressType type = GST_PROGRESS_TYPE_START;

  g_object_set (filter, "model", path, NULL);
  while (type != wanted) {
    g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
        test_bus (h), 10 * GST_SECOND, GST_MESSAGE_PROGRESS);

    fail_unless (message != NULL);
    gst_message_parse_progress (message, &type, NULL, NULL);
  }
}

/* Between ONNX files; what fails to load changes nothing. */
GST_START_TEST (test_swap)
{
  g_autofree char *one = put_onnx ("one.onnx", SUM (WEIGHT (1)));
  g_autofree char *ten = put_onnx ("ten.onnx", SUM (WEIGHT (10)));
  g_autofree char *bad = put_onnx ("bad.onnx",
      ONNX_MODEL (ONNX_NODE ("Nothing", ONNX_I ("x"), ONNX_O ("y"), "")
              ONNX_INPUT ("x", ONNX_F32, ROW)
                  ONNX_OUTPUT ("y", ONNX_F32, ROW)));
  g_autoptr (TestHarness) h = start (one, "state-pairs=auto", TENSOR_CAPS);

  fail_unless_equals_float (pass (h, 1), 1);
  fail_unless_equals_float (pass (h, 2), 3);
  change (h, ten, GST_PROGRESS_TYPE_COMPLETE);
  fail_unless_equals_float (pass (h, 1), 10);
  fail_unless_equals_float (pass (h, 2), 30);
  change (h, bad, GST_PROGRESS_TYPE_ERROR);
  g_autoptr (GstMessage) warning = gst_bus_timed_pop_filtered (
      test_bus (h), 10 * GST_SECOND, GST_MESSAGE_WARNING);
  g_autoptr (GError) error = NULL;
  fail_unless (warning != NULL);
  gst_message_parse_warning (warning, &error, NULL);
  fail_unless (strstr (error->message, "bad.onnx") != NULL
                   && strstr (error->message, "Nothing") != NULL,
      "%s", error->message);
  fail_unless_equals_float (pass (h, 3), 60);
  change (h, one, GST_PROGRESS_TYPE_COMPLETE);
  fail_unless_equals_float (pass (h, 7), 7);
  fail_unless (test_pop_error (h) == NULL);
}
GST_END_TEST

/* --- models set while data flows --- */

#define TIMES(factor)                                                          \
  ONNX_MODEL (ONNX_NODE ("Mul", ONNX_I ("x") ONNX_I ("w"), ONNX_O ("y"), "")   \
          ONNX_INITIALIZER ("w", ONNX_F32, "1=1 1=1 4~" #factor) ONNX_INPUT (  \
              "x", ONNX_F32, ROW) ONNX_OUTPUT ("y", ONNX_F32, ROW))
#define TIMES_NET                                                              \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,1") IR_CONST (1, "w", "f32", "1,1", "0", \
          "4") IR_BINARY (2, "y", "Multiply") IR_RESULT (3, "out"),            \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "")

/* From their results, what went in is known: it is less than 4096. */
static const struct
{
  const char *name;
  float factor;
} swapped[] = { { "1.xml", 1 }, { "4096.onnx", 4096 },
  { "16777216.onnx", 16777216 } };

static void
put_swapped (void)
{
  g_free (put ("1.xml", TIMES_NET, strlen (TIMES_NET)));
  g_free (put ("1.bin", &swapped[0].factor, sizeof (float)));
  g_free (put_onnx ("4096.onnx", TIMES (4096)));
  g_free (put_onnx ("16777216.onnx", TIMES (16777216)));
}

static void
change_to (GstHarness *h, guint i)
{
  g_autofree char *path = g_build_filename (folder, swapped[i].name, NULL);

  change (h, path, GST_PROGRESS_TYPE_COMPLETE);
}

static void
push_value (GstHarness *h, float value)
{
  fail_unless_equals_int (
      gst_harness_push (h, gst_buffer_new_memdup (&value, sizeof value)),
      GST_FLOW_OK);
}

/* With inferences under way; the first result of each model has DISCONT. */
GST_START_TEST (test_swap_under_way)
{
  static const guint order[] = { 0, 1, 2, 1, 0 };

  put_swapped ();
  g_autofree char *path = g_build_filename (folder, swapped[0].name, NULL);
  g_autoptr (TestHarness) h = start (path, "nireq=3", TENSOR_CAPS);
  for (guint i = 0; i < 4 * G_N_ELEMENTS (order); i++) {
    if (i % 4 == 0 && i > 0)
      change_to (h, order[i / 4]);
    push_value (h, (float) (i + 1));
  }
  for (guint i = 0; i < 4 * G_N_ELEMENTS (order); i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);

    fail_unless (buffer != NULL);
    fail_unless_equals_float (test_first_value (buffer),
        (float) (i + 1) * swapped[order[i / 4]].factor);
    fail_unless_equals_int (GST_BUFFER_IS_DISCONT (buffer), i % 4 == 0);
  }
  fail_unless (gst_harness_try_pull (h) == NULL);
}
GST_END_TEST

typedef struct
{
  GstHarness *h;
  gint pushed; /* atomic */
  gint done;   /* atomic */
} Storm;

static gpointer
keep_changing (gpointer data)
{
  Storm *storm = data;

  for (guint i = 1; i <= 30; i++) {
    change_to (storm->h, i % G_N_ELEMENTS (swapped));
    const gint at = g_atomic_int_get (&storm->pushed);
    while (g_atomic_int_get (&storm->pushed) < at + 3)
      g_usleep (200);
  }
  g_atomic_int_set (&storm->done, 1);
  return NULL;
}

/* From another thread: nothing is lost, nothing overtakes, and each model had
 * its turn. */
GST_START_TEST (test_swap_storm)
{
  guint seen[G_N_ELEMENTS (swapped)] = { 0 };

  put_swapped ();
  g_autofree char *path = g_build_filename (folder, swapped[0].name, NULL);
  g_autoptr (TestHarness) h = start (path, "nireq=3", TENSOR_CAPS);
  Storm storm = { .h = h };
  GThread *thread = g_thread_new ("changer", keep_changing, &storm);
  guint n = 0;
  while (!g_atomic_int_get (&storm.done)) {
    push_value (h, (float) (n++ % 4095 + 1));
    g_atomic_int_inc (&storm.pushed);
    if (n % 8 == 0)
      g_usleep (100);
  }
  g_thread_join (thread);
  g_autoptr (GArray) floats = test_finish_floats (h);
  fail_unless_equals_int (floats->len, n);
  for (guint i = 0; i < n; i++) {
    const float got = g_array_index (floats, float, i) / (float) (i % 4095 + 1);
    guint k = 0;

    while (k < G_N_ELEMENTS (swapped) && swapped[k].factor != got)
      k++;
    fail_unless (k < G_N_ELEMENTS (swapped), "result %u is %g times its input",
        i, (double) got);
    seen[k]++;
  }
  for (guint k = 0; k < G_N_ELEMENTS (swapped); k++)
    fail_unless (seen[k] > 0, "%s", swapped[k].name);
  fail_unless (test_pop_error (h) == NULL);
}
GST_END_TEST

/* --- states, names, sharing --- */

/* After a flush, and after a segment that does not continue the last, the
 * states are those of the beginning. */
GST_START_TEST (test_states)
{
  g_autofree char *path = put_onnx ("m.onnx", SUM (WEIGHT (1)));
  g_autoptr (TestHarness) h = start (path, "state-pairs=auto", TENSOR_CAPS);
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");
  g_auto (GStrv) names = NULL;
  GstSegment segment;

  g_object_get (filter, "state-names", &names, NULL);
  fail_unless_equals_int (g_strv_length (names), 1);
  fail_unless_equals_string (names[0], "h");
  for (guint i = 0; i < 3; i++) {
    fail_unless_equals_float (pass (h, 1), 1);
    fail_unless_equals_float (pass (h, 2), 3);
    test_flush (h);
  }
  fail_unless_equals_float (pass (h, 4), 4);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = segment.position = 100 * GST_SECOND;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  fail_unless_equals_float (pass (h, 5), 5);
}
GST_END_TEST

GST_START_TEST (test_low_latency)
{
  g_autofree char *path = put_onnx ("m.onnx", RNN);
  g_autoptr (TestHarness) h = start (path, "low-latency=true", CUBE_CAPS);
  g_autoptr (TestHarness) plain = start (path, "", CUBE_CAPS);

  fail_unless_equals_float (pass (h, 1), 1);
  fail_unless_equals_float (pass (h, 2), 3);
  test_flush (h);
  fail_unless_equals_float (pass (h, 4), 4);
  fail_unless_equals_float (pass (plain, 1), 1);
  fail_unless_equals_float (pass (plain, 2), 2);
}
GST_END_TEST

/* Tensors and nodes have their names of the file. */
GST_START_TEST (test_names)
{
  g_autofree char *path = put_onnx ("m.onnx", ONNX_MEANS (1, 2));
  g_autofree char *dumped =
      g_build_filename (folder, "d", "000000_GlobalAveragePool_out0.npy", NULL);
  g_autoptr (TestHarness) h =
      start (path, "extra-outputs=pooled dump=^Global.*Pool$ dump-dir=FOLDER/d",
          "other/tensors, format=static, num_tensors=1, types=(string)float32, "
          "dimensions=(string)2:1:3:1, framerate=(fraction)10/1");
  static const float x[] = { 1, 3, 5, 7, -1, -3 };
  float y[6];

  gst_harness_push (h, gst_buffer_new_memdup (x, sizeof x));
  g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
  fail_unless_equals_int (gst_buffer_get_size (buffer), sizeof y);
  gst_buffer_extract (buffer, 0, y, sizeof y);
  for (guint i = 0; i < 6; i++)
    fail_unless_equals_float (y[i], ((const float[]){ 2, 6, -2 })[i % 3]);
  g_autoptr (InferTensor) tensor = infer_npy_read (dumped, NULL);
  fail_unless (tensor != NULL);
  fail_unless_equals_float (((float *) tensor->data)[1], 6);
}
GST_END_TEST

/* One instance for two elements: each has its own states. */
GST_START_TEST (test_shared)
{
  g_autofree char *path = put_onnx ("m.onnx", SUM (WEIGHT (2)));
  g_autofree char *other = put_onnx ("other.onnx", SUM (WEIGHT (3)));
  g_autofree char *wrong =
      g_strdup_printf ("inferfilter model-instance-id=o model=%s", other);
  g_autoptr (TestHarness) h =
      start (path, "state-pairs=auto model-instance-id=o", TENSOR_CAPS);
  g_autoptr (TestHarness) twin =
      test_harness ("inferfilter model-instance-id=o");

  gst_harness_set_src_caps_str (twin, TENSOR_CAPS);
  fail_unless_equals_float (pass (h, 1), 2);
  fail_unless_equals_float (pass (twin, 10), 20);
  fail_unless_equals_float (pass (h, 2), 6);
  fail_unless_equals_float (pass (twin, 20), 60);
  test_start_fails (wrong, "'o' is in use");
}
GST_END_TEST

/* Where the file of the weights alone is another, an element that starts takes
 * that, and so does one that is told the same model again; an instance refuses
 * it. */
GST_START_TEST (test_shared_external)
{
  static const float weights[] = { 3, 4 };
  g_autofree char *path = put_onnx ("data.onnx", SUM (WEIGHT_FILE));
  g_autofree char *as_instance = g_strdup_printf (
      "inferfilter model-instance-id=d state-pairs=auto model=%s", path);

  g_free (put ("w.data", &weights[0], sizeof weights[0]));
  g_autoptr (TestHarness) old = start (path, "state-pairs=auto", TENSOR_CAPS);
  g_autoptr (TestHarness) instance =
      start (path, "model-instance-id=d state-pairs=auto", TENSOR_CAPS);
  fail_unless_equals_float (pass (old, 1), 3);
  g_free (put ("w.data", &weights[1], sizeof weights[1]));
  g_autoptr (TestHarness) new = start (path, "state-pairs=auto", TENSOR_CAPS);
  g_autoptr (TestHarness) next = start (path, "state-pairs=auto", TENSOR_CAPS);
  fail_unless_equals_float (pass (new, 1), 4);
  fail_unless_equals_float (pass (next, 1), 4);
  fail_unless_equals_float (pass (old, 1), 6);
  test_start_fails (as_instance, "'d' is in use");
  change (old, path, GST_PROGRESS_TYPE_COMPLETE);
  fail_unless_equals_float (pass (old, 1), 4);
  fail_unless_equals_float (pass (instance, 1), 3);
}
GST_END_TEST

/* --- CACHE_DIR --- */

static float
first_with_cache (const char *path)
{
  g_autoptr (TestHarness) h = start (
      path, "state-pairs=auto config=CACHE_DIR=FOLDER/cache", TENSOR_CAPS);

  return pass (h, 1);
}

/* Twice from each file; the file, or that of the weights, may change between
 * loads, with the same size and name. */
GST_START_TEST (test_cache)
{
  static const float weights[] = { 3, 4 };

  for (guint i = 0; i < 4; i++) {
    g_autofree char *path =
        put_onnx ("m.onnx", i % 2 ? SUM (WEIGHT (5)) : SUM (WEIGHT (6)));
    fail_unless_equals_float (first_with_cache (path), i % 2 ? 5 : 6);
    fail_unless_equals_float (first_with_cache (path), i % 2 ? 5 : 6);
  }
  g_autofree char *path = put_onnx ("data.onnx", SUM (WEIGHT_FILE));
  for (guint i = 0; i < 4; i++) {
    g_autofree char *data = put ("w.data", &weights[i % 2], sizeof weights[0]);
    fail_unless_equals_float (first_with_cache (path), weights[i % 2]);
    fail_unless_equals_float (first_with_cache (path), weights[i % 2]);
  }
}
GST_END_TEST

/* --- OpenCL --- */

GST_START_TEST (test_opencl)
{
  g_autofree char *path = put_onnx ("m.onnx", SUM (WEIGHT (2)));
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("OPENCL", NULL, NULL);

  if (runtime == NULL) {
    g_printerr ("skipped: there is no OpenCL device\n");
    return;
  }
  g_autoptr (TestHarness) h =
      start (path, "state-pairs=auto device=OPENCL", TENSOR_CAPS);
  fail_unless_equals_float (pass (h, 1), 2);
  fail_unless_equals_float (pass (h, 2), 6);
  test_flush (h);
  fail_unless_equals_float (pass (h, 1), 2);
}
GST_END_TEST

static Suite *
inferfilter_onnx_suite (void)
{
  /* A test of its own: drivers leak, and compile for long. */
  if (g_getenv ("INFER_TEST_OPENCL") != NULL)
    return test_suite (
        "inferfilter-onnx-opencl", set_up, tear_down, test_opencl, NULL);
  return test_suite ("inferfilter-onnx", set_up, tear_down, test_swap,
      test_swap_under_way, test_swap_storm, test_states, test_low_latency,
      test_names, test_shared, test_shared_external, test_cache, NULL);
}
GST_CHECK_MAIN (inferfilter_onnx)
