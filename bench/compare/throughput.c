/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench/compare/measure.h"
#include "inference/base/clock.h"
#include "infer/error.h"

#define ROUNDS 4     /* turns of each side */
#define MIN_ROUNDS 2 /* if turns exceed their budget */

typedef struct
{
  const Engine *engine;
  gpointer model;
  guint requests;
  guint64 done, ns;
  char *error;
} Side;

static void
clear_side (gpointer data)
{
  Side *side = data;
  if (side->model != NULL)
    side->engine->unload (side->model);
  g_free (side->error);
}

/* The number of requests that the engine recommends. */
static gboolean
add_requests (Side *side, const GArray *inputs, GError **error)
{
  const Engine *engine = side->engine;
  side->requests = engine->optimal_requests (side->model);
  for (guint i = 1; i < side->requests; i++)
    if (!engine->add_request (side->model, error))
      return FALSE;
  for (guint i = 0; i < side->requests; i++)
    if (!engine->set_inputs (side->model, i, inputs, error)
        || !engine->start (side->model, i, error)
        || !engine->wait (side->model, i, error))
      return FALSE;
  return TRUE;
}

static void
add_side (GArray *sides, const MeasureSettings *settings,
    const OpenEngine *open, const Entry *entry, const GArray *inputs)
{
  const char *weights = NULL;
  g_autofree char *model =
      measure_find_model (settings, open->engine, entry, &weights);
  if (model == NULL || open->engine->start == NULL)
    return;
  g_autoptr (GError) error = NULL;
  EngineSettings load = {
    .model = model,
    .weights = weights,
    .threads = settings->threads,
    .precision = ENGINE_F32,
    .throughput = TRUE,
  };
  Side side = { .engine = open->engine };
  side.model = open->engine->load (open->library, &load, &error);
  if (side.model == NULL || !add_requests (&side, inputs, &error))
    side.error = g_strdup (error->message);
  g_array_append_val (sides, side);
}

/* Results per request in a turn, at least. */
#define LEAST_RESULTS 3

/* Requests are waited for in the order in which they were started.  Only
 * results while all requests are in flight count: not the first of each, nor
 * the last ones, when one request may have the machine to itself. */
static gboolean
run_turn (Side *side, guint64 budget_ns, GError **error)
{
  const Engine *engine = side->engine;
  guint64 begin = 0, now = 0;
  guint done = 0;
  for (guint i = 0; i < side->requests; i++)
    if (!engine->start (side->model, i, error))
      return FALSE;
  for (guint i = 0; now == 0 || now - begin < budget_ns
                    || done < LEAST_RESULTS * side->requests;
       i = (i + 1) % side->requests) {
    if (!engine->wait (side->model, i, error)
        || !engine->start (side->model, i, error))
      return FALSE;
    now = infer_clock_ns ();
    if (begin != 0)
      done++;
    else if (i + 1 == side->requests)
      begin = now;
  }
  side->done += done;
  side->ns += now - begin;
  for (guint i = 0; i < side->requests; i++)
    if (!engine->wait (side->model, i, error))
      return FALSE;
  return TRUE;
}

static void
take_turns (GArray *sides, double seconds)
{
  guint64 begin = infer_clock_ns ();
  guint64 budget = (guint64) (seconds * 1e9 / ROUNDS / MAX (sides->len, 1));
  for (guint round = 0;
       round < MIN_ROUNDS
       || (round < ROUNDS
           && (double) (infer_clock_ns () - begin) < seconds * 1e9);
       round++)
    for (guint i = 0; i < sides->len; i++) {
      Side *side = &g_array_index (sides, Side, i);
      g_autoptr (GError) error = NULL;
      if (side->error == NULL && !run_turn (side, budget, &error))
        side->error = g_strdup (error->message);
    }
}

gboolean
measure_throughput (const MeasureSettings *settings, Row *row,
    const GArray *inputs, GError **error)
{
  g_autoptr (GArray) sides = g_array_new (FALSE, TRUE, sizeof (Side));
  g_array_set_clear_func (sides, clear_side);
  for (guint i = 0; i < settings->engines->len; i++)
    add_side (sides, settings,
        &g_array_index (settings->engines, OpenEngine, i), row->entry, inputs);
  take_turns (sides, settings->seconds / 2);
  for (guint i = 0; i < sides->len; i++) {
    Side *side = &g_array_index (sides, Side, i);
    Throughput figures = {
      .engine = side->engine,
      .per_s = side->ns > 0 ? (double) side->done * 1e9 / (double) side->ns : 0,
      .requests = side->requests,
      .error = g_steal_pointer (&side->error),
    };
    g_array_append_val (row->throughputs, figures);
    if (figures.error != NULL && figures.engine->ours)
      return infer_fail (error, INFER_ERROR_FAILED, "%s", figures.error);
  }
  return TRUE;
}
