/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Convolutions that oneDNN computes. */

#pragma once

#include "cpu/conv/geometry.h"

G_BEGIN_DECLS

typedef struct _CpuConvDnn CpuConvDnn;

/* Forward convolutions of f32 with constant filters, data in CPU_LAYOUT_NSPC,
 * that are not tiny.  *@preferred: the rule takes it, for it is large
 * and this thread is alone: oneDNN uses no other. */
gboolean cpu_conv_dnn_can (
    const CpuStep *step, const CpuConvGeometry *geometry, gboolean *preferred);
/* Of one that can; NULL where oneDNN cannot after all. */
CpuConvDnn *cpu_conv_dnn_new (CpuStep *step, const CpuConvGeometry *geometry);
void cpu_conv_dnn_free (CpuConvDnn *conv);

gboolean cpu_conv_dnn_run (
    CpuStep *step, const CpuConvDnn *conv, GError **error);

G_END_DECLS
