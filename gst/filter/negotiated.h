/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The negotiated input, how it is cut into inferences, and the form of output.
 * Streaming thread only, or while it stands, unless stated. */

#pragma once

#include "gst/common/sequence/window.h"
#include "gst/filter/input/model-input.h"
#include "gst/filter/job.h"
#include "gst/filter/settings.h"

typedef struct
{
  InferModel *model; /* the one in use; (transfer none) */
  GstCaps *caps;     /* of the sink pad; NULL: not negotiated */
  GstInferInput input;
  GstInferWindow *window;          /* NULL for tensors and video */
  InferPreprocessor *preprocessor; /* video only */
  const GstInferForm *form;
  int fps_n, fps_d; /* of results; 0/1: not known */
  char *refusal; /* the error of the caps refused last, posted once; nullable */
  GstEvent *model_info;
  /* Of output=media: */
  GstInferPicture *picture; /* video only */
  gsize delay; /* audio: rows by which the output is later than the input */
} GstInferNegotiated;

/* PAUSED → READY. */
void gst_infer_negotiated_clear (GstInferNegotiated *to);

/* Before new caps: nothing is negotiated.  accept: @caps are, with all else. */
void gst_infer_negotiated_begin (GstInferNegotiated *to, InferModel *model);
void gst_infer_negotiated_accept (GstInferNegotiated *to, GstCaps *caps);

/* Sets how often results come, by the negotiated input. */
void gst_infer_negotiated_set_rate (GstInferNegotiated *to);

/* The outputs' types and shapes for the negotiated input, and the frame rate;
 * FALSE where the model leaves them open until it runs. */
gboolean gst_infer_negotiated_predict (
    const GstInferNegotiated *to, GstInferTensors *out);
