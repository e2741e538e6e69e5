/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>

#include "bench/compare/measure.h"
#include "inference/base/clock.h"
#include "infer/error.h"

#define TURN_NS 10000000u /* a turn of one side, at least one run */
#define MIN_ROUNDS 3      /* turns of each side */
/* With several threads: until idle workers stop spinning. */
#define PAUSE_US 2000

typedef struct
{
  Latency figures; /* moved to the row */
  gpointer model;
  GArray *ns; /* (element-type guint64) */
} Side;

static void
clear_side (gpointer data)
{
  Side *side = data;
  if (side->model != NULL)
    side->figures.engine->unload (side->model);
  g_array_unref (side->ns);
}

static void
fail_side (Side *side, GError *error)
{
  g_free (side->figures.error);
  side->figures.error = g_strdup (error->message);
  g_error_free (error);
}

/* --- sides --- */

static void
load_side (Side *side, const OpenEngine *open, const EngineSettings *settings,
    const GArray *inputs)
{
  const Engine *engine = open->engine;
  GError *error = NULL;
  side->model = engine->load (open->library, settings, &error);
  if (side->model == NULL
      || !engine->set_inputs (side->model, 0, inputs, &error)) {
    fail_side (side, error);
    return;
  }
  if (engine->get_precision != NULL)
    side->figures.precision = engine->get_precision (side->model);
}

static void
add_side (GArray *sides, const MeasureSettings *settings,
    const OpenEngine *open, const Entry *entry, Mode mode, const GArray *inputs)
{
  const char *weights = NULL;
  g_autofree char *model =
      measure_find_model (settings, open->engine, entry, &weights);
  if (model == NULL)
    return;
  Side side = {
    .figures = { .engine = open->engine, .mode = mode, .difference = -1 },
    .ns = g_array_new (FALSE, FALSE, sizeof (guint64)),
  };
  EngineSettings load = {
    .model = mode == MODE_STORED_F32 ? entry->f32 : model,
    .weights = mode == MODE_STORED_F32 ? NULL : weights,
    .threads = settings->threads,
    .precision = mode == MODE_PERFORMANCE ? ENGINE_DEFAULT : ENGINE_F32,
  };
  load_side (&side, open, &load, inputs);
  g_array_append_val (sides, side);
}

static GArray *
make_sides (
    const MeasureSettings *settings, const Entry *entry, const GArray *inputs)
{
  GArray *sides = g_array_new (FALSE, TRUE, sizeof (Side));
  g_array_set_clear_func (sides, clear_side);
  for (guint i = 0; i < settings->engines->len; i++) {
    const OpenEngine *open = &g_array_index (settings->engines, OpenEngine, i);
    add_side (sides, settings, open, entry, MODE_F32, inputs);
    /* Only engines that read IR can choose the precision. */
    if (g_str_equal (open->engine->suffix, ".xml") && !settings->f32_only)
      add_side (sides, settings, open, entry, MODE_PERFORMANCE, inputs);
    if (entry->f32 != NULL && i == 0)
      add_side (sides, settings, open, entry, MODE_STORED_F32, inputs);
  }
  return sides;
}

/* --- turns --- */

static guint64
clock_of (const MeasureSettings *settings)
{
  struct timespec now;

  if (!settings->cpu_time)
    return infer_clock_ns ();
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (guint64) now.tv_sec * G_GUINT64_CONSTANT (1000000000)
         + (guint64) now.tv_nsec;
}

static gboolean
run_turn (const MeasureSettings *settings, const Engine *engine, gpointer model,
    GArray *ns, GError **error)
{
  if (engine->turn != NULL)
    return engine->turn (model, TURN_NS, ns, error);
  guint64 begin = clock_of (settings), now = begin;
  /* One run warms the caches after another side's turn. */
  if (!engine->infer (model, error))
    return FALSE;
  guint64 warm = clock_of (settings) - begin;
  if (warm > TURN_NS) {
    g_array_append_val (ns, warm);
    return TRUE;
  }
  do {
    guint64 start = clock_of (settings);
    if (!engine->infer (model, error))
      return FALSE;
    now = clock_of (settings);
    guint64 took = now - start;
    g_array_append_val (ns, took);
  } while (now - begin < TURN_NS);
  return TRUE;
}

static void
take_turn (const MeasureSettings *settings, Side *side)
{
  GError *error = NULL;
  if (side->figures.error == NULL
      && !run_turn (
          settings, side->figures.engine, side->model, side->ns, &error))
    fail_side (side, error);
}

static void
take_turns (GArray *sides, const MeasureSettings *settings)
{
  guint64 begin = infer_clock_ns ();
  for (guint i = 0; i < sides->len; i++) {
    Side *side = &g_array_index (sides, Side, i);
    take_turn (settings,
        side); /* one-time work of the first run is a figure of its own */
    g_array_set_size (side->ns, 0);
  }
  for (guint round = 0;
       round < MIN_ROUNDS
       || (double) (infer_clock_ns () - begin) < settings->seconds * 1e9;
       round++)
    for (guint i = 0; i < sides->len; i++) {
      take_turn (settings, &g_array_index (sides, Side, i));
      if (settings->threads > 1)
        g_usleep (PAUSE_US);
    }
}

/* --- results --- */

static const Side *
find_side (const GArray *sides, const char *key)
{
  for (guint i = 0; i < sides->len; i++) {
    const Side *side = &g_array_index (sides, Side, i);
    if (side->figures.error == NULL && side->figures.mode == MODE_F32
        && g_str_equal (side->figures.engine->key, key))
      return side;
  }
  return NULL;
}

/* Times are comparable only if outputs agree. */
static gboolean
compare_outputs (const GArray *sides, double *difference, GError **error)
{
  const Side *ours = find_side (sides, "inferfilter");
  const Side *theirs = find_side (sides, "openvino");
  EngineOutput a, b;
  *difference = -1;
  if (ours == NULL || theirs == NULL)
    return TRUE;
  const Engine *left = ours->figures.engine, *right = theirs->figures.engine;
  if (!left->infer (ours->model, error) || !right->infer (theirs->model, error)
      || !left->get_output (ours->model, 0, &a, error)
      || !right->get_output (theirs->model, 0, &b, error))
    return FALSE;
  if (a.size != b.size)
    return infer_fail (error, INFER_ERROR_FAILED,
        "output 0 has %" G_GSIZE_FORMAT " bytes, OpenVINO's %" G_GSIZE_FORMAT,
        a.size, b.size);
  *difference = a.is_f32 ? 0 : -1;
  for (gsize i = 0; a.is_f32 && i < a.size / sizeof (float); i++) {
    double distance = fabs ((double) ((const float *) a.data)[i]
                            - (double) ((const float *) b.data)[i]);
    *difference = MAX (*difference, distance);
  }
  return TRUE;
}

/* The largest difference of outputs @a and @b, relative to the largest value of
 * @b; infinite if one is no number or sizes differ, -1 if they are not f32. */
static double
relative_difference (const EngineOutput *a, const EngineOutput *b)
{
  double most = 0, largest = 0;
  if (!a->is_f32 || !b->is_f32)
    return -1;
  if (a->size != b->size)
    return INFINITY;
  for (gsize i = 0; i < a->size / sizeof (float); i++) {
    double left = (double) ((const float *) a->data)[i];
    double right = (double) ((const float *) b->data)[i];
    if (left != right && !isfinite (left - right))
      return INFINITY;
    largest = MAX (largest, fabs (right));
    if (left != right)
      most = MAX (most, fabs (left - right));
  }
  return most > 0 ? most / MAX (largest, 1e-30) : 0;
}

/* Of all outputs that both give. */
static gboolean
compare_side (Side *side, const Side *first, GError **error)
{
  const Engine *left = side->figures.engine, *right = first->figures.engine;
  EngineOutput a, b;
  if (!left->infer (side->model, error) || !right->infer (first->model, error))
    return FALSE;
  for (guint i = 0; left->get_output (side->model, i, &a, NULL)
                    && right->get_output (first->model, i, &b, NULL);
       i++)
    side->figures.difference =
        MAX (side->figures.difference, relative_difference (&a, &b));
  return TRUE;
}

/* Each side's difference from the first one. */
static void
compare_sides (GArray *sides)
{
  const Side *first = NULL;
  for (guint i = 0; i < sides->len; i++) {
    Side *side = &g_array_index (sides, Side, i);
    GError *error = NULL;
    if (side->figures.error != NULL || side->figures.engine->get_output == NULL)
      continue;
    if (first == NULL)
      first = side;
    else if (!compare_side (side, first, &error))
      fail_side (side, error);
  }
}

static int
compare_ns (gconstpointer a, gconstpointer b)
{
  guint64 left = *(const guint64 *) a, right = *(const guint64 *) b;
  return (left > right) - (left < right);
}

static void
summarise (Side *side, GArray *latencies)
{
  Latency *figures = &side->figures;
  g_array_sort (side->ns, compare_ns);
  figures->runs = side->ns->len;
  if (side->ns->len > 0) {
    figures->min_us = (double) g_array_index (side->ns, guint64, 0) / 1e3;
    figures->median_us =
        (double) g_array_index (side->ns, guint64, side->ns->len / 2) / 1e3;
  }
  g_array_append_vals (latencies, figures, 1);
}

gboolean
measure_latency (const MeasureSettings *settings, Row *row,
    const GArray *inputs, GError **error)
{
  g_autoptr (GArray) sides = make_sides (settings, row->entry, inputs);
  if (!compare_outputs (sides, &row->difference, error))
    return FALSE;
  compare_sides (sides);
  take_turns (sides, settings);
  for (guint i = 0; i < sides->len; i++)
    summarise (&g_array_index (sides, Side, i), row->latencies);
  for (guint i = 0; i < row->latencies->len; i++) {
    const Latency *latency = &g_array_index (row->latencies, Latency, i);
    if (latency->error != NULL && latency->engine->ours)
      return infer_fail (error, INFER_ERROR_FAILED, "%s", latency->error);
  }
  return TRUE;
}
