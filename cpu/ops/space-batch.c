/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* BatchToSpace, SpaceToBatch: for each position in a block, one strided copy
 * between a part of the batch and every block-th element of the space. */

#include "cpu/ops/strided-copy.h"
#include "cpu/base/step.h"

#include <string.h>

typedef struct
{
  const CpuKernels *kernels;
  gsize size;
  const InferShape *space; /* [N / blocks, S…] */
  const InferShape *batch; /* [N, D…] */
  gint64 block[INFER_MAX_RANK], begin[INFER_MAX_RANK];
} Blocks;

/* Copies the elements at @place of the blocks: element d of the batch's axis is
 * element d * block + place - begin of the space's, if inside. */
static void
copy_place (const Blocks *blocks, const gint64 *place, gint64 number,
    guint8 *space, guint8 *batch, gboolean to_batch)
{
  InferShape box = *blocks->batch;
  gint64 wide[INFER_MAX_RANK], narrow[INFER_MAX_RANK];
  gint64 space_at = 0, batch_at;
  CpuStridedCopy copy;

  cpu_dense_strides (blocks->space, blocks->size, wide);
  cpu_dense_strides (blocks->batch, blocks->size, narrow);
  box.dims[0] = blocks->space->dims[0];
  batch_at = number * box.dims[0] * narrow[0];
  for (int d = 1; d < box.rank; d++) {
    const gint64 block = blocks->block[d];
    const gint64 at = place[d] - blocks->begin[d];
    gint64 first = at < 0 ? (-at + block - 1) / block : 0;
    gint64 last = (blocks->space->dims[d] - at + block - 1) / block;

    last = blocks->space->dims[d] > at ? MIN (last, box.dims[d]) : 0;
    if (first >= last)
      return;
    box.dims[d] = last - first;
    batch_at += first * narrow[d];
    space_at += (first * block + at) * wide[d];
    wide[d] *= block;
  }
  cpu_strided_copy_init (&copy, blocks->kernels, blocks->size, box.rank,
      box.dims, to_batch ? wide : narrow, to_batch ? narrow : wide);
  if (to_batch)
    cpu_strided_copy_run (&copy, batch + batch_at, space + space_at);
  else
    cpu_strided_copy_run (&copy, space + space_at, batch + batch_at);
}

static void
run_blocks (CpuStep *step, gboolean to_batch)
{
  Blocks blocks = { step->kernels, infer_type_size (step->in[0]->desc.type),
    cpu_in_shape (step, 0), cpu_out_shape (step, 0), { 1 }, { 0 } };
  guint8 *in = step->in[0]->data, *out = step->out[0]->data;
  gint64 place[INFER_MAX_RANK] = { 0 };
  int d, rank = blocks.space->rank;

  if (!to_batch) {
    blocks.space = cpu_out_shape (step, 0);
    blocks.batch = cpu_in_shape (step, 0);
  }
  infer_convert (blocks.block, INFER_TYPE_I64, step->in[1]->data,
      step->in[1]->desc.type, MIN (step->in[1]->n, (gsize) rank));
  infer_convert (blocks.begin, INFER_TYPE_I64, step->in[2]->data,
      step->in[2]->desc.type, MIN (step->in[2]->n, (gsize) rank));
  for (gint64 number = 0;; number++) {
    copy_place (&blocks, place, number, to_batch ? in : out,
        to_batch ? out : in, to_batch);
    for (d = rank - 1; d > 0 && ++place[d] == blocks.block[d]; d--)
      place[d] = 0;
    if (d <= 0)
      return;
  }
}

static gboolean
run_batch_to_space (CpuStep *step, GError **error)
{
  if (step->out[0]->n > 0)
    run_blocks (step, FALSE);
  return TRUE;
}

static gboolean
run_space_to_batch (CpuStep *step, GError **error)
{
  if (step->out[0]->n == 0)
    return TRUE;
  memset (step->out[0]->data, 0,
      step->out[0]->n * infer_type_size (step->out[0]->desc.type));
  if (step->in[0]->n > 0)
    run_blocks (step, TRUE);
  return TRUE;
}

const CpuOp cpu_op_batch_to_space = {
  .run = run_batch_to_space,
};

const CpuOp cpu_op_space_to_batch = {
  .run = run_space_to_batch,
};
