/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Poolings of f32 with channels last, without indices. */

#pragma once

#include "cpu/conv/pool/geometry.h"

void cpu_pool_nspc_run (CpuStep *step, const CpuPoolGeometry *geometry,
    const float *data, float *out);

/* Global average pooling in the plain layout. */
gboolean cpu_pool_is_global_average (const CpuPoolGeometry *geometry);
void cpu_pool_global_average_run (CpuStep *step,
    const CpuPoolGeometry *geometry, const float *data, float *out);
