/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/output/form.h"

#include "gst/filter/output/choice.h"
#include "infer/error.h"

static const GstInferForm *const forms[] = {
#define FORM(name) &gst_infer_form_##name,
#include "gst/filter/output/form-list.h"
#undef FORM
};

const GstInferForm *
gst_infer_form_choose (
    GstInferOutput output, GstInferInputKind kind, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    if (forms[i]->output == output && (forms[i]->inputs & (1u << kind)) != 0)
      return forms[i];
  infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "output=%s needs %s at the sink pad: use output=tensors",
      gst_infer_output_name (output),
      output == GST_INFER_OUTPUT_MEDIA ? "audio or video" : "video");
  return NULL;
}

InferTensor *
gst_infer_result_to_f32 (InferTensor *result, GError **error)
{
  if (result->type == INFER_TYPE_F32 && result->dense)
    return infer_tensor_ref (result);
  g_autoptr (InferTensor) dense =
      infer_tensor_new (INFER_TYPE_F32, &result->shape, error);
  if (dense == NULL || !infer_tensor_copy (dense, result, error))
    return NULL;
  return g_steal_pointer (&dense);
}
