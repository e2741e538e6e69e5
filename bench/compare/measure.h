/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is measured of a model, each by engines in turns, so that whatever else
 * the machine does falls on all of them. */

#pragma once

#include "bench/compare/row.h"

G_BEGIN_DECLS

typedef struct
{
  const GArray *engines; /* (element-type OpenEngine) */
  const char *peers;     /* the folder */
  const char *sources;   /* a folder of NAME.onnx and NAME.tflite */
  const char *program;   /* this one */
  int threads;
  double seconds;  /* of latency, for a model */
  guint processes; /* how many of each kind */
} MeasureSettings;

/* The file that @engine reads of @entry, and its weights; NULL where there is
 * none.  (transfer full) */
char *measure_find_model (const MeasureSettings *settings, const Engine *engine,
    const Entry *entry, const char **weights);

/* Each fills its part of @row.  An engine that fails leaves its reason there;
 * FALSE where this runtime does. */
gboolean measure_latency (const MeasureSettings *settings, Row *row,
    const GArray *inputs, GError **error);
gboolean measure_throughput (const MeasureSettings *settings, Row *row,
    const GArray *inputs, GError **error);
gboolean measure_processes (const MeasureSettings *settings, Row *row,
    const GArray *inputs, GError **error);

G_END_DECLS
