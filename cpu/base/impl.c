/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/impl.h"

typedef struct
{
  const CpuImpl *impl;
  guint cost;
} Candidate;

/* The implementations that support the problem, cheapest first (of equal cost,
 * in list order); or only the one that overrides the choice. */
static guint
find_candidates (CpuStep *step, const CpuImpl *const *list, guint n,
    gconstpointer problem, Candidate *found)
{
  guint count = 0;

  for (guint i = 0; i < n; i++) {
    Candidate c = { list[i], 0 };
    guint at = count;

    if (!c.impl->can (step, problem))
      continue;
    if (c.impl->cost == NULL) {
      found[0] = c;
      return 1;
    }
    c.cost = c.impl->cost (step, problem);
    for (; at > 0 && found[at - 1].cost > c.cost; at--)
      found[at] = found[at - 1];
    found[at] = c;
    count++;
  }
  return count;
}

static gboolean
try_impl (CpuImplUse *use, CpuStep *step, const CpuImpl *impl,
    gconstpointer problem, GError **error)
{
  use->self = impl->prepare (step, problem, error);
  use->impl = use->self != NULL ? impl : NULL;
  return use->impl != NULL;
}

gboolean
cpu_impl_prepare (CpuImplUse *use, CpuStep *step, const CpuImpl *const *list,
    guint n, gconstpointer problem, gboolean measurable, GError **error)
{
  Candidate found[CPU_MAX_IMPLS];
  const char *names[CPU_MAX_IMPLS];
  GError *failure = NULL;
  guint chosen = 0, count;

  g_assert (n <= CPU_MAX_IMPLS);
  count = find_candidates (step, list, n, problem, found);
  for (guint i = 0; i < count; i++)
    names[i] = found[i].impl->name;
  if (measurable && count > 0)
    chosen = cpu_step_choose (step, count, names);
  for (guint i = 0; i < count && failure == NULL; i++) {
    /* the chosen one, then those before it, then those behind */
    const guint at = i == 0 ? chosen : i <= chosen ? i - 1 : i;

    if (try_impl (use, step, found[at].impl, problem, &failure))
      return TRUE;
  }
  if (failure == NULL)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "not enough memory for packed weights or working buffers");
  g_propagate_error (error, failure);
  return FALSE;
}

void
cpu_impl_clear (CpuImplUse *use)
{
  if (use->impl != NULL && use->impl->free != NULL)
    use->impl->free (use->self);
  *use = (CpuImplUse){ NULL, NULL };
}
