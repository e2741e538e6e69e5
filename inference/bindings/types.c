/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "infer/bindings.h"

static InferDesc *
desc_copy (InferDesc *desc)
{
  return g_memdup2 (desc, sizeof *desc);
}

static InferPreprocess *
preprocess_copy (InferPreprocess *settings)
{
  return g_memdup2 (settings, sizeof *settings);
}

static InferShape *
shape_copy (InferShape *shape)
{
  return g_memdup2 (shape, sizeof *shape);
}

static InferTranscript *
transcript_copy (InferTranscript *transcript)
{
  return infer_transcript_copy (transcript);
}

static InferWord *
word_copy (InferWord *word)
{
  InferWord *copy = g_memdup2 (word, sizeof *word);

  copy->text = g_strdup (word->text);
  return copy;
}

void
infer_shape_free (InferShape *shape)
{
  g_free (shape);
}

void
infer_word_free (InferWord *word)
{
  if (word != NULL)
    g_free (word->text);
  g_free (word);
}

/* G_DEFINE_BOXED_TYPE is no ISO C. */
#define BOXED(Type, prefix, copy, release)                                     \
  GType prefix##_get_type (void)                                               \
  {                                                                            \
    static gsize type = 0;                                                     \
                                                                               \
    if (g_once_init_enter (&type))                                             \
      g_once_init_leave (                                                      \
          &type, g_boxed_type_register_static (                                \
                     #Type, (GBoxedCopyFunc) copy, (GBoxedFreeFunc) release)); \
    return type;                                                               \
  }

BOXED (InferAsyncRequest, infer_async_request, infer_async_request_ref,
    infer_async_request_free)
BOXED (InferDesc, infer_desc, desc_copy, g_free)
BOXED (InferExecutable, infer_executable, infer_executable_ref,
    infer_executable_unref)
BOXED (InferExecutor, infer_executor, infer_executor_ref, infer_executor_unref)
BOXED (InferModel, infer_model, infer_model_ref, infer_model_unref)
BOXED (InferPreprocess, infer_preprocess, preprocess_copy, g_free)
BOXED (InferRequest, infer_request, infer_request_ref, infer_request_free)
BOXED (InferRuntime, infer_runtime, infer_runtime_ref, infer_runtime_unref)
BOXED (InferShape, infer_shape, shape_copy, infer_shape_free)
BOXED (InferSpeechModel, infer_speech_model, infer_speech_model_ref,
    infer_speech_model_unref)
BOXED (InferSpeechStream, infer_speech_stream, infer_speech_stream_ref,
    infer_speech_stream_free)
BOXED (
    InferStateSet, infer_state_set, infer_state_set_ref, infer_state_set_unref)
BOXED (InferTensor, infer_tensor, infer_tensor_ref, infer_tensor_unref)
BOXED (
    InferTranscript, infer_transcript, transcript_copy, infer_transcript_free)
BOXED (InferVoiceDetector, infer_voice_detector, infer_voice_detector_ref,
    infer_voice_detector_free)
BOXED (InferVoiceModel, infer_voice_model, infer_voice_model_ref,
    infer_voice_model_unref)
BOXED (InferWord, infer_word, word_copy, infer_word_free)

/* --- enums --- */

GType
infer_type_get_type (void)
{
  static GEnumValue values[INFER_N_TYPES + 1];
  static gsize type = 0;

  if (g_once_init_enter (&type)) {
    for (int i = 0; i < INFER_N_TYPES; i++) {
      const char *nick = infer_type_name ((InferType) i);
      g_autofree char *upper = g_ascii_strup (nick, -1);
      g_autofree char *name = g_strconcat ("INFER_TYPE_", upper, NULL);

      values[i] = (GEnumValue){ i, g_intern_string (name), nick };
    }
    g_once_init_leave (&type, g_enum_register_static ("InferType", values));
  }
  return type;
}

GType
infer_error_get_type (void)
{
#define VALUE(code, nick)                                                      \
  {                                                                            \
    code, #code, nick                                                          \
  }
  static const GEnumValue values[] = {
    VALUE (INFER_ERROR_FAILED, "failed"),
    VALUE (INFER_ERROR_NOT_FOUND, "not-found"),
    VALUE (INFER_ERROR_INVALID_MODEL, "invalid-model"),
    VALUE (INFER_ERROR_UNSUPPORTED, "unsupported"),
    VALUE (INFER_ERROR_INVALID_ARGUMENT, "invalid-argument"),
    VALUE (INFER_ERROR_INVALID_DATA, "invalid-data"),
    VALUE (INFER_ERROR_BUSY, "busy"),
    VALUE (INFER_ERROR_CANCELLED, "cancelled"),
    VALUE (INFER_ERROR_NO_MEMORY, "no-memory"),
    VALUE (INFER_ERROR_DEVICE, "device"),
    { 0, NULL, NULL },
  };
  static gsize type = 0;

  if (g_once_init_enter (&type))
    g_once_init_leave (
        &type, g_enum_register_static ("InferErrorCode", values));
  return type;
}
