/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compressed weights: stored in fewer bits than they are computed with, and
 * decompressed to f32 by Convert, then Subtract, Multiply or Add with small
 * constants.  A backend that packs weights reads the stored codes, so the f32
 * tensor is never materialised. */

#pragma once

#include "inference/graph/graph.h"

typedef enum
{
  INFER_TERM_ADD,
  INFER_TERM_SUBTRACT,
  INFER_TERM_MULTIPLY,
} InferTermKind;

/* Applies operand value (i / inner) % count to element i. */
typedef struct
{
  InferTermKind kind;
  InferTensor *operand; /* (transfer none) f32 */
  gsize inner, count;
} InferTerm;

#define INFER_MAX_TERMS 4

typedef struct
{
  InferTensor *codes; /* (transfer none) dense */
  InferShape shape;   /* of the f32 tensor; as many elements as codes */
  gsize n;
  guint n_terms;
  InferTerm terms[INFER_MAX_TERMS]; /* in order of application */
} InferCompressed;

/* Whether @port carries compressed weights with constant operands. */
gboolean infer_compressed_find (
    const InferPort *port, InferCompressed *compressed);

/* Exempts decompression chains from folding (InferOperation.kept) if only
 * inputs that are packed read them. */
void infer_compressed_keep (InferGraph *graph);
/* Whether backends pack input @input of @op. */
gboolean infer_compressed_is_packed (const InferOperation *op, guint input);

/* Elements [first, first + n) as floats. */
void infer_compressed_floats (
    const InferCompressed *compressed, gsize first, gsize n, float *floats);

/* A hash of everything but the codes. */
InferHash infer_compressed_hash (const InferCompressed *compressed);

/* If every @stride-th of @n elements from @first is (code - *@zero) * *@scale
 * with 8-bit codes and *@scale > 0: returns TRUE.  FALSE may be a missed
 * case. */
gboolean infer_compressed_integers (const InferCompressed *compressed,
    gsize first, gsize stride, gsize n, float *scale, int *zero);
