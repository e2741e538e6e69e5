/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The element's struct, for the files of inferpublish alone. */

#pragma once

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

#include "gst/publish/drops.h"
#include "gst/publish/publish.h"
#include "gst/publish/sender.h"

#define GST_TYPE_INFER_PUBLISH (gst_infer_publish_get_type ())
G_DECLARE_FINAL_TYPE (
    GstInferPublish, gst_infer_publish, GST, INFER_PUBLISH, GstBaseTransform)

typedef enum
{
  GST_INFER_PUBLISH_FULL_AUTO,
  GST_INFER_PUBLISH_FULL_WAIT,
  GST_INFER_PUBLISH_FULL_DROP,
} GstInferPublishWhenFull;

typedef struct
{
  int method; /* of method-list.h */
  GstInferPublishWhenFull when_full;
  GstInferPublishConfig config;
  char *source, *tags, *key;
  gboolean add_empty;
} GstInferPublishSettings;

struct _GstInferPublish
{
  GstBaseTransform parent;
  /* Guarded by the object lock. */
  GstInferPublishSettings settings;
  guint64 sent, dropped;
  GstInferPublishDrops drops;
  gboolean warned, failed;
  char *key; /* of lines from now on: ref string */

  GstInferSender *sender; /* NULL: not started; set with the object lock held */
  guint timeout;          /* ms */

  /* Streaming thread. */
  enum
  {
    VIDEO,
    TEXT,
    JSON
  } content;
  int live;        /* -1: not known yet */
  guint undecoded; /* gst_infer_warn_of_undecoded */
  GstVideoInfo video;
};

void gst_infer_publish_install_properties (GObjectClass *klass);

/* A copy, taken with the object lock held. */
GstInferPublishSettings gst_infer_publish_copy_settings (GstInferPublish *self);
void gst_infer_publish_clear_settings (GstInferPublishSettings *settings);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (
    GstInferPublishSettings, gst_infer_publish_clear_settings)
