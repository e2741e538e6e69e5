/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* All figures of a model, and their ratios. */

#pragma once

#include "bench/compare/engine.h"
#include "bench/compare/entry.h"
#include "bench/compare/process-run.h"

typedef enum
{
  MODE_F32,
  MODE_PERFORMANCE,
  MODE_STORED_F32, /* f32, with the model's f32 file */
  MODE_PUBLISHED,  /* not measured here: scaled from another machine's table */
} Mode;

typedef struct
{
  const Engine *engine;
  Mode mode;
  double median_us, min_us;
  /* Of all outputs, from those of the first side, relative to the largest
   * value; -1: unknown. */
  double difference;
  guint runs;
  char *precision; /* nullable */
  char *error;     /* nullable: why there are no figures */
} Latency;

typedef struct
{
  const Engine *engine;
  double per_s;
  guint requests;
  char *error;
} Throughput;

typedef struct
{
  const Engine *engine;
  ProcessRun plain, cached;
  gboolean has_cache;
  char *error;
} Process;

/* Above 1: this runtime is better. */
typedef enum
{
  RATIO_OPENVINO,
  RATIO_OPENVINO_MIN,
  RATIO_PERFORMANCE,
  RATIO_ONNXRUNTIME,
  RATIO_LITERT,
  RATIO_NCNN,
  RATIO_PUBLISHED, /* to ONNX Runtime or LiteRT, whichever is published */
  RATIO_THROUGHPUT,
  RATIO_LOAD,
  RATIO_CACHED_LOAD,
  RATIO_LOAD_AGAIN,
  RATIO_CACHED_LOAD_AGAIN,
  RATIO_FIRST,
  RATIO_MEMORY,
  RATIO_PEAK_MEMORY,
  RATIO_STORED_F32,
  N_RATIOS
} Ratio;

/* As in the JSON: "openvino", "throughput". */
extern const char *const ratio_names[N_RATIOS];

typedef struct
{
  const Entry *entry;
  GError *error;                /* nothing could be measured */
  double difference;            /* largest of the first output; < 0: unknown */
  GArray *latencies;            /* (element-type Latency) */
  GArray *throughputs;          /* (element-type Throughput) */
  GArray *processes;            /* (element-type Process) */
  double ratios[N_RATIOS];      /* 0: unknown */
  gboolean published[N_RATIOS]; /* the ratio uses a published figure */
} Row;

void row_init (Row *row, const Entry *entry);
void row_clear (Row *row);

/* NULL if it was not measured. */
const Latency *row_latency (const Row *row, const char *key, Mode mode);

/* Fills `ratios` from the figures. */
void row_compute_ratios (Row *row);

typedef struct
{
  char *group; /* "all": every model outside of the group "f16" */
  guint models;
  double means[N_RATIOS], least[N_RATIOS];
  guint n[N_RATIOS];
} Group;

/* Geometric means over the models of each group.  (transfer full)
 * (element-type Group) */
GArray *rows_group (const GArray *rows);
