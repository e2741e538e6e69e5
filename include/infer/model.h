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

/* A variable: the state that ReadValue and Assign of one variable_id share. */
typedef struct
{
  char *name;
  InferDesc desc;    /* may be partial, of dynamic type even */
  gboolean assigned; /* an Assign exists */
} InferVariable;

/* Loads an OpenVINO IR or an ONNX model, whichever the file is.  @weights_path
 * (nullable; NULL for ONNX) defaults to @path with `.bin`.
 * Weights of 1 MiB and more are mapped, not read: to replace such a file while
 * it is in use, rename another one over it; if it is truncated in place,
 * loading and every later inference fail with INFER_ERROR_FAILED.
 * External data of ONNX are opened if they are in the model's folder; no other
 * file is.  Any thread.  (transfer full) */
INFER_API InferModel *infer_model_load (
    const char *path, const char *weights_path, GError **error);

/* Loads an IR or an ONNX model from memory, which must not change: constants
 * stay where they are, in GBytes that the model keeps.  @weights (nullable):
 * what the `.bin` contains or, Since: 0.2, the file with the external data of
 * an ONNX model.  No file is opened: INFER_ERROR_INVALID_ARGUMENT if that one
 * is not given, or there are several.  @name (nullable) replaces the file name
 * in messages.  Any thread.  (transfer full) */
INFER_API InferModel *infer_model_load_bytes (
    GBytes *model, GBytes *weights, const char *name, GError **error);

INFER_API InferModel *infer_model_ref (InferModel *model);
INFER_API void infer_model_unref (InferModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferModel, infer_model_unref)

/* Returns a new model in which input @inputs[i] has shape @shapes[i], i < @n;
 * other inputs keep their shapes.  (transfer full) */
INFER_API InferModel *infer_model_reshape (const InferModel *model, guint n,
    const guint *inputs, const InferShape *shapes, GError **error);

/* Returns a new model with @ports ("operation" or "operation:port",
 * NULL-terminated) as additional outputs, in that order.  (transfer full) */
INFER_API InferModel *infer_model_add_outputs (
    const InferModel *model, const char *const *ports, GError **error);

/* Returns a new model for sequences that arrive in pieces: the loop-carried
 * values of its TensorIterator, Loop and forward LSTM/GRU/RNNSequence
 * operations become variables, initialised with the initial states that the
 * model computes or is given.  INFER_ERROR_INVALID_ARGUMENT if it has no such
 * operation. (transfer full) */
INFER_API InferModel *infer_model_low_latency (
    const InferModel *model, GError **error);

/* Returns a new model in which each pair "INPUT=OUTPUT" (names as for
 * infer_model_find_input and _output; NULL-terminated) becomes a variable of
 * the input's name; neither remains a port.  Initially it is zero; a dim that
 * the model leaves open is 1 then if the output keeps it, as a batch, and 0 if
 * it grows from step to step, as the length of an attention cache.
 *
 * A pair "auto" (Since: 0.2) stands for all inputs and outputs that are states
 * by their names, types and shapes: "h" and "hn", "state" and "stateN",
 * "cached_X" and "new_cached_X", "cache_X" and "cache_X_next", "in_X_cache" and
 * "out_X_cache", "past_key_values.X" and "present.X" and their like.  It fails
 * with INFER_ERROR_INVALID_ARGUMENT if there is none or one could belong to
 * several; pairs given beside it go first.  The input "use_cache_branch" of
 * Optimum's merged decoders becomes a variable too: false in the first step
 * after a reset, true later.
 *
 * rt_info "state_pairs" of the new model lists the pairs: "h=hn,c=cn".
 * (transfer full) */
INFER_API InferModel *infer_model_tie_states (
    const InferModel *model, const char *const *pairs, GError **error);

/* Returns a new model in which inputs are constants: each of @values
 * (NULL-terminated) is "INPUT=VALUE" or "INPUT=VALUE:VALUE:…", at most 64 of
 * them: numbers, whole ones (or true, false) for inputs of integers.  One value
 * fills the whole input; a dim that the model leaves open becomes 1, but the
 * last such dim takes as many values as there are.  "INPUT=FILE.npy" reads
 * NumPy's file, whose shape must match, and converts its type.  The other
 * inputs keep their order.  INFER_ERROR_INVALID_ARGUMENT for an unknown input,
 * and for values that do not fit.  (transfer full)
 *
 * Since: 0.2 */
INFER_API InferModel *infer_model_fix_inputs (
    const InferModel *model, const char *const *values, GError **error);

/* Returns a new model with values of rt_info model_info added or replaced:
 * @pairs is key, value, key, value, …, NULL.  (transfer full) */
INFER_API InferModel *infer_model_set_info (
    const InferModel *model, const char *const *pairs, GError **error);

INFER_API const char *infer_model_get_name (const InferModel *model);
INFER_API const char *infer_model_get_path (
    const InferModel *model); /* for messages */
INFER_API guint infer_model_get_ir_version (const InferModel *model);
/* Paths of the files in which an ONNX file has values of its tensors, NULL at
 * the end; NULL: none.  They live as long as the model.
 *
 * Since: 0.2 */
INFER_API const char *const *infer_model_get_external_files (
    const InferModel *model);

/* Inputs and outputs, in document order; an index must be below the count.
 * Strings and descriptions live as long as the model. */
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
/* Finds a port by any of its tensor names, by the operation's name, or by
 * decimal index.  -1 with INFER_ERROR_NOT_FOUND, which lists the names. */
INFER_API int infer_model_find_input (
    const InferModel *model, const char *name, GError **error);
INFER_API int infer_model_find_output (
    const InferModel *model, const char *name, GError **error);

/* Variables, in order of first appearance; find: -1 if there is none. */
INFER_API guint infer_model_n_variables (const InferModel *model);
INFER_API const InferVariable *infer_model_variable (
    const InferModel *model, guint index);
INFER_API int infer_model_find_variable (
    const InferModel *model, const char *name);

/* Returns a value of the net's rt_info by path, e.g. "model_info/labels"; NULL
 * if absent. */
INFER_API const char *infer_model_get_rt_info (
    const InferModel *model, const char *key);
/* The same with "model_info/" before @key. */
INFER_API const char *infer_model_get_info (
    const InferModel *model, const char *key);

G_END_DECLS
