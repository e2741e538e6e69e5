/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Caches that grow: Assign (Concat (ReadValue, new…)) appends in place.
 *
 * The value of such a variable has room behind its end (infer_state_grow), so
 * that a step writes what is new and nothing else.  Between ReadValue and
 * Concat there may be a Gather along the first axis (the beams of a search),
 * which moves data only when it really picks others.
 *
 * Where the axis is not the outermost, the value lies in blocks of its two last
 * dims with a gap behind each; operations that take such values
 * (CpuOp.takes_blocks) read it there, for all others it is copied. */

#pragma once

#include "cpu/base/step.h"

/* The part of a Concat, Gather or ReadValue in such a cache. */
struct _CpuGrowth
{
  guint variable;
  const InferOperation *read; /* its ReadValue */
  gboolean blocks;            /* readers take output 0 as blocks */
};

/* They compute the Concat and the Gather of such a cache. */
extern const CpuOp cpu_op_grow;
extern const CpuOp cpu_op_pick_beams;

/* A tensor that may be strided as the value of a step that sets its output when
 * it runs: as blocks where its readers take them, else dense. */
gboolean cpu_value_read (
    CpuStep *step, guint index, const InferTensor *tensor, GError **error);
