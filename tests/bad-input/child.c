/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/bad-input/child.h"

#include <glib/gstdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inference/base/npy.h"
#include "infer/model.h"

#define SECONDS 20
#define MEMORY ((rlim_t) 1 << 30)

/* Sanitizers reserve terabytes of address space. */
static rlim_t
memory_limit (void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return RLIM_INFINITY;
#else
  return MEMORY;
#endif
}

/* In the child: limits memory and time. */
static void
limit (gpointer data)
{
  struct rlimit memory = { memory_limit (), memory_limit () };
  struct rlimit core = { 0, 0 };
  setrlimit (RLIMIT_AS, &memory);
  setrlimit (RLIMIT_CORE, &core);
  alarm (SECONDS);
}

int
bad_input_spawn (GPtrArray *argv, char **output, char **messages)
{
  int status;
  g_autoptr (GError) error = NULL;
  g_autofree char *unread = NULL;
  g_ptr_array_add (argv, NULL);
  g_spawn_sync (NULL, (char **) argv->pdata, NULL, G_SPAWN_DEFAULT, limit, NULL,
      output != NULL ? output : &unread, messages, &status, &error);
  g_assert_no_error (error);
  return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

guint
bad_input_lines (const char *text)
{
  guint n = 0;
  for (; *text; text++)
    n += *text == '\n';
  return n;
}

/* Inputs of equal shape share a file, since there may be 2,000. */
static char *
write_zeros (const char *dir, const InferDesc *desc)
{
  InferShape shape = desc->shape;
  for (int i = 0; i < shape.rank; i++)
    shape.dims[i] = MAX (shape.dims[i], 0);
  g_autofree char *text = infer_shape_to_string (&shape);
  g_autofree char *file =
      g_strdup_printf ("%s-%s.npy", infer_type_name (desc->type), text);
  char *path = g_build_filename (dir, file, NULL);
  g_autoptr (InferTensor) zeros = infer_tensor_new (desc->type, &shape, NULL);
  g_assert_nonnull (zeros);
  g_assert_true (infer_npy_write (path, zeros, NULL));
  return path;
}

GPtrArray *
bad_input_run_arguments (
    const char *tool, const char *model_path, const char *dir)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = infer_model_load (model_path, NULL, &error);
  g_assert_no_error (error);
  GPtrArray *argv = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (argv, g_strdup (tool));
  g_ptr_array_add (argv, g_strdup ("run"));
  g_ptr_array_add (argv, g_strdup (model_path));
  g_ptr_array_add (argv, g_strdup_printf ("--output-dir=%s", dir));
  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    g_autofree char *zeros =
        write_zeros (dir, infer_model_input_desc (model, i));
    g_ptr_array_add (argv, g_strdup_printf ("--input=%u=%s", i, zeros));
  }
  return argv;
}

void
bad_input_remove_folder (const char *path)
{
  const char *name;
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *file = g_build_filename (path, name, NULL);
    g_unlink (file);
  }
  g_rmdir (path);
}
