/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What runs models here: this runtime and its peers.  A further peer is one
 * file with an `Engine` and one line in engine-list.h.  Peers' libraries are
 * found at run time: nothing of them is needed to build. */

#pragma once

#include "infer/tensor.h"

G_BEGIN_DECLS

typedef enum
{
  ENGINE_F32,     /* every sum in f32; nothing is quantised silently */
  ENGINE_DEFAULT, /* what OpenVINO gives who asks for nothing */
} EnginePrecision;

typedef struct
{
  const char *model;
  const char *weights; /* nullable */
  int threads;
  EnginePrecision precision;
  gboolean throughput;   /* else for latency: one request at a time */
  const char *cache_dir; /* nullable */
} EngineSettings;

/* A value for the input of this name, or of this place in the list. */
typedef struct
{
  char *name;
  InferTensor *tensor;
} EngineInput;

typedef struct
{
  gconstpointer data;
  gsize size;
  gboolean is_f32; /* FALSE: or not known */
} EngineOutput;

typedef struct
{
  const char *name;   /* "OpenVINO" */
  const char *key;    /* "openvino" */
  const char *suffix; /* of the model files that it reads: ".xml" */

  /* The library, from where bench/setup-peers has put it; @version is
   * (transfer full).  INFER_ERROR_NOT_FOUND where it is not there. */
  gpointer (*open) (const char *peers, char **version, GError **error);
  void (*close) (gpointer library);

  /* Read and compiled, with one request. */
  gpointer (*load) (
      gpointer library, const EngineSettings *settings, GError **error);
  void (*unload) (gpointer model);
  /* "f32", "bf16": what sums are computed in.  (transfer full, nullable) */
  char *(*get_precision) (gpointer model);

  /* @inputs: (element-type EngineInput); copied. */
  gboolean (*set_inputs) (
      gpointer model, guint request, const GArray *inputs, GError **error);
  /* Request 0.  NULL where there is turn. */
  gboolean (*infer) (gpointer model, GError **error);
  /* For a model in a process of its own: runs for @budget_ns, at least once,
   * and appends what each run took.  NULL where there is infer. */
  gboolean (*turn) (
      gpointer model, guint64 budget_ns, GArray *ns, GError **error);
  /* Of request 0's last run; valid until the next.  Nullable: not comparable.
   */
  gboolean (*get_output) (
      gpointer model, guint index, EngineOutput *output, GError **error);

  /* Several requests at a time; all NULL where an engine has no such thing. */
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

/* Those that are there, @missing (nullable) is told of the others.  (transfer
 * full) (element-type OpenEngine) */
GArray *engines_open (const char *peers, GString *missing);
gboolean engine_open (
    const Engine *engine, const char *peers, OpenEngine *open, GError **error);
void engine_close (OpenEngine *open);

/* The first file that matches @pattern below @peers.  (transfer full)
 * INFER_ERROR_NOT_FOUND */
char *engine_find_file (const char *peers, const char *pattern, GError **error);

G_END_DECLS
