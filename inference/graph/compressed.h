/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Weights that the file stores in fewer bits than they are computed with, and
 * what makes f32 of them: Convert, then Subtract, Multiply or Add with small
 * constants.  A backend that packs weights anyway reads them as they are
 * stored; the floats are never made as a whole. */

#pragma once

#include "inference/graph/graph.h"

G_BEGIN_DECLS

typedef enum
{
  INFER_TERM_ADD,
  INFER_TERM_SUBTRACT,
  INFER_TERM_MULTIPLY,
} InferTermKind;

/* Element i meets value (i / inner) % count. */
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
  InferShape shape;   /* of the floats, as many as there are codes */
  gsize n;
  guint n_terms;
  InferTerm terms[INFER_MAX_TERMS]; /* in the order of computing */
} InferCompressed;

/* Whether @port carries such weights, whose operands are constants. */
gboolean infer_compressed_find (
    const InferPort *port, InferCompressed *compressed);

/* Operations whose result only those read that pack it: from now on they are
 * not folded (InferOperation.kept).  Bodies too. */
void infer_compressed_keep (InferGraph *graph);
/* Whether input @input of @op is one that is packed. */
gboolean infer_compressed_is_packed (const InferOperation *op, guint input);

/* Elements [first, first + n) as floats. */
void infer_compressed_floats (
    const InferCompressed *compressed, gsize first, gsize n, float *floats);

/* A hash of all but the codes. */
InferHash infer_compressed_hash (const InferCompressed *compressed);

/* Every @stride-th of @n elements from @first, where they are integers times
 * one positive number: *@scale, and what to subtract from the codes, which are
 * of 8 bits.  FALSE where they are not, or it is not easily seen. */
gboolean infer_compressed_integers (const InferCompressed *compressed,
    gsize first, gsize stride, gsize n, float *scale, int *zero);

G_END_DECLS
