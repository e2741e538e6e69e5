/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The sticky event `inferfilter/model-info`, which tells downstream what a
 * model says of itself.  Its structure has a string for each known key of the
 * IR's rt_info `model_info`, under the key's name, and `model` (the file),
 * `outputs` (GStrv of the tensors' names). */

#pragma once

#include <gst/gst.h>

#include "infer/model.h"

/* TRUE: @key of `model_info` is known (docs/model-info.md). */
gboolean gst_infer_model_info_has_key (const char *key);

/* (transfer full) */
GstEvent *gst_infer_model_info_event (const InferModel *model);
/* The same where only the names of the outputs are known.  (transfer full) */
GstEvent *gst_infer_model_info_of_outputs (GStrv outputs);
/* NULL for any other event.  (transfer none) */
const GstStructure *gst_infer_model_info_parse (GstEvent *event);

/* TRUE where all fields are equal. */
gboolean gst_infer_model_info_equal (
    const GstStructure *a, const GstStructure *b);

/* @fallback where @text (nullable) is not a number. */
double gst_infer_number_parse (const char *text, double fallback);
/* A number in `model_info`; @fallback where absent or not a number. */
double gst_infer_model_info_number (
    const InferModel *model, const char *key, double fallback);

/* "<blank> zero one", "a,b,c" or one a line → labels; underscores become
 * spaces, as in the OpenVINO Model API.  (transfer full) */
GStrv gst_infer_labels_parse (const char *text);
/* One label a line.  NULL with @error naming the file.  (transfer full) */
GStrv gst_infer_labels_load (const char *path, GError **error);
