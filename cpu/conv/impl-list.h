/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The implementations of convolutions, one line each: IMPL (name).
 *
 * To add one: cpu/conv/NAME.c, which defines `const CpuImpl
 * cpu_conv_impl_NAME` (cpu/base/impl.h), listed in cpu/conv/meson.build; and
 * its line here.  A cost other than CPU_IMPL_ALWAYS gets a name in
 * cpu/conv/impl.h, where costs are ordered.  TUNE measures it from then on. */

/* clang-format off */
IMPL (u8)
IMPL (ref)
IMPL (narrow)
IMPL (direct_f16)
IMPL (winograd)
IMPL (direct)
IMPL (onednn)
/* clang-format on */
