/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Voice activity: how probable speech is in each window of a stream of samples.
 *
 * InferVoiceModel: shared between streams, immutable; any thread.
 * InferVoiceDetector: one stream, with its state; one thread at a time, but for
 * infer_voice_detector_set_cancelled.
 *
 * Since: 0.2 */

#pragma once

#include "infer/api.h"
#include "infer/error.h"

G_BEGIN_DECLS

typedef struct _InferVoiceModel InferVoiceModel;
typedef struct _InferVoiceDetector InferVoiceDetector;

/* @path: a file (ONNX, OpenVINO IR) of silero's voice activity detector, or a
 * folder that has one; NULL: the level detector, which needs no model and takes
 * other sounds for speech more often.  @device: where the model runs, as for
 * infer_runtime_new; NULL: "CPU".
 * A model that is already in use with the same file and device is shared.  The
 * thread's current GCancellable ends the loading.  (transfer full) Since: 0.2
 */
INFER_API InferVoiceModel *infer_voice_model_load (
    const char *path, const char *device, GError **error);
/* The file of a voice activity detector in @folder, by its name
 * (silero_vad*.onnx); NULL: it has none.  (transfer full) Since: 0.2 */
INFER_API char *infer_voice_model_find (const char *folder);
INFER_API InferVoiceModel *infer_voice_model_ref (InferVoiceModel *model);
INFER_API void infer_voice_model_unref (InferVoiceModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferVoiceModel, infer_voice_model_unref)

/* "silero" or "level". Since: 0.2 */
INFER_API const char *infer_voice_model_get_kind (const InferVoiceModel *model);
/* The file; NULL for the level detector. Since: 0.2 */
INFER_API const char *infer_voice_model_get_path (const InferVoiceModel *model);
/* Samples per second that detectors of @model take. Since: 0.2 */
INFER_API guint infer_voice_model_get_rate (const InferVoiceModel *model);
/* Samples of a window. Since: 0.2 */
INFER_API guint infer_voice_model_get_window (const InferVoiceModel *model);

/* Samples @begin to @end, counted from the last reset. */
typedef struct
{
  guint64 begin, end;
  float probability; /* of speech, 0 … 1 */
  float energy;      /* mean square of the samples */
} InferVoiceWindow;

/* (transfer full) Since: 0.2 */
INFER_API InferVoiceDetector *infer_voice_detector_new (
    InferVoiceModel *model, GError **error);
INFER_API void infer_voice_detector_free (
    InferVoiceDetector *detector); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferVoiceDetector, infer_voice_detector_free)

/* Takes the next @n samples (mono, -1 … 1; values that are not finite count as
 * 0) and appends the windows that they complete to @windows (element-type
 * InferVoiceWindow), the same for any division into calls.  After a failure,
 * INFER_ERROR_CANCELLED among others, the stream must be reset. Since: 0.2 */
INFER_API gboolean infer_voice_detector_push (InferVoiceDetector *detector,
    const float *samples, gsize n, GArray *windows, GError **error);
/* The stream ends here: samples that do not fill a window are judged with zeros
 * after them.  Resets. Since: 0.2 */
INFER_API gboolean infer_voice_detector_finish (
    InferVoiceDetector *detector, GArray *windows, GError **error);
/* The next sample begins a stream, as if the detector were new. Since: 0.2 */
INFER_API void infer_voice_detector_reset (InferVoiceDetector *detector);
/* Any thread.  TRUE: push and finish fail with INFER_ERROR_CANCELLED, one in
 * progress soon, until FALSE is set and the detector is reset. Since: 0.2 */
INFER_API void infer_voice_detector_set_cancelled (
    InferVoiceDetector *detector, gboolean cancelled);

G_END_DECLS
