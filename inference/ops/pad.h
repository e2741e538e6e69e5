/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of Pad. */

#pragma once

#include "inference/op.h"

G_BEGIN_DECLS

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

G_END_DECLS
