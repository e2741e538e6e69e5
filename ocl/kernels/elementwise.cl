/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Element-wise kernels are generated (ocl/ops/elementwise.c): this follows
 * them. */
