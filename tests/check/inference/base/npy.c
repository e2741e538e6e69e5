/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/npy.h"

#include <glib/gstdio.h>
#include <string.h>

#include "infer/error.h"

typedef struct
{
  char *dir, *path;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->dir = g_dir_make_tmp ("infer-npy-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->dir, "a.npy", NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_unlink (fixture->path);
  g_rmdir (fixture->dir);
  g_free (fixture->path);
  g_free (fixture->dir);
}

static void
test_round_trip (Fixture *fixture, gconstpointer data)
{
  static const char *const shapes[] = { "", "3", "2,3", "0,4", "1,2,3,4" };
  for (guint t = 1; t < INFER_N_TYPES; t++)
    for (guint s = 0; s < G_N_ELEMENTS (shapes); s++) {
      InferType type = (InferType) t;
      if (type == INFER_TYPE_STRING)
        continue;
      InferShape shape;
      g_assert_true (infer_shape_parse (shapes[s], &shape, NULL, NULL, NULL));
      g_autoptr (InferTensor) tensor = infer_tensor_new (type, &shape, NULL);
      guint8 *bytes = tensor->data;
      for (gsize i = 0; i < tensor->size; i++)
        bytes[i] = (guint8) (i * 37 + 1);
      g_autoptr (GError) error = NULL;
      g_assert_true (infer_npy_write (fixture->path, tensor, &error));
      g_autoptr (InferTensor) back =
          infer_npy_read_as (fixture->path, type, &shape, &error);
      g_assert_no_error (error);
      g_assert_true (infer_shape_equal (&shape, &back->shape));
      g_assert_cmpmem (back->data, back->size, tensor->data, tensor->size);
    }
}

/* The bytes that numpy.save writes. */
static void
test_header (Fixture *fixture, gconstpointer data)
{
  InferShape shape = infer_shape_make (2, (gint64) 1, (gint64) 2);
  g_autoptr (InferTensor) tensor =
      infer_tensor_new (INFER_TYPE_F32, &shape, NULL);
  g_assert_true (infer_npy_write (fixture->path, tensor, NULL));
  g_autofree char *text = NULL;
  gsize size = 0;
  g_assert_true (g_file_get_contents (fixture->path, &text, &size, NULL));
  g_assert_cmpuint (size, ==, 128 + 8);
  static const char want[] =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }   ";
  g_assert_cmpmem (text, 10, "\x93NUMPY\x01\x00\x76\x00", 10);
  g_assert_cmpmem (text + 10, sizeof want - 1, want, sizeof want - 1);
  g_assert_cmpint (text[127], ==, '\n');
}

static void
write_raw (const char *path, const char *descr, const char *fortran,
    const char *shape, guint version, gsize data)
{
  g_autofree char *dict =
      g_strdup_printf ("{'descr': %s, 'fortran_order': %s, 'shape': %s, }\n",
          descr, fortran, shape);
  g_autoptr (GString) file = g_string_new ("\x93NUMPY");
  gsize length = strlen (dict);
  g_string_append_c (file, (char) version);
  g_string_append_c (file, 0);
  g_string_append_c (file, (char) length);
  for (guint i = 1; i < (version == 1 ? 2 : 4); i++)
    g_string_append_c (file, 0);
  g_string_append (file, dict);
  for (gsize i = 0; i < data; i++)
    g_string_append_c (file, (char) i);
  g_assert_true (
      g_file_set_contents (path, file->str, (gssize) file->len, NULL));
}

static void
test_refuses (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *descr, *fortran, *shape;
    guint version;
    gsize data;
    const char *says; /* NULL: it is read */
  } cases[] = {
    { "'<f4'", "False", "(2,)", 1, 8, NULL },
    { "'<f4'", "False", "(2,)", 2, 8, NULL },
    { "'|u1'", "False", "(2, 2)", 1, 4, NULL },
    { "'<f4'", "False", "(2,)", 1, 7, "more than the 7 bytes" },
    { "'>f4'", "False", "(2,)", 1, 8, "big endian" },
    { "'<f4'", "True", "(2,)", 1, 8, "Fortran" },
    { "'|O'", "False", "(2,)", 1, 8, "objects" },
    { "'<c8'", "False", "(2,)", 1, 16, "not known" },
    { "[('a', '<f4')]", "False", "(2,)", 1, 8, "fields" },
    { "'<f4'", "False", "(-2,)", 1, 8, "is not a number" },
    { "'<f4'", "False", "(9223372036854775806, 9)", 1, 8, "needs more" },
    { "'<f4'", "False", "(0, 9223372036854775806, 9)", 1, 0, "needs more" },
    { "'<f4'", "False", "(4611686018427387904, 4)", 1, 0, "needs more" },
    { "'<f4'", "False", "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)", 1, 4, "16" },
    { "'<f4'", "False", "(2,)", 9, 8, "version" },
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    write_raw (fixture->path, cases[i].descr, cases[i].fortran, cases[i].shape,
        cases[i].version, cases[i].data);
    g_autoptr (GError) error = NULL;
    InferTensor *tensor = infer_npy_read (fixture->path, &error);
    if (cases[i].says == NULL) {
      g_assert_no_error (error);
      infer_tensor_unref (tensor);
      continue;
    }
    g_assert_null (tensor);
    g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
    g_assert_nonnull (strstr (error->message, cases[i].says));
    g_assert_true (g_str_has_prefix (error->message, fixture->path));
  }
}

/* A header says how long it is, up to 4 GiB. */
static void
test_long_header (Fixture *fixture, gconstpointer data)
{
  g_autofree char *bytes = g_strnfill (3 << 20, ' ');
  g_autoptr (GError) error = NULL;

  memcpy (bytes, "\x93NUMPY\x02\x00\x00\x00\x20\x00", 12); /* 2 MiB */
  g_assert_true (g_file_set_contents (fixture->path, bytes, 3 << 20, NULL));
  g_assert_null (infer_npy_read (fixture->path, &error));
  g_assert_nonnull (strstr (error->message, "longer than 1 MiB"));
}

/* Every prefix of a good file is refused. */
static void
test_truncated (Fixture *fixture, gconstpointer data)
{
  write_raw (fixture->path, "'<f4'", "False", "(2,)", 1, 8);
  g_autofree char *text = NULL;
  gsize size = 0;
  g_assert_true (g_file_get_contents (fixture->path, &text, &size, NULL));
  for (gsize n = 0; n < size; n++) {
    g_assert_true (g_file_set_contents (fixture->path, text, (gssize) n, NULL));
    g_assert_null (infer_npy_read (fixture->path, NULL));
  }
}

static void
test_missing (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_assert_null (infer_npy_read (fixture->path, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NOT_FOUND);
}

static void
test_read_as_refuses (Fixture *fixture, gconstpointer data)
{
  write_raw (fixture->path, "'<f4'", "False", "(2,)", 1, 8);
  InferShape shape = infer_shape_make (1, (gint64) 3);
  g_autoptr (GError) error = NULL;
  g_assert_null (
      infer_npy_read_as (fixture->path, INFER_TYPE_F16, NULL, &error));
  g_assert_nonnull (strstr (error->message, "holds f32"));
  g_clear_error (&error);
  g_assert_null (
      infer_npy_read_as (fixture->path, INFER_TYPE_F32, &shape, &error));
  g_assert_nonnull (strstr (error->message, "has shape [2], not [3]"));
}

#define ADD(path, func)                                                        \
  g_test_add ("/npy/" path, Fixture, NULL, set_up, func, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("round-trip", test_round_trip);
  ADD ("header", test_header);
  ADD ("refuses", test_refuses);
  ADD ("long-header", test_long_header);
  ADD ("truncated", test_truncated);
  ADD ("missing", test_missing);
  ADD ("read-as-refuses", test_read_as_refuses);
  return g_test_run ();
}
