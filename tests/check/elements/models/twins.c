/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A network as ONNX and as IR: whatever an element is told to do with the one,
 * it does with the other, and every bit of what leaves is the same. */

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inference/base/npy.h"
#include "tests/check/support/folder.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/onnx.h"
#include "tests/check/support/stream.h"

#define WIDTH 160
#define N_STEPS 12
#define DISCONT_STEP 7
#define CAPS                                                                   \
  "other/tensors, format=static, num_tensors=1, types=(string)float32, "       \
  "dimensions=(string)160:1, framerate=(fraction)100/1"
#define ONE_CAPS                                                               \
  "other/tensors, format=static, num_tensors=1, types=(string)float32, "       \
  "dimensions=(string)1:1, framerate=(fraction)10/1"

static char *folder;

/* w, r and v of the recurrent network. */
static float weights[3][WIDTH * WIDTH];

/* --- the models --- */

static char *
in_folder (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
put (const char *name, gconstpointer data, gsize size)
{
  g_autofree char *path = in_folder (name);

  fail_unless (g_file_set_contents (path, data, (gssize) size, NULL));
}

static void
put_onnx (const char *name, const char *text)
{
  g_autoptr (GBytes) bytes = onnx_text_bytes (text);

  put (name, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
}

static char *
hexadecimal (gconstpointer data, gsize size)
{
  GString *text = g_string_sized_new (2 * size);

  for (gsize i = 0; i < size; i++)
    g_string_append_printf (text, "%02x", ((const guint8 *) data)[i]);
  return g_string_free (text, FALSE);
}

#define ROW ONNX_D (1) ONNX_D (160)
#define MATRIX_TEXT(name) ONNX_INITIALIZER (name, ONNX_F32, "1=160 1=160 9#%s")
/* x, h [1,160]: hn = tanh (x w + h r), y = hn tanh (v). */
#define RECURRENT_TEXT                                                         \
  ONNX_MODEL (ONNX_NODE ("MatMul", ONNX_I ("x") ONNX_I ("w"), ONNX_O ("xw"),   \
      "") ONNX_NODE ("MatMul", ONNX_I ("h") ONNX_I ("r"), ONNX_O ("hr"),       \
      "") ONNX_NODE ("Add", ONNX_I ("xw") ONNX_I ("hr"), ONNX_O ("sum"), "")   \
          ONNX_NODE ("Tanh", ONNX_I ("sum"), ONNX_O ("hn"), "")                \
              ONNX_NODE ("Tanh", ONNX_I ("v"), ONNX_O ("u"), "") ONNX_NODE (   \
                  "MatMul", ONNX_I ("hn") ONNX_I ("u"), ONNX_O ("y"), "")      \
                  MATRIX_TEXT ("w") MATRIX_TEXT ("r") MATRIX_TEXT ("v")        \
                      ONNX_INPUT ("x", ONNX_F32, ROW) ONNX_INPUT (             \
                          "h", ONNX_F32, ROW) ONNX_OUTPUT ("y", ONNX_F32, ROW) \
                          ONNX_OUTPUT ("hn", ONNX_F32, ROW))

#define IR_MATMUL(id, name)                                                    \
  IR_LAYER (id, name, "MatMul", "opset1",                                      \
      IR_DATA ("transpose_a=\"false\" transpose_b=\"false\""),                 \
      IR_PORT (0) IR_PORT (1), IR_NAMED_PORT (2, name))
#define IR_MATRIX(id, name, offset)                                            \
  IR_CONST (id, name, "f32", "160,160", offset, "102400")
#define RECURRENT_NET                                                          \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,160") IR_PARAMETER (1, "h", "f32",       \
          "1,160") IR_MATRIX (2, "w", "0") IR_MATRIX (3, "r", "102400")        \
          IR_MATRIX (4, "v", "204800") IR_MATMUL (5, "xw") IR_MATMUL (6, "hr") \
              IR_BINARY (7, "sum", "Add") IR_UNARY (8, "hn", "Tanh")           \
                  IR_UNARY (12, "u", "Tanh") IR_MATMUL (9, "y")                \
                      IR_RESULT (10, "out") IR_RESULT (11, "state"),           \
      IR_EDGE (0, 0, 5, 0) IR_EDGE (2, 0, 5, 1) IR_EDGE (1, 0, 6, 0)           \
          IR_EDGE (3, 0, 6, 1) IR_EDGE (5, 2, 7, 0) IR_EDGE (6, 2, 7, 1)       \
              IR_EDGE (7, 2, 8, 0) IR_EDGE (8, 1, 9, 0) IR_EDGE (4, 0, 12, 0)  \
                  IR_EDGE (12, 1, 9, 1) IR_EDGE (9, 2, 10, 0)                  \
                      IR_EDGE (8, 1, 11, 0),                                   \
      "")

/* h.npy, [1,160]. */
static void
put_array (void)
{
  const InferShape shape = infer_shape_make (2, (gint64) 1, (gint64) WIDTH);
  g_autoptr (InferTensor) tensor =
      infer_tensor_new (INFER_TYPE_F32, &shape, NULL);
  g_autofree char *path = in_folder ("h.npy");

  memcpy (tensor->data, weights[0], WIDTH * sizeof (float));
  fail_unless (infer_npy_write (path, tensor, NULL));
}

/* twin.onnx, twin.xml with twin.bin. */
static void
set_up (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (16);
  char *texts[3];

  folder = g_dir_make_tmp ("twins-XXXXXX", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (weights); i++) {
    for (guint k = 0; k < WIDTH * WIDTH; k++)
      weights[i][k] = (float) g_rand_double_range (random, -0.25, 0.25);
    texts[i] = hexadecimal (weights[i], sizeof weights[i]);
  }
  g_autofree char *onnx =
      g_strdup_printf (RECURRENT_TEXT, texts[0], texts[1], texts[2]);
  put_onnx ("twin.onnx", onnx);
  put ("twin.xml", RECURRENT_NET, strlen (RECURRENT_NET));
  put ("twin.bin", weights, sizeof weights);
  put_array ();
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    g_free (texts[i]);
}

static void
tear_down (void)
{
  test_remove_folder (folder);
  g_clear_pointer (&folder, g_free);
}

/* --- streams --- */

static GstHarness *
start (const char *model, const char *more, const char *caps)
{
  g_auto (GStrv) parts = g_strsplit (more, "FOLDER", -1);
  g_autofree char *whole = g_strjoinv (folder, parts);
  g_autofree char *description =
      g_strdup_printf ("inferfilter model=%s/%s %s", folder, model, whole);
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, caps);
  return h;
}

static void
fill (float *values, guint step)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (100 + step);

  for (guint i = 0; i < WIDTH; i++)
    values[i] = (float) g_rand_double_range (random, -1, 1);
}

/* Step @from and those that follow; one has DISCONT. */
static GArray *
play (GstHarness *h, guint from)
{
  for (guint step = from; step < N_STEPS; step++) {
    float values[WIDTH];

    fill (values, step);
    GstBuffer *buffer = gst_buffer_new_memdup (values, sizeof values);
    GST_BUFFER_PTS (buffer) = step * 10 * GST_MSECOND;
    GST_BUFFER_DURATION (buffer) = 10 * GST_MSECOND;
    if (step == DISCONT_STEP)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  }
  GArray *floats = test_finish_floats (h);
  g_autofree char *error = test_pop_error (h);
  fail_unless (error == NULL, "%s", error);
  return floats;
}

static GArray *
run (const char *model, const char *more)
{
  g_autoptr (TestHarness) h = start (model, more, CAPS);

  return play (h, 0);
}

static void
assert_equal (const GArray *a, const GArray *b, const char *what)
{
  fail_unless (a->len == b->len, "%s: %u values, not %u", what, a->len, b->len);
  fail_unless (
      memcmp (a->data, b->data, a->len * sizeof (float)) == 0, "%s", what);
}

/* --- states --- */

/* The definition, in double precision; from @reset on with fresh states. */
static void
compute (double *y, guint reset)
{
  double h[WIDTH] = { 0 };

  for (guint step = 0; step < N_STEPS; step++) {
    float x[WIDTH];
    double next[WIDTH] = { 0 };

    fill (x, step);
    for (guint i = 0; i < WIDTH; i++)
      for (guint k = 0; k < WIDTH; k++)
        next[k] += x[i] * (double) weights[0][i * WIDTH + k]
                   + (step == reset ? 0 : h[i]) * weights[1][i * WIDTH + k];
    memset (y + step * WIDTH, 0, sizeof next);
    for (guint i = 0; i < WIDTH; i++) {
      h[i] = tanh (next[i]);
      for (guint k = 0; k < WIDTH; k++)
        y[step * WIDTH + k] += h[i] * tanh (weights[2][i * WIDTH + k]);
    }
  }
}

static void
assert_close (const GArray *have, const double *want)
{
  fail_unless_equals_int (have->len, N_STEPS * WIDTH);
  for (guint i = 0; i < have->len; i++)
    fail_unless (
        fabs ((double) g_array_index (have, float, i) - want[i]) < 1e-4,
        "value %u is %g, not %g", i, (double) g_array_index (have, float, i),
        want[i]);
}

/* The states go on from buffer to buffer, and are fresh where a buffer has
 * DISCONT, unless that is not asked for. */
GST_START_TEST (test_states)
{
  double want[N_STEPS * WIDTH];
  g_autoptr (GArray) whole = run ("twin.onnx", "state-pairs=auto");
  g_autoptr (GArray) unbroken =
      run ("twin.onnx", "state-pairs=auto state-reset=flush");
  g_autoptr (TestHarness) h = start ("twin.onnx", "state-pairs=auto", CAPS);
  g_autoptr (GArray) rest = play (h, DISCONT_STEP);
  const gsize before = DISCONT_STEP * WIDTH * sizeof (float);

  compute (want, DISCONT_STEP);
  assert_close (whole, want);
  fail_unless_equals_int (rest->len, (N_STEPS - DISCONT_STEP) * WIDTH);
  fail_unless (
      memcmp (rest->data, whole->data + before, rest->len * sizeof (float))
      == 0);
  compute (want, N_STEPS);
  assert_close (unbroken, want);
  fail_unless (memcmp (unbroken->data, whole->data, before) == 0);
  fail_unless (memcmp (unbroken->data + before, whole->data + before,
                   WIDTH * sizeof (float))
               != 0);
}
GST_END_TEST

/* --- one setting after the other --- */

GST_START_TEST (test_settings)
{
  static const char *const settings[] = { "state-pairs=auto",
    "state-pairs=h=hn", "constant-inputs=h=FOLDER/h.npy",
    "state-pairs=auto state-reset=flush", "state-pairs=auto nireq=3",
    "state-pairs=auto async-load=true", "state-pairs=auto extra-outputs=sum",
    "state-pairs=auto device=AUTO", "state-pairs=auto device=MULTI:CPU",
    "state-pairs=auto device=HETERO:CPU",
    "state-pairs=auto config=NUM_STREAMS=2,INFERENCE_PRECISION_HINT=f32",
    "state-pairs=auto batch-size=2 batch-timeout=0",
    "state-pairs=auto config=CACHE_DIR=FOLDER/both",
    "state-pairs=auto inference-interval=2" };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++) {
    g_autoptr (GArray) onnx = run ("twin.onnx", settings[i]);
    g_autoptr (GArray) ir = run ("twin.xml", settings[i]);

    fail_unless (onnx->len >= N_STEPS / 2 * WIDTH, "%s", settings[i]);
    assert_equal (onnx, ir, settings[i]);
  }
}
GST_END_TEST

/* Settings that are refused for the IR are refused for the ONNX file, too. */
GST_START_TEST (test_refused)
{
  static const char *const settings[][2] = {
    { "state-pairs=h=nobody", "nobody" },
    { "state-pairs=x=hn,h=hn", "hn" },
    { "low-latency=true", "TensorIterator" },
    { "extra-outputs=nobody", "nobody" },
    { "constant-inputs=nobody=1", "nobody" },
    { "device=CPU:nobody", "there are: CPU (" },
    { "device=NOWHERE", "NOWHERE" },
  };
  static const char *const models[] = { "twin.onnx", "twin.xml" };

  for (guint i = 0; i < G_N_ELEMENTS (settings); i++)
    for (guint k = 0; k < G_N_ELEMENTS (models); k++) {
      g_autofree char *description = g_strdup_printf (
          "inferfilter model=%s/%s %s", folder, models[k], settings[i][0]);

      test_start_fails (description, settings[i][1]);
    }
}
GST_END_TEST

/* A file beside the model says that its input is sound. */
GST_START_TEST (test_info_file)
{
  static const char *const names[] = { "twin.onnx.modelinfo",
    "twin.modelinfo" };
  static const char text[] = "[model_info]\nsample_rate=16000\n";
  g_autoptr (GArray) want = run ("twin.xml", "state-pairs=auto");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = in_folder (names[i]);

    put (names[i], text, strlen (text));
    g_autoptr (TestHarness) h =
        start ("twin.onnx", "state-pairs=auto", TEST_AUDIO_CAPS);
    g_autoptr (GArray) got = play (h, 0);
    assert_equal (got, want, names[i]);
    fail_unless_equals_int (unlink (path), 0);
  }
}
GST_END_TEST

/* --- low-latency --- */

#define SCALAR_ROW ONNX_D (1)
/* y = the last h[t] = h[t - 1] + x[t], h[-1] = 10. */
#define SCAN                                                                   \
  ONNX_MODEL (ONNX_NODE ("Scan", ONNX_I ("h0") ONNX_I ("x"), ONNX_O ("y"),     \
      ONNX_INT ("num_scan_inputs", 1) ONNX_GRAPH ("body",                      \
          ONNX_NODE ("Add", ONNX_I ("h") ONNX_I ("xt"), ONNX_O ("hn"),         \
              "") ONNX_INPUT ("h", ONNX_F32, SCALAR_ROW) ONNX_INPUT ("xt",     \
              ONNX_F32, SCALAR_ROW) ONNX_OUTPUT ("hn", ONNX_F32, SCALAR_ROW))) \
          ONNX_INITIALIZER ("h0", ONNX_F32, "1=1 4~10")                        \
              ONNX_INPUT ("x", ONNX_F32, ONNX_D (1) ONNX_D (1))                \
                  ONNX_OUTPUT ("y", ONNX_F32, SCALAR_ROW))

static float
pass (GstHarness *h, float value)
{
  fail_unless_equals_int (
      gst_harness_push (h, gst_buffer_new_memdup (&value, sizeof value)),
      GST_FLOW_OK);
  g_autoptr (GstBuffer) buffer = gst_harness_pull (h);
  fail_unless (buffer != NULL);
  return test_first_value (buffer);
}

/* The value that a Scan carries on is a variable. */
GST_START_TEST (test_low_latency)
{
  static const float h0 = 10;

  put_onnx ("loop.onnx", SCAN);
  put ("loop.xml", IR_LOOP_NET, strlen (IR_LOOP_NET));
  put ("loop.bin", &h0, sizeof h0);
  for (guint i = 0; i < 2; i++) {
    const char *model = i == 0 ? "loop.onnx" : "loop.xml";
    g_autoptr (TestHarness) h = start (model, "low-latency=true", ONE_CAPS);
    g_autoptr (TestHarness) plain = start (model, "", ONE_CAPS);

    for (guint turn = 0; turn < 2; turn++) {
      fail_unless_equals_float (pass (h, 1), 11);
      fail_unless_equals_float (pass (h, 2), 13);
      fail_unless_equals_float (pass (h, 3), 16);
      test_flush (h);
    }
    fail_unless_equals_float (pass (plain, 1), 11);
    fail_unless_equals_float (pass (plain, 2), 12);
  }
}
GST_END_TEST

/* --- sharing --- */

/* Other bytes, with which it is no model, in a file of the same size and time.
 */
static void
spoil (const char *path)
{
  struct stat before;
  const int fd = open (path, O_WRONLY);

  fail_unless (fd >= 0 && fstat (fd, &before) == 0);
  fail_unless_equals_int (pwrite (fd, "nothing", 7, 0), 7);
  fail_unless_equals_int (
      futimens (
          fd, (const struct timespec[]){ before.st_atim, before.st_mtim }),
      0);
  close (fd);
}

/* The second element does not read the file: what is in it now is no model any
 * more.  One with another setting has to, and fails. */
GST_START_TEST (test_read_once)
{
  static const char *const more[] = { "state-pairs=auto",
    "state-pairs=auto model-instance-id=one" };
  g_autoptr (GArray) want = run ("twin.xml", "state-pairs=auto");
  g_autofree char *path = in_folder ("twin.onnx");
  g_autofree char *whole = NULL;
  gsize size;

  fail_unless (g_file_get_contents (path, &whole, &size, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (more); i++) {
    g_autofree char *changed = g_strdup_printf (
        "inferfilter model=%s state-pairs=auto extra-outputs=sum", path);

    put ("twin.onnx", whole, size);
    g_autoptr (TestHarness) one = start ("twin.onnx", more[i], CAPS);
    spoil (path);
    g_autoptr (TestHarness) two = start ("twin.onnx", more[i], CAPS);
    g_autoptr (GArray) b = play (two, 0);
    g_autoptr (GArray) a = play (one, 0);
    assert_equal (a, want, more[i]);
    assert_equal (b, want, more[i]);
    test_start_fails (changed, "neither OpenVINO IR");
  }
}
GST_END_TEST

/* --- CACHE_DIR --- */

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Names, sizes and times of the files below FOLDER/@name. */
static char *
list (const char *name)
{
  g_autofree char *path = in_folder (name);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);

  fail_unless (dir != NULL);
  for (const char *file; (file = g_dir_read_name (dir)) != NULL;) {
    g_autofree char *full = g_build_filename (path, file, NULL);
    struct stat about;

    fail_unless_equals_int (stat (full, &about), 0);
    g_ptr_array_add (
        lines, g_strdup_printf ("%s %" G_GINT64_FORMAT " %ld.%09ld", file,
                   (gint64) about.st_size, (long) about.st_mtim.tv_sec,
                   about.st_mtim.tv_nsec));
  }
  fail_unless (lines->len > 0);
  g_ptr_array_sort (lines, by_text);
  g_ptr_array_add (lines, NULL);
  return g_strjoinv ("\n", (char **) lines->pdata);
}

/* The second load finds all that the first has written, writes nothing, and
 * gives the same. */
GST_START_TEST (test_cache)
{
#define CACHED "state-pairs=auto config=CACHE_DIR=FOLDER/cache"
  g_autoptr (GArray) want = run ("twin.xml", "state-pairs=auto");
  g_autoptr (GArray) once = run ("twin.onnx", CACHED);
  g_autofree char *before = list ("cache");
  g_autoptr (GArray) twice = run ("twin.onnx", CACHED);
  g_autofree char *after = list ("cache");

  assert_equal (once, want, "first");
  assert_equal (twice, want, "second");
  fail_unless_equals_string (after, before);
}
GST_END_TEST

/* --- infervad --- */

#define SAMPLES ONNX_D (1) ONNX_D (576)
#define STATE ONNX_D (2) ONNX_D (1) ONNX_D (128)
/* As tests/data/silero-like.xml. */
#define SILERO_LIKE                                                            \
  ONNX_MODEL (ONNX_NODE ("Transpose", ONNX_I ("input"), ONNX_O ("column"),     \
      "") ONNX_NODE ("MatMul", ONNX_I ("input") ONNX_I ("column"),             \
      ONNX_O ("energy"), "") ONNX_NODE ("Clip",                                \
      ONNX_I ("energy") ONNX_I ("zero") ONNX_I ("one"), ONNX_O ("most"),       \
      "") ONNX_NODE ("ReduceMean", ONNX_I ("state"), ONNX_O ("before"),        \
      ONNX_INT ("keepdims", 0)) ONNX_NODE ("Add",                              \
      ONNX_I ("most") ONNX_I ("before"), ONNX_O ("sum"), "") ONNX_NODE ("Mul", \
      ONNX_I ("sum") ONNX_I ("half"), ONNX_O ("output"), "") ONNX_NODE ("Mul", \
      ONNX_I ("state") ONNX_I ("zero"), ONNX_O ("nothing"),                    \
      "") ONNX_NODE ("Add", ONNX_I ("nothing") ONNX_I ("output"),              \
      ONNX_O ("stateN"), "") ONNX_INITIALIZER ("zero", ONNX_F32, "4~0")        \
          ONNX_INITIALIZER ("half", ONNX_F32, "4~0.5") ONNX_INITIALIZER (      \
              "one", ONNX_F32, "4~1") ONNX_INPUT ("input", ONNX_F32, SAMPLES)  \
              ONNX_INPUT ("state", ONNX_F32, STATE)                            \
                  ONNX_OUTPUT ("output", ONNX_F32, ONNX_D (1) ONNX_D (1))      \
                      ONNX_OUTPUT ("stateN", ONNX_F32, STATE))

/* A second of noise between two of silence: what is said about it. */
static char *
hear (const char *model)
{
  g_autofree float *samples = g_new0 (float, 3 * TEST_RATE);
  g_autofree char *description =
      g_strdup_printf ("infervad vad-model=%s", model);
  g_autoptr (TestHarness) h = test_harness (description);
  GString *said = g_string_new (NULL);
  GstMessage *message;

  for (guint i = TEST_RATE; i < 2 * TEST_RATE; i++)
    samples[i] = i % 2 == 0 ? 0.5f : -0.5f;
  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  fail_unless_equals_int (
      test_push_samples (h, samples, 3 * TEST_RATE, 700, 0), GST_FLOW_OK);
  g_autoptr (GArray) floats = test_finish_floats (h);
  fail_unless_equals_int (floats->len, 3 * TEST_RATE);
  while ((message = gst_bus_pop_filtered (test_bus (h), GST_MESSAGE_ELEMENT))
         != NULL) {
    g_autofree char *text =
        gst_structure_to_string (gst_message_get_structure (message));

    g_string_append_printf (said, "%s\n", text);
    gst_message_unref (message);
  }
  return g_string_free (said, FALSE);
}

GST_START_TEST (test_vad)
{
  g_autofree char *path = in_folder ("silero-like.onnx");

  put_onnx ("silero-like.onnx", SILERO_LIKE);
  g_autofree char *ir = hear (SOURCE_ROOT "/tests/data/silero-like.xml");
  g_autofree char *onnx = hear (path);
  fail_unless (strstr (ir, "stream-has-voice=(boolean)true") != NULL
                   && strstr (ir, "stream-has-voice=(boolean)false") != NULL,
      "%s", ir);
  fail_unless_equals_string (onnx, ir);
}
GST_END_TEST

static Suite *
twins_suite (void)
{
  return test_suite ("twins", set_up, tear_down, test_states, test_settings,
      test_refused, test_info_file, test_low_latency, test_read_once,
      test_cache, test_vad, NULL);
}

GST_CHECK_MAIN (twins)
