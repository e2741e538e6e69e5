/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The implementations of MatMul, one line each: IMPL (name).
 *
 * To add one: cpu/gemm/NAME.c, which defines `const CpuImpl
 * cpu_matmul_impl_NAME` (cpu/base/impl.h), listed in cpu/gemm/meson.build; and
 * its line here.  A cost other than CPU_IMPL_ALWAYS gets a name in
 * cpu/gemm/impl.h, where costs are ordered.  TUNE measures it from then on. */

/* clang-format off */
IMPL (ref)
IMPL (int8)
IMPL (f16)
IMPL (dot)
IMPL (packed)
IMPL (direct)
IMPL (pack)
/* clang-format on */
