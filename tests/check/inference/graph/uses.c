/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Use lists through every edit of a graph. */

#include "tests/check/support/net.h"

static gboolean
has_use (const InferOperation *op, const InferOperation *reader, guint input)
{
  for (guint i = 0; i < op->n_uses; i++)
    if (op->uses[i].op == reader && op->uses[i].input == input)
      return TRUE;
  return FALSE;
}

typedef struct
{
  InferModel *net;
  InferGraph *graph;
  InferOperation *x, *a, *b, *sum, *result;
} Fixture;

/* sum = |x| + -x */
static void
setup (Fixture *f, gconstpointer unused)
{
  f->net = net_new ();
  f->graph = f->net->graph;
  f->x = net_parameter (f->net, "x", "2");
  f->a = net_add (f->net, "Abs", "a", "x", 1, NULL);
  f->b = net_add (f->net, "Negative", "b", "x", 1, NULL);
  f->sum = net_add (f->net, "Add", "sum", "a b", 1, NULL);
  f->result = net_result (f->net, "r", "sum");
}

static void
teardown (Fixture *f, gconstpointer unused)
{
  g_assert_true (infer_graph_check_uses (f->graph));
  infer_model_unref (f->net);
}

static void
test_add (Fixture *f, gconstpointer unused)
{
  g_assert_cmpuint (f->x->n_uses, ==, 2);
  g_assert_true (has_use (f->x, f->a, 0) && has_use (f->x, f->b, 0));
  g_assert_cmpuint (f->b->n_uses, ==, 1);
  g_assert_true (has_use (f->b, f->sum, 1));
  g_assert_cmpuint (f->result->n_uses, ==, 0);
}

/* More and fewer than lie in the operation itself. */
static void
test_many (Fixture *f, gconstpointer unused)
{
  InferOperation *readers[40];

  for (guint round = 0; round < 2; round++) {
    for (guint i = 0; i < G_N_ELEMENTS (readers); i++) {
      g_autofree char *name = g_strdup_printf ("many%u-%u", round, i);

      readers[i] = net_add (f->net, "Abs", name, "x", 1, NULL);
      g_assert_cmpuint (f->x->n_uses, ==, 3 + i);
      g_assert_true (has_use (f->x, readers[i], 0));
    }
    g_assert_true (infer_graph_check_uses (f->graph));
    for (guint i = 0; i < G_N_ELEMENTS (readers); i++) {
      infer_graph_remove (f->graph, readers[i]);
      g_assert_true (infer_graph_check_uses (f->graph));
    }
    g_assert_cmpuint (f->x->n_uses, ==, 2);
    g_assert_true (has_use (f->x, f->a, 0) && has_use (f->x, f->b, 0));
  }
}

/* The check finds a wrong list. */
static void
test_check (Fixture *f, gconstpointer unused)
{
  f->a->n_uses = 0;
  g_assert_false (infer_graph_check_uses (f->graph));
  f->a->n_uses = 1;
  f->a->uses[0].input = 1;
  g_assert_false (infer_graph_check_uses (f->graph));
  f->a->uses[0].input = 0;
}

static void
test_connect (Fixture *f, gconstpointer unused)
{
  infer_operation_connect (f->sum, 0, (InferPort){ f->b, 0 });
  g_assert_cmpuint (f->a->n_uses, ==, 0);
  g_assert_cmpuint (f->b->n_uses, ==, 2);
  g_assert_true (has_use (f->b, f->sum, 0) && has_use (f->b, f->sum, 1));
  infer_operation_connect (f->sum, 1, (InferPort){ f->x, 0 });
  g_assert_true (has_use (f->x, f->sum, 1));
  g_assert_cmpuint (f->b->n_uses, ==, 1);
  infer_operation_connect (f->sum, 1, (InferPort){ NULL, 0 });
  g_assert_cmpuint (f->x->n_uses, ==, 2);
}

/* An operation outside of a graph reads nothing yet. */
static void
test_outside (Fixture *f, gconstpointer unused)
{
  InferOperation *copy = infer_operation_copy (f->sum);

  g_assert_cmpuint (f->a->n_uses, ==, 1);
  infer_operation_connect (copy, 0, (InferPort){ f->x, 0 });
  g_assert_cmpuint (f->x->n_uses, ==, 2);
  infer_graph_add (f->graph, copy);
  g_assert_true (has_use (f->x, copy, 0) && has_use (f->b, copy, 1));
  g_assert_cmpuint (f->x->n_uses, ==, 3);
}

static void
test_replace (Fixture *f, gconstpointer unused)
{
  const InferPort a = { f->a, 0 }, x = { f->x, 0 };

  g_assert_true (infer_port_replace (x, a)); /* a cycle, but counted right */
  g_assert_cmpuint (f->x->n_uses, ==, 0);
  g_assert_cmpuint (f->a->n_uses, ==, 3);
  g_assert_true (infer_graph_check_uses (f->graph));
  g_assert_false (infer_port_replace (x, a));
  g_assert_false (infer_port_replace (a, a));
  g_assert_true (infer_port_replace (a, x));
  g_assert_cmpuint (f->x->n_uses, ==, 3);
}

/* Of two outputs only one is replaced, by the other or by another operation. */
static void
test_replace_output (Fixture *f, gconstpointer unused)
{
  static const gint64 zero = 0;
  InferOperation *split, *one, *two, *three;

  net_const_i64 (f->net, "axis", 1, &zero);
  split = net_add (
      f->net, "Split", "split", "sum axis", 2, "num_splits", "2", NULL);
  one = net_add (f->net, "Add", "one", "split:0 split:1", 1, NULL);
  two = net_add (f->net, "Add", "two", "split:1 split:0", 1, NULL);
  three = net_add (f->net, "Abs", "three", "split:1", 1, NULL);
  g_assert_true (
      infer_port_replace ((InferPort){ split, 1 }, (InferPort){ f->x, 0 }));
  g_assert_cmpuint (split->n_uses, ==, 2);
  g_assert_true (has_use (split, one, 0) && has_use (split, two, 1));
  g_assert_true (has_use (f->x, one, 1) && has_use (f->x, three, 0));
  g_assert_true (infer_graph_check_uses (f->graph));
  g_assert_true (
      infer_port_replace ((InferPort){ split, 0 }, (InferPort){ split, 1 }));
  g_assert_cmpuint (split->n_uses, ==, 2);
  g_assert_cmpuint (one->inputs[0].index, ==, 1);
  g_assert_cmpuint (two->inputs[1].index, ==, 1);
}

static void
test_sweep (Fixture *f, gconstpointer unused)
{
  for (guint i = 0; i < 5; i++)
    net_add (f->net, "Add", "dead", i > 0 ? "dead x" : "a x", 1, NULL);
  g_assert_cmpuint (f->x->n_uses, ==, 7);
  g_assert_true (infer_graph_sweep (f->graph));
  g_assert_cmpuint (f->x->n_uses, ==, 2);
  g_assert_cmpuint (f->a->n_uses, ==, 1);
  g_assert_false (infer_graph_sweep (f->graph));
}

static void
test_remove (Fixture *f, gconstpointer unused)
{
  infer_graph_remove (f->graph, f->result);
  g_assert_cmpuint (f->sum->n_uses, ==, 0);
  g_assert_cmpuint (f->graph->results->len, ==, 0);
  infer_graph_remove (f->graph, f->sum);
  g_assert_cmpuint (f->a->n_uses + f->b->n_uses, ==, 0);
}

static void
test_copy (Fixture *f, gconstpointer unused)
{
  InferGraph *copy = infer_graph_copy (f->graph);
  const InferOperation *x = copy->parameters->pdata[0];

  g_assert_true (infer_graph_check_uses (copy));
  g_assert_cmpuint (x->n_uses, ==, 2);
  g_assert_true (has_use (x, copy->operations->pdata[f->a->index], 0));
  infer_graph_free (copy);
}

#define TEST(name)                                                             \
  g_test_add ("/uses/" #name, Fixture, NULL, setup, test_##name, teardown)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  TEST (add);
  TEST (many);
  TEST (check);
  TEST (connect);
  TEST (outside);
  TEST (replace);
  TEST (replace_output);
  TEST (sweep);
  TEST (remove);
  TEST (copy);
  return g_test_run ();
}
