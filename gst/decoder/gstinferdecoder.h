/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* inferdecoder: tensors → what people use.  See the SECTION block. */

#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_INFER_DECODER (gst_infer_decoder_get_type ())
G_DECLARE_FINAL_TYPE (
    GstInferDecoder, gst_infer_decoder, GST, INFER_DECODER, GstElement)

GST_ELEMENT_REGISTER_DECLARE (inferdecoder)

G_END_DECLS
