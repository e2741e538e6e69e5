/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/plan/workspace.h"

#include "cpu/passes/liveness.h"
#include "inference/base/tensor.h"

/* Frees the old memory before it allocates the new, so that both never exist at
 * the same time; contents are lost. */
static gboolean
grow (
    gpointer *memory, gsize *have, gsize want, const char *what, GError **error)
{
  if (want <= *have)
    return TRUE;
  cpu_free (*memory);
  *memory = cpu_alloc (want);
  *have = *memory != NULL ? want : 0;
  return *memory != NULL
         || infer_fail (error, INFER_ERROR_NO_MEMORY,
             "%" G_GSIZE_FORMAT " bytes for %s are not to be had", want, what);
}

gboolean
cpu_workspace_reserve (
    CpuWorkspace *workspace, gsize arena, gsize scratch, GError **error)
{
  CpuArena *memory = &workspace->memory;

  workspace->most_arena = MAX (workspace->most_arena, arena);
  workspace->most_scratch = MAX (workspace->most_scratch, scratch);
  if (workspace->arenas != NULL && !workspace->taken) {
    *memory = cpu_arenas_take (workspace->arenas, workspace->most_arena,
        workspace->most_scratch, workspace->last);
    workspace->taken = TRUE;
  }
  /* Never NULL: kernels count pointers from it. */
  return grow (&memory->arena, &memory->arena_size, MAX (arena, 1),
             "activations", error)
         && grow (&memory->scratch, &memory->scratch_size, MAX (scratch, 1),
             "working memory", error);
}

void
cpu_workspace_share (CpuWorkspace *workspace, CpuArenas *arenas)
{
  workspace->arenas = arenas;
  cpu_arenas_join (arenas);
}

void
cpu_workspace_end (CpuWorkspace *workspace)
{
  if (!workspace->taken)
    return;
  workspace->last = workspace->memory.arena;
  workspace->taken = FALSE;
  cpu_arenas_give (workspace->arenas, &workspace->memory);
}

void
cpu_workspace_rest (CpuWorkspace *workspace)
{
  if (workspace->arenas != NULL)
    cpu_arenas_rest (workspace->arenas, workspace->last);
}

static void
free_own (gpointer data)
{
  InferTensor **own = data;

  infer_tensor_unref (*own);
  g_free (own);
}

/* Elements as far as the shape is known: values of equal numbers are likely to
 * have equal sizes. */
static gint64
known_count (const CpuPlanValue *value)
{
  const InferShape *shape = &value->v.desc.shape;
  gint64 n = 1;

  for (int d = 0; d < shape->rank; d++)
    if (shape->dims[d] > 0 && n < G_MAXINT32)
      n *= shape->dims[d];
  return n;
}

/* One of the workspace's `own` while a plan is adopted. */
typedef struct
{
  guint until; /* the last step that needs it */
  gint64 count;
} Cell;

/* The number of memory that nobody needs any more when the step @value->first
 * runs; a new one if there is none. */
static guint
find_cell (GArray *cells, const CpuPlanValue *value)
{
  const gboolean shared = value->place == CPU_PLACE_OWN && value->root == value;
  const Cell cell = { shared ? value->last : G_MAXUINT, known_count (value) };

  for (guint i = 0; shared && i < cells->len; i++) {
    Cell *old = &g_array_index (cells, Cell, i);

    if (old->count == cell.count && old->until < value->first) {
      *old = cell;
      return i;
    }
  }
  g_array_append_val (cells, cell);
  return cells->len - 1;
}

void
cpu_workspace_adopt (CpuWorkspace *workspace, CpuPlan *plan)
{
  g_autoptr (GArray) cells = g_array_new (FALSE, FALSE, sizeof (Cell));

  if (workspace->own == NULL)
    workspace->own = g_ptr_array_new_with_free_func (free_own);
  cpu_liveness_find (plan);
  for (CpuPlanStep *step = plan->first; step != NULL; step = step->next)
    for (guint k = 0; k < step->s.n_out; k++) {
      CpuPlanValue *value = cpu_plan_step_out (step, k);

      if (value->place != CPU_PLACE_OWN && value->place != CPU_PLACE_RUN)
        continue;
      guint i = find_cell (cells, value);
      if (i == workspace->own->len)
        g_ptr_array_add (workspace->own, g_new0 (InferTensor *, 1));
      value->own = workspace->own->pdata[i];
    }
}

void
cpu_workspace_clear (CpuWorkspace *workspace)
{
  cpu_workspace_end (workspace);
  if (workspace->arenas != NULL)
    cpu_arenas_leave (workspace->arenas, workspace->last);
  cpu_arena_clear (&workspace->memory);
  g_clear_pointer (&workspace->own, g_ptr_array_unref);
  *workspace = (CpuWorkspace){ 0 };
}
