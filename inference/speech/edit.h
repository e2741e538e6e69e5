/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Edits of a network's graph, for kinds that cut one file's network in parts.
 */

#pragma once

#include "inference/graph/model-private.h"

/* On what the outputs of an operation depend. */
typedef enum
{
  SPEECH_ON_CONSTANTS = 0,
  SPEECH_ON_ENCODER = 1 << 0, /* the encoder's output */
  SPEECH_ON_REST = 1 << 1,    /* other inputs, variables */
} SpeechDependence;

/* Per operation by index, of a sorted graph.  @encoder: the parameter of the
 * encoder's output. (transfer full) */
guint8 *speech_dependence (
    const InferGraph *graph, const InferOperation *encoder);

/* The ports that depend on @only, and are read by operations that depend on
 * both.  (transfer full) (element-type InferPort) */
GArray *speech_find_crossing (const InferGraph *graph,
    const InferOperation *encoder, SpeechDependence only);

const InferDesc *speech_port_desc (const InferPort *port);
/* @port of the model that @copy is a copy of, whose operations have the same
 * indices. */
InferPort speech_port_in (const InferModel *copy, const InferPort *port);

/* A Parameter called @name. */
InferOperation *speech_add_parameter (
    InferModel *model, const char *name, const InferDesc *desc, GError **error);
InferOperation *speech_add_result (
    InferModel *model, const char *name, InferPort from, GError **error);

/* Results or assigns; what only they needed stays until the model settles. */
void speech_drop_results (InferModel *model);
void speech_drop_assigns (InferModel *model);
/* infer_model_settle without the operations that no result needs, with the file
 * in the error. */
gboolean speech_settle (InferModel *model, GError **error);
/* The same without the parameters that nothing reads. */
gboolean speech_settle_parameters (InferModel *model, GError **error);
