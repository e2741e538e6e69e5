/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Prints operations.md: every operation class and the backends that run it. */

#include "inference/runtime/backend.h"
#include "inference/graph/op.h"

#include <stdio.h>

static int
by_type (gconstpointer pa, gconstpointer pb)
{
  const InferOpClass *const *a = pa, *const *b = pb;

  return g_ascii_strcasecmp ((*a)->type, (*b)->type);
}

static GPtrArray *
sorted_classes (void)
{
  GPtrArray *classes = g_ptr_array_new ();

  for (const InferOpClass *const *klass = infer_op_classes (); *klass != NULL;
       klass++)
    g_ptr_array_add (classes, (gpointer) (gsize) *klass);
  g_ptr_array_sort (classes, by_type);
  return classes;
}

static void
print_heading (const InferBackend *const *backends)
{
  printf ("# Operations × backends\n\n| operation | opsets |");
  for (gsize b = 0; backends[b] != NULL; b++)
    printf (" %s |", backends[b]->name);
  printf ("\n| --- | --- |");
  for (gsize b = 0; backends[b] != NULL; b++)
    printf (" --- |");
  printf ("\n");
}

int
main (void)
{
  const InferBackend *const *backends = infer_backends ();
  g_autoptr (GPtrArray) classes = sorted_classes ();
  guint counts[8] = { 0 };

  print_heading (backends);
  for (guint i = 0; i < classes->len; i++) {
    const InferOpClass *klass = classes->pdata[i];

    printf ("| %s | %s |", klass->type, klass->versions);
    for (gsize b = 0; backends[b] != NULL; b++) {
      gboolean known = backends[b]->knows (klass);

      counts[MIN (b, G_N_ELEMENTS (counts) - 1)] += known ? 1 : 0;
      printf (" %s |", known ? "yes" : "");
    }
    printf ("\n");
  }
  printf ("\n%u operations", classes->len);
  for (gsize b = 0; backends[b] != NULL && b < G_N_ELEMENTS (counts); b++)
    printf (", %u on %s", counts[b], backends[b]->name);
  printf (".\n");
  return 0;
}
