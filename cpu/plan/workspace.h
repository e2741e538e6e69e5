/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory that the plans of one runner share: they run one at a time. */

#pragma once

#include <glib.h>

typedef struct _CpuWorkspace
{
  gpointer arena, scratch; /* 64-byte aligned */
  gsize arena_size, scratch_size;
} CpuWorkspace;

/* At least the given sizes; what was there is lost. */
gboolean cpu_workspace_reserve (
    CpuWorkspace *workspace, gsize arena, gsize scratch, GError **error);
void cpu_workspace_clear (CpuWorkspace *workspace);
