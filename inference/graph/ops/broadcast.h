/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How Broadcast aligns its input with the target. */

#pragma once

#include "inference/graph/op.h"

typedef enum
{
  INFER_BROADCAST_MODE_NUMPY,
  INFER_BROADCAST_MODE_EXPLICIT,
  INFER_BROADCAST_MODE_PDPD,
  INFER_BROADCAST_MODE_BIDIRECTIONAL,
} InferBroadcastMode;

typedef struct
{
  int mode;    /* InferBroadcastMode */
  gint64 axis; /* of PDPD: first target axis of the input; -1: aligned at the
                  last */
} InferBroadcastAttrs;
