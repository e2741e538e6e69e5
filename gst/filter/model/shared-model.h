/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The models loaded in this process: elements that ask for the same one share
 * an executable, so that weights are loaded and packed once.  Each element has
 * states of its own.  Any thread. */

#pragma once

#include <glib.h>

#include "infer/runtime.h"

typedef struct _GstInferShared GstInferShared;

/* The files and settings that a model is loaded with.  Strings are nullable. */
typedef struct
{
  const char *model, *weights, *device, *config, *extra_outputs,
      *constant_inputs, *state_pairs, *model_info;
  gboolean low_latency;
  /* Elements with the same instance share, with different ones do not; NULL:
   * all with equal settings share. */
  const char *instance;
  guint batch_size;     /* 1: no batches */
  gint64 batch_timeout; /* µs, < 0: unlimited */
} GstInferModelSource;

/* Returns the model that is already loaded, waits for one that is being loaded,
 * or loads @source; a file that has changed since is loaded again.  With an
 * instance in use @source may leave out the model; another model is
 * INFER_ERROR_INVALID_ARGUMENT.  The thread's current GCancellable ends it. */
GstInferShared *gst_infer_shared_get (
    const GstInferModelSource *source, GError **error);
/* Frees it after its last user.  NULL is fine. */
void gst_infer_shared_release (GstInferShared *shared);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstInferShared, gst_infer_shared_release)

InferModel *gst_infer_shared_get_model (GstInferShared *shared);
InferExecutable *gst_infer_shared_get_executable (GstInferShared *shared);
/* Elements that use it now. */
guint gst_infer_shared_count_users (GstInferShared *shared);
/* The file, for messages. */
const char *gst_infer_shared_get_path (GstInferShared *shared);
