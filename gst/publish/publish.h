/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For implementers of ways to publish: where lines go. */

#pragma once

#include "infer/error.h"

G_BEGIN_DECLS

typedef struct
{
  const char *file_path; /* "-": standard output */
  const char *address, *topic, *client_id, *username, *password; /* nullable */
  guint qos;                                                     /* of MQTT */
  gint64 timeout_us; /* longest wait of any call */
} GstInferPublishConfig;

typedef enum
{
  GST_INFER_PUBLISH_SENT,
  GST_INFER_PUBLISH_DROPPED, /* nobody takes it now; later lines may go */
  GST_INFER_PUBLISH_FAILED,  /* with an error */
} GstInferPublishResult;

/* All by one thread at a time, none waits longer than the timeout. */
typedef struct
{
  const char *name;
  const char *description;

  gpointer (*open) (const GstInferPublishConfig *config, GError **error);
  /* @line [size]: without the end of the line. */
  GstInferPublishResult (*send) (
      gpointer self, const char *line, gsize size, GError **error);
  /* Sends what still waits, then frees.  Returns lines that were lost. */
  guint (*close) (gpointer self);
} GstInferPublishMethod;

#define METHOD(name)                                                           \
  extern const GstInferPublishMethod gst_infer_publish_##name;
#include "gst/publish/method-list.h"
#undef METHOD

/* NULL-terminated, in the order of method-list.h. */
const GstInferPublishMethod *const *gst_infer_publish_methods (void);

G_END_DECLS
