/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pointwise convolutions of a few pixels: what they cost is reading the
 * weights, so these are kept in half floats or integers where they are nothing
 * more. */

#pragma once

#include "cpu/conv/geometry.h"

G_BEGIN_DECLS

typedef struct _CpuConvNarrow CpuConvNarrow;

/* NULL where this is another convolution or its weights need all their bits. */
CpuConvNarrow *cpu_conv_narrow_new (
    CpuStep *step, const CpuConvGeometry *geometry);
void cpu_conv_narrow_free (CpuConvNarrow *conv);
void cpu_conv_narrow_run (CpuStep *step, const CpuConvNarrow *conv);

G_END_DECLS
