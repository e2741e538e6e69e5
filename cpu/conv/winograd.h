/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions of 3 × 3 in a quarter of the multiplications
 * (cpu/kernels/winograd.h); channels last. */

#pragma once

#include "cpu/conv/geometry.h"

G_BEGIN_DECLS

typedef struct _CpuConvWinograd CpuConvWinograd;

/* FALSE where this is another convolution, or would be none the faster. */
gboolean cpu_conv_winograd_can (
    const CpuStep *step, const CpuConvGeometry *geometry);
/* Of one that can; NULL where memory is short. */
CpuConvWinograd *cpu_conv_winograd_new (
    CpuStep *step, const CpuConvGeometry *geometry);
void cpu_conv_winograd_free (CpuConvWinograd *conv);
void cpu_conv_winograd_run (CpuStep *step, const CpuConvWinograd *conv);

G_END_DECLS
