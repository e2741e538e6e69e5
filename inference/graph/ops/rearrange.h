/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of the operations that permute the elements of a tensor. */

#pragma once

#include "inference/graph/op.h"

/* Every spatial axis may be split into two. */
#define INFER_MAX_BLOCK_RANK 8

typedef struct
{
  gboolean depth_first;
  gint64 block;                /* DepthToSpace, SpaceToDepth */
  gint64 axis, group;          /* ShuffleChannels */
  gboolean mask;               /* Reverse: the axes are a boolean mask */
  gint64 batch_axis, seq_axis; /* ReverseSequence */
} InferRearrange;
