/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Weights in files of their own, beyond 4 GiB too. */

#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "tests/check/support/onnx.h"
#include "tests/check/support/session.h"

/* x + w, w being two f32 in @file from @offset on. */
#define MODEL(file, offset)                                                    \
  ONNX_MODEL (ONNX_NODE ("Add", ONNX_I ("x") ONNX_I ("w"), ONNX_O ("y"),       \
      "") "5{8'w' 2=1 1=2 14=1 13{1'location' 2'" file                         \
          "'} 13{1'offset' 2'" offset                                          \
          "'} 13{1'length' 2'8'}}" ONNX_INPUT ("x", ONNX_F32, ONNX_D (2))      \
              ONNX_OUTPUT ("y", ONNX_F32, ONNX_D (2)))

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

/* The values at @path give 1 + 10, 1 + 20. */
static void
check (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = infer_model_load (path, NULL, &error);
  g_auto (TestSession) session = { 0 };

  g_assert_no_error (error);
  test_session_open (&session, model, NULL, "CPU", NULL);
  InferTensor *x = test_session_input (&session, 0);
  ((float *) x->data)[0] = ((float *) x->data)[1] = 1;
  test_session_infer (&session);
  g_autoptr (InferTensor) y = test_session_output (&session, 0);
  g_assert_cmpfloat (((float *) y->data)[0], ==, 11);
  g_assert_cmpfloat (((float *) y->data)[1], ==, 21);
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

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("infer-external-XXXXXX", NULL);
  g_test_add_func ("/external/large", test_large);
  g_test_add_func ("/external/links", test_links);
  int result = g_test_run ();
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_free (folder);
  return result;
}
