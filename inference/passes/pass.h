/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Graph passes: what makes a model smaller without changing what it computes.
 */

#pragma once

#include "inference/base/cache.h"
#include "inference/graph/graph.h"

G_BEGIN_DECLS

typedef struct
{
  const char *name;

  /* Changes @graph, which nobody else sees; called for each body too, inner
   * ones first.  Operations are in topological order when it begins, and
   * outputs have their types and shapes; new operations must get them as well,
   * and may be added anywhere.  What nobody reads any more is removed by the
   * driver. Parameters and results stay as they are, in number, order and name.
   * @cache (nullable): what took long may be kept there.
   * Returns whether anything changed. */
  gboolean (*run) (InferGraph *graph, InferCache *cache);
} InferPass;

/* All passes of pass-list.h over a copy of @model, until nothing changes or a
 * few rounds are over.  (transfer full) */
InferModel *infer_passes_run (
    InferModel *model, InferCache *cache, GError **error);
/* The same for a backend that unpacks compressed weights itself. */
InferModel *infer_passes_run_compressed (
    InferModel *model, InferCache *cache, GError **error);

G_END_DECLS
