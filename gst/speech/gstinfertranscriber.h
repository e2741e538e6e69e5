/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The element infertranscriber; see the SECTION block. */

#pragma once

#include <gst/gst.h>

#define GST_TYPE_INFER_TRANSCRIBER (gst_infer_transcriber_get_type ())
G_DECLARE_FINAL_TYPE (GstInferTranscriber, gst_infer_transcriber, GST,
    INFER_TRANSCRIBER, GstElement)

GST_ELEMENT_REGISTER_DECLARE (infertranscriber)
