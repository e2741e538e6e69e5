/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Inferences that take minutes, or for ever, hold up neither a flush nor the
 * end. */

#include <time.h>

#include "tests/check/support/folder.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/process.h"
#include "tests/check/support/stream.h"

#define CAPS                                                                   \
  "other/tensors, format=static, num_tensors=1, types=(string)float32, "       \
  "dimensions=(string)1, framerate=(fraction)10/1"

/* On a usual machine: 0.3 s in each of a few threads, and the memory that is
 * freed.  An operation that is not cancelled takes at least ten times as
 * much. */
#define MOST_CPU_S (TEST_IS_SANITIZED ? 8 : 1.5)
#define MOST_S (TEST_IS_SANITIZED ? 200 : 40)

static char *folder;
/* How many times slower this machine is than a usual one, 1 at least. */
static double slowness;

typedef struct
{
  gint64 wall;
  clock_t cpu;
} Since;

static Since
now (void)
{
  return (Since){ g_get_monotonic_time (), clock () };
}

static double
wall_since (Since begin)
{
  return (double) (g_get_monotonic_time () - begin.wall) / G_USEC_PER_SEC;
}

/* Processor time of the process since @begin in seconds, all threads
 * together. */
static double
cpu_since (Since begin)
{
  return (double) (clock () - begin.cpu) / CLOCKS_PER_SEC;
}

/* By multiplications and additions each of which needs the result before: four
 * cycles together, 0.2 s at 2 GHz. */
static double
measure_slowness (void)
{
  const Since begin = now ();
  guint32 x = 3;

  for (int i = 0; i < 100000000; i++)
    x = x * x + 2;
  volatile guint32 needed = x;
  (void) needed;
  return MAX (1, cpu_since (begin) / 0.2);
}

static void
set_up (void)
{
  folder = g_dir_make_tmp ("inferfilter-cancel-XXXXXX", NULL);
}

static void
tear_down (void)
{
  test_remove_folder (folder);
  g_free (folder);
}

static void
put (const char *file, gconstpointer data, gssize size)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);

  fail_unless (g_file_set_contents (path, data, size, NULL));
}

/* Until the inference is in the middle of it, however busy the machine is. */
static void
push (GstHarness *h)
{
  const Since begin = now ();
  const float one = 1;

  fail_unless_equals_int (
      gst_harness_push (h, gst_buffer_new_memdup (&one, sizeof one)),
      GST_FLOW_OK);
  while (cpu_since (begin) < 0.25) {
    fail_unless (wall_since (begin) < MOST_S * slowness,
        "after %.0f s the inference has computed for %.2f s",
        wall_since (begin), cpu_since (begin));
    g_usleep (10000);
  }
  fail_unless (gst_harness_try_pull (h) == NULL);
}

/* On a busy machine the time that the process has computed counts. */
static void
assert_soon (Since begin, const char *what)
{
  const double wall = wall_since (begin), cpu = cpu_since (begin);

  fail_unless (
      wall < 1 || (wall < MOST_S * slowness && cpu < MOST_CPU_S * slowness),
      "%s took %.2f s, of which it computed for %.2f s", what, wall, cpu);
}

static void
check (const char *xml, gconstpointer weights, gssize size)
{
  put ("m.xml", xml, -1);
  put ("m.bin", weights, size);
  g_autofree char *description =
      g_strdup_printf ("inferfilter output=tensors model=%s/m.xml", folder);
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, CAPS);
  push (h);
  Since begin = now ();
  test_flush (h);
  assert_soon (begin, "the flush");
  push (h);
  begin = now ();
  test_teardown (h);
  assert_soon (begin, "the end");
}

GST_START_TEST (test_loop)
{
  /* 2^62, true */
  const guint8 weights[9] = { [7] = 0x40, [8] = 1 };

  check (
      IR_ENDLESS_NET ("1", IR_BINARY (1, "sum", "Add"),
          IR_EDGE (0, 0, 1, 0) IR_EDGE (0, 0, 1, 1) IR_EDGE (1, 2, 9, 0), ""),
      weights, sizeof weights);
}
GST_END_TEST

/* Operands are x, repeated. */
#define BROADCAST(id, name)                                                    \
  IR_LAYER (id, name, "Broadcast", "opset3", IR_DATA ("mode=\"numpy\""),       \
      IR_PORT (0) IR_PORT (1), IR_PORT (2))
#define PRODUCT_NET(type)                                                      \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1") IR_LAYER (1, "as", "Convert",          \
          "opset1", IR_DATA ("destination_type=\"" type "\""), IR_PORT (0),    \
          IR_PORT (1)) IR_CONST_AT (2, "n", "i64", "2", 0, 16)                 \
          BROADCAST (3, "a") IR_LAYER (4, "p", "MatMul", "opset1", "",         \
              IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (5, "y"),        \
      IR_EDGE (0, 0, 1, 0) IR_EDGE (1, 1, 3, 0) IR_EDGE (2, 0, 3, 1)           \
          IR_EDGE (3, 2, 4, 0) IR_EDGE (3, 2, 4, 1) IR_EDGE (4, 2, 5, 0),      \
      "")

GST_START_TEST (test_product_f32)
{
  check (PRODUCT_NET ("f32"), (const gint64[]){ 8192, 8192 }, 16);
}
GST_END_TEST

GST_START_TEST (test_product_i64)
{
  check (PRODUCT_NET ("i64"), (const gint64[]){ 4096, 4096 }, 16);
}
GST_END_TEST

GST_START_TEST (test_convolution)
{
  static const char net[] = IR_NET ("11",
      IR_PARAMETER (0, "x", "f32", "1") IR_CONST_AT (1, "n", "i64", "4", 0, 32)
          IR_CONST_AT (2, "k", "i64", "4", 32, 32) BROADCAST (3, "a")
              BROADCAST (4, "b") IR_LAYER (5, "c", "Convolution", "opset1",
                  IR_DATA ("strides=\"1,1\" dilations=\"1,1\" "
                           "pads_begin=\"0,0\" pads_end=\"0,0\""),
                  IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (6, "y"),
      IR_EDGE (0, 0, 3, 0) IR_EDGE (1, 0, 3, 1) IR_EDGE (0, 0, 4, 0)
          IR_EDGE (2, 0, 4, 1) IR_EDGE (3, 2, 5, 0) IR_EDGE (4, 2, 5, 1)
              IR_EDGE (5, 2, 6, 0),
      "");

  check (net, (const gint64[]){ 1, 1, 2048, 2048, 1, 1, 1024, 1024 }, 64);
}
GST_END_TEST

static Suite *
inferfilter_cancel_suite (void)
{
  slowness = measure_slowness ();
  return test_suite ("inferfilter-cancel", set_up, tear_down, test_loop,
      test_product_f32, test_product_i64, test_convolution, NULL);
}

GST_CHECK_MAIN (inferfilter_cancel)
