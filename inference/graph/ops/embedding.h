/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of the embedding bags, and the order of their inputs. */

#pragma once

#include "inference/graph/op.h"

typedef enum
{
  INFER_EMBEDDING_OFFSETS,  /* table, indices, offsets, default, weights */
  INFER_EMBEDDING_PACKED,   /* table, indices [bags, n], weights */
  INFER_EMBEDDING_SEGMENTS, /* table, indices, segment of each, number of
                             * segments, default, weights */
} InferEmbeddingKind;

typedef struct
{
  InferEmbeddingKind kind;
  gboolean mean;
  guint default_index, weights; /* inputs, whether connected or not; 0: none */
} InferEmbedding;
