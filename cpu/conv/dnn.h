/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The only use of oneDNN, 2.6 or 3.x: f32 convolutions with channels last. A
 * convolution belongs to one plan; oneDNN chooses the order of its weights. */

#pragma once

#include "cpu/conv/geometry.h"
#include "cpu/kernels/epilogue.h"

typedef struct _CpuDnnConv CpuDnnConv;

/* INFER_CPU_ISA caps oneDNN for the process when this is first called.
 *
 * NULL where oneDNN cannot do it, or would do it without vector instructions of
 * this machine.  Of @epilogue only what it does counts, not where its arrays
 * are.  It runs on the thread that calls, and on no other: OpenMP's threads
 * spin on processors where ours have work. */
CpuDnnConv *cpu_dnn_conv_new (const CpuConvGeometry *geometry,
    const CpuEpilogue *epilogue, gboolean residual);
void cpu_dnn_conv_free (CpuDnnConv *conv);

gsize cpu_dnn_conv_weights_bytes (const CpuDnnConv *conv);
gsize cpu_dnn_conv_scratch_bytes (const CpuDnnConv *conv);

/* Reorders filters from the order of the file; @packed is 64-byte aligned. */
gboolean cpu_dnn_conv_pack (
    CpuDnnConv *conv, const float *filters, gpointer packed);
/* Once, before the first run. */
gboolean cpu_dnn_conv_set_weights (CpuDnnConv *conv, gconstpointer packed);

/* FALSE: oneDNN failed. @bias and @residual: not NULL if cpu_dnn_conv_new was
 * told of them. */
gboolean cpu_dnn_conv_run (CpuDnnConv *conv, const float *data,
    const float *bias, const float *residual, float *out, gpointer scratch);
