/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The passes over a plan, one line each, in the order in which they run.
 *
 * To add one: ocl/passes/NAME.c with `ocl_pass_NAME`, and PASS (NAME) here. */

/* Operations → steps; values known from constants and shapes are computed. */
PASS (lower)
/* Element-wise operations become post-ops of the step that they read. */
PASS (fuse)
/* Steps → launches of kernels, views, and parts of a Concat's output. */
PASS (prepare)
/* Results and variables are written where they leave the plan. */
PASS (outputs)
/* The other values get places in the stream's arena. */
PASS (memory)
/* On CPUs, runs of small launches become one launch. */
PASS (chain)
/* Programs are built, kernels made, constant arguments set. */
PASS (kernels)
