/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of the operations that put the elements of a tensor into another
 * order. */

#pragma once

#include "inference/op.h"

G_BEGIN_DECLS

/* A block of every spatial axis may be as many axes more. */
#define INFER_MAX_BLOCK_RANK 8

typedef struct
{
  gboolean depth_first;
  gint64 block;                /* DepthToSpace, SpaceToDepth */
  gint64 axis, group;          /* ShuffleChannels */
  gboolean mask;               /* Reverse: the axes come as booleans */
  gint64 batch_axis, seq_axis; /* ReverseSequence */
} InferRearrange;

/* ExtractImagePatches and Col2Im: windows over the two last axes. */
typedef struct
{
  gint64 size[2], stride[2], dilation[2];
  gint64 pads_begin[2], pads_end[2];
  int auto_pad; /* of ExtractImagePatches: 0 valid, 1 same upper, 2 lower */
} InferPatches;

/* Windows along axis @d of @length, *@before: the padding in front. */
gint64 infer_patches_count (
    const InferPatches *attrs, int d, gint64 length, gint64 *before);

G_END_DECLS
