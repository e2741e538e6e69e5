/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For cpu/ops/convolution.c: entries of CpuOp for steps whose implementation is
 * `direct` or `direct_f16`. */

#pragma once

#include "cpu/base/impl.h"

typedef struct _CpuConvNspc CpuConvNspc;

/* NULL: another implementation computes the step. */
CpuConvNspc *cpu_conv_nspc (const CpuImplUse *use);

/* Fuses the depthwise convolution @producer (@first), which writes in[0] of
 * @step: its rows are computed just before they are read.  FALSE: not worth it,
 * or another case. */
gboolean cpu_conv_nspc_fuse_depthwise (CpuStep *step, CpuConvNspc *conv,
    CpuStep *producer, const CpuConvNspc *first);

/* Fuses the pointwise convolution @producer (@first), which writes in[0] of the
 * depthwise one @step, likewise. */
gboolean cpu_conv_nspc_fuse_expansion (CpuStep *step, CpuConvNspc *conv,
    CpuStep *producer, const CpuConvNspc *first);

/* Fuses a Pad step that appends zero channels to the residual. */
gboolean cpu_conv_nspc_fuse_pad (
    CpuStep *step, CpuConvNspc *conv, const CpuStep *pad);

gboolean cpu_conv_nspc_reads_f16 (
    const CpuStep *step, const CpuConvNspc *conv, const CpuValue *value);
gboolean cpu_conv_nspc_gives_f16 (const CpuStep *step, const CpuConvNspc *conv);
gboolean cpu_conv_nspc_use_f16 (CpuStep *step, CpuConvNspc *conv);
