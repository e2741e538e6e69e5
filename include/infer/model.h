/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A model as read: its inputs, outputs and variables.  Immutable once loaded
 * and then usable from any thread; infer_model_reshape and the other functions
 * that change something return new models that share constants with the old
 * one. */

#pragma once

#include "infer/api.h"
#include "infer/error.h"
#include "infer/tensor.h"

G_BEGIN_DECLS

typedef struct _InferModel InferModel;

/* A variable: what ReadValue and Assign of one variable_id share. */
typedef struct
{
  char *name;
  InferDesc desc;    /* may be partial, of dynamic type even */
  gboolean assigned; /* an Assign exists */
} InferVariable;

/* From a file; the weights default to the file's name with `.bin`.  From 1 MiB
 * on they are mapped: whoever replaces such a file while it is in use renames
 * another one over it; cut short in place, it takes the process with it.
 * Nothing else is ever opened.  Any thread. */
INFER_API InferModel *infer_model_load (
    const char *path, const char *weights_path, GError **error);

/* From memory; @weights may be NULL for a model without constants.  @name
 * stands in for a file name in messages (nullable). */
INFER_API InferModel *infer_model_load_bytes (
    GBytes *xml, GBytes *weights, const char *name, GError **error);

INFER_API InferModel *infer_model_ref (InferModel *model);
INFER_API void infer_model_unref (InferModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferModel, infer_model_unref)

/* A new model whose parameters have the given shapes: @n entries of @inputs
 * (index) and @shapes; the others keep theirs. */
INFER_API InferModel *infer_model_reshape (const InferModel *model, guint n,
    const guint *inputs, const InferShape *shapes, GError **error);

/* A new model that also gives each port of @ports ("operation" or
 * "operation:port") as further results, in that order. */
INFER_API InferModel *infer_model_add_outputs (
    const InferModel *model, const char *const *ports, GError **error);

/* A new model for sequences that come in pieces: what its TensorIterator, Loop
 * and forward LSTM/GRU/RNNSequence operations carry round is kept in variables.
 * They begin as the initial states that the model computes or is given.
 * INFER_ERROR_INVALID_ARGUMENT where it has none of these. */
INFER_API InferModel *infer_model_low_latency (
    const InferModel *model, GError **error);

/* A new model in which each pair "INPUT=OUTPUT" (names as for
 * infer_model_find_input and _output) is a variable of the input's name that
 * starts as zeros; neither is a port any more. */
INFER_API InferModel *infer_model_tie_states (
    const InferModel *model, const char *const *pairs, GError **error);

/* A new model with more, or other, values of rt_info model_info: @pairs is key,
 * value, key, value, …, NULL. */
INFER_API InferModel *infer_model_set_info (
    const InferModel *model, const char *const *pairs, GError **error);

INFER_API const char *infer_model_get_name (const InferModel *model);
INFER_API const char *infer_model_get_path (
    const InferModel *model); /* for messages */
INFER_API guint infer_model_get_ir_version (const InferModel *model);

/* Inputs and outputs, in document order. */
INFER_API guint infer_model_n_inputs (const InferModel *model);
INFER_API guint infer_model_n_outputs (const InferModel *model);
INFER_API const InferDesc *infer_model_input_desc (
    const InferModel *model, guint index);
INFER_API const InferDesc *infer_model_output_desc (
    const InferModel *model, guint index);
/* The first tensor name, or the operation's name; never NULL. */
INFER_API const char *infer_model_input_name (
    const InferModel *model, guint index);
INFER_API const char *infer_model_output_name (
    const InferModel *model, guint index);
/* By any tensor name, by the operation's name, or by decimal index; -1 with
 * INFER_ERROR_NOT_FOUND, listing what there is. */
INFER_API int infer_model_find_input (
    const InferModel *model, const char *name, GError **error);
INFER_API int infer_model_find_output (
    const InferModel *model, const char *name, GError **error);

/* (element-type InferVariable); sorted by first appearance. */
INFER_API guint infer_model_n_variables (const InferModel *model);
INFER_API const InferVariable *infer_model_variable (
    const InferModel *model, guint index);
INFER_API int infer_model_find_variable (
    const InferModel *model, const char *name);

/* rt_info of the net as "model_info/labels" → value; NULL where absent. */
INFER_API const char *infer_model_get_rt_info (
    const InferModel *model, const char *key);
/* Shorthand: "labels" → rt_info "model_info/labels". */
INFER_API const char *infer_model_get_info (
    const InferModel *model, const char *key);

G_END_DECLS
