/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The cache of constant folding: large constants at the end of chains of
 * foldable operations, e.g. decompressed weights, found by the content of their
 * inputs. */

#pragma once

#include "inference/base/cache.h"
#include "inference/graph/graph.h"

typedef struct _InferFoldCache InferFoldCache;

typedef enum
{
  INFER_FOLD_COMPUTE, /* not in the cache */
  INFER_FOLD_READY,   /* its output was in the cache */
  INFER_FOLD_SKIP,    /* only operations that are ready read it */
} InferFold;

/* Looks up the constants of @graph, before folding.  Returns NULL, which the
 * other functions accept, if @cache is NULL. */
InferFoldCache *infer_fold_cache_new (
    const InferGraph *graph, InferCache *cache);
void infer_fold_cache_free (InferFoldCache *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferFoldCache, infer_fold_cache_free)

InferFold infer_fold_cache_look (
    InferFoldCache *self, const InferOperation *op, InferTensor **outputs);
/* Stores @outputs, which were computed. */
void infer_fold_cache_keep (InferFoldCache *self, const InferOperation *op,
    InferTensor *const *outputs);
