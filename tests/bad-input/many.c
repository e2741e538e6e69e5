/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Twenty times as many operations are read, compiled and run in about twenty
 * times as much time. */

#include <time.h>

#include "tests/check/support/fake-icd/fake-icd.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#define FEW 2000
#define MANY 40000
/* 20, with room for caches and other processes; a square would be 400. */
#define MOST_TIMES 60

static void
add_layer (GString *layers, guint id, const char *type, guint outputs)
{
  g_string_append_printf (layers,
      "<layer id=\"%u\" name=\"n%u\" type=\"%s\" version=\"opset1\"><input>"
      "<port id=\"0\"/></input><output>%s</output></layer>",
      id, id, type, outputs > 0 ? "<port id=\"1\"/>" : "");
}

static void
add_edge (GString *edges, guint from, guint to)
{
  g_string_append_printf (edges,
      "<edge from-layer=\"%u\" from-port=\"1\" to-layer=\"%u\" "
      "to-port=\"0\"/>",
      from, to);
}

/* A chain, or operations that all read the first and are results. */
static char *
net (guint n, gboolean chain)
{
  g_autoptr (GString) layers = g_string_new (
      "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\">"
      "<data shape=\"4\" element_type=\"f32\"/><output><port id=\"1\"/>"
      "</output></layer>");
  g_autoptr (GString) edges = g_string_new (NULL);

  for (guint i = 1; i <= n; i++) {
    add_layer (layers, i, i % 2 == 0 ? "Negative" : "Sigmoid", 1);
    add_edge (edges, chain ? i - 1 : 0, i);
    if (chain && i < n)
      continue;
    add_layer (layers, n + i, "Result", 0);
    add_edge (edges, i, n + i);
  }
  return g_strdup_printf (
      "<net name=\"many\" version=\"11\"><layers>%s</layers><edges>%s</edges>"
      "</net>",
      layers->str, edges->str);
}

typedef struct
{
  const char *path, *device;
  gboolean chain;
} Case;

/* Seconds of CPU time: the best of three. */
static double
seconds (guint n, const Case *c)
{
  g_autofree char *xml = net (n, c->chain);
  double best = G_MAXDOUBLE;

  for (guint i = 0; i < 3; i++) {
    const clock_t begin = clock ();
    g_autoptr (InferModel) model = ir_load_good (xml, NULL, 0);
    g_autoptr (InferRequest) request = test_request (model, c->device, NULL);

    g_assert_true (infer_request_infer (request, NULL));
    best = MIN (best, (double) (clock () - begin) / CLOCKS_PER_SEC);
  }
  return best;
}

static void
test_many (gconstpointer data)
{
  const double few = seconds (FEW, data), many = seconds (MANY, data);

  g_test_message ("%.3f s, %.3f s: %.1f times", few, many, many / few);
  g_assert_cmpfloat (many, <, MOST_TIMES * few);
}

int
main (int argc, char **argv)
{
  static const Case cases[] = {
    { "/many/chain", "CPU", TRUE },
    { "/many/fan", "CPU", FALSE },
#ifdef WITH_OPENCL
    { "/many/opencl/chain", "OPENCL", TRUE },
    { "/many/opencl/fan", "OPENCL", FALSE },
#endif
  };

  g_test_init (&argc, &argv, NULL);
#ifdef WITH_OPENCL
  fake_icd_announce ("pinned");
#endif
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_test_add_data_func (cases[i].path, &cases[i], test_many);
  return g_test_run ();
}
