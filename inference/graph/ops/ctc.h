/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of CTCGreedyDecoder, CTCGreedyDecoderSeqLen and CTCLoss. */

#pragma once

#include "infer/type.h"

typedef struct
{
  gboolean merge_repeated;
  InferType classes_type, length_type; /* CTCGreedyDecoderSeqLen */
} InferCtcGreedy;

typedef struct
{
  gboolean preprocess_collapse_repeated, ctc_merge_repeated, unique;
} InferCtcLoss;
