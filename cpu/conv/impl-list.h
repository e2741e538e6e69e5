/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The implementations of convolutions, one line each: IMPL (name, file).
 *
 * To add one: cpu/conv/FILE.c, which defines `const CpuImpl
 * cpu_conv_impl_NAME` (cpu/base/impl.h), and its line here, by which Meson
 * finds the file.  Its cost, if any, gets a name in
 * cpu/conv/impl.h, where costs are ordered.  TUNE measures it from then on. */

/* clang-format off */
IMPL (u8, u8/prepare)
IMPL (ref, ref)
IMPL (fourier, fourier)
IMPL (narrow, narrow)
IMPL (direct_f16, nspc/nspc)
IMPL (winograd, winograd/square)
IMPL (winograd_line, winograd/line)
IMPL (direct, nspc/nspc)
IMPL (onednn, onednn)
/* clang-format on */
