/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infer-model run over sequences: variables from and to files, loops cut into
 * steps, inputs tied to outputs, traces and dumps. */

#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>

#include "inference/base/npy.h"
#include "tests/check/support/folder.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/onnx.h"
#include "tools/files/zip.h"

static char *tool;

typedef struct
{
  const char *model;
  char *dir;
  char *err;
} Fixture;

static void
set_up (Fixture *self, gconstpointer data)
{
  self->model = "model.xml";
  self->dir = g_dir_make_tmp ("infer-states-XXXXXX", NULL);
}

static void
tear_down (Fixture *self, gconstpointer data)
{
  test_remove_folder (self->dir);
  g_free (self->dir);
  g_free (self->err);
}

static void
put_text (Fixture *self, const char *file, const char *text)
{
  g_autofree char *path = g_build_filename (self->dir, file, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static InferTensor *
make_value (const char *shape, float first)
{
  InferShape whole;

  g_assert_true (infer_shape_parse (shape, &whole, NULL, NULL, NULL));
  InferTensor *tensor = infer_tensor_new (INFER_TYPE_F32, &whole, NULL);
  for (gsize i = 0; i < infer_shape_count (&whole); i++)
    ((float *) tensor->data)[i] = first + (float) i;
  return tensor;
}

static void
put_value (Fixture *self, const char *file, const char *shape, float first)
{
  g_autofree char *path = g_build_filename (self->dir, file, NULL);
  g_autoptr (InferTensor) tensor = make_value (shape, first);

  g_assert_true (infer_npy_write (path, tensor, NULL));
}

static float
get_value (Fixture *self, const char *file, gsize index)
{
  g_autofree char *path = g_build_filename (self->dir, file, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferTensor) tensor = infer_npy_read (path, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (index, <, infer_shape_count (&tensor->shape));
  return ((float *) tensor->data)[index];
}

static gboolean
exists (Fixture *self, const char *file)
{
  g_autofree char *path = g_build_filename (self->dir, file, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* infer-model run MODEL @arguments, which are split at spaces. */
static int
run (Fixture *self, const char *arguments)
{
  g_autofree char *line =
      g_strdup_printf ("%s run %s %s", tool, self->model, arguments);
  g_auto (GStrv) argv = g_strsplit (line, " ", -1);
  g_autofree char *out = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  g_clear_pointer (&self->err, g_free);
  g_spawn_sync (self->dir, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out,
      &self->err, &status, &error);
  g_assert_no_error (error);
  g_assert_true (WIFEXITED (status));
  return WEXITSTATUS (status);
}

static void
run_well (Fixture *self, const char *arguments)
{
  int status = run (self, arguments);

  g_assert_cmpstr (self->err, ==, "");
  g_assert_cmpint (status, ==, 0);
}

static void
run_badly (Fixture *self, const char *arguments, const char *says)
{
  g_assert_cmpint (run (self, arguments), ==, 1);
  if (strstr (self->err, says) == NULL)
    g_error ("%s: not '%s'", self->err, says);
}

/* --- variables in files --- */

/* Two variables, one with a name that is invalid for files: y = x + a + b; a =
 * y, b = x.  Initially zeros. */
#define VARIABLE(id)                                                           \
  IR_DATA (                                                                    \
      "variable_id=\"" id "\" variable_shape=\"1,2\" variable_type=\"f32\"")
#define STATE_NET                                                              \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,2") IR_LAYER (1, "ra", "ReadValue",      \
          "opset6", VARIABLE ("a"), "", IR_PORT (0)) IR_LAYER (2, "rb",        \
          "ReadValue", "opset6", VARIABLE ("../b c%"), "", IR_PORT (0))        \
          IR_BINARY (3, "s1", "Add") IR_BINARY (4, "s2", "Add") IR_LAYER (     \
              5, "wa", "Assign", "opset6", VARIABLE ("a"), IR_PORT (0), "")    \
              IR_LAYER (6, "wb", "Assign", "opset6", VARIABLE ("../b c%"),     \
                  IR_PORT (0), "") IR_RESULT (7, "y"),                         \
      IR_EDGE (0, 0, 3, 0) IR_EDGE (1, 0, 3, 1) IR_EDGE (3, 2, 4, 0)           \
          IR_EDGE (2, 0, 4, 1) IR_EDGE (4, 2, 5, 0) IR_EDGE (0, 0, 6, 0)       \
              IR_EDGE (4, 2, 7, 0),                                            \
      "")

/* Three steps of one value, each in its own process. */
static void
step_thrice (Fixture *self, const char *states)
{
  static const float want[] = { 1, 4, 9 }; /* 1; 2 + 1 + 1; 3 + 4 + 2 */
  g_autofree char *first =
      g_strdup_printf ("--input=x=x1.npy --state-out=%s", states);

  for (guint t = 0; t < G_N_ELEMENTS (want); t++) {
    g_autofree char *file = g_strdup_printf ("x%u.npy", t + 1);
    g_autofree char *line =
        t == 0 ? g_strdup (first)
               : g_strdup_printf ("--input=x=%s --state-in=%s --state-out=%s",
                   file, states, states);

    put_value (self, file, "1,2", (float) (t + 1));
    run_well (self, line);
    g_assert_cmpfloat (get_value (self, "out_0.npy", 0), ==, want[t]);
  }
}

static void
test_folder (Fixture *self, gconstpointer data)
{
  put_text (self, "model.xml", STATE_NET);
  put_text (self, "model.bin", "");
  step_thrice (self, "states");
  g_assert_cmpfloat (get_value (self, "states/a.npy", 0), ==, 9);
  g_assert_cmpfloat (get_value (self, "states/a.npy", 1), ==, 14);
  g_assert_cmpfloat (get_value (self, "states/%2E.%2Fb c%25.npy", 0), ==, 3);
  g_assert_false (exists (self, "b c%.npy"));

  /* A variable without a file keeps its value. */
  g_autofree char *gone = g_build_filename (self->dir, "states", "a.npy", NULL);
  g_assert_cmpint (g_remove (gone), ==, 0);
  run_well (self, "--input=x=x1.npy --state-in=states");
  g_assert_cmpfloat (get_value (self, "out_0.npy", 0), ==, 1 + 3);
}

static void
test_archive (Fixture *self, gconstpointer data)
{
  put_text (self, "model.xml", STATE_NET);
  put_text (self, "model.bin", "");
  step_thrice (self, "s.npz");
  g_autofree char *path = g_build_filename (self->dir, "s.npz", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) entries = zip_read (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (entries->len, ==, 2);
  g_assert_cmpstr (((ZipEntry *) entries->pdata[0])->name, ==, "a.npy");
  g_assert_cmpstr (((ZipEntry *) entries->pdata[1])->name, ==, "../b c%.npy");
}

static void
test_refused (Fixture *self, gconstpointer data)
{
  put_text (self, "model.xml", STATE_NET);
  put_text (self, "model.bin", "");
  put_value (self, "x.npy", "1,2", 1);
  run_badly (self, "--input=x=x.npy --state-in=nowhere.npz", "nowhere.npz");
  put_text (self, "bad.npz", "PK but no archive");
  run_badly (self, "--input=x=x.npy --state-in=bad.npz", "bad.npz");
  g_autofree char *folder = g_build_filename (self->dir, "f", NULL);
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  put_value (self, "f/c.npy", "1,2", 1);
  run_badly (self, "--input=x=x.npy --state-in=f", "no variable 'c'");
  g_autofree char *wrong = g_build_filename (self->dir, "f", "c.npy", NULL);
  g_assert_cmpint (g_remove (wrong), ==, 0);
  put_value (self, "f/a.npy", "1,3", 1);
  run_badly (self, "--input=x=x.npy --state-in=f", "[1,3] does not fit");
  run_badly (self, "--input=x=x.npy --state-out=x.npy/f", "x.npy/f");
  g_assert_cmpint (run (self, "--dump=a"), ==, 2);
  g_assert_nonnull (strstr (self->err, "--dump without --dump-dir"));
}

/* --- archives --- */

/* a = [[5, 7]] in f32, written by numpy.savez_compressed. */
static const guint8 deflated[] = {
#include "tests/check/tools/deflated.inc"
};

static void
test_deflated (Fixture *self, gconstpointer data)
{
  g_autofree char *path = g_build_filename (self->dir, "d.npz", NULL);

  put_text (self, "model.xml", STATE_NET);
  put_text (self, "model.bin", "");
  put_value (self, "x.npy", "1,2", 1);
  g_assert_true (g_file_set_contents (
      path, (const char *) deflated, sizeof deflated, NULL));
  run_well (self, "--input=x=x.npy --state-in=d.npz");
  g_assert_cmpfloat (get_value (self, "out_0.npy", 0), ==, 6);
  g_assert_cmpfloat (get_value (self, "out_0.npy", 1), ==, 9);
}

static GPtrArray *
make_entries (void)
{
  GPtrArray *entries = g_ptr_array_new_with_free_func (zip_entry_free);

  g_ptr_array_add (entries,
      zip_entry_new (g_strdup ("one"), g_bytes_new ("first bytes", 11)));
  g_ptr_array_add (
      entries, zip_entry_new (g_strdup ("none"), g_bytes_new (NULL, 0)));
  return entries;
}

/* With any byte changed and any length: an error or the right bytes. */
static void
damage (const char *path, const guint8 *contents, gsize size)
{
  for (gsize i = 0; i < 2 * size; i++) {
    g_autofree char *changed = g_memdup2 (contents, size);
    g_autoptr (GError) error = NULL;
    gsize n = i < size ? size : i - size;

    if (i < size)
      changed[i] ^= 0x41;
    g_assert_true (g_file_set_contents (path, changed, (gssize) n, NULL));
    g_autoptr (GPtrArray) entries = zip_read (path, &error);
    if (entries == NULL) {
      g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
      g_assert_nonnull (strstr (error->message, path));
      continue;
    }
    g_assert_cmpuint (n, ==, size);
  }
}

static void
test_zip (Fixture *self, gconstpointer data)
{
  g_autofree char *path = g_build_filename (self->dir, "a.zip", NULL);
  g_autoptr (GPtrArray) entries = make_entries ();
  g_autoptr (GError) error = NULL;
  g_autofree char *contents = NULL;
  gsize size;

  g_assert_true (zip_write (path, entries, &error));
  g_autoptr (GPtrArray) back = zip_read (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (back->len, ==, 2);
  for (guint i = 0; i < 2; i++) {
    ZipEntry *a = entries->pdata[i], *b = back->pdata[i];
    g_assert_cmpstr (a->name, ==, b->name);
    g_assert_true (g_bytes_equal (a->bytes, b->bytes));
  }
  g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
  damage (path, (const guint8 *) contents, size);
  damage (path, deflated, sizeof deflated);
}

static void
put_number (GByteArray *to, gsize value, guint bytes)
{
  for (guint i = 0; i < bytes; i++) {
    guint8 byte = i < sizeof value ? (guint8) (value >> 8 * i) : 0;
    g_byte_array_append (to, &byte, 1);
  }
}

/* A record of an entry that says to have @packed bytes at 0, and @size when
 * unpacked. */
static void
put_record (GByteArray *to, gsize packed, gsize size)
{
  put_number (to, 0x02014b50, 4);
  put_number (to, 20 | 20 << 16, 4);
  put_number (to, 8 << 16, 4); /* deflated */
  put_number (to, 0, 8);       /* time, checksum */
  put_number (to, packed, 4);
  put_number (to, size, 4);
  put_number (to, 0, 18); /* lengths, attributes, offset */
}

/* An archive of one such entry, of zeros. */
static void
put_bomb (const char *path, gsize packed, gsize size)
{
  g_autoptr (GByteArray) file = g_byte_array_new ();

  put_number (file, 0x04034b50, 4);
  put_number (file, 0, 26);
  g_byte_array_set_size (file, 30 + (guint) packed);
  memset (file->data + 30, 0, packed);
  gsize start = file->len;
  put_record (file, packed, size);
  gsize length = file->len - start;
  put_number (file, 0x06054b50, 4);
  put_number (file, 0, 4);
  put_number (file, 1 | 1 << 16, 4);
  put_number (file, length, 4);
  put_number (file, start, 4);
  put_number (file, 0, 2);
  g_assert_true (g_file_set_contents (
      path, (const char *) file->data, (gssize) file->len, NULL));
}

/* Few bytes that say to be many: refused before any memory is taken. */
static void
test_bombs (Fixture *self, gconstpointer data)
{
  static const struct
  {
    gsize packed, size;
    const char *says;
  } bombs[] = {
    { 100, 1 << 30, "larger than it can be" },
    { 3 << 20, 0xc0000000, "more than 2 GiB" },
  };
  g_autofree char *path = g_build_filename (self->dir, "b.npz", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (bombs); i++) {
    g_autoptr (GError) error = NULL;

    put_bomb (path, bombs[i].packed, bombs[i].size);
    g_assert_null (zip_read (path, &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
    if (strstr (error->message, bombs[i].says) == NULL)
      g_error ("%s: not '%s'", error->message, bombs[i].says);
  }
}

/* One deflated entry that many records name. */
static void
test_overlapping (Fixture *self, gconstpointer data)
{
  g_autofree char *path = g_build_filename (self->dir, "o.npz", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GByteArray) file = g_byte_array_new ();
  gsize at = sizeof deflated - 4;

  /* The only record of the archive, 2000 times. */
  while (memcmp (deflated + at, "PK\1\2", 4) != 0)
    at--;
  gsize record = sizeof deflated - 22 - at;
  g_byte_array_append (file, deflated, (guint) at);
  for (guint i = 0; i < 2000; i++)
    g_byte_array_append (file, deflated + at, (guint) record);
  put_number (file, 0x06054b50, 4);
  put_number (file, 0, 4);
  put_number (file, 2000 | 2000 << 16, 4);
  put_number (file, 2000 * record, 4);
  put_number (file, at, 4);
  put_number (file, 0, 2);
  g_assert_true (g_file_set_contents (
      path, (const char *) file->data, (gssize) file->len, NULL));
  g_assert_null (zip_read (path, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  if (strstr (error->message, "overlap") == NULL)
    g_error ("%s", error->message);
}

/* --- loops and pairs --- */

static void
test_low_latency (Fixture *self, gconstpointer data)
{
  static const float h0 = 10, want[] = { 11, 13, 16 };
  g_autofree char *bin = g_build_filename (self->dir, "model.bin", NULL);

  put_text (self, "model.xml", IR_LOOP_NET);
  g_assert_true (
      g_file_set_contents (bin, (const char *) &h0, sizeof h0, NULL));
  for (guint t = 0; t < G_N_ELEMENTS (want); t++) {
    put_value (self, "x.npy", "1,1", (float) (t + 1));
    run_well (self, t == 0 ? "--low-latency --input=x=x.npy --state-out=s"
                           : "--low-latency --input=x=x.npy --state-in=s "
                             "--state-out=s");
    g_assert_cmpfloat (get_value (self, "out_0.npy", 0), ==, want[t]);
  }
  run_badly (self, "--input=x=x.npy --state-in=s", "no variables");
}

/* y = x + h, h' = y: h is tied to y. */
#define PAIR_NET                                                               \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,2") IR_PARAMETER (1, "h", "f32", "1,2")  \
          IR_BINARY (2, "next", "Add") IR_UNARY (3, "abs", "Abs")              \
              IR_RESULT (4, "y") IR_RESULT (5, "hn"),                          \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0)           \
          IR_EDGE (3, 1, 4, 0) IR_EDGE (2, 2, 5, 0),                           \
      "")

static void
test_tie (Fixture *self, gconstpointer data)
{
  put_text (self, "model.xml", PAIR_NET);
  put_text (self, "model.bin", "");
  put_value (self, "x.npy", "1,2", 1);
  run_well (self, "--tie=h=next --input=x=x.npy --state-out=s.npz");
  g_assert_cmpfloat (get_value (self, "out_0.npy", 1), ==, 2);
  g_assert_false (exists (self, "out_1.npy"));
  run_well (self, "--tie=h=next --input=x=x.npy --state-in=s.npz");
  g_assert_cmpfloat (get_value (self, "out_0.npy", 1), ==, 4);
  run_badly (self, "--tie=h=nobody --input=x=x.npy", "nobody");
}

/* --- ONNX files --- */

static void
put_onnx (Fixture *self, const char *text)
{
  g_autoptr (GBytes) bytes = onnx_text_bytes (text);
  g_autofree char *path = g_build_filename (self->dir, "model.onnx", NULL);

  self->model = "model.onnx";
  g_assert_true (g_file_set_contents (path, g_bytes_get_data (bytes, NULL),
      (gssize) g_bytes_get_size (bytes), NULL));
}

#define ROW ONNX_D (1) ONNX_D (2)
/* PAIR_NET */
#define PAIR_ONNX                                                              \
  ONNX_MODEL (ONNX_NODE ("Add", ONNX_I ("x") ONNX_I ("h"), ONNX_O ("hn"), "")  \
          ONNX_NODE ("Abs", ONNX_I ("hn"), ONNX_O ("y"), "")                   \
              ONNX_INPUT ("x", ONNX_F32, ROW) ONNX_INPUT ("h", ONNX_F32, ROW)  \
                  ONNX_OUTPUT ("y", ONNX_F32, ROW)                             \
                      ONNX_OUTPUT ("hn", ONNX_F32, ROW))

/* Tied inputs, their values in files, traces, dumps, the cache. */
static void
test_onnx (Fixture *self, gconstpointer data)
{
  static const char *const ties[] = { "auto", "h=hn" };
  put_onnx (self, PAIR_ONNX);
  put_value (self, "x.npy", "1,2", 1);
  for (guint i = 0; i < G_N_ELEMENTS (ties); i++) {
    g_autofree char *begin = g_strdup_printf (
        "--tie=%s --input=x=x.npy --state-out=s%u.npz", ties[i], i);
    g_autofree char *next = g_strdup_printf (
        "--tie=%s --input=x=x.npy --state-in=s%u.npz --state-out=d", ties[i],
        i);

    run_well (self, begin);
    g_assert_cmpfloat (get_value (self, "out_0.npy", 1), ==, 2);
    g_assert_false (exists (self, "out_1.npy"));
    run_well (self, next);
    g_assert_cmpfloat (get_value (self, "out_0.npy", 1), ==, 4);
    g_assert_cmpfloat (get_value (self, "d/h.npy", 0), ==, 2);
  }
  run_badly (self, "--tie=h=nobody --input=x=x.npy", "nobody");

  g_autofree char *path = g_build_filename (self->dir, "t.json", NULL);
  g_autofree char *text = NULL;
  run_well (self,
      "--tie=auto --input=x=x.npy --trace=t.json --dump=^A --dump-dir=dumps");
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "\"CPU_model_Req0_Start\""));
  g_assert_cmpfloat (get_value (self, "dumps/000000_Abs_in0.npy", 1), ==, 2);
  for (guint i = 0; i < 2; i++) {
    run_well (self, "--tie=auto --input=x=x.npy --state-in=s0.npz "
                    "--config=CACHE_DIR=cache");
    g_assert_cmpfloat (get_value (self, "out_0.npy", 1), ==, 4);
  }
}

#define CUBE ONNX_D (1) ONNX_D (1) ONNX_D (1)
/* y = relu (x + y before). */
#define RNN_ONNX                                                               \
  ONNX_MODEL (ONNX_NODE ("RNN", ONNX_I ("x") ONNX_I ("w") ONNX_I ("w"),        \
      ONNX_O ("all") ONNX_O ("y"),                                             \
      "5{1'activations' 9'Relu' 20=8}" ONNX_INT ("hidden_size", 1))            \
          ONNX_INITIALIZER ("w", ONNX_F32, "1=1 1=1 1=1 4~1") ONNX_INPUT (     \
              "x", ONNX_F32, CUBE) ONNX_OUTPUT ("y", ONNX_F32, CUBE))

static void
test_onnx_low_latency (Fixture *self, gconstpointer data)
{
  static const float want[] = { 1, 3, 6 };

  put_onnx (self, RNN_ONNX);
  for (guint t = 0; t < G_N_ELEMENTS (want); t++) {
    put_value (self, "x.npy", "1,1,1", (float) (t + 1));
    run_well (self, t == 0 ? "--low-latency --input=x=x.npy --state-out=s"
                           : "--low-latency --input=x=x.npy --state-in=s "
                             "--state-out=s");
    g_assert_cmpfloat (get_value (self, "out_0.npy", 0), ==, want[t]);
  }
  run_badly (self, "--input=x=x.npy --state-in=s", "no variables");
}

/* --- traces and dumps --- */

static void
test_trace (Fixture *self, gconstpointer data)
{
  g_autofree char *path = g_build_filename (self->dir, "t.json", NULL);
  g_autofree char *text = NULL;

  put_text (self, "model.xml", STATE_NET);
  put_text (self, "model.bin", "");
  put_value (self, "x.npy", "1,2", 1);
  run_well (self, "--input=x=x.npy --trace=t.json");
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "\"CPU_model_Req0_Preprocess\""));
  g_assert_nonnull (strstr (text, "\"CPU_model_Req0_Start\""));
  g_assert_nonnull (strstr (text, "\"CPU_model_Req0_Postprocess\""));
  run_badly (self, "--input=x=x.npy --trace=no/t.json", "no/t.json");
}

static void
test_dump (Fixture *self, gconstpointer data)
{
  put_text (self, "model.xml", STATE_NET);
  put_text (self, "model.bin", "");
  put_value (self, "x.npy", "1,2", 1);
  run_well (self, "--input=x=x.npy --dump=^s[0-9]{1,2}$ --dump-dir=d,1");
  g_assert_true (exists (self, "d,1/000000_s1_in0.npy"));
  g_assert_false (exists (self, "d,1/000000_ra_out0.npy"));
  run_badly (self, "--input=x=x.npy --dump=( --dump-dir=d", "DUMP");
}

static void
test_cache (Fixture *self, gconstpointer data)
{
  put_text (self, "model.xml", STATE_NET);
  put_text (self, "model.bin", "");
  put_value (self, "x.npy", "1,2", 1);
  run_well (self, "--input=x=x.npy --config=CACHE_DIR=cache");
  run_well (self, "--input=x=x.npy --config=CACHE_DIR=cache,NUM_STREAMS=2");
  g_assert_cmpfloat (get_value (self, "out_0.npy", 0), ==, 1);
  run_badly (self, "--input=x=x.npy --config=CACHE=c", "CACHE_DIR");
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
  ADD ("states-in-folder", test_folder);
  ADD ("states-in-archive", test_archive);
  ADD ("states-refused", test_refused);
  ADD ("states-deflated", test_deflated);
  ADD ("zip", test_zip);
  ADD ("bombs", test_bombs);
  ADD ("overlapping", test_overlapping);
  ADD ("low-latency", test_low_latency);
  ADD ("tie", test_tie);
  ADD ("onnx", test_onnx);
  ADD ("onnx-low-latency", test_onnx_low_latency);
  ADD ("trace", test_trace);
  ADD ("dump", test_dump);
  ADD ("cache", test_cache);
  return g_test_run ();
}
