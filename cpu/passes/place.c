/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every root that lives in the arena gets its offset there, by liveness. */

#include "cpu/passes/pass.h"

#include "inference/base/arena.h"

#define ALIGN 64

static gboolean
run (CpuPlan *plan, GError **error)
{
  g_autoptr (GArray) spans =
      g_array_new (FALSE, FALSE, sizeof (InferArenaSpan));
  g_autoptr (GPtrArray) roots = g_ptr_array_new ();

  for (guint i = 0; i < plan->values->len; i++) {
    CpuPlanValue *value = plan->values->pdata[i];
    const InferArenaSpan span = { value->v.bytes, value->first, value->last,
      0 };

    if (value->root == value && value->place == CPU_PLACE_ARENA
        && value->first != G_MAXUINT) {
      g_ptr_array_add (roots, value);
      g_array_append_val (spans, span);
    }
  }
  if (!infer_arena_place ((InferArenaSpan *) (gpointer) spans->data, spans->len,
          ALIGN, &plan->arena_size, error))
    return FALSE;
  for (guint i = 0; i < roots->len; i++)
    ((CpuPlanValue *) roots->pdata[i])->offset =
        g_array_index (spans, InferArenaSpan, i).offset;
  plan->arena_size += ALIGN; /* kernels may read a few bytes too far */
  return TRUE;
}

const CpuPass cpu_pass_place = { .name = "place", .run = run };
