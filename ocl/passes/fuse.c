/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Post-op fusion: a step takes in its output's only reader, if its operation
 * can compute that before it writes the output (OclOp.absorb). */

#include "ocl/passes/pass.h"

/* A kernel of all of a long chain would take a compiler minutes. */
#define MAX_POSTS 64

/* Whether @value is there before @step runs. */
static gboolean
is_available (const OclValue *value, const OclStep *step)
{
  return value != NULL
         && (value->producer == NULL || value->producer->index < step->index);
}

/* Fills @post with the operation of @reader, which reads @step's output. */
static gboolean
make_post (const OclStep *step, const OclStep *reader, OclPost *post)
{
  *post = (OclPost){ .op = reader->op, .type = reader->out[0]->desc.type };
  if (reader->n_in > OCL_MAX_OTHERS + 1 || reader->n_out != 1
      || reader->n_posts > 0)
    return FALSE;
  for (guint i = 0; i < reader->n_in; i++) {
    if (reader->in[i] == step->out[0])
      post->from = i;
    else if (is_available (reader->in[i], step))
      post->others[post->n_others++] = reader->in[i];
    else
      return FALSE;
  }
  return TRUE;
}

static gboolean
fuse_reader (OclPlan *plan, OclStep *step)
{
  const OclValue *out = step->out[0];
  OclPost post;

  if (out->readers->len != 1 || out->leaves || step->n_posts >= MAX_POSTS)
    return FALSE;
  OclStep *reader = out->readers->pdata[0];
  if (!make_post (step, reader, &post)
      || !infer_shape_equal (ocl_out_shape (reader, 0), &out->desc.shape)
      || !step->ocl_op->absorb (step, &post))
    return FALSE;
  ocl_plan_fuse (plan, step, reader, &post);
  return TRUE;
}

gboolean
ocl_pass_fuse (OclPlan *plan, GError **error)
{
  for (guint i = 0; i < plan->steps->len; i++) {
    OclStep *step = plan->steps->pdata[i];

    if (step != NULL && step->ocl_op->absorb != NULL && step->n_out == 1)
      while (fuse_reader (plan, step))
        ;
  }
  ocl_plan_close_gaps (plan);
  return TRUE;
}
