/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench/compare/row.h"

#include <math.h>

const char *const ratio_names[N_RATIOS] = {
  [RATIO_OPENVINO] = "openvino",
  [RATIO_OPENVINO_MIN] = "openvino_min",
  [RATIO_PERFORMANCE] = "openvino_performance",
  [RATIO_ONNXRUNTIME] = "onnxruntime",
  [RATIO_LITERT] = "litert",
  [RATIO_NCNN] = "ncnn",
  [RATIO_PUBLISHED] = "published",
  [RATIO_THROUGHPUT] = "throughput",
  [RATIO_LOAD] = "load",
  [RATIO_CACHED_LOAD] = "cached_load",
  [RATIO_LOAD_AGAIN] = "load_again",
  [RATIO_CACHED_LOAD_AGAIN] = "cached_load_again",
  [RATIO_FIRST] = "first",
  [RATIO_MEMORY] = "memory",
  [RATIO_PEAK_MEMORY] = "peak_memory",
  [RATIO_STORED_F32] = "stored_f32",
};

static void
clear_latency (gpointer data)
{
  Latency *latency = data;
  g_free (latency->precision);
  g_free (latency->error);
}

static void
clear_throughput (gpointer data)
{
  g_free (((Throughput *) data)->error);
}

static void
clear_process (gpointer data)
{
  g_free (((Process *) data)->error);
}

static GArray *
new_array (guint size, GDestroyNotify clear)
{
  GArray *array = g_array_new (FALSE, TRUE, size);
  g_array_set_clear_func (array, clear);
  return array;
}

void
row_init (Row *row, const Entry *entry)
{
  *row = (Row){
    .entry = entry,
    .difference = -1,
    .latencies = new_array (sizeof (Latency), clear_latency),
    .throughputs = new_array (sizeof (Throughput), clear_throughput),
    .processes = new_array (sizeof (Process), clear_process),
  };
}

void
row_clear (Row *row)
{
  g_clear_error (&row->error);
  g_array_unref (row->latencies);
  g_array_unref (row->throughputs);
  g_array_unref (row->processes);
}

const Latency *
row_latency (const Row *row, const char *key, Mode mode)
{
  for (guint i = 0; i < row->latencies->len; i++) {
    const Latency *latency = &g_array_index (row->latencies, Latency, i);
    if (latency->error == NULL && latency->mode == mode
        && g_str_equal (latency->engine->key, key))
      return latency;
  }
  return NULL;
}

/* --- ratios --- */

/* Theirs to ours, for figures where less is better; 0 if either is missing. */
static double
less_is_better (double ours, double theirs)
{
  return ours > 0 && theirs > 0 ? theirs / ours : 0;
}

static void
compare_latency (Row *row, Ratio ratio, const char *key, Mode mode)
{
  const Latency *ours = row_latency (row, "inferfilter", mode);
  const Latency *theirs = row_latency (row, key, mode);
  if (ours != NULL && theirs != NULL)
    row->ratios[ratio] = less_is_better (ours->median_us, theirs->median_us);
}

/* Fills @ratio from published figures if nothing was measured. */
static void
compare_published (Row *row, Ratio ratio, const char *key)
{
  const Latency *ours = row_latency (row, "inferfilter", MODE_F32);
  const Latency *theirs = row_latency (row, key, MODE_PUBLISHED);
  if (ours == NULL || theirs == NULL)
    return;
  row->ratios[RATIO_PUBLISHED] =
      less_is_better (ours->median_us, theirs->median_us);
  row->published[RATIO_PUBLISHED] = TRUE;
  if (row->ratios[ratio] > 0)
    return;
  row->ratios[ratio] = row->ratios[RATIO_PUBLISHED];
  row->published[ratio] = TRUE;
}

static void
compare_minima (Row *row)
{
  const Latency *ours = row_latency (row, "inferfilter", MODE_F32);
  const Latency *theirs = row_latency (row, "openvino", MODE_F32);
  if (ours != NULL && theirs != NULL)
    row->ratios[RATIO_OPENVINO_MIN] =
        less_is_better (ours->min_us, theirs->min_us);
}

static void
compare_stored (Row *row)
{
  const Latency *f16 = row_latency (row, "inferfilter", MODE_PERFORMANCE);
  const Latency *f32 = row_latency (row, "inferfilter", MODE_STORED_F32);
  if (f16 != NULL && f32 != NULL)
    row->ratios[RATIO_STORED_F32] =
        less_is_better (f16->median_us, f32->median_us);
}

static void
compare_throughput (Row *row)
{
  double ours = 0, theirs = 0;
  for (guint i = 0; i < row->throughputs->len; i++) {
    const Throughput *t = &g_array_index (row->throughputs, Throughput, i);
    if (g_str_equal (t->engine->key, "inferfilter"))
      ours = t->per_s;
    else if (g_str_equal (t->engine->key, "openvino"))
      theirs = t->per_s;
  }
  row->ratios[RATIO_THROUGHPUT] = less_is_better (theirs, ours);
}

static void
compare_processes (Row *row)
{
  const Process *ours = NULL, *theirs = NULL;
  for (guint i = 0; i < row->processes->len; i++) {
    const Process *process = &g_array_index (row->processes, Process, i);
    if (g_str_equal (process->engine->key, "inferfilter"))
      ours = process;
    else if (g_str_equal (process->engine->key, "openvino"))
      theirs = process;
  }
  if (ours == NULL || theirs == NULL || ours->error != NULL
      || theirs->error != NULL)
    return;
  row->ratios[RATIO_LOAD] =
      less_is_better (ours->plain.load_ms, theirs->plain.load_ms);
  row->ratios[RATIO_CACHED_LOAD] =
      less_is_better (ours->cached.load_ms, theirs->cached.load_ms);
  row->ratios[RATIO_LOAD_AGAIN] =
      less_is_better (ours->plain.again_ms, theirs->plain.again_ms);
  row->ratios[RATIO_CACHED_LOAD_AGAIN] =
      less_is_better (ours->cached.again_ms, theirs->cached.again_ms);
  row->ratios[RATIO_FIRST] =
      less_is_better (ours->plain.first_ms, theirs->plain.first_ms);
  row->ratios[RATIO_MEMORY] =
      less_is_better (ours->plain.rss_kb, theirs->plain.rss_kb);
  row->ratios[RATIO_PEAK_MEMORY] =
      less_is_better (ours->plain.peak_kb, theirs->plain.peak_kb);
}

void
row_compute_ratios (Row *row)
{
  compare_latency (row, RATIO_OPENVINO, "openvino", MODE_F32);
  compare_latency (row, RATIO_PERFORMANCE, "openvino", MODE_PERFORMANCE);
  compare_latency (row, RATIO_ONNXRUNTIME, "onnxruntime", MODE_F32);
  compare_latency (row, RATIO_LITERT, "litert", MODE_F32);
  compare_latency (row, RATIO_NCNN, "ncnn", MODE_F32);
  compare_published (row, RATIO_ONNXRUNTIME, "onnxruntime");
  compare_published (row, RATIO_LITERT, "litert");
  compare_minima (row);
  compare_stored (row);
  compare_throughput (row);
  compare_processes (row);
}

/* --- means --- */

static void
clear_group (gpointer data)
{
  g_free (((Group *) data)->group);
}

static Group *
find_group (GArray *groups, const char *name)
{
  for (guint i = 0; i < groups->len; i++) {
    Group *group = &g_array_index (groups, Group, i);
    if (g_str_equal (group->group, name))
      return group;
  }
  Group group = { .group = g_strdup (name) };
  g_array_append_val (groups, group);
  return &g_array_index (groups, Group, groups->len - 1);
}

static void
add_to_group (Group *group, const Row *row)
{
  group->models++;
  for (guint i = 0; i < N_RATIOS; i++) {
    double ratio = row->ratios[i];
    if (ratio <= 0)
      continue;
    group->means[i] += log (ratio);
    group->least[i] = group->n[i] == 0 ? ratio : MIN (group->least[i], ratio);
    group->n[i]++;
  }
}

GArray *
rows_group (const GArray *rows)
{
  GArray *groups = new_array (sizeof (Group), clear_group);
  find_group (groups, "all");
  for (guint i = 0; i < rows->len; i++) {
    const Row *row = &g_array_index (rows, Row, i);
    const char *const *names = (const char *const *) row->entry->groups;
    if (!g_strv_contains (names, "f16"))
      add_to_group (find_group (groups, "all"), row);
    for (guint k = 0; names[k] != NULL; k++)
      add_to_group (find_group (groups, names[k]), row);
  }
  for (guint i = 0; i < groups->len; i++) {
    Group *group = &g_array_index (groups, Group, i);
    for (guint k = 0; k < N_RATIOS; k++)
      group->means[k] =
          group->n[k] > 0 ? exp (group->means[k] / group->n[k]) : 0;
  }
  return groups;
}
