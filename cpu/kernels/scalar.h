/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The definition of the functions of CpuUnary and CpuBinary, in double. */

#pragma once

#include "cpu/kernels/kernels.h"

double cpu_unary_scalar (CpuUnary what, double x, double a, double b);
double cpu_binary_scalar (CpuBinary what, double a, double b);
