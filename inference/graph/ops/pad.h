/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of Pad. */

#pragma once

#include "inference/graph/op.h"

typedef enum
{
  INFER_PAD_CONSTANT,
  INFER_PAD_EDGE,
  INFER_PAD_REFLECT,
  INFER_PAD_SYMMETRIC,
} InferPadMode;

typedef struct
{
  int mode; /* InferPadMode */
} InferPad;

/* Elements of an axis of @length that negative pads leave. */
static inline gint64
infer_pad_kept (gint64 length, gint64 begin, gint64 end)
{
  const gint64 kept = length + MAX (MIN (begin, 0), -length);

  return MAX (kept + MAX (MIN (end, 0), -kept), 0);
}

/* The source position of a padded one (modes other than constant), both
 * relative to the first of @kept elements. */
static inline gint64
infer_pad_source (int mode, gint64 at, gint64 kept)
{
  if (at >= 0 && at < kept)
    return at;
  if (mode == INFER_PAD_EDGE)
    return at < 0 ? 0 : kept - 1;
  if (mode == INFER_PAD_REFLECT)
    return at < 0 ? -at : 2 * (kept - 1) - at;
  return at < 0 ? -1 - at : 2 * kept - 1 - at;
}
