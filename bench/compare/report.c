/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench/compare/report.h"

#include <stdio.h>

static const struct
{
  Ratio ratio;
  const char *title;
} columns[] = {
  { RATIO_OPENVINO, "f32" },
  { RATIO_OPENVINO_MIN, "min" },
  { RATIO_PERFORMANCE, "perform" },
  { RATIO_ONNXRUNTIME, "ORT" },
  { RATIO_LITERT, "LiteRT" },
  { RATIO_NCNN, "ncnn" },
  { RATIO_THROUGHPUT, "thrput" },
  { RATIO_LOAD, "load" },
  { RATIO_CACHED_LOAD, "cached" },
  { RATIO_MEMORY, "memory" },
  { RATIO_STORED_F32, "f16" },
};

void
report_print_head (const ReportHead *head)
{
  for (guint i = 0; i < head->engines->len; i++) {
    const OpenEngine *open = &g_array_index (head->engines, OpenEngine, i);
    printf ("%s%s%s%s", i > 0 ? ", " : "", open->engine->name,
        open->version[0] ? " " : "", open->version);
  }
  printf ("; threads: %d\n"
          "Medians in microseconds; all else are ratios, above 1: inferfilter "
          "is better.  To OpenVINO: latency at f32, of minima, and with "
          "EXECUTION_MODE_HINT=PERFORMANCE, OpenVINO's default; throughput; "
          "time to load, with a cache; memory.  *: published, not "
          "measured here.\n\n",
      head->threads);
  printf ("%-26s %10s %10s", "model", "ours", "OpenVINO");
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    printf (" %8s", columns[i].title);
  printf (" %8s\n", "max diff");
  fflush (stdout);
}

static void
print_time (const Row *row, const char *key)
{
  const Latency *latency = row_latency (row, key, MODE_F32);
  if (latency != NULL)
    printf (" %10.1f", latency->median_us);
  else
    printf (" %10s", "-");
}

static void
print_ratio (double ratio, gboolean published)
{
  if (ratio > 0)
    printf (" %7.2f%c", ratio, published ? '*' : ' ');
  else
    printf (" %7s ", "-");
}

static void
print_failures (const Row *row)
{
  for (guint i = 0; i < row->latencies->len; i++) {
    const Latency *latency = &g_array_index (row->latencies, Latency, i);
    if (latency->error != NULL)
      printf ("    %s: %s\n", latency->engine->name, latency->error);
  }
  for (guint i = 0; i < row->throughputs->len; i++) {
    const Throughput *t = &g_array_index (row->throughputs, Throughput, i);
    if (t->error != NULL)
      printf ("    %s, throughput: %s\n", t->engine->name, t->error);
  }
  for (guint i = 0; i < row->processes->len; i++) {
    const Process *process = &g_array_index (row->processes, Process, i);
    if (process->error != NULL)
      printf ("    %s, loading: %s\n", process->engine->name, process->error);
  }
}

void
report_print_row (const Row *row)
{
  printf ("%-26s", row->entry->name);
  if (row->error != NULL) {
    printf (" %s\n", row->error->message);
    fflush (stdout);
    return;
  }
  print_time (row, "inferfilter");
  print_time (row, "openvino");
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    print_ratio (
        row->ratios[columns[i].ratio], row->published[columns[i].ratio]);
  if (row->difference >= 0)
    printf (" %8.1e\n", row->difference);
  else
    printf (" %8s\n", "-");
  print_failures (row);
  fflush (stdout);
}

void
report_print_groups (const GArray *groups)
{
  printf ("\ngeometric means\n");
  for (guint i = 0; i < groups->len; i++) {
    const Group *group = &g_array_index (groups, Group, i);
    printf ("%-26s %3u models %10s", group->group, group->models, "");
    for (guint k = 0; k < G_N_ELEMENTS (columns); k++)
      print_ratio (group->means[columns[k].ratio], FALSE);
    printf ("\n");
  }
  fflush (stdout);
}
