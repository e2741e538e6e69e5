/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The command line: exit statuses, messages, files. */

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "inference/base/npy.h"
#include "tests/check/support/onnx.h"

static char *tool;

/* y = relu (x), x: f32 [2, 3]. */
static const char relu_xml[] =
    "<?xml version=\"1.0\"?>\n"
    "<net name=\"relu\" version=\"11\"><layers>\n"
    "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\">"
    "<data shape=\"2,3\" element_type=\"f32\"/>"
    "<output><port id=\"0\" precision=\"FP32\" names=\"x\">"
    "<dim>2</dim><dim>3</dim></port></output></layer>\n"
    "<layer id=\"1\" name=\"y\" type=\"ReLU\" version=\"opset1\">"
    "<input><port id=\"0\" precision=\"FP32\"><dim>2</dim><dim>3</dim></port>"
    "</input><output><port id=\"1\" precision=\"FP32\" names=\"y\">"
    "<dim>2</dim><dim>3</dim></port></output></layer>\n"
    "<layer id=\"2\" name=\"y/result\" type=\"Result\" version=\"opset1\">"
    "<input><port id=\"0\" precision=\"FP32\"><dim>2</dim><dim>3</dim></port>"
    "</input></layer>\n"
    "</layers><edges>"
    "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"1\" to-port=\"0\"/>"
    "<edge from-layer=\"1\" from-port=\"1\" to-layer=\"2\" to-port=\"0\"/>"
    "</edges></net>\n";

static const char case_txt[] =
    "case\t1\nname\trelu\nir\t11\nsets\t1\nsteps\t0\n"
    "in\t0\tf32\t[2,3]\tx\n"
    "out\t0\tf32\t[2,3]\ty\t0.001\t1e-05\n";

typedef struct
{
  char *dir, *model, *input, *output;
  char *out, *err;
} Fixture;

static char *
write_text (const char *dir, const char *file, const char *text)
{
  char *path = g_build_filename (dir, file, NULL);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

static char *
write_values (const char *dir, const char *file, const float *values)
{
  char *path = g_build_filename (dir, file, NULL);
  InferShape shape = infer_shape_make (2, (gint64) 2, (gint64) 3);
  g_autoptr (InferTensor) tensor =
      infer_tensor_new (INFER_TYPE_F32, &shape, NULL);
  memcpy (tensor->data, values, tensor->size);
  g_assert_true (infer_npy_write (path, tensor, NULL));
  return path;
}

static void
set_up (Fixture *self, gconstpointer data)
{
  static const float in[] = { 1, -2, 3, -4, 5, -6 };
  static const float out[] = { 1, 0, 3, 0, 5, 0 };
  self->dir = g_dir_make_tmp ("infer-model-XXXXXX", NULL);
  self->model = write_text (self->dir, "model.xml", relu_xml);
  g_free (write_text (self->dir, "model.bin", ""));
  g_free (write_text (self->dir, "case.txt", case_txt));
  self->input = write_values (self->dir, "in_0.npy", in);
  self->output = write_values (self->dir, "out_0.npy", out);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  const char *name;
  g_autoptr (GDir) dir = g_dir_open (self->dir, 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (self->dir, name, NULL);
    g_unlink (path);
  }
  g_rmdir (self->dir);
  g_free (self->dir);
  g_free (self->model);
  g_free (self->input);
  g_free (self->output);
  g_free (self->out);
  g_free (self->err);
}

/* Runs infer-model; returns its exit status. */
static int G_GNUC_NULL_TERMINATED
call (Fixture *self, const char *first, ...)
{
  int status;
  va_list args;
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  g_ptr_array_add (argv, g_strdup (tool));
  va_start (args, first);
  for (const char *arg = first; arg != NULL; arg = va_arg (args, const char *))
    g_ptr_array_add (argv, g_strdup (arg));
  va_end (args);
  g_ptr_array_add (argv, NULL);
  g_auto (GStrv) vector = (GStrv) argv->pdata;
  g_clear_pointer (&self->out, g_free);
  g_clear_pointer (&self->err, g_free);
  g_spawn_sync (self->dir, vector, NULL, G_SPAWN_DEFAULT, NULL, NULL,
      &self->out, &self->err, &status, &error);
  g_ptr_array_free (g_steal_pointer (&argv), FALSE);
  g_assert_no_error (error);
  g_assert_true (WIFEXITED (status));
  return WEXITSTATUS (status);
}

/* Checks for one line that contains @says. */
static void
assert_line (const char *text, const char *says)
{
  const char *end = strchr (text, '\n');
  g_assert_nonnull (strstr (text, says));
  g_assert_true (end != NULL && end[1] == '\0');
}

static void
test_usage (Fixture *self, gconstpointer data)
{
  g_assert_cmpint (call (self, NULL, NULL), ==, 2);
  assert_line (self->err, "no command");
  g_assert_cmpint (call (self, "guess", NULL), ==, 2);
  assert_line (self->err, "guess");
  g_assert_cmpint (call (self, "info", NULL), ==, 2);
  assert_line (self->err, "missing");
  g_assert_cmpint (call (self, "info", "--bogus", self->model, NULL), ==, 2);
  assert_line (self->err, "--bogus");
  g_assert_cmpint (call (self, "run", self->model, "--threads", NULL), ==, 2);
  assert_line (self->err, "--threads");
  g_assert_cmpint (
      call (self, "run", self->model, "--threads", "0", NULL), ==, 2);
  assert_line (self->err, "--threads");
  g_assert_cmpint (
      call (self, "run", self->model, "--input", "x", NULL), ==, 2);
  assert_line (self->err, "NAME=FILE");
  g_assert_cmpint (call (self, "bench", self->model, "more", NULL), ==, 2);
  assert_line (self->err, "too many");
  g_assert_cmpint (call (self, "--help", NULL), ==, 0);
  g_assert_nonnull (strstr (self->out, "infer-model check CASE_DIR"));
}

static void
test_missing_model (Fixture *self, gconstpointer data)
{
  g_assert_cmpint (call (self, "info", "nowhere.xml", NULL), ==, 1);
  assert_line (self->err, "nowhere.xml");
  g_assert_cmpstr (self->out, ==, "");
}

static void
test_info (Fixture *self, gconstpointer data)
{
  g_assert_cmpint (call (self, "info", self->model, NULL), ==, 0);
  g_assert_cmpstr (self->err, ==, "");
  g_assert_nonnull (strstr (self->out, "ReLU"));
  g_assert_nonnull (strstr (self->out, "f32      [2,3]            x"));
  g_assert_cmpint (call (self, "info", self->model, "--json", NULL), ==, 0);
  g_assert_nonnull (strstr (
      self->out, "{ \"name\": \"x\", \"type\": \"f32\", \"shape\": [2, 3] }"));
  g_assert_nonnull (
      strstr (self->out, "\"type\": \"ReLU\", \"opset\": \"opset1\", "
                         "\"device\": \"CPU\""));
  g_assert_nonnull (strstr (self->out, "\"parts\": [\"CPU: 1 operation\"]"));
  g_assert_nonnull (strstr (self->out, "\"unsupported\": []"));
}

/* relu (x): one step, which writes the result. */
static void
test_passes (Fixture *self, gconstpointer data)
{
  g_assert_cmpint (call (self, "info", self->model, "--passes", NULL), ==, 0);
  g_assert_cmpstr (self->err, ==, "");
  g_assert_nonnull (strstr (self->out,
      "cpu lower                 0 ->    1 steps    0 ->    2 values\n"
      "  + ReLU y (ref): f32[2,3] input -> f32[2,3]\n"
      "cpu quantise-inputs       1 ->    1 steps    2 ->    2 values\n"
      "cpu tabulate              1 ->    1 steps    2 ->    2 values\n"
      "cpu fuse-post-ops "));
  g_assert_nonnull (strstr (self->out,
      "cpu reuse-inputs          1 ->    1 steps    2 ->    2 values\n"
      "  ~ ReLU y ("));
  g_assert_nonnull (
      strstr (self->out, "): f32[2,3] input -> f32[2,3] result\n"));
}

static void
test_devices (Fixture *self, gconstpointer data)
{
  g_assert_cmpint (call (self, "devices", NULL), ==, 0);
  g_assert_cmpstr (self->err, ==, "");
  g_assert_nonnull (strstr (self->out, "CPU        "));
  g_assert_cmpint (call (self, "devices", "all", NULL), ==, 2);
  /* AUTO finds a device on any machine. */
  g_assert_cmpint (
      call (self, "info", "--device=AUTO", self->model, NULL), ==, 0);
  g_assert_nonnull (strstr (self->out, "device   AUTO:"));
  g_assert_cmpint (
      call (self, "info", "--device=HETERO:NPU,CPU", self->model, NULL), ==, 1);
  g_assert_nonnull (strstr (self->err, "no device 'NPU'"));
  g_assert_cmpint (
      call (self, "info", "--device=cpu:Kernels", self->model, NULL), ==, 0);
  g_assert_nonnull (strstr (self->out, "device   CPU\n"));
  g_assert_cmpint (
      call (self, "info", "--device=CPU:nobody", self->model, NULL), ==, 1);
  g_assert_nonnull (strstr (self->err, "no device 'CPU:nobody'"));
}

static void
check_output (Fixture *self)
{
  static const float want[] = { 1, 0, 3, 0, 5, 0 };
  g_autoptr (InferTensor) tensor = infer_npy_read (self->output, NULL);
  g_assert_nonnull (tensor);
  g_assert_cmpmem (tensor->data, tensor->size, want, sizeof want);
  g_assert_cmpint (g_unlink (self->output), ==, 0);
}

static void
test_run (Fixture *self, gconstpointer data)
{
  g_autofree char *named = g_strdup_printf ("--input=x=%s", self->input);
  g_autofree char *numbered = g_strdup_printf ("--input=0=%s", self->input);
  g_unlink (self->output);
  g_assert_cmpint (call (self, "run", self->model, named, NULL), ==, 0);
  g_assert_cmpstr (self->err, ==, "");
  check_output (self);
  g_assert_cmpint (call (self, "run", self->model, "--output-dir", self->dir,
                       "--threads=2", "--device", "CPU", numbered, NULL),
      ==, 0);
  check_output (self);
  g_assert_cmpint (
      call (self, "run", self->model, numbered, "--extra-output=y", NULL), ==,
      0);
  check_output (self);
  g_autofree char *second = g_build_filename (self->dir, "out_1.npy", NULL);
  g_assert_true (g_file_test (second, G_FILE_TEST_IS_REGULAR));
}

/* What was computed is said, and that an input was converted. */
static void
test_run_says (Fixture *self, gconstpointer data)
{
  const InferShape shape = infer_shape_make (2, (gint64) 2, (gint64) 3);
  g_autofree char *named = g_strdup_printf ("--input=x=%s", self->input);
  g_autofree char *wide = g_build_filename (self->dir, "wide.npy", NULL);
  g_autofree char *converted = g_strdup_printf ("--input=x=%s", wide);
  g_autoptr (InferTensor) tensor =
      infer_tensor_new (INFER_TYPE_F64, &shape, NULL);
  double *values = tensor->data;

  g_assert_cmpint (call (self, "run", self->model, named, NULL), ==, 0);
  g_assert_cmpstr (self->err, ==, "");
  g_assert_cmpstr (
      self->out, ==, "y: f32 [2,3], from 0 to 5, mean 1.5 -> ./out_0.npy\n");
  for (guint i = 0; i < 6; i++)
    values[i] = i + 1;
  values[5] = INFINITY;
  values[4] = NAN;
  g_assert_true (infer_npy_write (wide, tensor, NULL));
  g_assert_cmpint (call (self, "run", self->model, converted, NULL), ==, 0);
  assert_line (self->err, "wide.npy: f64 is converted to f32");
  assert_line (self->err, "input 'x'");
  assert_line (self->out, "from 1 to 4, mean 2.5; 1 NaN; 1 infinite -> ");
}

static void
test_run_refuses (Fixture *self, gconstpointer data)
{
  g_autofree char *named = g_strdup_printf ("--input=x=%s", self->input);
  g_autofree char *other = g_strdup_printf ("--input=z=%s", self->input);
  g_assert_cmpint (call (self, "run", self->model, NULL), ==, 1);
  assert_line (self->err, "no --input for 'x'");
  g_assert_cmpint (call (self, "run", self->model, other, NULL), ==, 1);
  assert_line (self->err, "'z'");
  g_assert_cmpint (call (self, "run", self->model, named, named, NULL), ==, 1);
  assert_line (self->err, "twice");
  g_assert_cmpint (
      call (self, "run", self->model, "--input=x=gone.npy", NULL), ==, 1);
  assert_line (self->err, "gone.npy");
  g_assert_cmpint (
      call (self, "run", self->model, named, "--device=TPU", NULL), ==, 1);
  assert_line (self->err, "TPU");
}

static void
test_check (Fixture *self, gconstpointer data)
{
  static const float wrong[] = { 1, 0, 3.5f, 0, 5, 0 };
  g_assert_cmpint (call (self, "check", self->dir, NULL), ==, 0);
  g_assert_cmpstr (self->out, ==, "1 passed, 0 failed, 0 skipped\n");
  g_free (write_values (self->dir, "out_0.npy", wrong));
  g_assert_cmpint (call (self, "check", self->dir, self->dir, NULL), ==, 1);
  g_assert_cmpstr (self->out, ==,
      "FAIL relu: output 0: 1 of 6 differ, max abs 0.5 at [0,2] got 3 want "
      "3.5\n"
      "FAIL relu: output 0: 1 of 6 differ, max abs 0.5 at [0,2] got 3 want "
      "3.5\n"
      "0 passed, 2 failed, 0 skipped\n");
  g_free (write_text (self->dir, "model.xml", "<net/>"));
  g_assert_cmpint (call (self, "check", self->dir, NULL), ==, 1);
  g_assert_true (g_str_has_prefix (self->out, "FAIL relu: "));
  g_free (write_text (self->dir, "case.txt", "case\t2\n"));
  g_assert_cmpint (call (self, "check", self->dir, NULL), ==, 0);
  g_assert_true (
      g_str_has_suffix (self->out, "0 passed, 0 failed, 1 skipped\n"));
  g_assert_cmpint (call (self, "check", "/", NULL), ==, 2);
  assert_line (self->err, "no case");
}

/* @text: of fields. */
static void
put (const char *dir, const char *file, const char *text)
{
  g_autofree char *path = g_build_filename (dir, file, NULL);
  g_autoptr (GBytes) bytes = onnx_text_bytes (text);

  g_assert_true (g_file_set_contents (path, g_bytes_get_data (bytes, NULL),
      (gssize) g_bytes_get_size (bytes), NULL));
}

/* x.npy, what ONNX_MEANS (1, 2) takes. */
static void
put_picture (Fixture *self)
{
  static const float values[] = { 1, 3, 5, 7, -1, -3 };
  const InferShape shape =
      infer_shape_make (4, (gint64) 1, (gint64) 3, (gint64) 1, (gint64) 2);
  g_autofree char *path = g_build_filename (self->dir, "x.npy", NULL);
  g_autoptr (InferTensor) tensor =
      infer_tensor_new (INFER_TYPE_F32, &shape, NULL);

  memcpy (tensor->data, values, sizeof values);
  g_assert_true (infer_npy_write (path, tensor, NULL));
}

/* An ONNX file instead of IR.  Names are those of the file. */
static void
test_onnx (Fixture *self, gconstpointer data)
{
  static const char *const files[] = { "means.onnx", "x.npy", "out_0.npy",
    "out_1.npy" };
  g_autofree char *choices = g_build_filename (self->dir, "choices", NULL);
  g_autofree char *option = g_strconcat ("--cache-dir=", choices, NULL);

  put (self->dir, "means.onnx", ONNX_MEANS (1, 2));
  put_picture (self);
  g_assert_cmpint (call (self, "info", "means.onnx", NULL), ==, 0);
  g_assert_nonnull (strstr (self->out, "f32      [1,3,1,2]        x"));
  g_assert_cmpint (call (self, "info", "means.onnx", "--json", NULL), ==, 0);
  g_assert_nonnull (strstr (self->out, "\"means\""));
  g_assert_cmpint (call (self, "info", "means.onnx", "--dot", NULL), ==, 0);
  g_assert_nonnull (strstr (self->out, "GlobalAveragePool"));
  g_assert_cmpint (call (self, "run", "means.onnx", "--input=x=x.npy",
                       "--extra-output=pooled", NULL),
      ==, 0);
  g_assert_nonnull (
      strstr (self->out, "means: f32 [1,3], from -2 to 6, mean 2 -> "));
  g_assert_nonnull (strstr (self->out, "f32 [1,3,1,1], from -2 to 6"));
  g_assert_cmpint (
      call (self, "bench", "means.onnx", "--seconds=0.05", "--per-op", NULL),
      ==, 0);
  g_assert_nonnull (strstr (self->out, "GlobalAveragePool"));
  g_assert_cmpint (call (self, "tune", "means.onnx", option, NULL), ==, 0);
  g_assert_nonnull (strstr (self->out, "choices in"));
  g_assert_cmpint (
      call (self, "info", "means.onnx", "--weights=x.npy", NULL), ==, 1);
  assert_line (self->err, "'weights' is for OpenVINO IR");
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = g_build_filename (self->dir, files[i], NULL);

    g_remove (path);
  }
}

/* Both models give the same bytes for x.npy. */
static void
assert_same_outputs (Fixture *self, const char *one, const char *other)
{
  g_autofree char *path = g_build_filename (self->dir, "out_0.npy", NULL);
  g_autofree char *want = NULL, *got = NULL;
  gsize n_want, n_got;

  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (call (self, "run", one, "--input=x=x.npy", NULL), ==, 0);
  g_assert_true (g_file_get_contents (path, &want, &n_want, NULL));
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (call (self, "run", other, "--input=x=x.npy", NULL), ==, 0);
  g_assert_true (g_file_get_contents (path, &got, &n_got, NULL));
  g_assert_cmpmem (got, n_got, want, n_want);
}

/* From ONNX to OpenVINO IR, which computes the same. */
static void
test_convert (Fixture *self, gconstpointer data)
{
  static const char *const files[] = { "means.onnx", "means.xml", "means.bin" };

  put (self->dir, "means.onnx", ONNX_MEANS (1, 2));
  put_picture (self);
  g_assert_cmpint (call (self, "convert", "means.onnx", "means.xml",
                       "--model-info", "labels=a,b,c;model_type=means", NULL),
      ==, 0);
  g_assert_cmpstr (self->out, ==, "");
  g_assert_cmpint (call (self, "info", "means.xml", NULL), ==, 0);
  g_assert_nonnull (strstr (self->out, "[1,3,1,2]"));
  g_assert_nonnull (strstr (self->out, "means"));
  g_autofree char *xml = g_build_filename (self->dir, "means.xml", NULL);
  g_autoptr (InferModel) model = infer_model_load (xml, NULL, NULL);
  g_assert_cmpstr (infer_model_get_info (model, "labels"), ==, "a,b,c");
  g_assert_cmpint (call (self, "convert", "means.onnx", "means.xml",
                       "--compress=int4", NULL),
      ==, 0);
  g_assert_cmpint (call (self, "convert", "means.onnx", "means.xml",
                       "--compress=int5", NULL),
      ==, 2);
  assert_line (self->err, "'int5' is not f16, int8 or int4");
  g_assert_cmpint (
      call (self, "convert", "means.onnx", "means.bin", NULL), ==, 1);
  assert_line (self->err, "ends with .xml");
  g_assert_cmpint (call (self, "convert", "means.onnx", "m.xml", "--model-info",
                       "labels", NULL),
      ==, 1);
  assert_line (self->err, "not KEY=VALUE");
  g_assert_cmpint (call (self, "convert", "means.onnx", NULL), ==, 2);
  assert_same_outputs (self, "means.onnx", "means.xml");
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = g_build_filename (self->dir, files[i], NULL);

    g_assert_cmpint (g_remove (path), ==, 0);
  }
}

/* ONNX's own layout and tolerance. */
static void
test_check_onnx (Fixture *self, gconstpointer data)
{
  static const char in[] = "1=1 1=3 1=1 1=2 2=1 4~1 4~3 4~5 4~7 4~-1 4~-3";
  static const char near[] = "1=1 1=3 2=1 4~2.001 4~6 4~-2";
  static const char wrong[] = "1=1 1=3 2=1 4~2.1 4~6 4~-2";
  g_autofree char *dir = g_build_filename (self->dir, "means", NULL);
  g_autofree char *set = g_build_filename (dir, "test_data_set_0", NULL);
  const char *files[] = { "means/test_data_set_0/input_0.pb",
    "means/test_data_set_0/output_0.pb", "means/test_data_set_0",
    "means/data.json", "means/model.onnx", "means" };

  g_assert_cmpint (g_mkdir_with_parents (set, 0700), ==, 0);
  put (dir, "model.onnx", ONNX_MEANS (1, 2));
  put (set, "input_0.pb", in);
  put (set, "output_0.pb", near);
  g_assert_cmpint (call (self, "check", dir, self->dir, NULL), ==, 0);
  g_assert_cmpstr (self->out, ==, "2 passed, 0 failed, 0 skipped\n");
  put (set, "output_0.pb", wrong);
  g_assert_cmpint (call (self, "check", dir, NULL), ==, 1);
  g_assert_cmpstr (self->out, ==,
      "FAIL means: test_data_set_0: output 0: 1 of 3 differ, max abs 0.1 at "
      "[0,0] got 2 want 2.0999999\n"
      "0 passed, 1 failed, 0 skipped\n");
  g_free (write_text (dir, "data.json", "{\"atol\": 1e-7, \"rtol\": 0.1}"));
  g_assert_cmpint (call (self, "check", dir, NULL), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = g_build_filename (self->dir, files[i], NULL);
    g_assert_cmpint (g_remove (path), ==, 0);
  }
}

static void
test_tune (Fixture *self, gconstpointer data)
{
  g_autofree char *folder = g_build_filename (self->dir, "choices", NULL);
  g_autofree char *option = g_strconcat ("--cache-dir=", folder, NULL);

  g_assert_cmpint (call (self, "tune", self->model, NULL), ==, 2);
  assert_line (self->err, "--cache-dir");
  g_assert_cmpint (call (self, "tune", self->model, option, NULL), ==, 0);
  /* The model's operations are too small to be measured. */
  assert_line (self->out, "0 choices in");
}

static void
test_bench (Fixture *self, gconstpointer data)
{
  static const char *const keys[] = { "median_us", "min_us", "p95_us", "p99_us",
    "throughput_per_s", "load_ms", "first_ms", "rss_kb", "private_kb",
    "peak_kb" };
  g_assert_cmpint (call (self, "bench", self->model, "--json", "--seconds=0.05",
                       "--nireq=2", NULL),
      ==, 0);
  g_auto (GStrv) parts = g_strsplit (self->out, "\"", -1);
  g_assert_cmpuint (g_strv_length (parts), ==, 2 * G_N_ELEMENTS (keys) + 1);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    g_assert_cmpstr (parts[2 * i + 1], ==, keys[i]);
    g_assert_cmpfloat (g_ascii_strtod (parts[2 * i + 2] + 2, NULL), >, 0);
  }
  g_assert_cmpint (
      call (self, "bench", self->model, "--seconds=0.05", "--per-op", NULL), ==,
      0);
  g_assert_nonnull (strstr (self->out, "ReLU"));
  g_assert_nonnull (strstr (self->out, "verdict"));
  g_assert_nonnull (strstr (self->out, " us in operations, of "));
  g_assert_nonnull (strstr (self->out, " GFLOP/s product"));
  g_assert_null (strstr (self->out, "roofline"));
  g_assert_cmpint (call (self, "bench", self->model, "--seconds=0.05",
                       "--per-op", "--roofline", NULL),
      ==, 0);
  g_assert_nonnull (strstr (self->out, "device      "));
  g_assert_nonnull (strstr (self->out, "  GFLOP/s      GB/s  roofline"));
  g_assert_nonnull (strstr (self->out, "below 50% of the roofline"));
  g_assert_cmpint (
      call (self, "bench", self->model, "--roofline", NULL), ==, 2);
  assert_line (self->err, "--roofline goes with --per-op");
  g_assert_cmpint (
      call (self, "bench", self->model, "--shape=x=2,4", NULL), ==, 1);
  assert_line (self->err, "'x'");
}

#define ADD(path, func)                                                        \
  g_test_add ("/infer-model/" path, Fixture, NULL, set_up, func, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (argc < 2)
    return 2;
  tool = g_canonicalize_filename (argv[1], NULL);
  ADD ("usage", test_usage);
  ADD ("missing-model", test_missing_model);
  ADD ("info", test_info);
  ADD ("passes", test_passes);
  ADD ("devices", test_devices);
  ADD ("run", test_run);
  ADD ("run-says", test_run_says);
  ADD ("run-refuses", test_run_refuses);
  ADD ("check", test_check);
  ADD ("check/onnx", test_check_onnx);
  ADD ("onnx", test_onnx);
  ADD ("bench", test_bench);
  ADD ("convert", test_convert);
  ADD ("tune", test_tune);
  return g_test_run ();
}
