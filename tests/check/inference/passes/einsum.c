/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Einsums that become a MatMul, and those that stay. */

#include "inference/passes/pass.h"
#include "infer/request.h"
#include "tests/check/support/net.h"

#include <string.h>

/* The dims of labels a, b, …: 2, 3, 4, … */
#define DIM(label) ((gint64) (label) - 'a' + 2)

static const struct
{
  const char *a, *b, *out;
  gboolean stays;
} cases[] = {
  { "abci", "cid", "abcd", FALSE }, /* grouped, as in DeepFilterNet */
  { "ab", "cb", "ac", FALSE },
  { "ab", "bc", "ca", FALSE },
  { "abcd", "adce", "abce", FALSE },
  { "abc", "bacd", "d", FALSE },
  { "dab", "bcad", "cd", FALSE },
  { "ab", "ab", "", FALSE },
  { "ab", "ab", "ab", TRUE }, /* no summed label */
  { "abe", "bc", "ac", TRUE },
  { "aab", "bc", "ac", TRUE },
};

static char *
shape_text (const char *labels)
{
  GString *text = g_string_new (NULL);

  for (const char *c = labels; *c; c++)
    g_string_append_printf (
        text, "%s%" G_GINT64_FORMAT, c > labels ? "," : "", DIM (*c));
  return g_string_free (text, FALSE);
}

/* The offset of the element at @index, by label. */
static gsize
at (const char *labels, const gint64 *index)
{
  gsize place = 0;

  for (const char *c = labels; *c; c++)
    place = place * (gsize) DIM (*c) + (gsize) index[(guint) *c];
  return place;
}

/* Advances @index over the labels in use; FALSE after the last. */
static gboolean
next (const char *labels, gint64 *index)
{
  for (const char *c = labels; *c; c++) {
    if (++index[(guint) *c] < DIM (*c))
      return TRUE;
    index[(guint) *c] = 0;
  }
  return FALSE;
}

static guint
count (const InferModel *model, const InferOpClass *klass)
{
  const InferGraph *graph = infer_model_get_graph (model);
  guint n = 0;

  for (guint i = 0; i < graph->operations->len; i++)
    n += infer_op_is (graph->operations->pdata[i], klass);
  return n;
}

static void
check_values (InferModel *net, gsize i)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, &error);
  g_autoptr (GString) labels = g_string_new (NULL);
  gint64 index[128] = { 0 };
  float *x[2];

  g_autoptr (InferExecutable) executable =
      infer_executable_new (net, runtime, &error);
  g_assert_no_error (error);
  g_autoptr (InferRequest) request = infer_request_new (executable, &error);
  g_assert_no_error (error);
  for (guint k = 0; k < 2; k++) {
    InferTensor *input = infer_request_get_input (request, k, NULL);

    x[k] = input->data;
    for (gsize j = 0; j < input->size / sizeof (float); j++)
      x[k][j] = (float) ((j * (7 + 4 * k) + 3) % 19) / 8 - 1;
  }
  infer_request_infer (request, &error);
  g_assert_no_error (error);
  const InferTensor *out = infer_request_get_output (request, 0, NULL);
  for (char c = 'a'; c <= 'i'; c++)
    if (strchr (cases[i].a, c) != NULL || strchr (cases[i].b, c) != NULL)
      g_string_append_c (labels, c);
  g_autofree double *want = g_new0 (double, out->size / sizeof (float));
  do {
    want[at (cases[i].out, index)] += (double) x[0][at (cases[i].a, index)]
                                      * (double) x[1][at (cases[i].b, index)];
  } while (next (labels->str, index));
  for (gsize j = 0; j < out->size / sizeof (float); j++)
    g_assert_cmpfloat_with_epsilon (
        (double) ((const float *) out->data)[j], want[j], 1e-4);
}

static void
test_case (gconstpointer data)
{
  const gsize i = GPOINTER_TO_SIZE (data);
  g_autofree char *equation =
      g_strdup_printf ("%s,%s->%s", cases[i].a, cases[i].b, cases[i].out);
  g_autofree char *a = shape_text (cases[i].a), *b = shape_text (cases[i].b);
  g_autoptr (InferModel) net = net_new (), smaller = NULL;
  g_autoptr (GError) error = NULL;

  net_parameter (net, "a", a);
  net_parameter (net, "b", b);
  net_add (net, "Einsum", "y", "a b", 1, "equation", equation, NULL);
  net_result (net, "result", "y");
  net_settle (net);
  smaller = infer_passes_run (net, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (count (smaller, &infer_op_einsum), ==, cases[i].stays);
  g_assert_cmpuint (count (smaller, &infer_op_matmul), ==, !cases[i].stays);
  check_values (net, i);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strdup_printf (
        "/inference/einsum/%s,%s->%s", cases[i].a, cases[i].b, cases[i].out);

    g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_case);
  }
  return g_test_run ();
}
