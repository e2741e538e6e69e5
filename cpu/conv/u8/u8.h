/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions of quantised u8 inputs with weights that are small integers
 * times a scale for each output channel; channels last.  Sums are exact, so the
 * result equals that of FakeQuantize and an f32 convolution up to the latter's
 * rounding. */

#pragma once

#include "cpu/base/step.h"

/* Whether a forward convolution can read in[0] quantised by @quant: the machine
 * has int8, the weights are constant integers, and zero is representable. */
gboolean cpu_conv_u8_can (CpuStep *step, const CpuQuant *quant);

/* For CpuOp.absorb of a step whose in[0] is quantised. */
gboolean cpu_conv_u8_can_absorb (const CpuStep *step, const InferOperation *op,
    guint from, const CpuValue *other);
