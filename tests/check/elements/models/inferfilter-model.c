/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Properties that change the model before it runs, and dumps. */

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inference/base/npy.h"
#include "tests/check/support/folder.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/stream.h"

#define TENSOR_CAPS                                                            \
  "other/tensors, format=static, num_tensors=1, types=(string)float32, "       \
  "dimensions=(string)1:1, framerate=(fraction)10/1"

/* y = |x + h|, h' = x + h. */
#define PAIR_NET                                                               \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,1") IR_PARAMETER (1, "h", "f32", "1,1")  \
          IR_BINARY (2, "next", "Add") IR_UNARY (3, "abs", "Abs")              \
              IR_RESULT (4, "y") IR_RESULT (5, "hn"),                          \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0)           \
          IR_EDGE (3, 1, 4, 0) IR_EDGE (2, 2, 5, 0),                           \
      "")

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

static void
put (const char *file, gconstpointer data, gssize size)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);

  fail_unless (g_file_set_contents (path, data, size, NULL));
}

static GstHarness *
start (const char *xml, gconstpointer weights, gssize size, const char *more)
{
  put ("m.xml", xml, -1);
  put ("m.bin", weights, size);
  g_autofree char *properties = g_strdup (more);
  g_auto (GStrv) parts = g_strsplit (properties, "FOLDER", -1);
  g_autofree char *whole = g_strjoinv (folder, parts);
  g_autofree char *description =
      g_strdup_printf ("inferfilter model=%s/m.xml %s", folder, whole);
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, TENSOR_CAPS);
  return h;
}

static float
pass (GstHarness *h, float value)
{
  float out = 0;

  fail_unless_equals_int (
      gst_harness_push (h, gst_buffer_new_memdup (&value, sizeof value)),
      GST_FLOW_OK);
  g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
  fail_unless_equals_int (gst_buffer_get_size (buffer), sizeof out);
  gst_buffer_extract (buffer, 0, &out, sizeof out);
  return out;
}

GST_START_TEST (test_low_latency)
{
  static const float h0 = 10;
  GstHarness *h = start (IR_LOOP_NET, &h0, sizeof h0, "low-latency=true");

  fail_unless_equals_float (pass (h, 1), 11);
  fail_unless_equals_float (pass (h, 2), 13);
  fail_unless_equals_float (pass (h, 3), 16);
  test_flush (h);
  fail_unless_equals_float (pass (h, 1), 11);
  test_teardown (h);

  h = start (IR_LOOP_NET, &h0, sizeof h0, "");
  fail_unless_equals_float (pass (h, 1), 11);
  fail_unless_equals_float (pass (h, 2), 12);
  test_teardown (h);
}
GST_END_TEST

GST_START_TEST (test_state_pairs)
{
  g_autoptr (TestHarness) h =
      start (PAIR_NET, "", 0, "state-pairs=\" h=next \"");
  g_auto (GStrv) names = NULL;

  fail_unless_equals_float (pass (h, -1), 1);
  fail_unless_equals_float (pass (h, -2), 3);
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");
  g_object_get (filter, "state-names", &names, NULL);
  fail_unless_equals_int (g_strv_length (names), 1);
  fail_unless_equals_string (names[0], "h");
}
GST_END_TEST

/* "h" and "hn". */
GST_START_TEST (test_state_pairs_auto)
{
  g_autoptr (TestHarness) h = start (PAIR_NET, "", 0, "state-pairs=auto");
  g_auto (GStrv) names = NULL;

  fail_unless_equals_float (pass (h, -1), 1);
  fail_unless_equals_float (pass (h, -2), 3);
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");
  g_object_get (filter, "state-names", &names, NULL);
  fail_unless_equals_int (g_strv_length (names), 1);
  fail_unless_equals_string (names[0], "h");
}
GST_END_TEST

GST_START_TEST (test_constant_inputs)
{
  const float one = 1;
  float y, next;
  g_autoptr (TestHarness) h =
      start (PAIR_NET, "", 0, "constant-inputs=\" h=-5 \"");

  fail_unless_equals_int (
      gst_harness_push (h, gst_buffer_new_memdup (&one, sizeof one)),
      GST_FLOW_OK);
  g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
  fail_unless_equals_int (gst_buffer_n_memory (buffer), 2);
  gst_buffer_extract (buffer, 0, &y, sizeof y);
  gst_buffer_extract (buffer, sizeof y, &next, sizeof next);
  fail_unless_equals_float (y, 4);
  fail_unless_equals_float (next, -4);
}
GST_END_TEST

/* y = the size that the model was given as that of the picture. */
#define SIZES_NET                                                              \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "images", "f32", "?,3,6,8") IR_PARAMETER (              \
          1, "orig_target_sizes", "i64", "?,2") IR_LAYER (2, "as", "Convert",  \
          "opset1", IR_DATA ("destination_type=\"f32\""), IR_PORT (0),         \
          IR_PORT (1)) IR_RESULT (3, "size") IR_RESULT (4, "pictures"),        \
      IR_EDGE (1, 0, 2, 0) IR_EDGE (2, 1, 3, 0) IR_EDGE (0, 0, 4, 0), "")

/* RT-DETR's further input is that of the picture, without a property. */
GST_START_TEST (test_target_sizes)
{
  float size[2];

  put ("m.xml", SIZES_NET, -1);
  put ("m.bin", "", 0);
  g_autofree char *description =
      g_strdup_printf ("inferfilter output=tensors model=%s/m.xml", folder);
  g_autoptr (TestHarness) h = test_harness (description);
  gst_harness_set_src_caps_str (
      h, "video/x-raw, format=RGB, width=8, height=6, framerate=10/1");
  fail_unless_equals_int (
      gst_harness_push (h, gst_buffer_new_allocate (NULL, 8 * 6 * 3, NULL)),
      GST_FLOW_OK);
  g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
  fail_unless_equals_int (gst_buffer_n_memory (buffer), 2);
  gst_buffer_extract (buffer, 0, size, sizeof size);
  fail_unless_equals_float (size[0], 8);
  fail_unless_equals_float (size[1], 6);
}
GST_END_TEST

GST_START_TEST (test_dump)
{
  g_autoptr (TestHarness) h = start (
      PAIR_NET, "", 0, "state-pairs=h=next dump=^n.{2,3}$ dump-dir=FOLDER/d");
  g_autofree char *path =
      g_build_filename (folder, "d", "000001_next_out0.npy", NULL);

  pass (h, -1);
  pass (h, -2);
  g_autoptr (InferTensor) tensor = infer_npy_read (path, NULL);
  fail_unless (tensor != NULL);
  fail_unless_equals_float (*(float *) tensor->data, -3);
}
GST_END_TEST

/* "CPU" calls itself "… processors, … kernels". */
GST_START_TEST (test_device_name)
{
  g_autoptr (TestHarness) h =
      start (PAIR_NET, "", 0, "state-pairs=h=next device=CPU:KERNELS");

  fail_unless_equals_float (pass (h, -1), 1);
  fail_unless_equals_float (pass (h, -2), 3);
}
GST_END_TEST

GST_START_TEST (test_refused)
{
  static const char *const more[][2] = {
    { "state-pairs=h=nobody", "nobody" },
    { "state-pairs=h", "'h'" },
    { "low-latency=true", "TensorIterator" },
    { "dump=(", "DUMP" },
    { "device=CPU:nobody", "there are: CPU (" },
  };

  put ("m.xml", PAIR_NET, -1);
  put ("m.bin", "", 0);
  for (guint i = 0; i < G_N_ELEMENTS (more); i++) {
    g_autofree char *line = g_strdup_printf (
        "inferfilter name=f model=%s/m.xml %s", folder, more[i][0]);
    g_autoptr (GstElement) filter = gst_parse_launch (line, NULL);
    g_autoptr (GstBus) bus = gst_bus_new ();
    g_autoptr (GError) error = NULL;

    gst_element_set_bus (filter, bus);
    fail_unless_equals_int (gst_element_set_state (filter, GST_STATE_PAUSED),
        GST_STATE_CHANGE_FAILURE);
    g_autoptr (GstMessage) message =
        gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    fail_unless (message != NULL);
    gst_message_parse_error (message, &error, NULL);
    fail_unless (strstr (error->message, more[i][1]) != NULL, "%s: %s",
        more[i][0], error->message);
    gst_element_set_state (filter, GST_STATE_NULL);
    gst_element_set_bus (filter, NULL);
  }
}
GST_END_TEST

/* y = c[x], c of 4 MiB. */
#define PICK_NET                                                               \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,1") IR_CONST (1, "c", "f32", "1048576",  \
          "0", "4194304") IR_CONST (2, "axis", "i64", "", "4194304", "8")      \
          IR_LAYER (3, "index", "Convert", "opset1",                           \
              IR_DATA ("destination_type=\"i64\""), IR_PORT (0), IR_PORT (1))  \
              IR_LAYER (4, "pick", "Gather", "opset8",                         \
                  IR_DATA ("batch_dims=\"0\""),                                \
                  IR_PORT (0) IR_PORT (1) IR_PORT (2), IR_PORT (3))            \
                  IR_RESULT (5, "y"),                                          \
      IR_EDGE (0, 0, 3, 0) IR_EDGE (1, 0, 4, 0) IR_EDGE (3, 1, 4, 1)           \
          IR_EDGE (2, 0, 4, 2) IR_EDGE (4, 3, 5, 0),                           \
      "")

/* Weights that are cut short while data flows: an error, which names them. */
GST_START_TEST (test_cut_short)
{
  const gsize n = 1048576;
  g_autofree float *weights = g_new0 (float, n + 2);

  for (gsize i = 0; i < n; i++)
    weights[i] = (float) i;
  g_autoptr (TestHarness) h =
      start (PICK_NET, weights, (gssize) (n + 2) * 4, "");
  g_autofree char *bin = g_build_filename (folder, "m.bin", NULL);
  float last = (float) (n - 1);

  fail_unless_equals_float (pass (h, 7), 7);
  fail_unless_equals_int (truncate (bin, 4096), 0);
  gst_harness_push (h, gst_buffer_new_memdup (&last, sizeof last));
  g_autofree char *error = NULL;
  while ((error = test_pop_error (h)) == NULL)
    g_usleep (1000);
  fail_unless (
      strstr (error, bin) != NULL, "'%s' does not name %s", error, bin);
  fail_unless (strstr (error, "cut short") != NULL, "%s", error);
}
GST_END_TEST

/* A FIFO nobody writes to must not be waited for. */
GST_START_TEST (test_fifos)
{
  g_autofree char *fifo = g_build_filename (folder, "fifo", NULL);
  g_autofree char *as_model =
      g_strdup_printf ("inferfilter model=%s/fifo", folder);
  g_autofree char *as_weights =
      g_strdup_printf ("inferfilter model=%s/m.xml weights=%s", folder, fifo);

  put ("m.xml", PAIR_NET, -1);
  fail_unless_equals_int (mkfifo (fifo, 0600), 0);
  test_start_fails (as_model, "it is a FIFO");
  test_start_fails (as_weights, "it is a FIFO");
}
GST_END_TEST

/* As many numbers as x says. */
#define GROWING_NET                                                            \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1") IR_LAYER (1, "n", "Convert", "opset1", \
          IR_DATA ("destination_type=\"i64\""), IR_PORT (0), IR_PORT (1))      \
          IR_LAYER (2, "y", "Broadcast", "opset3", IR_DATA ("mode=\"numpy\""), \
              IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (3, "r"),        \
      IR_EDGE (0, 0, 1, 0) IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 1, 2, 1)           \
          IR_EDGE (2, 2, 3, 0),                                                \
      "")

/* An inference that needs more memory than is allowed is an error, and the
 * element can be used again. */
GST_START_TEST (test_memory_limit)
{
  const float few = 1000, many = 1e7f;
  g_autoptr (TestHarness) h =
      start (GROWING_NET, "", 0, "output=tensors config=MEMORY_LIMIT=16M");
  g_autoptr (GstElement) filter = gst_harness_find_element (h, "inferfilter");

  for (guint i = 0; i < 2; i++) {
    gst_harness_push (h, gst_buffer_new_memdup (&few, sizeof few));
    g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
    fail_unless_equals_int (gst_buffer_get_size (buffer), 1000 * sizeof few);
    if (i == 1)
      break;
    gst_harness_push (h, gst_buffer_new_memdup (&many, sizeof many));
    gst_harness_push_event (h, gst_event_new_eos ());
    test_wait_eos (h);
    g_autofree char *message = test_pop_error (h);
    fail_unless (message != NULL && strstr (message, "MEMORY_LIMIT") != NULL,
        "%s", message);
    gst_element_set_state (filter, GST_STATE_NULL);
    gst_element_set_state (filter, GST_STATE_PLAYING);
    gst_harness_push_event (h, gst_event_new_stream_start ("again"));
    gst_harness_set_src_caps_str (h, TENSOR_CAPS);
  }
}
GST_END_TEST

static Suite *
inferfilter_model_suite (void)
{
  return test_suite ("inferfilter-model", set_up, tear_down, test_low_latency,
      test_state_pairs, test_state_pairs_auto, test_constant_inputs,
      test_target_sizes, test_dump, test_device_name, test_refused,
      test_cut_short, test_fifos, test_memory_limit, NULL);
}

GST_CHECK_MAIN (inferfilter_model)
