/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Engines run models: this runtime and its peers, one file with an `Engine` and
 * one line in engine-list.h each.  Peers' libraries are opened at run time; the
 * build needs none of them. */

#pragma once

#include "infer/tensor.h"

typedef enum
{
  ENGINE_F32,     /* all sums in f32, no dynamic quantisation */
  ENGINE_DEFAULT, /* OpenVINO's default */
} EnginePrecision;

typedef struct
{
  const char *model;
  const char *weights; /* nullable */
  int threads;
  EnginePrecision precision;
  gboolean throughput;   /* FALSE: latency, one request at a time */
  const char *cache_dir; /* nullable */
} EngineSettings;

/* The value of the input with this name, or at this place in the list. */
typedef struct
{
  char *name;
  InferTensor *tensor;
} EngineInput;

typedef struct
{
  gconstpointer data;
  gsize size;
  gboolean is_f32; /* FALSE: another type, or unknown */
} EngineOutput;

typedef struct
{
  const char *name;    /* "OpenVINO" */
  const char *key;     /* "openvino" */
  const char *suffix;  /* of the model files that it reads: ".xml" */
  gboolean ours;       /* this runtime, which is linked in */
  gboolean on_request; /* only if it is named in --engines */

  /* Opens the library that bench/setup-peers installed; @version is (transfer
   * full).  INFER_ERROR_NOT_FOUND if it is missing.  What the engine makes once
   * in a process belongs to `load`. */
  gpointer (*open) (const char *peers, char **version, GError **error);
  void (*close) (gpointer library);

  /* Reads and compiles the model, with one request.  The first one of a process
   * prepares the engine itself, too: its environment, devices, kernels. */
  gpointer (*load) (
      gpointer library, const EngineSettings *settings, GError **error);
  void (*unload) (gpointer model);
  /* The type of sums: "f32", "bf16".  (transfer full, nullable) */
  char *(*get_precision) (gpointer model);

  /* @inputs: (element-type EngineInput); may be read where they are, so they
   * must outlive the model. */
  gboolean (*set_inputs) (
      gpointer model, guint request, const GArray *inputs, GError **error);
  /* Runs request 0.  NULL if there is `turn`. */
  gboolean (*infer) (gpointer model, GError **error);
  /* For a model in a process of its own: runs for @budget_ns, at least once,
   * and appends the time of each run.  NULL if there is `infer`. */
  gboolean (*turn) (
      gpointer model, guint64 budget_ns, GArray *ns, GError **error);
  /* The output of request 0's last run; valid until the next.  NULL: outputs
   * are not compared. */
  gboolean (*get_output) (
      gpointer model, guint index, EngineOutput *output, GError **error);

  /* Several requests at a time; all NULL if not supported. */
  guint (*optimal_requests) (gpointer model);
  gboolean (*add_request) (gpointer model, GError **error);
  gboolean (*start) (gpointer model, guint request, GError **error);
  gboolean (*wait) (gpointer model, guint request, GError **error);
} Engine;

#define ENGINE(name) extern const Engine engine_##name;
#include "bench/compare/engine-list.h"
#undef ENGINE

/* An engine with its library open. */
typedef struct
{
  const Engine *engine;
  gpointer library;
  char *version;
} OpenEngine;

/* NULL-terminated, in the order of the list. */
extern const Engine *const engines[];
const Engine *engine_find (const char *key); /* nullable */

/* The installed engines; @missing (nullable) gets the others.  @chosen: their
 * keys, NULL: all but those on request.  (transfer full) (element-type
 * OpenEngine) */
GArray *engines_open (
    const char *peers, const char *const *chosen, GString *missing);
gboolean engine_open (
    const Engine *engine, const char *peers, OpenEngine *open, GError **error);
void engine_close (OpenEngine *open);

/* The first file that matches @pattern below @peers.  (transfer full)
 * INFER_ERROR_NOT_FOUND */
char *engine_find_file (const char *peers, const char *pattern, GError **error);
