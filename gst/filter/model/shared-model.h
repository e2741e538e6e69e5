/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Models that are loaded in this process, so that elements which ask for the
 * same one get the same executable: weights once, packed once.  States are the
 * elements' own.  Any thread. */

#pragma once

#include <glib.h>

#include "infer/runtime.h"

G_BEGIN_DECLS

typedef struct _GstInferShared GstInferShared;

/* What a model is loaded from and for.  Strings may be NULL. */
typedef struct
{
  const char *model, *weights, *device, *config, *extra_outputs, *state_pairs,
      *model_info;
  gboolean low_latency;
  /* Elements with the same one share, with different ones do not; NULL: all
   * that want the same share. */
  const char *instance;
  guint batch_size;     /* 1: no batches */
  gint64 batch_timeout; /* µs, < 0: for ever */
} GstInferModelSource;

/* Loads @source, or waits until somebody else has, or takes what is there; a
 * file that has changed since is loaded anew.  With an instance that is in use
 * the model may be left out, and must not be another:
 * INFER_ERROR_INVALID_ARGUMENT. */
GstInferShared *gst_infer_shared_get (
    const GstInferModelSource *source, GError **error);
/* Nobody's any more: freed.  NULL is fine. */
void gst_infer_shared_release (GstInferShared *shared);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstInferShared, gst_infer_shared_release)

InferModel *gst_infer_shared_get_model (GstInferShared *shared);
InferExecutable *gst_infer_shared_get_executable (GstInferShared *shared);
/* The file, for messages. */
const char *gst_infer_shared_get_path (GstInferShared *shared);

G_END_DECLS
