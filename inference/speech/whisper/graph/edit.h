/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Edits of a model's graph that graphs.c is written in. */

#pragma once

#include "inference/graph/model-private.h"

/* On what the outputs of an operation depend. */
typedef enum
{
  WHISPER_ON_CONSTANTS = 0,
  WHISPER_ON_ENCODER = 1 << 0, /* the encoder's output */
  WHISPER_ON_REST = 1 << 1,    /* other inputs, variables */
} WhisperDependence;

/* Per operation by index, of a sorted graph. (transfer full) */
guint8 *whisper_dependence (
    const InferGraph *graph, const InferOperation *encoder);

const InferDesc *whisper_port_desc (const InferPort *port);

/* A Parameter called @name. */
InferOperation *whisper_add_parameter (
    InferModel *model, const char *name, const InferDesc *desc, GError **error);
InferOperation *whisper_add_result (
    InferModel *model, const char *name, InferPort from, GError **error);
InferOperation *whisper_add_ints (InferModel *model, const char *name,
    gboolean scalar, gint64 n, const gint64 *values, GError **error);
/* The last element of @port along @axis, which stays as a dimension of 1. */
gboolean whisper_add_last (
    InferModel *model, InferPort *port, gint64 axis, GError **error);

/* Removes operations that no result needs, and results or assigns first. */
void whisper_drop_results (InferModel *model);
void whisper_drop_assigns (InferModel *model);
/* infer_model_settle, with the file in the error. */
gboolean whisper_settle (InferModel *model, GError **error);
