/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The properties' values.  A plain value; the element's `settings` and `active`
 * are guarded by the object lock. */

#pragma once

#include <gst/gst.h>

typedef enum
{
  GST_INFER_TAIL_PAD,
  GST_INFER_TAIL_DROP,
  GST_INFER_TAIL_RUN,
} GstInferTail;

typedef enum
{
  GST_INFER_OUTPUT_TENSORS,
  GST_INFER_OUTPUT_MEDIA_WITH_META,
  GST_INFER_OUTPUT_MEDIA,
  GST_INFER_OUTPUT_AUTO, /* one of the above, by what follows */
} GstInferOutput;

typedef enum
{
  GST_INFER_REGION_FULL_FRAME,
  GST_INFER_REGION_ROI_LIST,
} GstInferRegion;

typedef enum
{
  GST_INFER_RESET_DISCONT = 1 << 0,
  GST_INFER_RESET_FLUSH = 1 << 1,
  GST_INFER_RESET_SEGMENT = 1 << 2,
  GST_INFER_RESET_STREAM_START = 1 << 3,
  GST_INFER_RESET_GAP = 1 << 4,
} GstInferReset;
#define GST_INFER_RESET_ALL 0x1f

typedef struct
{
  char *model, *weights, *device, *config;
  guint nireq, window, hop;
  int context; /* rows; < 0: as the model says */
  GstInferTail tail;
  GstInferReset state_reset;
  GstClockTime max_gap;
  char *extra_outputs;
  gboolean low_latency;
  char *constant_inputs, *state_pairs, *dump, *dump_dir;
  GstInferOutput output;
  char *model_info;
  GstInferRegion region;
  char *object_class, *crop, *instance;
  guint batch_size;
  int batch_timeout; /* ms, < 0: unlimited */
  gboolean qos;      /* may change at any time */
  gboolean async_load;
  guint stats_interval; /* ms, 0: no messages */
  guint interval;       /* inference-interval, buffers */
} GstInferSettings;

/* @to is cleared first. */
void gst_infer_settings_copy (
    GstInferSettings *to, const GstInferSettings *from);
void gst_infer_settings_clear (GstInferSettings *settings);

/* The properties that name a model, and can be changed together while data
 * flows.  compare: bit i is set where the i-th differs. */
#define GST_INFER_MODEL_PROPERTIES "model", "weights", "model-info"
void gst_infer_settings_copy_model (
    GstInferSettings *to, const GstInferSettings *from);
guint gst_infer_settings_compare_model (
    const GstInferSettings *a, const GstInferSettings *b);

/* The longest time that an inference waits for its batch, as far as known. */
GstClockTime gst_infer_settings_batch_wait (const GstInferSettings *settings);
