/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Post-ops as a function in the source of a step's kernel, for kernels that
 * write elements one by one, or rows of elements. */

#pragma once

#include "ocl/plan/step.h"

/* For OclOp.absorb: TRUE if each other operand of @post is a single number, has
 * one number per index of the dimension @channel_dim, or the whole shape. */
gboolean ocl_post_fits (
    const OclStep *step, const OclPost *post, int channel_dim);
/* Source for a kernel that writes `STORE (OUT_TYPE, out, i, POST (v, i))`, with
 * i the element of the output.  The kernel has POST_PARAMETERS after its own
 * parameters, POST_BIND in its body, and POST_CHANNEL (c) before POST, which
 * loads operands for index c of the channel dimension.  @type: of v.
 * (transfer full) */
char *ocl_post_text (const OclStep *step, InferType type, int channel_dim);
/* Whether all post-ops work on a vector of floats; the source for that: v and
 * the result of POST are a ROW (-DWIDTH), i its first element. */
gboolean ocl_post_fits_rows (const OclStep *step);
char *ocl_post_rows_text (const OclStep *step, int channel_dim);
/* The same for vectors along the channel dimension, c being its first index. */
char *ocl_post_columns_text (const OclStep *step, int channel_dim);
/* Whether a post-op reads an operand of the output's shape. */
gboolean ocl_post_reads_all (const OclStep *step, int channel_dim);
/* The arguments for POST_PARAMETERS. */
void ocl_post_arguments (const OclStep *step, OclLaunch *launch);
