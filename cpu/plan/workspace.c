/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/plan/workspace.h"

#include "cpu/base/step.h"

static gboolean
grow (
    gpointer *memory, gsize *have, gsize want, const char *what, GError **error)
{
  if (want <= *have)
    return TRUE;
  gpointer bigger = cpu_alloc (want);
  if (bigger == NULL)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "%" G_GSIZE_FORMAT " bytes for %s are not to be had", want, what);
  cpu_free (*memory);
  *memory = bigger;
  *have = want;
  return TRUE;
}

gboolean
cpu_workspace_reserve (
    CpuWorkspace *workspace, gsize arena, gsize scratch, GError **error)
{
  /* Never NULL: kernels count pointers from it. */
  return grow (&workspace->arena, &workspace->arena_size, MAX (arena, 1),
             "activations", error)
         && grow (&workspace->scratch, &workspace->scratch_size,
             MAX (scratch, 1), "working memory", error);
}

void
cpu_workspace_clear (CpuWorkspace *workspace)
{
  cpu_free (workspace->arena);
  cpu_free (workspace->scratch);
  *workspace = (CpuWorkspace){ 0 };
}
