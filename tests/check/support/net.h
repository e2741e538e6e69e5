/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Models built operation by operation. */

#pragma once

#include "inference/graph/model-private.h"
#include "infer/request.h"

InferModel *net_new (void);
/* @inputs: "x y:1": names of operations already added, with output numbers.
 * Attributes as NAME, value pairs. */
InferOperation *net_add (InferModel *net, const char *type, const char *name,
    const char *inputs, guint n_outputs, ...) G_GNUC_NULL_TERMINATED;
/* Operations as "NAME = TYPE inputs NAME=value", with ";" between them.
 * Parameters are "x = Parameter ?,4", constants "c = f32 1 0.5" or "a = i64
 * -1", operations with several outputs "NAME*2 = …". */
void net_build (InferModel *net, const char *text);
/* A new model of @text only, settled. */
InferModel *net_of (const char *text);
InferOperation *net_parameter (
    InferModel *net, const char *name, const char *shape);
InferOperation *net_const_f32 (
    InferModel *net, const char *name, gint64 n, const float *values);
/* Of any shape: a Reshape that folds. */
InferOperation *net_const_shaped (InferModel *net, const char *name, gsize rank,
    const gint64 *dims, const float *values);
InferOperation *net_const_i64 (
    InferModel *net, const char *name, gint64 n, const gint64 *values);
/* ReadValue @id of f32; @initial: its initialiser, nullable. */
InferOperation *net_read (
    InferModel *net, const char *id, const char *shape, const char *initial);
InferOperation *net_assign (InferModel *net, const char *id, const char *value);
InferOperation *net_result (
    InferModel *net, const char *name, const char *value);
/* Call it when all operations are added; the model must be valid. */
void net_settle (InferModel *net);

/* Fills the f32 inputs with numbers from 0 to 1 that depend on @step; @open
 * replaces dynamic dimensions. */
gboolean net_fill (
    InferRequest *request, gint64 open, guint step, GError **error);
/* Runs it on inputs that depend on @seed; *@rows: replaces the dynamic first
 * dimension. */
void net_run (InferRequest *request, const gint64 *rows, guint32 seed);
