/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What constant folding finds in a cache instead of computing it: large
 * constants at the end of chains of operations on constants, e.g. decompressed
 * weights, by the content of what they are made from. */

#pragma once

#include "inference/base/cache.h"
#include "inference/graph/graph.h"

G_BEGIN_DECLS

typedef struct _InferFoldCache InferFoldCache;

typedef enum
{
  INFER_FOLD_COMPUTE, /* nothing is known of it */
  INFER_FOLD_READY,   /* its output is given */
  INFER_FOLD_SKIP,    /* only what is ready needs it */
} InferFold;

/* @graph as it is before folding.  NULL, which the others take, without a
 * @cache. */
InferFoldCache *infer_fold_cache_new (
    const InferGraph *graph, InferCache *cache);
void infer_fold_cache_free (InferFoldCache *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferFoldCache, infer_fold_cache_free)

InferFold infer_fold_cache_look (
    InferFoldCache *self, const InferOperation *op, InferTensor **outputs);
/* @outputs were computed: for the next time. */
void infer_fold_cache_keep (InferFoldCache *self, const InferOperation *op,
    InferTensor *const *outputs);

G_END_DECLS
