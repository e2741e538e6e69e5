/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The implementations of MatMul, one line each: IMPL (name, file).
 *
 * To add one: cpu/gemm/FILE.c, which defines `const CpuImpl
 * cpu_matmul_impl_NAME` (cpu/base/impl.h), and its line here, by which Meson
 * finds the file.  Its cost, if any, gets a name in
 * cpu/gemm/impl.h, where costs are ordered.  TUNE measures it from then on. */

/* clang-format off */
IMPL (ref, ref)
IMPL (fourier, fourier/matmul)
IMPL (int4, int4)
IMPL (int8, int8)
IMPL (f16, f16)
IMPL (dot, dot)
IMPL (strassen, strassen-matmul)
IMPL (packed, packed)
IMPL (direct, direct)
IMPL (pack, pack)
/* clang-format on */
