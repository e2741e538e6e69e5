/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every pass over a plan, in the order in which they run.
 *
 * To add one: cpu/passes/NAME.c with `const CpuPass cpu_pass_NAME` (pass.h),
 * PASS (NAME) here and a case in tests/check/cpu/passes. */

PASS (lower)
PASS (quantise_inputs)
PASS (tabulate)
PASS (fuse_post_ops)
PASS (quantise_outputs)
PASS (layout)
PASS (alias_views)
PASS (prepare)
PASS (alias_parts)
PASS (fuse_producers)
PASS (share)
PASS (f16_storage)
PASS (reuse_inputs)
PASS (place)
