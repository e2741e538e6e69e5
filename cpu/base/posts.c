/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/posts.h"

#include "inference/graph/ops/elementwise.h"

#include <string.h>

/* A constant: one number for each channel, or one for all. */
static gboolean
is_per_channel (const CpuStep *step, guint axis, const CpuValue *value)
{
  const InferShape *out = cpu_out_shape (step, 0);

  if (value == NULL || !value->constant || value->desc.type != INFER_TYPE_F32)
    return FALSE;
  const InferShape *shape = &value->desc.shape;
  if (value->n == 1)
    return shape->rank <= out->rank;
  int skip = out->rank - shape->rank;
  if (skip < 0 || value->n != (gsize) out->dims[axis] || (int) axis < skip)
    return FALSE;
  return shape->dims[(int) axis - skip] == out->dims[axis];
}

static gboolean
is_residual (const CpuStep *step, const CpuValue *value)
{
  return value != NULL && value->desc.type == INFER_TYPE_F32
         && infer_shape_equal (&value->desc.shape, cpu_out_shape (step, 0));
}

/* A unary operation without attributes. */
static gboolean
simple_act (const InferOperation *op, CpuAct *act)
{
  static const struct
  {
    const InferOpClass *klass;
    CpuAct act;
  } acts[] = {
    { &infer_op_relu, { .kind = CPU_ACT_RELU } },
    { &infer_op_sigmoid, { .kind = CPU_ACT_SIGMOID } },
    { &infer_op_tanh, { .kind = CPU_ACT_TANH } },
    { &infer_op_hswish, { .kind = CPU_ACT_HSWISH } },
    { &infer_op_hsigmoid,
        { .kind = CPU_ACT_HARD_SIGMOID, .alpha = 1.0f / 6, .beta = 0.5f } },
    { &infer_op_abs, { .kind = CPU_ACT_ABS } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (acts); i++) {
    if (op->n_inputs == 1 && infer_op_is (op, acts[i].klass)) {
      *act = acts[i].act;
      return TRUE;
    }
  }
  return FALSE;
}

/* An activation with attributes. */
static gboolean
attribute_act (const InferOperation *op, CpuAct *act)
{
  const InferUnary *attrs = op->attrs;

  if (infer_op_is (op, &infer_op_clamp))
    *act = (CpuAct){
      .kind = CPU_ACT_CLAMP, .alpha = (float) attrs->a, .beta = (float) attrs->b
    };
  else if (infer_op_is (op, &infer_op_elu))
    *act = (CpuAct){ .kind = CPU_ACT_ELU, .alpha = (float) attrs->a };
  else if (infer_op_is (op, &infer_op_gelu))
    *act =
        (CpuAct){ .kind = attrs->mode == INFER_GELU_TANH ? CPU_ACT_GELU_TANH
                                                         : CPU_ACT_GELU_ERF };
  else
    return FALSE;
  return TRUE;
}

static gboolean
is_constant_number (const CpuValue *value)
{
  return value != NULL && value->constant && value->n == 1
         && value->desc.type == INFER_TYPE_F32;
}

/* PReLU's slopes of rank 1 belong to the channels in any layout. */
static gboolean
is_slopes (const CpuStep *step, guint axis, const CpuValue *value)
{
  if (is_per_channel (step, axis, value))
    return TRUE;
  return value != NULL && value->constant && axis == 1
         && value->desc.type == INFER_TYPE_F32 && value->desc.shape.rank == 1
         && value->desc.shape.dims[0] == cpu_out_shape (step, 0)->dims[1];
}

/* PReLU's slopes are not filled in. */
static gboolean
read_act (const CpuStep *step, guint axis, const InferOperation *op, guint from,
    const CpuValue *other, CpuAct *act)
{
  *act = (CpuAct){ .kind = CPU_ACT_NONE };
  if (from != 0)
    return FALSE;
  if (simple_act (op, act))
    return TRUE;
  if (attribute_act (op, act))
    return TRUE;
  if (infer_op_is (op, &infer_op_swish)
      && (op->n_inputs == 1 || is_constant_number (other))) {
    *act = (CpuAct){ .kind = CPU_ACT_SWISH, .alpha = 1 };
    if (op->n_inputs > 1)
      act->alpha = *(const float *) other->data;
    return TRUE;
  }
  if (infer_op_is (op, &infer_op_prelu) && is_slopes (step, axis, other)) {
    const float *slopes = other->data;

    *act = (CpuAct){ .kind = CPU_ACT_PRELU };
    if (other->n == 1)
      *act = (CpuAct){ .kind = CPU_ACT_LEAKY_RELU, .alpha = *slopes };
    return TRUE;
  }
  return FALSE;
}

/* The stages of an epilogue used so far. */
typedef struct
{
  gboolean nonlinear; /* no more scale and bias */
  gboolean residual;
  CpuAct act, last_act;
} State;

typedef enum
{
  ROLE_NONE, /* not possible in an epilogue */
  ROLE_LINEAR,
  ROLE_RESIDUAL,
  ROLE_ACT,
  ROLE_LAST_ACT,
  ROLE_AFTER_ACT, /* one number, now part of the activation */
} Role;

static gboolean
is_linear (const InferOperation *op, guint from)
{
  return infer_op_is (op, &infer_op_add) || infer_op_is (op, &infer_op_multiply)
         || (infer_op_is (op, &infer_op_subtract) && from == 0);
}

/* @act, then a product with or a sum of one number. */
static gboolean
extend_act (
    CpuAct *act, const InferOperation *op, guint from, const CpuValue *other)
{
  if ((act->kind != CPU_ACT_HSWISH && act->kind != CPU_ACT_HSWISH_AFFINE)
      || !is_linear (op, from) || !is_constant_number (other))
    return FALSE;
  float number = *(const float *) other->data;
  if (act->kind == CPU_ACT_HSWISH)
    *act = (CpuAct){ .kind = CPU_ACT_HSWISH_AFFINE, .alpha = 1 };
  if (infer_op_is (op, &infer_op_multiply)) {
    act->alpha *= number;
    act->beta *= number;
  } else {
    act->beta += infer_op_is (op, &infer_op_add) ? number : -number;
  }
  return TRUE;
}

static Role
advance (State *state, const CpuStep *step, guint axis,
    const InferOperation *op, guint from, const CpuValue *other)
{
  CpuAct act;

  if (!state->nonlinear && is_linear (op, from)
      && is_per_channel (step, axis, other))
    return ROLE_LINEAR;
  state->nonlinear = TRUE;
  if (!state->residual && infer_op_is (op, &infer_op_add)
      && is_residual (step, other)) {
    state->residual = TRUE;
    return ROLE_RESIDUAL;
  }
  if (extend_act (
          state->residual ? &state->last_act : &state->act, op, from, other))
    return ROLE_AFTER_ACT;
  if (!read_act (step, axis, op, from, other, &act))
    return ROLE_NONE;
  if (!state->residual && state->act.kind == CPU_ACT_NONE) {
    state->act = act;
    return ROLE_ACT;
  }
  if (state->residual && state->last_act.kind == CPU_ACT_NONE) {
    state->last_act = act;
    return ROLE_LAST_ACT;
  }
  return ROLE_NONE;
}

gboolean
cpu_posts_can_absorb (const CpuStep *step, guint axis, const InferOperation *op,
    guint from, const CpuValue *other)
{
  State state = { 0 };

  if (step->out[0]->desc.type != INFER_TYPE_F32)
    return FALSE;
  for (guint i = 0; i < step->n_posts; i++) {
    const CpuPost *post = &step->posts[i];

    advance (&state, step, axis, post->op, post->from, post->other);
  }
  return advance (&state, step, axis, op, from, other) != ROLE_NONE;
}

/* scale * v + bias, then @post. */
static void
fold_linear (const CpuPost *post, gsize channels, float *scale, float *bias)
{
  const float *data = post->other->data;

  for (gsize c = 0; c < channels; c++) {
    float v = data[post->other->n == 1 ? 0 : c];

    if (infer_op_is (post->op, &infer_op_multiply)) {
      scale[c] *= v;
      bias[c] *= v;
    } else {
      bias[c] += infer_op_is (post->op, &infer_op_add) ? v : -v;
    }
  }
}

/* Most steps have nothing else, and a plan has many of them. */
static float *
cut_to_bias (CpuEpilogue *epilogue, float *arrays, gsize channels)
{
  const gsize n = epilogue->bias != NULL ? channels : 0;
  float *bias = g_try_realloc_n (arrays, n + 1, sizeof *arrays);

  if (bias == NULL)
    return arrays;
  if (epilogue->bias != NULL)
    epilogue->bias = bias;
  return bias;
}

gpointer
cpu_posts_epilogue (const CpuStep *step, guint axis, CpuEpilogue *epilogue,
    const CpuValue **residual)
{
  gsize channels = (gsize) cpu_out_shape (step, 0)->dims[axis];
  float *bias = g_try_new0 (float, 4 * channels + 1);
  State state = { 0 };

  *epilogue = (CpuEpilogue){ 0 };
  *residual = NULL;
  if (bias == NULL)
    return NULL;
  float *slopes = bias + channels, *scale = slopes + 2 * channels;
  for (gsize c = 0; c < channels; c++)
    scale[c] = 1;
  for (guint i = 0; i < step->n_posts; i++) {
    const CpuPost *post = &step->posts[i];
    Role role = advance (&state, step, axis, post->op, post->from, post->other);

    if (role == ROLE_LINEAR) {
      fold_linear (post, channels, scale, bias);
      epilogue->bias = bias;
      if (infer_op_is (post->op, &infer_op_multiply))
        epilogue->scale = scale;
    } else if (role == ROLE_RESIDUAL) {
      *residual = post->other;
    } else if (role != ROLE_AFTER_ACT && post->other && post->other->n > 1) {
      memcpy (slopes, post->other->data, channels * sizeof *slopes);
      if (role == ROLE_ACT)
        state.act.slopes = slopes;
      else
        state.last_act.slopes = slopes;
      slopes += channels;
    }
  }
  epilogue->act = state.act;
  epilogue->last_act = state.last_act;
  if (epilogue->scale == NULL && slopes == bias + channels)
    bias = cut_to_bias (epilogue, bias, channels);
  return bias;
}

/* FNV-1a of 64 bits. */
gint64
cpu_posts_hash (const float *values, gsize n)
{
  const guint8 *bytes = (const guint8 *) values;
  guint64 hash = G_GUINT64_CONSTANT (0xcbf29ce484222325);

  for (gsize i = 0; i < n * sizeof *values; i++)
    hash = (hash ^ bytes[i]) * G_GUINT64_CONSTANT (0x100000001b3);
  return (gint64) hash;
}
