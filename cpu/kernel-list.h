/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every version of every kernel, one line each; a later line is preferred. */

KERNEL (dot_f32, c, CPU_ISA_C)
