/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Measurements of a model, by engines in turns, so that other load on the
 * machine affects all alike. */

#pragma once

#include "bench/compare/row.h"

typedef struct
{
  const GArray *engines; /* (element-type OpenEngine) */
  const char *peers;     /* the folder */
  const char *sources;   /* a folder of NAME.onnx and NAME.tflite */
  const char *program;   /* this program's path */
  int threads;
  double seconds;    /* per model, for latency */
  gboolean f32_only; /* without the mode PERFORMANCE */
  gboolean cpu_time; /* latency is processor time of this process */
  guint processes;   /* how many of each kind */
} MeasureSettings;

/* The file of @entry that @engine reads, and its weights; NULL: none. (transfer
 * full) */
char *measure_find_model (const MeasureSettings *settings, const Engine *engine,
    const Entry *entry, const char **weights);

/* Each fills its part of @row.  A peer's failure is an error in the row; FALSE
 * if this runtime fails. */
gboolean measure_latency (const MeasureSettings *settings, Row *row,
    const GArray *inputs, GError **error);
gboolean measure_throughput (const MeasureSettings *settings, Row *row,
    const GArray *inputs, GError **error);
gboolean measure_processes (const MeasureSettings *settings, Row *row,
    const GArray *inputs, GError **error);
