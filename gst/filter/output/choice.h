/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* output=auto: the form of output that fits what follows the element. */

#pragma once

#include "gst/filter/input/model-input.h"
#include "gst/filter/settings.h"

/* @downstream: what follows can take, preferred first, as its CAPS query says.
 *
 * - Anything, or nothing is linked: tensors.
 * - Else the first of its media types that can be made of this kind of input:
 *   other/tensors: tensors; audio/x-raw, for audio: media; video/x-raw, for
 *   video: media where the model gives pictures and what follows takes only
 *   these, else media-with-meta.
 *
 * FALSE: none can, *@output is tensors. */
gboolean gst_infer_output_choose (const InferModel *model,
    GstInferInputKind kind, const GstCaps *downstream, GstInferOutput *output);

/* The model's first output is a picture as its input is: of as many channels,
 * and no smaller.  `model_type` names a decoder, so the output is for that;
 * with `output_range` it is a picture of 1, 3 or 4 channels in any case. */
gboolean gst_infer_model_gives_pictures (const InferModel *model);

/* "tensors", … as the property has them. */
const char *gst_infer_output_name (GstInferOutput output);
