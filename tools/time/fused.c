/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/time/fused.h"

#include "inference/graph/op.h"

char *
tool_step_key (const char *type, const char *name)
{
  return g_strjoin (" ", type, name, NULL);
}

GHashTable *
tool_find_fused (InferRequest *request)
{
  g_autoptr (GArray) fusions = infer_request_get_fusions (request);
  GHashTable *fused =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  for (guint i = 0; i < fusions->len; i++) {
    const InferFusion *fusion = &g_array_index (fusions, InferFusion, i);

    g_hash_table_insert (fused,
        tool_step_key (fusion->op->klass->type, fusion->op->name),
        tool_step_key (fusion->into->klass->type, fusion->into->name));
  }
  return fused;
}

const char *
tool_step_of (GHashTable *fused, const char *key)
{
  const char *into = g_hash_table_lookup (fused, key);

  return into != NULL ? into : key;
}
