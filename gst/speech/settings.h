/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infertranscriber: the properties' values. */

#pragma once

#include <gst/gst.h>

typedef enum
{
  GST_INFER_VAD_AUTO, /* silero if there is a model, else level */
  GST_INFER_VAD_NONE,
  GST_INFER_VAD_LEVEL,
  GST_INFER_VAD_SILERO,
} GstInferVadChoice;

typedef enum
{
  GST_INFER_GRANULARITY_SEGMENT,
  GST_INFER_GRANULARITY_WORD,
} GstInferGranularity;

typedef enum
{
  GST_INFER_COMMIT_FINAL,
  GST_INFER_COMMIT_DEADLINE,
} GstInferCommit;

typedef struct
{
  char *model, *kind, *device, *config;
  char *vad_model;
  GstInferVadChoice vad;
  double threshold;
  guint min_speech, min_silence, max_utterance, pad; /* ms */
  GstInferGranularity granularity;
  char *separator;        /* NULL: as downstream needs it */
  guint partial_interval; /* ms, 0: none */
  GstInferCommit commit;
  guint latency, lateness; /* ms */

  /* Of the recogniser's streams; may change at any time. */
  char *language, *task, *initial_prompt, *phrases, *options;
  guint beam;   /* 0: the kind's default */
  guint serial; /* of changes of the above */
} GstInferTranscriberSettings;

/* @to is cleared first. */
void gst_infer_transcriber_settings_copy (
    GstInferTranscriberSettings *to, const GstInferTranscriberSettings *from);
void gst_infer_transcriber_settings_clear (
    GstInferTranscriberSettings *settings);
