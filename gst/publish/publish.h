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
  guint timeout;    /* ms: longest wait of any call */
  guint queue_size; /* most lines that are not confirmed at a time */
} GstInferPublishConfig;

typedef struct
{
  const char *text; /* [size], without a newline */
  gsize size;
  const char *key; /* lines of one key stay in order */
} GstInferPublishLine;

typedef enum
{
  GST_INFER_PUBLISH_SENT,
  GST_INFER_PUBLISH_QUEUED,  /* settle () will tell whether it was sent */
  GST_INFER_PUBLISH_BUSY,    /* no room now: send this line again */
  GST_INFER_PUBLISH_DROPPED, /* no receiver now; later lines may have one */
  GST_INFER_PUBLISH_FAILED,  /* with an error */
} GstInferPublishResult;

/* Lines that were QUEUED and are settled now. */
typedef struct
{
  guint sent, lost;
  const char *reason; /* static: why the last one was lost, or NULL */
} GstInferPublishNews;

/* Called by one thread at a time; no call waits longer than the timeout. */
typedef struct
{
  const char *name; /* the nick of `method` */
  const char *description;

  gpointer (*open) (const GstInferPublishConfig *config, GError **error);
  GstInferPublishResult (*send) (
      gpointer self, const GstInferPublishLine *line, GError **error);
  /* Waits at most @wait ms until lines are settled, and adds those since the
   * last call to @news.  FALSE with an error: nothing more can be sent.  NULL:
   * send () never returns QUEUED. */
  gboolean (*settle) (
      gpointer self, guint wait, GstInferPublishNews *news, GError **error);
  /* Frees @self.  Returns how many lines were lost that were SENT. */
  guint (*close) (gpointer self);
} GstInferPublishMethod;

#define METHOD(id, value)                                                      \
  extern const GstInferPublishMethod gst_infer_publish_##id;
#include "gst/publish/method-list.h"
#undef METHOD
