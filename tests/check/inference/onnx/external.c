/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Weights in files of their own and in memory; files beyond 4 GiB. */

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/check/support/onnx.h"
#include "tests/check/support/session.h"

/* @name is two f32 in @file from @offset on. */
#define VALUES(name, file, offset)                                             \
  "5{8'" name "' 2=1 1=2 14=1 13{1'location' 2'" file                          \
  "'} 13{1'offset' 2'" offset "'} 13{1'length' 2'8'}}"
#define ADD(x, y, sum)                                                         \
  ONNX_NODE ("Add", ONNX_I (x) ONNX_I (y), ONNX_O (sum), "")
#define X_Y                                                                    \
  ONNX_INPUT ("x", ONNX_F32, ONNX_D (2))                                       \
  ONNX_OUTPUT ("y", ONNX_F32, ONNX_D (2))
/* x + w. */
#define MODEL(file, offset)                                                    \
  ONNX_MODEL (ADD ("x", "w", "y") VALUES ("w", file, offset) X_Y)

static char *folder;

static char *
put (const char *name, const char *text)
{
  char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GBytes) bytes = onnx_text_bytes (text);

  g_assert_true (g_file_set_contents (path, g_bytes_get_data (bytes, NULL),
      (gssize) g_bytes_get_size (bytes), NULL));
  return path;
}

/* Gives 1 + 10, 1 + 20. */
static void
check_model (InferModel *model)
{
  g_auto (TestSession) session = { 0 };

  test_session_open (&session, model, NULL, "CPU", NULL);
  InferTensor *x = test_session_input (&session, 0);
  ((float *) x->data)[0] = ((float *) x->data)[1] = 1;
  test_session_infer (&session);
  g_autoptr (InferTensor) y = test_session_output (&session, 0);
  g_assert_cmpfloat (((float *) y->data)[0], ==, 11);
  g_assert_cmpfloat (((float *) y->data)[1], ==, 21);
}

static void
check (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = infer_model_load (path, NULL, &error);

  g_assert_no_error (error);
  check_model (model);
}

static void
test_large (void)
{
  static const float values[] = { 10, 20 };
  const off_t offset = (off_t) 9 << 29; /* 4.5 GiB */
  g_autofree char *data = g_build_filename (folder, "weights", NULL);
  const int fd = g_open (data, O_CREAT | O_RDWR, 0600);

  g_assert_cmpint (fd, >=, 0);
  if (pwrite (fd, values, sizeof values, offset) != sizeof values
      || ftruncate (fd, (off_t) 5 << 30) != 0) {
    g_test_skip ("the file system has no files of 5 GiB with holes");
  } else {
    g_autofree char *path = put ("m.onnx", MODEL ("weights", "4831838208"));

    check (path);
    g_assert_cmpint (g_unlink (path), ==, 0);
  }
  close (fd);
  g_assert_cmpint (g_unlink (data), ==, 0);
}

/* --- one file --- */

static void
add_text (GByteArray *to, const char *text)
{
  g_autoptr (GBytes) bytes = onnx_text_bytes (text);

  g_byte_array_append (
      to, g_bytes_get_data (bytes, NULL), (guint) g_bytes_get_size (bytes));
}

/* Field @field, of @size bytes that follow. */
static void
add_head (GByteArray *to, guint8 field, guint64 size)
{
  const guint8 key = (guint8) (field << 3 | 2);

  g_byte_array_append (to, &key, 1);
  for (; size > 127; size >>= 7) {
    const guint8 byte = (guint8) ((size & 127) | 128);

    g_byte_array_append (to, &byte, 1);
  }
  const guint8 last = (guint8) size;
  g_byte_array_append (to, &last, 1);
}

#define MANY 4831838216 /* 4.5 GiB and 8 */

static gboolean
put_all (int fd, const GByteArray *bytes)
{
  return write (fd, bytes->data, bytes->len) == (gssize) bytes->len;
}

/* x + w[MANY - 2 …], w being MANY bytes in the middle of the file, all but the
 * last two 0.  Other tools write no such file, since protocol buffers end at 2
 * GiB; offsets are of 64 bits all the same.  FALSE: there is no room. */
static gboolean
put_whole (int fd)
{
  static const guint8 values[] = { 10, 20 };
  g_autoptr (GByteArray) head = g_byte_array_new ();
  g_autoptr (GByteArray) before = g_byte_array_new ();
  g_autoptr (GByteArray) after = g_byte_array_new ();
  g_autoptr (GByteArray) tensor = g_byte_array_new ();

  add_text (tensor, "1=" G_STRINGIFY (MANY) " 2=2 8'w'");
  add_head (tensor, 9, MANY);
  add_text (before,
      ONNX_INITIALIZER ("at", ONNX_I64, "1=2 7=4831838214 7=4831838215"));
  add_head (before, 5, tensor->len + MANY);
  g_byte_array_append (before, tensor->data, tensor->len);
  add_text (after,
      ONNX_NODE ("Gather", ONNX_I ("w") ONNX_I ("at"), ONNX_O ("u"), "")
          ONNX_NODE ("Cast", ONNX_I ("u"), ONNX_O ("f"), ONNX_INT ("to", 1))
              ADD ("x", "f", "y") X_Y);
  add_text (head, "1=8 8{2=13}");
  add_head (head, 7, before->len + MANY + after->len);
  return put_all (fd, head) && put_all (fd, before)
         && lseek (fd, (off_t) MANY - 2, SEEK_CUR) >= 0
         && write (fd, values, sizeof values) == sizeof values
         && put_all (fd, after);
}

static void
test_whole (void)
{
  g_autofree char *path = g_build_filename (folder, "m.onnx", NULL);
  const int fd = g_open (path, O_CREAT | O_RDWR, 0600);

  g_assert_cmpint (fd, >=, 0);
  if (put_whole (fd))
    check (path);
  else
    g_test_skip ("the file system has no files of 5 GiB with holes");
  close (fd);
  g_assert_cmpint (g_unlink (path), ==, 0);
}

/* The cache of Hugging Face's hub: both files are links to others. */
static void
test_links (void)
{
  static const float values[] = { 10, 20 };
  g_autofree char *blobs = g_build_filename (folder, "blobs", NULL);
  g_autofree char *snapshot = g_build_filename (folder, "snapshot", NULL);
  g_autofree char *data = g_build_filename (blobs, "abc", NULL);
  g_autofree char *link = g_build_filename (snapshot, "m.onnx_data", NULL);
  g_autofree char *path = g_build_filename (snapshot, "m.onnx", NULL);

  g_assert_cmpint (g_mkdir (blobs, 0700), ==, 0);
  g_assert_cmpint (g_mkdir (snapshot, 0700), ==, 0);
  g_autofree char *model = put ("blobs/def", MODEL ("m.onnx_data", "0"));
  g_assert_true (
      g_file_set_contents (data, (const char *) values, sizeof values, NULL));
  g_assert_cmpint (symlink ("../blobs/def", path), ==, 0);
  g_assert_cmpint (symlink ("../blobs/abc", link), ==, 0);
  check (path);
  const char *const all[] = { link, path, data, model, blobs, snapshot };
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    g_assert_cmpint (g_remove (all[i]), ==, 0);
}

/* --- models in memory --- */

/* Fails with @part if that is not NULL. */
static void
check_memory (const char *text, GBytes *weights, const char *part)
{
  GBytes *bytes = onnx_text_bytes (text);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model =
      infer_model_load_bytes (bytes, weights, "here", &error);

  /* The model keeps what it reads. */
  g_bytes_unref (bytes);
  if (part == NULL) {
    g_assert_no_error (error);
    check_model (model);
    return;
  }
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
  g_assert_true (g_str_has_prefix (error->message, "here: "));
  g_assert_nonnull (strstr (error->message, part));
}

static void
test_memory (void)
{
  static const float values[] = { 7, 10, 20 };
  GBytes *weights = g_bytes_new (values, sizeof values);

  check_memory (MODEL ("any-name", "4"), weights, NULL);
  check_memory (MODEL ("any-name", "4"), NULL,
      "in the file 'any-name', and a model in memory has no folder");
  check_memory (ONNX_MODEL (ADD ("x", "v", "z") ADD ("z", "w", "y")
                        VALUES ("v", "a", "0") VALUES ("w", "b", "4") X_Y),
      weights, "in the file 'b', those of others in 'a'");
  check_memory (ONNX_MODEL (ADD ("x", "x", "y") X_Y), weights,
      "all of them are in the model itself");
  g_autoptr (InferModel) model = NULL;
  {
    g_autoptr (GBytes) bytes = onnx_text_bytes (MODEL ("any-name", "4"));

    model = infer_model_load_bytes (bytes, weights, NULL, NULL);
  }
  g_bytes_unref (weights);
  check_model (model);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("infer-external-XXXXXX", NULL);
  g_test_add_func ("/external/large", test_large);
  g_test_add_func ("/external/whole", test_whole);
  g_test_add_func ("/external/links", test_links);
  g_test_add_func ("/external/memory", test_memory);
  int result = g_test_run ();
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_free (folder);
  return result;
}
