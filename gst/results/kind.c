/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/results/kind.h"

const GstInferResultKind
    *const gst_infer_result_kinds[GST_INFER_N_RESULT_KINDS] = {
#define RESULT(id) &gst_infer_result_##id,
#include "gst/results/kind-list.h"
#undef RESULT
    };

guint
gst_infer_results_add_json (
    GString *line, GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi)
{
  guint n = 0;

  for (guint i = 0; i < GST_INFER_N_RESULT_KINDS; i++)
    n += gst_infer_result_kinds[i]->add_json (line, buffer, roi);
  return n;
}
