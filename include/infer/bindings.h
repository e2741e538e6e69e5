/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For languages that call the library through GObject introspection: types,
 * and functions in forms that they can call.  A C program has no need of them.
 *
 * Tensors share memory with GBytes and with arrays of the language; nothing is
 * copied.
 *
 * Since: 0.2 */

#pragma once

#include <glib-object.h>

#include "infer/request.h"
#include "infer/speech.h"
#include "infer/voice.h"

G_BEGIN_DECLS

/* Boxed types, and two enums.  A copy of a reference-counted type is a
 * reference. */
INFER_API GType infer_async_request_get_type (void);
INFER_API GType infer_desc_get_type (void);
INFER_API GType infer_error_get_type (void); /* of InferErrorCode */
INFER_API GType infer_executable_get_type (void);
INFER_API GType infer_executor_get_type (void);
INFER_API GType infer_model_get_type (void);
INFER_API GType infer_preprocess_get_type (void);
INFER_API GType infer_request_get_type (void);
INFER_API GType infer_runtime_get_type (void);
INFER_API GType infer_shape_get_type (void);
INFER_API GType infer_speech_model_get_type (void);
INFER_API GType infer_speech_stream_get_type (void);
INFER_API GType infer_state_set_get_type (void);
INFER_API GType infer_tensor_get_type (void);
INFER_API GType infer_transcript_get_type (void);
INFER_API GType infer_type_get_type (void); /* an enum */
INFER_API GType infer_voice_detector_get_type (void);
INFER_API GType infer_voice_model_get_type (void);
INFER_API GType infer_word_get_type (void);

/* --- shapes --- */

/* Returns the shape of @dims; -1 (INFER_DYNAMIC) stands for a dim that is not
 * known.  INFER_ERROR_INVALID_ARGUMENT if there are more than INFER_MAX_RANK.
 * (transfer full) Since: 0.2 */
INFER_API InferShape *infer_shape_new_dims (
    const gint64 *dims, guint n_dims, GError **error);
/* (nullable) Since: 0.2 */
INFER_API void infer_shape_free (InferShape *shape);
/* Returns the dims, the outermost first; none for a scalar, and where not even
 * the rank is known (its field is -1).  Since: 0.2 */
INFER_API const gint64 *infer_shape_get_dims (
    const InferShape *shape, guint *n_dims);

/* The element type of a port or a variable.  Since: 0.2 */
INFER_API InferType infer_desc_get_element_type (const InferDesc *desc);
/* Its shape, which may be partial.  (transfer full) Since: 0.2 */
INFER_API InferShape *infer_desc_get_shape (const InferDesc *desc);

/* --- models --- */

/* The name of variable @index; NULL: there is none.  Since: 0.2 */
INFER_API const char *infer_model_variable_name (
    const InferModel *model, guint index);
/* Its type and shape.  (nullable) Since: 0.2 */
INFER_API const InferDesc *infer_model_variable_desc (
    const InferModel *model, guint index);
/* Returns a new model in which input @index has shape @shape; others keep
 * theirs.  (transfer full) Since: 0.2 */
INFER_API InferModel *infer_model_reshape_input (const InferModel *model,
    guint index, const InferShape *shape, GError **error);

/* --- tensors --- */

/* Makes a tensor over @bytes, which it keeps; nothing is copied.  It is for
 * reading: do not set it as an output.  INFER_ERROR_INVALID_ARGUMENT if @bytes
 * are too few.  (transfer full) Since: 0.2 */
INFER_API InferTensor *infer_tensor_new_from_bytes (InferType type,
    const gint64 *dims, guint n_dims, GBytes *bytes, GError **error);
/* Returns the elements, in row-major order: the memory of a dense tensor,
 * which they keep alive; of a strided one, a copy.  NULL with @error if that
 * finds no memory.  (transfer full) Since: 0.2 */
INFER_API GBytes *infer_tensor_get_bytes (InferTensor *tensor, GError **error);
/* The address of the first element, valid while a reference to @tensor is
 * held; 0 for a tensor without elements.  Since: 0.2 */
INFER_API guint64 infer_tensor_get_address (const InferTensor *tensor);
/* Since: 0.2 */
INFER_API InferType infer_tensor_get_element_type (const InferTensor *tensor);
/* Returns the dims, the outermost first.  Since: 0.2 */
INFER_API const gint64 *infer_tensor_get_dims (
    const InferTensor *tensor, guint *n_dims);
/* Returns the bytes from one index to the next, for each dim.  Since: 0.2 */
INFER_API const gint64 *infer_tensor_get_strides (
    const InferTensor *tensor, guint *n_dims);

/* --- requests and streams --- */

/* Each reference is dropped by infer_request_free; the last one frees.  The
 * same holds for the following types.  Since: 0.2 */
INFER_API InferRequest *infer_request_ref (InferRequest *request);
INFER_API InferAsyncRequest *infer_async_request_ref (
    InferAsyncRequest *request);
INFER_API InferSpeechStream *infer_speech_stream_ref (
    InferSpeechStream *stream);
INFER_API InferVoiceDetector *infer_voice_detector_ref (
    InferVoiceDetector *detector);
/* Like infer_request_get_output, but later runs do not write to the tensor
 * unless the caller has set it: the request makes a new one.  (transfer full)
 * Since: 0.2 */
INFER_API InferTensor *infer_request_take_output (
    InferRequest *request, guint index, GError **error);

/* @error: of a run that failed; NULL (nullable): it did not.  Since: 0.2 */
typedef void (*InferDoneFunc) (const GError *error, gpointer data);
/* After each run @done is called in the thread-default main context of the
 * caller, which must be iterated (GMainLoop); not after @request was freed, or
 * its callback was set again.  It may start @request again.  @destroy frees
 * @data then.  @done NULL: no calls. While @request is idle.  Since: 0.2 */
INFER_API void infer_async_request_watch (InferAsyncRequest *request,
    InferDoneFunc done, gpointer data, GDestroyNotify destroy);
/* infer_request_get_op_timings as an array a(sssts): the operation's name and
 * type, the kernel, nanoseconds, the device.  (transfer full) Since: 0.2 */
INFER_API GVariant *infer_request_list_op_timings (InferRequest *request);

/* --- states --- */

/* The names of the variables.  (transfer full) Since: 0.2 */
INFER_API GStrv infer_state_set_list_names (InferStateSet *set);
/* A copy of the value of variable @name, as infer_state_get_value returns it.
 * (transfer full) Since: 0.2 */
INFER_API InferTensor *infer_state_set_get_value (
    InferStateSet *set, const char *name, GError **error);
/* Copies @value to variable @name.  Since: 0.2 */
INFER_API gboolean infer_state_set_set_value (InferStateSet *set,
    const char *name, const InferTensor *value, GError **error);

/* --- speech --- */

/* The kind of the model, e.g. "whisper".  Since: 0.2 */
INFER_API const char *infer_speech_model_get_kind (
    const InferSpeechModel *model);
/* Samples per second that streams take.  Since: 0.2 */
INFER_API guint infer_speech_model_get_rate (const InferSpeechModel *model);
/* The languages of the model; none where it does not say.
 * (transfer full) Since: 0.2 */
INFER_API GStrv infer_speech_model_list_languages (
    const InferSpeechModel *model);
/* infer_speech_stream_push with @samples as 32-bit floats.  Since: 0.2 */
INFER_API gboolean infer_speech_stream_push_bytes (
    InferSpeechStream *stream, GBytes *samples, GError **error);
/* Word @index; NULL: there are not as many.  (transfer full) Since: 0.2 */
INFER_API InferWord *infer_transcript_get_word (
    const InferTranscript *transcript, guint index);
/* (nullable) Since: 0.2 */
INFER_API void infer_word_free (InferWord *word);
/* infer_voice_detector_push with @samples as 32-bit floats; NULL: the stream
 * ends, as with infer_voice_detector_finish.  Returns the probability of speech
 * of each window that they complete.
 * (transfer full) Since: 0.2 */
INFER_API float *infer_voice_detector_detect (InferVoiceDetector *detector,
    GBytes *samples, guint *n_windows, GError **error);

G_END_DECLS
