/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Element-wise operations that a step has taken in, as a function of its
 * kernel: for steps that write elements one by one, or rows of them. */

#pragma once

#include "ocl/plan/step.h"

G_BEGIN_DECLS

/* For OclOp.absorb: @post's other operands are one number, one for each index
 * of the dimension @channel_dim, or of the whole shape. */
gboolean ocl_post_fits (
    const OclStep *step, const OclPost *post, int channel_dim);
/* Text for a kernel that writes `STORE (OUT_TYPE, out, i, POST (v, i))`, with i
 * the element of the output, behind `POST_CHANNEL (c)`, which declares what
 * goes with index c of the channel dimension; POST_PARAMETERS after the
 * kernel's own, POST_BIND in its body.  @type: of v. */
char *ocl_post_text (const OclStep *step, InferType type, int channel_dim);
/* Whether all posts can be done on a vector of floats at once; and the text for
 * that: v and what POST gives are a ROW (-DWIDTH), i its first element. */
gboolean ocl_post_fits_rows (const OclStep *step);
char *ocl_post_rows_text (const OclStep *step, int channel_dim);
/* The same for vectors along the channel dimension, c that of the first. */
char *ocl_post_columns_text (const OclStep *step, int channel_dim);
/* Whether a post reads an operand of the output's shape. */
gboolean ocl_post_reads_all (const OclStep *step, int channel_dim);
/* The arguments for POST_PARAMETERS. */
void ocl_post_arguments (const OclStep *step, OclLaunch *launch);
/* Type of what the step itself computes, before its posts, and of what post
 * @post makes of it. */
InferType ocl_post_first_type (const OclStep *step);
InferType ocl_post_type (const OclStep *step, guint post);

G_END_DECLS
