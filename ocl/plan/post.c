/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/plan/post.h"

#include "ocl/plan/expr.h"

typedef enum
{
  OPERAND_NUMBER,
  OPERAND_KNOWN, /* a number known when planning: a kernel argument */
  OPERAND_CHANNEL,
  OPERAND_FULL,
  OPERAND_OTHER,
} Operand;

/* Only types that are computed in floats. */
static gboolean
is_known_number (const OclValue *value)
{
  return value->host != NULL && value->n == 1
         && infer_type_is_real (value->desc.type)
         && value->desc.type != INFER_TYPE_F64;
}

static Operand
classify (const OclValue *value, const InferShape *aligned,
    const InferShape *out, int channel_dim)
{
  if (is_known_number (value))
    return OPERAND_KNOWN;
  if (infer_shape_count (aligned) == 1)
    return OPERAND_NUMBER;
  if (infer_shape_equal (aligned, out))
    return OPERAND_FULL;
  for (int d = 0; d < out->rank; d++)
    if (aligned->dims[d] != (d == channel_dim ? out->dims[d] : 1))
      return OPERAND_OTHER;
  return OPERAND_CHANNEL;
}

static void
classify_others (
    const OclStep *step, const OclPost *post, int channel_dim, Operand *kinds)
{
  const InferShape *out = ocl_out_shape (step, 0);
  const InferShape *in[OCL_MAX_OTHERS + 1];
  InferShape aligned[OCL_MAX_OTHERS + 1];
  guint n = 0;

  for (guint i = 0; i < post->op->n_inputs; i++)
    in[i] = i == post->from ? out : &post->others[n++]->desc.shape;
  ocl_expr_align (post->op, in, out, aligned);
  n = 0;
  for (guint i = 0; i < post->op->n_inputs; i++)
    if (i != post->from) {
      kinds[n] = classify (post->others[n], &aligned[i], out, channel_dim);
      n++;
    }
}

gboolean
ocl_post_fits (const OclStep *step, const OclPost *post, int channel_dim)
{
  Operand kinds[OCL_MAX_OTHERS];
  InferType type =
      post->from == 0 ? step->out[0]->desc.type : post->others[0]->desc.type;

  if (post->op->n_inputs > OCL_MAX_OTHERS + 1
      || !ocl_expr_exists (post->op, type))
    return FALSE;
  classify_others (step, post, channel_dim, kinds);
  for (guint k = 0; k < post->n_others; k++)
    if (kinds[k] == OPERAND_OTHER)
      return FALSE;
  return TRUE;
}

gboolean
ocl_post_reads_all (const OclStep *step, int channel_dim)
{
  Operand kinds[OCL_MAX_OTHERS];

  for (guint p = 0; p < step->n_posts; p++) {
    classify_others (step, &step->posts[p], channel_dim, kinds);
    for (guint k = 0; k < step->posts[p].n_others; k++)
      if (kinds[k] == OPERAND_FULL)
        return TRUE;
  }
  return FALSE;
}

gboolean
ocl_post_fits_rows (const OclStep *step)
{
  if (step->type != INFER_TYPE_F32)
    return FALSE;
  for (guint p = 0; p < step->n_posts; p++) {
    const OclPost *post = &step->posts[p];

    if (!ocl_expr_takes_rows (post->op) || post->type != INFER_TYPE_F32)
      return FALSE;
    for (guint k = 0; k < post->n_others; k++)
      if (post->others[k]->desc.type != INFER_TYPE_F32)
        return FALSE;
  }
  return TRUE;
}

/* The parts of the generated source. */
typedef struct
{
  gboolean rows;               /* for vectors */
  gboolean across;             /* vectors along the channel dimension */
  GString *parameters, *binds; /* of the kernel */
  GString *channel;            /* loads operands that a channel shares */
  GString *declared, *passed;  /* of the function */
  GString *body;
} PostText;

/* An operand that is read for each element, or row of elements. */
static void
append_full (PostText *text, guint post, guint other, const char *type)
{
  g_string_append_printf (
      text->declared, ", __global uchar *p%u_%u", post, other);
  g_string_append_printf (text->passed, ", p%u_%u", post, other);
  if (text->rows)
    g_string_append_printf (text->body,
        "  ROW o%u_%u = LOAD_ROW ((__global any_float *) p%u_%u + i);\n", post,
        other, post, other);
  else
    g_string_append_printf (text->body,
        "  COMPUTE (%s) o%u_%u = LOAD (%s, p%u_%u, i);\n", type, post, other,
        type, post, other);
}

static void
append_operand (
    PostText *text, guint post, guint other, InferType type, Operand kind)
{
  const char *name = infer_type_name (type);

  if (kind == OPERAND_KNOWN) {
    g_string_append_printf (text->parameters, ", float p%u_%u", post, other);
  } else {
    g_string_append_printf (text->parameters, ", BUFFER (p%u_%u)", post, other);
    g_string_append_printf (text->binds, " BIND (p%u_%u);", post, other);
  }
  if (kind == OPERAND_FULL) {
    append_full (text, post, other, name);
    return;
  }
  g_string_append (text->channel, " const ");
  ocl_expr_append_type (text->channel, type, text->rows);
  if (kind == OPERAND_KNOWN)
    g_string_append_printf (
        text->channel, " o%u_%u = p%u_%u;", post, other, post, other);
  else if (kind == OPERAND_CHANNEL && text->across)
    g_string_append_printf (text->channel,
        " o%u_%u = LOAD_ROW ((__global any_float *) p%u_%u + c);", post, other,
        post, other);
  else
    g_string_append_printf (text->channel, " o%u_%u = LOAD (%s, p%u_%u, %s);",
        post, other, name, post, other, kind == OPERAND_NUMBER ? "0" : "c");
  g_string_append (text->declared, ", ");
  ocl_expr_append_type (text->declared, type, text->rows);
  g_string_append_printf (text->declared, " o%u_%u", post, other);
  g_string_append_printf (text->passed, ", o%u_%u", post, other);
}

static void
append_post (const OclStep *step, guint index, InferType *type, int channel_dim,
    PostText *text)
{
  const OclPost *post = &step->posts[index];
  char names[OCL_MAX_OTHERS + 1][16];
  const char *operands[OCL_MAX_OTHERS + 1];
  InferType types[OCL_MAX_OTHERS + 1];
  Operand kinds[OCL_MAX_OTHERS];
  char result[16];
  guint n = 0;

  classify_others (step, post, channel_dim, kinds);
  for (guint i = 0; i < post->op->n_inputs; i++) {
    operands[i] = names[i];
    if (i == post->from) {
      g_snprintf (names[i], sizeof names[i], index > 0 ? "r%u" : "v", index);
      types[i] = *type;
      continue;
    }
    types[i] = post->others[n]->desc.type;
    g_snprintf (names[i], sizeof names[i], "o%u_%u", index, n);
    append_operand (text, index, n, types[i], kinds[n]);
    n++;
  }
  *type = post->type;
  g_snprintf (result, sizeof result, "r%u", index + 1);
  ocl_expr_append (
      text->body, post->op, operands, types, *type, result, text->rows);
}

static char *
make_post_text (const OclStep *step, InferType type, int channel_dim,
    gboolean rows, gboolean across)
{
  g_autoptr (GString) parameters = g_string_new ("#define POST_PARAMETERS");
  g_autoptr (GString) binds = g_string_new ("#define POST_BIND");
  g_autoptr (GString) channel = g_string_new ("#define POST_CHANNEL(c)");
  g_autoptr (GString) declared = g_string_new (NULL);
  g_autoptr (GString) passed = g_string_new ("#define POST(v, i) post (v, i");
  g_autoptr (GString) body = g_string_new (NULL);
  g_autoptr (GString) types = g_string_new (NULL);
  PostText text = { rows, across, parameters, binds, channel, declared, passed,
    body };
  InferType last = type;
  char result[16] = "v";

  for (guint p = 0; p < step->n_posts; p++) {
    append_post (step, p, &last, channel_dim, &text);
    g_snprintf (result, sizeof result, "r%u", p + 1);
  }
  g_string_append (types, "static inline ");
  ocl_expr_append_type (types, last, rows);
  g_string_append (types, "\npost (");
  ocl_expr_append_type (types, type, rows);
  return g_strdup_printf ("%s\n%s\n%s\n%s)\n%s v, int i%s)\n{\n"
                          "%s  return %s;\n}\n",
      parameters->str, binds->str, channel->str, passed->str, types->str,
      declared->str, body->str, result);
}

char *
ocl_post_text (const OclStep *step, InferType type, int channel_dim)
{
  return make_post_text (step, type, channel_dim, FALSE, FALSE);
}

char *
ocl_post_rows_text (const OclStep *step, int channel_dim)
{
  return make_post_text (step, INFER_TYPE_F32, channel_dim, TRUE, FALSE);
}

char *
ocl_post_columns_text (const OclStep *step, int channel_dim)
{
  return make_post_text (step, INFER_TYPE_F32, channel_dim, TRUE, TRUE);
}

void
ocl_post_arguments (const OclStep *step, OclLaunch *launch)
{
  for (guint p = 0; p < step->n_posts; p++)
    for (guint k = 0; k < step->posts[p].n_others; k++) {
      OclValue *other = step->posts[p].others[k];

      if (!is_known_number (other)) {
        ocl_launch_value (launch, other);
        continue;
      }
      g_autoptr (GArray) numbers = infer_tensor_to_doubles (other->host);
      ocl_launch_float (launch, g_array_index (numbers, double, 0));
    }
}
