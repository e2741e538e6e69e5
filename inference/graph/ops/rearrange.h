/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of the operations that put the elements of a tensor into another
 * order. */

#pragma once

#include "inference/graph/op.h"

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

G_END_DECLS
