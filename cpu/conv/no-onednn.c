/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For builds without oneDNN: our own kernels do everything. */

#include "cpu/conv/onednn.h"

gboolean
cpu_conv_dnn_can (
    const CpuStep *step, const CpuConvGeometry *g, gboolean *preferred)
{
  return *preferred = FALSE;
}

CpuConvDnn *
cpu_conv_dnn_new (CpuStep *step, const CpuConvGeometry *g)
{
  return NULL;
}

void
cpu_conv_dnn_free (CpuConvDnn *conv)
{
}

gboolean
cpu_conv_dnn_run (CpuStep *step, const CpuConvDnn *conv, GError **error)
{
  return infer_fail (error, INFER_ERROR_FAILED, "built without oneDNN");
}
