/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How one model runs: as the command line says, but for what its file or the
 * client that loads it says.  Both are JSON as Triton's model configuration:
 *
 *   max_batch_size                                        --batch
 *   dynamic_batching.max_queue_delay_microseconds         --batch-timeout
 *   dynamic_batching.default_queue_policy.max_queue_size  --max-waiting
 *   instance_group[].count                                --streams
 *   parameters.KEY.string_value                           a property of the
 *                                                         device (--config)
 *   parameters.device, .threads, .merge_batches           the options
 */

#pragma once

#include "infer/runtime.h"
#include "tools/serve/settings.h"

/* Beside the model, or its versions. */
#define SERVE_MODEL_FILE "config.json"

typedef struct
{
  char *device, *config; /* nullable */
  int streams, threads, batch, batch_timeout_us, max_waiting;
  gboolean merge_batches;
} ServeModelSettings;

void serve_model_settings_init (
    ServeModelSettings *settings, const ServeSettings *defaults);
void serve_model_settings_clear (ServeModelSettings *settings);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (
    ServeModelSettings, serve_model_settings_clear)

/* Takes over what @text says of the model @name.  @what: for errors.
 * INFER_ERROR_INVALID_ARGUMENT names what is unknown or out of range. */
gboolean serve_model_settings_read (ServeModelSettings *settings,
    const char *what, const char *text, gsize size, const char *name,
    GError **error);

/* Where such a model runs.  (transfer full) */
InferRuntime *serve_model_settings_open (
    const ServeModelSettings *settings, GError **error);
/* Whether both run in the same place. */
gboolean serve_model_settings_share (
    const ServeModelSettings *a, const ServeModelSettings *b);

/* @model, called @name, with the batches that are set.  What cannot be batched
 * runs without, and a message says so.  (transfer full) */
InferExecutable *serve_model_settings_compile (
    const ServeModelSettings *settings, InferModel *model, const char *name,
    InferRuntime *runtime, GError **error);

/* Loading takes one parameter, "config": the JSON above.  FALSE: @key is
 * another one. */
gboolean serve_model_settings_check_key (const char *key, GError **error);
