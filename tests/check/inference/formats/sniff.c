/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files of other formats are named for what they are. */

#include <stdio.h>
#include <string.h>

#include "infer/model.h"

#define BYTES(text) text, sizeof text - 1
/* A zip archive's first entry: lengths of its name and of extra data at 26. */
#define ZIP(length, name)                                                      \
  BYTES ("PK\003\004\024\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" length     \
         "\0\0\0" name)

static const struct
{
  const char *bytes;
  gsize size;
  const char *says;
} cases[] = {
  { BYTES ("\034\0\0\0TFL3\0\0\0\0"), "TensorFlow Lite model: convert" },
  { BYTES ("GGUF\003\0\0\0"), "GGUF file of llama.cpp" },
  { ZIP ("\020", "archive/data.pkl"), "PyTorch archive, TorchScript or" },
  { ZIP ("\015", "model/version"), "PyTorch archive" },
  { ZIP ("\015", "metadata.json"), "Keras model" },
  { ZIP ("\005", "x.npy"), "NumPy arrays" },
  { ZIP ("\012", "model.onnx"), "zip archive: unpack it" },
  { ZIP ("\377", "cut"), "zip archive: unpack it" },
  { BYTES ("PK\003\004"), "zip archive: unpack it" },
  { BYTES ("\200\002}q\0X"), "Python pickle" },
  { BYTES ("\211HDF\r\n\032\n"), "HDF5 file" },
  { BYTES ("version https://git-lfs.github.com/spec/v1\noid sha256:00\n"),
      "Git LFS pointer, not the model itself: fetch it" },
  { BYTES ("../whisper_tiny_en_encoder/model.xml"), "text of a symbolic link" },
  { BYTES ("\037\213\010\0"), "compressed with gzip" },
  { BYTES ("ORTM"), "ONNX Runtime's own format" },
  { BYTES ("\030\0\0\0ORTM"), "ONNX Runtime's own format" },
  { BYTES ("\177ELF\002\001"), "a program or library" },
  { BYTES ("<!DOCTYPE html>\n<html>"), "HTML page, not the model" },
  { BYTES (" \n<html lang=\"en\">"), "HTML page, not the model" },
  { BYTES ("\357\273\277<!doctype HTML>"), "HTML page, not the model" },
  { "", 0, "it is empty" },
  { BYTES ("person\nbicycle\n"), "a text file, neither OpenVINO IR" },
  { BYTES ("{\"ir_version\": 8}"), "a text file, neither OpenVINO IR" },
  { BYTES ("caf\303\251 \342\202"), "a text file, neither OpenVINO IR" },
  { BYTES (" \n"), "a text file, neither OpenVINO IR" },
  { BYTES ("\223\012\001\000"), "a binary file, neither OpenVINO IR" },
  { BYTES ("text\000"), "a binary file, neither OpenVINO IR" },
  { BYTES ("\303\303text"), "a binary file, neither OpenVINO IR" },
};

static void
test_named (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GBytes) bytes =
        g_bytes_new_static (cases[i].bytes, cases[i].size);
    g_autoptr (GError) error = NULL;
    g_autoptr (InferModel) model =
        infer_model_load_bytes (bytes, NULL, "the file", &error);

    g_assert_null (model);
    g_assert_nonnull (error);
    if (!g_str_has_prefix (error->message, "the file: it is ")
        || strstr (error->message, cases[i].says) == NULL)
      g_error ("'%s' does not say '%s'", error->message, cases[i].says);
  }
}

/* The content counts, not the name; weights are not for ONNX. */
static void
test_file (void)
{
  g_autofree char *dir = g_dir_make_tmp ("infer-sniff-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (dir, "model.xml", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, "GGUF\003\0\0\0", 8, NULL));
  g_autoptr (InferModel) model = infer_model_load (path, NULL, &error);
  g_assert_null (model);
  g_assert_nonnull (strstr (error->message, "GGUF"));
  g_clear_error (&error);
  g_assert_true (g_file_set_contents (path, "\010\010", 2, NULL));
  model = infer_model_load (path, path, &error);
  g_assert_null (model);
  g_assert_nonnull (strstr (error->message, "'weights' is for OpenVINO IR"));
  g_assert_cmpint (remove (path), ==, 0);
  g_assert_cmpint (remove (dir), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/sniff/named", test_named);
  g_test_add_func ("/sniff/file", test_file);
  return g_test_run ();
}
