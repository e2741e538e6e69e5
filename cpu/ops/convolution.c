/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv-geometry.h"

typedef struct
{
  CpuConvGeometry geometry;
} Convolution;

static gboolean
prepare_any (CpuStep *step, gboolean transposed, GError **error)
{
  Convolution *conv = g_new0 (Convolution, 1);

  step->priv = conv;
  if (!cpu_conv_geometry (step, transposed, &conv->geometry, error))
    return FALSE;
  cpu_conv_ref_prepare (step);
  return TRUE;
}

static gboolean
prepare_forward (CpuStep *step, GError **error)
{
  return prepare_any (step, FALSE, error);
}

static gboolean
prepare_transposed (CpuStep *step, GError **error)
{
  return prepare_any (step, TRUE, error);
}

static gboolean
run (CpuStep *step, GError **error)
{
  const Convolution *conv = step->priv;

  return cpu_conv_ref_run (step, &conv->geometry, error);
}

const CpuOp cpu_op_convolution = {
  .type = "Convolution",
  .prepare = prepare_forward,
  .run = run,
};

const CpuOp cpu_op_group_convolution = {
  .type = "GroupConvolution",
  .prepare = prepare_forward,
  .run = run,
};

const CpuOp cpu_op_convolution_backprop_data = {
  .type = "ConvolutionBackpropData",
  .prepare = prepare_transposed,
  .run = run,
};

const CpuOp cpu_op_group_convolution_backprop_data = {
  .type = "GroupConvolutionBackpropData",
  .prepare = prepare_transposed,
  .run = run,
};
