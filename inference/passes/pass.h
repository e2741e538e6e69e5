/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Graph passes: rewrites that keep what a model computes. */

#pragma once

#include "inference/base/cache.h"
#include "inference/graph/graph.h"

typedef struct
{
  const char *name;

  /* Changes @graph, which no other thread sees; called for each body too, inner
   * ones first.  Operations are in topological order when it begins, and
   * outputs have their types and shapes; new operations must get them as well,
   * and may be added anywhere.  The driver removes operations without readers.
   * Parameters and results stay as they are, in number, order and name.
   * @cache (nullable): for results that take long to compute.
   * Returns whether anything changed. */
  gboolean (*run) (InferGraph *graph, InferCache *cache);
  /* In place of `run`, called for each operation. */
  gboolean (*rewrite) (InferGraph *graph, InferOperation *op);
  gboolean as_stored; /* only with the option of this name */
} InferPass;

/* Called after each run of @pass over a whole model, with the number of
 * operations, those of bodies included, before and after. */
typedef void (*InferPassObserver) (const InferPass *pass, guint before,
    guint after, gboolean changed, gpointer data);

typedef struct
{
  InferCache *cache; /* nullable */
  /* The backend reads weights as they are stored: it unpacks compressed ones,
   * and takes the gates of LSTM in any order. */
  gboolean as_stored;
  InferPassObserver observe; /* nullable */
  gpointer observer_data;
} InferPassOptions;

/* Runs the passes of pass-list.h over a copy of @model until nothing changes,
 * at most a few rounds.  @options: nullable.  (transfer full) */
InferModel *infer_passes_run (
    const InferModel *model, const InferPassOptions *options, GError **error);
