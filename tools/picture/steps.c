/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Adds kernels and times of a run to the operations of a picture. */

#include "inference/graph/op.h"
#include "inference/runtime/fusions.h"
#include "tools/picture/picture.h"

static GHashTable *
find_kernels (InferRequest *request)
{
  GHashTable *kernels =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);

  for (guint i = 0; i < timings->len; i++) {
    const InferOpTiming *timing = &g_array_index (timings, InferOpTiming, i);

    g_hash_table_insert (kernels,
        g_strdup_printf ("%s\n%s", timing->type, timing->name),
        g_strdup (timing->kernel));
  }
  return kernels;
}

void
tool_picture_find_steps (ToolPicture *picture, InferRequest *request)
{
  g_autoptr (GArray) fusions = infer_request_get_fusions (request);

  picture->kernels = find_kernels (request);
  picture->steps =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; i < fusions->len; i++) {
    const InferFusion *fusion = &g_array_index (fusions, InferFusion, i);

    g_hash_table_insert (picture->steps, tool_picture_key (fusion->op),
        tool_picture_key (fusion->into));
  }
}

void
tool_picture_clear (ToolPicture *picture)
{
  g_clear_pointer (&picture->kernels, g_hash_table_unref);
  g_clear_pointer (&picture->steps, g_hash_table_unref);
}
