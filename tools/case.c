/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/case.h"

#include <string.h>

#include "infer/error.h"
#include "inference/base/file.h"
#include "tools/inputs.h"
#include "tools/onnx-case.h"

static void
clear_action (gpointer data)
{
  CaseAction *action = data;
  g_free (action->variable);
  g_free (action->file);
}

static void
clear_variable (gpointer data)
{
  CaseVariable *variable = data;
  g_free (variable->name);
  g_free (variable->file);
}

static Case *
case_new (const char *dir)
{
  Case *self = g_new0 (Case, 1);
  self->dir = g_strdup (dir);
  self->name = g_path_get_basename (dir);
  self->inputs = g_array_new (FALSE, TRUE, sizeof (CasePort));
  self->outputs = g_array_new (FALSE, TRUE, sizeof (CasePort));
  self->actions = g_array_new (FALSE, TRUE, sizeof (CaseAction));
  g_array_set_clear_func (self->actions, clear_action);
  self->variables = g_array_new (FALSE, TRUE, sizeof (CaseVariable));
  g_array_set_clear_func (self->variables, clear_variable);
  return self;
}

void
case_free (Case *self)
{
  if (self == NULL)
    return;
  g_free (self->dir);
  g_free (self->name);
  g_free (self->refused);
  g_array_unref (self->inputs);
  g_array_unref (self->outputs);
  g_array_unref (self->actions);
  g_array_unref (self->variables);
  g_free (self);
}

/* --- case.txt --- */

/* The words of a line; NULL-terminated. */
typedef gboolean (*LineFunc) (Case *self, GStrv words);

static gboolean
parse_number (const char *text, guint *value)
{
  guint64 number;
  if (text == NULL
      || !g_ascii_string_to_unsigned (text, 10, 0, G_MAXUINT, &number, NULL))
    return FALSE;
  *value = (guint) number;
  return TRUE;
}

static gboolean
parse_case (Case *self, GStrv words)
{
  return parse_number (words[1], &self->format);
}

static gboolean
parse_name (Case *self, GStrv words)
{
  g_free (self->name);
  self->name = g_strdup (words[1]);
  return self->name != NULL;
}

static gboolean
parse_refused (Case *self, GStrv words)
{
  g_free (self->refused);
  self->refused = g_strdup (words[1]);
  return self->refused != NULL;
}

static gboolean
parse_peer (Case *self, GStrv words)
{
  self->near = g_strcmp0 (words[1], "near") == 0;
  return TRUE;
}

static gboolean
parse_ir (Case *self, GStrv words)
{
  return parse_number (words[1], &self->ir);
}

static gboolean
parse_sets (Case *self, GStrv words)
{
  return parse_number (words[1], &self->sets);
}

static gboolean
parse_steps (Case *self, GStrv words)
{
  return parse_number (words[1], &self->steps);
}

/* K TYPE SHAPE NAME [RTOL ATOL], in the order of K. */
static gboolean
parse_port (GArray *ports, GStrv words, gboolean tolerances)
{
  CasePort port = { 0 };
  guint index;
  if (g_strv_length (words) < (tolerances ? 7u : 4u)
      || !parse_number (words[1], &index) || index != ports->len
      || !infer_type_from_name (words[2], &port.desc.type)
      || !infer_shape_parse (words[3], &port.desc.shape, NULL, NULL, NULL))
    return FALSE;
  if (tolerances) {
    port.rtol = g_ascii_strtod (words[5], NULL);
    port.atol = g_ascii_strtod (words[6], NULL);
  }
  g_array_append_val (ports, port);
  return TRUE;
}

static gboolean
parse_in (Case *self, GStrv words)
{
  return parse_port (self->inputs, words, FALSE);
}

static gboolean
parse_out (Case *self, GStrv words)
{
  return parse_port (self->outputs, words, TRUE);
}

static gboolean
add_action (Case *self, CaseActionKind kind, GStrv words, guint n_words)
{
  guint step;
  if (g_strv_length (words) < n_words || !parse_number (words[1], &step))
    return FALSE;
  CaseAction action = {
    .kind = kind,
    .step = step,
    .variable = n_words > 2 ? g_strdup (words[2]) : NULL,
    .file = n_words > 3 ? g_strdup (words[3]) : NULL,
  };
  g_array_append_val (self->actions, action);
  return TRUE;
}

static gboolean
parse_reset (Case *self, GStrv words)
{
  return add_action (self, CASE_RESET, words, 2);
}

static gboolean
parse_reset_one (Case *self, GStrv words)
{
  return add_action (self, CASE_RESET_ONE, words, 3);
}

static gboolean
parse_move (Case *self, GStrv words)
{
  return add_action (self, CASE_MOVE, words, 2);
}

static gboolean
parse_set (Case *self, GStrv words)
{
  return add_action (self, CASE_SET, words, 4);
}

static gboolean
parse_variable (Case *self, GStrv words)
{
  CaseVariable variable = { 0 };
  if (g_strv_length (words) < 4
      || !infer_type_from_name (words[2], &variable.type))
    return FALSE;
  variable.name = g_strdup (words[1]);
  variable.file = g_strdup (words[3]);
  g_array_append_val (self->variables, variable);
  return TRUE;
}

static const struct
{
  const char *word;
  LineFunc parse;
} lines[] = {
  { "case", parse_case },
  { "name", parse_name },
  { "ir", parse_ir },
  { "sets", parse_sets },
  { "steps", parse_steps },
  { "in", parse_in },
  { "out", parse_out },
  { "reset", parse_reset },
  { "set", parse_set },
  { "reset_one", parse_reset_one },
  { "move", parse_move },
  { "peer", parse_peer },
  { "refused", parse_refused },
  { "variable", parse_variable },
};

static gboolean
parse_line (Case *self, const char *text, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, "\t", -1);
  for (guint i = 0; words[0] != NULL && i < G_N_ELEMENTS (lines); i++)
    if (strcmp (words[0], lines[i].word) == 0 && !lines[i].parse (self, words))
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "%s/case.txt: cannot read the line '%.200s'", self->dir, text);
  return TRUE;
}

/* Within a step: resets, then moves, then set values. */
static int
compare_actions (gconstpointer a, gconstpointer b)
{
  const CaseAction *left = a, *right = b;
  if (left->step != right->step)
    return left->step < right->step ? -1 : 1;
  return (int) left->kind - (int) right->kind;
}

#define MAX_CASE ((gsize) 16 << 20)

Case *
case_load (const char *dir, GError **error)
{
  g_autofree char *path = g_build_filename (dir, "case.txt", NULL);
  if (!g_file_test (path, G_FILE_TEST_EXISTS) && onnx_case_is (dir)) {
    Case *self = case_new (dir);
    self->format = 1;
    self->onnx = TRUE;
    return self;
  }
  g_autoptr (GBytes) file = infer_file_read (path, MAX_CASE, error);
  if (file == NULL) {
    g_prefix_error (
        error, "%s: no case, which has case.txt or model.onnx: ", dir);
    return NULL;
  }
  g_autofree char *text =
      g_strndup (g_bytes_get_data (file, NULL), g_bytes_get_size (file));
  g_autoptr (Case) self = case_new (dir);
  g_auto (GStrv) rows = g_strsplit (text, "\n", -1);
  for (guint i = 0; rows[i] != NULL; i++)
    if (!parse_line (self, rows[i], error))
      return NULL;
  g_array_sort (self->actions, compare_actions);
  return g_steal_pointer (&self);
}

/* --- files --- */

#define MAX_LINK 1024

/* The target named by the small text file @path; NULL: it is none. */
static char *
follow_text_link (const char *path)
{
  g_autoptr (GBytes) file = infer_file_read (path, MAX_LINK, NULL);
  if (file == NULL || g_bytes_get_size (file) == 0)
    return NULL;
  g_autofree char *text =
      g_strndup (g_bytes_get_data (file, NULL), g_bytes_get_size (file));
  g_strchomp (text);
  if (!g_str_is_ascii (text) || strpbrk (text, "<>\n") != NULL || *text == '/')
    return NULL;
  g_autofree char *dir = g_path_get_dirname (path);
  g_autofree char *target = g_build_filename (dir, text, NULL);
  return g_file_test (target, G_FILE_TEST_IS_REGULAR)
             ? g_steal_pointer (&target)
             : NULL;
}

char *
case_path (const Case *self, const char *file)
{
  char *path = g_build_filename (self->dir, file, NULL);
  for (guint hops = 0; hops < 4; hops++) {
    char *target = follow_text_link (path);
    if (target == NULL)
      break;
    g_free (path);
    path = target;
  }
  return path;
}

InferTensor *
case_read (const Case *self, const InferDesc *desc, GError **error,
    const char *format, ...)
{
  va_list args;
  va_start (args, format);
  g_autofree char *file = g_strdup_vprintf (format, args);
  va_end (args);
  g_autofree char *path = case_path (self, file);
  return tool_read_input (path, desc, error);
}
