/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/einsum.h"

#include <string.h>

#include "inference/graph/op.h"
#include "inference/graph/work.h"

/* A subscript with "..." as one '.'. */
static gboolean
parse_subscript (
    const char *text, gsize length, char **subscript, GError **error)
{
  g_autoptr (GString) out = g_string_new (NULL);
  gboolean ellipsis = FALSE;
  for (gsize i = 0; i < length; i++) {
    if (g_ascii_isalpha (text[i])) {
      g_string_append_c (out, text[i]);
    } else if (i + 3 <= length && !ellipsis
               && memcmp (text + i, "...", 3) == 0) {
      g_string_append_c (out, '.');
      ellipsis = TRUE;
      i += 2;
    } else {
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "attribute 'equation': '%.*s' is not a subscript",
          (int) MIN (length, 100), text);
    }
  }
  *subscript = g_string_free (g_steal_pointer (&out), FALSE);
  return TRUE;
}

static guint
count_label (const InferEinsum *attrs, char label)
{
  guint n = 0;
  for (guint i = 0; i < attrs->n_inputs; i++)
    for (const char *c = attrs->inputs[i]; *c; c++)
      n += *c == label;
  return n;
}

/* Without "->": the ellipsis, then the letters that occur once, sorted. */
static char *
implicit_output (const InferEinsum *attrs)
{
  GString *out = g_string_new (count_label (attrs, '.') ? "." : "");
  for (char c = 'A'; c <= 'z'; c++)
    if (g_ascii_isalpha (c) && count_label (attrs, c) == 1)
      g_string_append_c (out, c);
  return g_string_free (out, FALSE);
}

static gboolean
check_output (const InferEinsum *attrs, GError **error)
{
  for (const char *c = attrs->output; *c; c++)
    if (strchr (c + 1, *c) != NULL
        || (*c != '.' && count_label (attrs, *c) == 0))
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "attribute 'equation': '%c' of the output is %s", *c,
          strchr (c + 1, *c) != NULL ? "there twice" : "in no input");
  return TRUE;
}

static gboolean
einsum_parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferEinsum *attrs = op->attrs;
  if (!infer_attr_require (from, error, "equation", NULL))
    return FALSE;
  g_autofree char *equation = g_strdup (infer_attr_get (from, "equation"));
  char *to = equation;
  for (const char *c = equation; *c; c++)
    if (*c != ' ')
      *to++ = *c;
  *to = '\0';

  char *arrow = strstr (equation, "->");
  gsize length = arrow != NULL ? (gsize) (arrow - equation) : strlen (equation);
  const char *text = equation, *end = equation + length;
  for (gboolean more = TRUE; more;) {
    const char *comma = memchr (text, ',', (gsize) (end - text));
    more = comma != NULL;
    if (attrs->n_inputs == MIN (op->n_inputs, INFER_EINSUM_MAX_INPUTS))
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "attribute 'equation' has more than %u inputs", attrs->n_inputs);
    if (!parse_subscript (text, (gsize) ((comma != NULL ? comma : end) - text),
            &attrs->inputs[attrs->n_inputs], error))
      return FALSE;
    attrs->n_inputs++;
    text = comma != NULL ? comma + 1 : end;
  }
  if (attrs->n_inputs != op->n_inputs)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "attribute 'equation' is for %u inputs, there are %u", attrs->n_inputs,
        op->n_inputs);
  if (arrow == NULL)
    attrs->output = implicit_output (attrs);
  else if (!parse_subscript (
               arrow + 2, strlen (arrow + 2), &attrs->output, error))
    return FALSE;
  return check_output (attrs, error);
}

static void
einsum_clear (gpointer data)
{
  InferEinsum *attrs = data;
  for (guint i = 0; i < INFER_EINSUM_MAX_INPUTS; i++)
    g_clear_pointer (&attrs->inputs[i], g_free);
  g_clear_pointer (&attrs->output, g_free);
}

/* 1 broadcasts to any size; an unknown size is taken as a known one above 1. */
static gboolean
merge_label (char label, gint64 *dim, gint64 other, GError **error)
{
  if (*dim == 1 || (*dim == INFER_DYNAMIC && other > 1)) {
    *dim = other;
    return TRUE;
  }
  return other == 1 || other == *dim || other == INFER_DYNAMIC
         || *dim == INFER_DYNAMIC
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "label '%c' stands for %" G_GINT64_FORMAT
             " and for %" G_GINT64_FORMAT,
             label, *dim, other);
}

static gboolean
add_input (const char *subscript, const InferShape *shape,
    InferEinsumDims *dims, GError **error)
{
  int labels = (int) strlen (subscript);
  gboolean ellipsis = strchr (subscript, '.') != NULL;
  int covered = shape->rank - (labels - (ellipsis ? 1 : 0));
  if (shape->rank >= 0 && (covered < 0 || (covered > 0 && !ellipsis)))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "subscript '%s' does not fit an input of rank %d", subscript,
        shape->rank);
  if (ellipsis && shape->rank < 0)
    dims->ellipsis = infer_shape_dynamic ();
  int at = 0;
  for (const char *c = subscript; *c; c++) {
    if (*c == '.' && shape->rank >= 0) {
      InferShape part = infer_shape_new (covered, shape->dims + at);
      if (!infer_shape_broadcast (&dims->ellipsis, &part, INFER_BROADCAST_NUMPY,
              -1, &dims->ellipsis, error))
        return FALSE;
      at += covered;
    } else if (*c != '.') {
      gint64 dim = shape->rank < 0 ? INFER_DYNAMIC : shape->dims[at++];
      guint label = (guint) *c;
      if (!dims->used[label])
        dims->letters[label] = 1;
      dims->used[label] = TRUE;
      if (!merge_label (*c, &dims->letters[label], dim, error))
        return FALSE;
    }
  }
  return TRUE;
}

gboolean
infer_einsum_dims (const InferEinsum *attrs, const InferShape *const *shapes,
    InferEinsumDims *dims, GError **error)
{
  memset (dims, 0, sizeof *dims);
  dims->ellipsis = infer_shape_scalar ();
  for (guint i = 0; i < attrs->n_inputs; i++)
    if (!add_input (attrs->inputs[i], shapes[i], dims, error))
      return FALSE;
  return TRUE;
}

static gboolean
einsum_infer (InferShapeContext *context, GError **error)
{
  const InferEinsum *attrs = context->op->attrs;
  InferDesc *out = &context->outputs[0];
  const InferShape *shapes[INFER_EINSUM_MAX_INPUTS];
  for (guint i = 0; i < attrs->n_inputs; i++)
    shapes[i] = &context->inputs[i].shape;
  InferEinsumDims dims;
  if (!infer_merge_types (context, 0, context->n_inputs, &out->type, error)
      || !infer_einsum_dims (attrs, shapes, &dims, error))
    return FALSE;
  InferShape shape = infer_shape_scalar ();
  for (const char *c = attrs->output; *c; c++) {
    int covered = *c == '.' ? dims.ellipsis.rank : 1;
    if (covered < 0)
      return TRUE;
    if (shape.rank + covered > INFER_MAX_RANK)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "the result has more than %d dimensions", INFER_MAX_RANK);
    for (int i = 0; i < covered; i++)
      shape.dims[shape.rank++] =
          *c == '.' ? dims.ellipsis.dims[i] : dims.letters[(guint) *c];
  }
  out->shape = shape;
  return TRUE;
}

const InferOpClass infer_op_einsum = {
  .type = "Einsum",
  .versions = "7",
  .min_inputs = 1,
  .max_inputs = INFER_EINSUM_MAX_INPUTS,
  .attrs_size = sizeof (InferEinsum),
  .parse = einsum_parse,
  .clear = einsum_clear,
  .infer_shapes = einsum_infer,
  .work = infer_work_pairs,
};
