/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For implementers of methods of inferpublish. */

#pragma once

#include "infer/error.h"

typedef struct
{
  char *file_path; /* "-": standard output */
  char *address, *topic, *client_id, *username, *password; /* nullable */
  guint mqtt_qos;
  guint timeout; /* ms: longest wait of any call */
} GstInferPublishConfig;

typedef enum
{
  GST_INFER_PUBLISH_SENT,
  GST_INFER_PUBLISH_DROPPED, /* no receiver now; later lines may have one */
  GST_INFER_PUBLISH_FAILED,  /* with an error */
} GstInferPublishResult;

/* Called by one thread at a time; no call waits longer than the timeout. */
typedef struct
{
  const char *name; /* the nick of `method` */
  const char *description;

  gpointer (*open) (const GstInferPublishConfig *config, GError **error);
  /* @line [size]: without a newline. */
  GstInferPublishResult (*send) (
      gpointer self, const char *line, gsize size, GError **error);
  /* Sends the lines still queued, then frees @self.  Returns how many lines
   * were lost. */
  guint (*close) (gpointer self);
} GstInferPublishMethod;

#define METHOD(id, value)                                                      \
  extern const GstInferPublishMethod gst_infer_publish_##id;
#include "gst/publish/method-list.h"
#undef METHOD
