/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Follows element-wise kernels, which ocl/ops/elementwise.c generates. */
