/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For implementers of a form of output: what leaves the element for a kind of
 * input, as property `output` chooses it. */

#pragma once

#include "gst/filter/negotiated.h"
#include "gst/filter/source-task.h"

#define GST_INFER_ANY_INPUT (~0u)

struct _GstInferForm
{
  GstInferOutput output;
  guint inputs; /* 1 << GST_INFER_INPUT_…, or any */
  /* Streaming thread: the caps that leave for the negotiated input (transfer
   * full).  NULL without error: known only when the model has run. */
  GstCaps *(*caps) (GstInferNegotiated *to, const GstInferSettings *settings,
      GstCaps *sink_caps, GError **error);
  /* Source-pad task: the buffer that leaves for a job that is done; the caller
   * sets its times.  NULL without error: none.  *@caps: set (transfer full)
   * where other caps than before must leave first. */
  GstBuffer *(*collect) (GstInferSourceTask *task, GstInferJob *job,
      GstCaps **caps, GError **error);
  /* The input buffer leaves, with its own times, one for each that came. */
  gboolean passes_input;
  /* Audio: the windows do not overlap, and a row leaves for each that came. */
  gboolean row_for_row;
};

#define FORM(name) extern const GstInferForm gst_infer_form_##name;
#include "gst/filter/output/form-list.h"
#undef FORM

/* The first of the list that fits; what no form fits is an error. */
const GstInferForm *gst_infer_form_choose (
    GstInferOutput output, GstInferInputKind kind, GError **error);

/* @result as dense f32: itself where it is that, else a copy.  (transfer full)
 */
InferTensor *gst_infer_result_to_f32 (InferTensor *result, GError **error);
