/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/dump.h"

#include <errno.h>

#include "infer/error.h"
#include "inference/base/npy.h"

/* File names end at 255 bytes; number, index and suffix need some. */
#define MAX_NAME 200

struct _InferDump
{
  gint refs;
  GRegex *regex;
  char *folder;
  gint next; /* number of the next inference */
};

struct _InferDumpRun
{
  guint refs; /* used by one thread */
  InferDump *dump;
  guint number;
  GHashTable *times; /* file name of an operation → executions so far */
};

InferDump *
infer_dump_new (const char *pattern, const char *folder, GError **error)
{
  g_return_val_if_fail (pattern != NULL && folder != NULL, NULL);

  g_autoptr (GError) cause = NULL;
  GRegex *regex = g_regex_new (pattern, G_REGEX_OPTIMIZE, 0, &cause);
  if (regex == NULL) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT, "%s", cause->message);
    return NULL;
  }
  InferDump *dump = g_new0 (InferDump, 1);
  dump->refs = 1;
  dump->regex = regex;
  dump->folder = g_strdup (folder);
  return dump;
}

InferDump *
infer_dump_ref (InferDump *dump)
{
  g_return_val_if_fail (dump != NULL, NULL);
  g_atomic_int_inc (&dump->refs);
  return dump;
}

void
infer_dump_unref (InferDump *dump)
{
  g_return_if_fail (dump != NULL);
  if (!g_atomic_int_dec_and_test (&dump->refs))
    return;
  g_regex_unref (dump->regex);
  g_free (dump->folder);
  g_free (dump);
}

gboolean
infer_dump_run_matches (const InferDumpRun *run, const char *operation)
{
  return *operation != '\0' && g_utf8_validate (operation, -1, NULL)
         && g_regex_match (run->dump->regex, operation, 0, NULL);
}

/* The thread's run. */
static _Thread_local InferDumpRun *current;

InferDumpRun *
infer_dump_begin (InferDump *dump)
{
  if (current != NULL && current->dump == dump) {
    current->refs++;
    return current;
  }
  InferDumpRun *run = g_new0 (InferDumpRun, 1);
  run->refs = 1;
  run->dump = infer_dump_ref (dump);
  run->number = (guint) g_atomic_int_add (&dump->next, 1);
  run->times = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  return run;
}

void
infer_dump_end (InferDumpRun *run)
{
  if (run == NULL || --run->refs > 0)
    return;
  if (current == run)
    current = NULL;
  g_hash_table_unref (run->times);
  infer_dump_unref (run->dump);
  g_free (run);
}

void
infer_dump_enter (InferDumpRun *run)
{
  current = run;
}

char *
infer_dump_stem (InferDumpRun *run, const char *operation)
{
  g_autofree char *name = g_strndup (operation, MAX_NAME);
  g_autoptr (GString) file = g_string_new (NULL);

  g_strcanon (name,
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-", '_');
  guint times = GPOINTER_TO_UINT (g_hash_table_lookup (run->times, name));
  g_string_printf (file, "%06u_%s", run->number, name);
  if (times > 0)
    g_string_append_printf (file, ".%u", times);
  g_hash_table_insert (
      run->times, g_steal_pointer (&name), GUINT_TO_POINTER (times + 1));
  return g_build_filename (run->dump->folder, file->str, NULL);
}

gboolean
infer_dump_write (const char *stem, const char *port, guint index,
    const InferTensor *tensor, GError **error)
{
  g_autofree char *path = g_strdup_printf ("%s_%s%u.npy", stem, port, index);
  g_autofree char *folder = g_path_get_dirname (path);

  if (g_mkdir_with_parents (folder, 0777) != 0)
    return infer_fail (error, INFER_ERROR_FAILED,
        "%s: cannot make the folder: %s", folder, g_strerror (errno));
  return infer_npy_write (path, tensor, error);
}
