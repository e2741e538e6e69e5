/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For implementers of convolutions: each is a CpuImpl whose problem is the
 * CpuConvGeometry of a Convolution, GroupConvolution or BackpropData step, and
 * which applies the posts that `absorb` of cpu/ops/convolution.c admits. */

#pragma once

#include "cpu/base/impl.h"
#include "cpu/conv/geometry.h"

/* Costs, in the order of the rule. */
enum
{
  CPU_CONV_COST_WINOGRAD = 1,
  CPU_CONV_COST_ONEDNN_LARGE,
  CPU_CONV_COST_DIRECT,
  CPU_CONV_COST_ONEDNN,
};

/* f32 and not empty; else by `ref`. */
static inline gboolean
cpu_conv_is_fast (const CpuStep *step)
{
  const CpuValue *out = step->out[0];

  return (out->desc.type == INFER_TYPE_F32 || out->form.quant != NULL)
         && step->in[0]->n > 0 && step->in[1]->n > 0 && out->n > 0;
}

/* … and the input is stored as floats, not quantised. */
static inline gboolean
cpu_conv_is_f32 (const CpuStep *step)
{
  return cpu_conv_is_fast (step) && step->in[0]->form.quant == NULL;
}

/* For CpuOp.share: @first is the implementation of the earlier step. */
gboolean cpu_conv_share (
    CpuStep *step, const CpuImplUse *use, const CpuImplUse *first);

/* Products of a direct convolution in the time of one of `winograd`, which
 * makes a quarter of them and transforms. */
#define CPU_CONV_WINOGRAD_SPEED 2.8

#define IMPL(name, file) extern const CpuImpl cpu_conv_impl_##name;
#include "cpu/conv/impl-list.h"
#undef IMPL
