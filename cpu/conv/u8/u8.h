/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions of levels of 8 bits (CpuValue.quant) with weights that are small
 * integers times a scale for each output channel; channels last.  Sums are
 * exact, so the result is that of FakeQuantize and a convolution of floats, but
 * for the rounding of the latter. */

#pragma once

#include "cpu/conv/geometry.h"

G_BEGIN_DECLS

typedef struct _CpuConvU8 CpuConvU8;

/* Whether a forward convolution can read in[0] as levels of @quant: the machine
 * has the instructions, the weights are constant integers, zero is a level. */
gboolean cpu_conv_u8_can (CpuStep *step, const CpuQuant *quant);

/* In absorb, of a step whose in[0] has levels. */
gboolean cpu_conv_u8_can_absorb (const CpuStep *step, const InferOperation *op,
    guint from, const CpuValue *other);

/* NULL where memory is short.  Output is levels where out[0] has them. */
CpuConvU8 *cpu_conv_u8_new (CpuStep *step, const CpuConvGeometry *geometry);
void cpu_conv_u8_free (CpuConvU8 *conv);
void cpu_conv_u8_run (CpuStep *step, const CpuConvU8 *conv);

G_END_DECLS
