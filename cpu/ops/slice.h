/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The rows that a Slice selects, for steps that copy them from its input. */

#pragma once

#include "cpu/base/step.h"

/* @n rows of @bytes each, @stride apart, from byte @at of the input on. */
typedef struct
{
  gsize at, stride, bytes, n;
} CpuSliceRows;

/* Whether @step, which is prepared, is a Slice or StridedSlice of such rows. */
gboolean cpu_slice_gives_rows (const CpuStep *step, CpuSliceRows *rows);
