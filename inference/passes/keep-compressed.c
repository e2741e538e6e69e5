/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Weights that a backend unpacks itself stay compressed: constant folding,
 * which comes next, leaves their decompression alone. */

#include "inference/graph/compressed.h"
#include "inference/passes/pass.h"

/* Marks operations; the graph stays as it is. */
static gboolean
run (InferGraph *graph, InferCache *cache)
{
  infer_compressed_keep (graph);
  return FALSE;
}

const InferPass infer_pass_keep_compressed = { "keep-compressed", .run = run,
  .as_stored = TRUE };
