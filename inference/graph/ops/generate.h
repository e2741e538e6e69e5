/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of operations that generate tensors: Eye, OneHot, Range,
 * RandomUniform, Multinomial. */

#pragma once

#include "inference/graph/op.h"

typedef struct
{
  InferType type;     /* of the output; dynamic: of the inputs (Range-1) */
  gint64 axis;        /* OneHot */
  gboolean normalize; /* OneHot: negative indices count from the end */
  gint64 global_seed, op_seed;
  gboolean pytorch; /* RandomUniform: Mersenne Twister, not Philox */
  gboolean with_replacement, log_probs; /* Multinomial */
} InferGenerate;
