/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/random-numbers.h"
#include "cpu/base/step.h"
#include "inference/graph/ops/generate.h"

#include <math.h>

/* --- RandomUniform --- */

typedef struct
{
  CpuRandom random;
  guint64 next_block; /* state of an unseeded sequence */
  guint64 key;
} Uniform;

static gboolean
is_seeded (const InferGenerate *attrs)
{
  return attrs->global_seed != 0 || attrs->op_seed != 0;
}

/* A seeded operation gives the same numbers each time it runs. */
static void
begin_sequence (Uniform *u, const InferGenerate *attrs)
{
  if (attrs->pytorch)
    cpu_random_init_twister (&u->random,
        is_seeded (attrs) ? (guint32) attrs->global_seed : g_random_int ());
  else if (is_seeded (attrs))
    cpu_random_init_philox (
        &u->random, (guint64) attrs->global_seed, (guint64) attrs->op_seed, 0);
  else
    cpu_random_init_philox (&u->random, u->key, 0, u->next_block);
}

static gboolean
uniform_prepare (CpuStep *step, GError **error)
{
  Uniform *u = g_new0 (Uniform, 1);

  step->priv = u;
  u->key = (guint64) g_random_int () << 32 | g_random_int ();
  step->kernel = "ref";
  return TRUE;
}

/* Random bits of the mantissa, and the ones that a float type keeps. */
static guint
mantissa_bits (InferType type)
{
  return type == INFER_TYPE_F16 ? 10 : type == INFER_TYPE_BF16 ? 7 : 23;
}

static void
fill_floats (CpuRandom *random, CpuValue *out, const float *range)
{
  InferType type = out->desc.type;
  guint bits = mantissa_bits (type) + (random->twister ? 1 : 0);
  float unit = 1.0f / (float) (1u << bits);
  gsize size = infer_type_size (type);

  for (gsize i = 0; i < out->n; i++) {
    float x = (float) (cpu_random_next (random) & ((1u << bits) - 1)) * unit;

    x = x * (range[1] - range[0]) + range[0];
    infer_convert ((char *) out->data + i * size, type, &x, INFER_TYPE_F32, 1);
  }
}

static void
fill_integers (CpuRandom *random, CpuValue *out, const gint64 *range)
{
  guint64 span = (guint64) range[1] - (guint64) range[0];
  gboolean wide = out->desc.type == INFER_TYPE_I64;
  gint32 *narrow = out->data;
  gint64 *dst = out->data;

  if (random->twister && wide)
    wide = range[0] > G_MAXUINT32 || range[1] > G_MAXUINT32;
  for (gsize i = 0; i < out->n; i++) {
    guint64 x = cpu_random_next (random);

    if (wide)
      x = random->twister ? x << 32 | cpu_random_next (random)
                          : x | (guint64) cpu_random_next (random) << 32;
    x = x % span + (guint64) range[0];
    if (out->desc.type == INFER_TYPE_I64)
      dst[i] = (gint64) x;
    else
      narrow[i] = (gint32) x;
  }
}

static gboolean
uniform_run (CpuStep *step, GError **error)
{
  Uniform *u = step->priv;
  CpuValue *out = step->out[0], *low = step->in[1], *high = step->in[2];
  InferType type = out->desc.type;
  double reals[2];
  gint64 ints[2];

  if (low->n != 1 || high->n != 1)
    return infer_fail (
        error, INFER_ERROR_INVALID_DATA, "the bounds must be one number each");
  begin_sequence (u, step->op->attrs);
  infer_convert (&reals[0], INFER_TYPE_F64, low->data, low->desc.type, 1);
  infer_convert (&reals[1], INFER_TYPE_F64, high->data, high->desc.type, 1);
  infer_convert (&ints[0], INFER_TYPE_I64, low->data, low->desc.type, 1);
  infer_convert (&ints[1], INFER_TYPE_I64, high->data, high->desc.type, 1);
  /* As integers, 0.2 and 0.8 are the same. */
  if (!(reals[0] < reals[1])
      || (infer_type_is_integer (type) && ints[0] >= ints[1]))
    return infer_fail (error, INFER_ERROR_INVALID_DATA,
        "the lower bound %g is not below %g", reals[0], reals[1]);
  if (type == INFER_TYPE_F64) {
    double *dst = out->data;

    for (gsize i = 0; i < out->n; i++)
      dst[i] = cpu_random_next_double (&u->random) * (reals[1] - reals[0])
               + reals[0];
  } else if (infer_type_is_real (type)) {
    fill_floats (
        &u->random, out, (const float[]){ (float) reals[0], (float) reals[1] });
  } else
    fill_integers (&u->random, out, ints);
  u->next_block = u->random.block;
  return TRUE;
}

const CpuOp cpu_op_random_uniform = {
  .prepare = uniform_prepare,
  .run = uniform_run,
};

/* --- Multinomial --- */

static gboolean
multinomial_prepare (CpuStep *step, GError **error)
{
  const InferShape *shape = cpu_in_shape (step, 0);

  cpu_step_need_scratch (step, 2 * sizeof (double) * (gsize) shape->dims[1]);
  return uniform_prepare (step, error);
}

/* Replaces probabilities by their running sum; FALSE: none is above 0. */
static double
accumulate (const double *chances, double *sums, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sums[i] = sum += chances[i];
  return sum;
}

static gsize
pick (const double *sums, gsize n, double x)
{
  gsize i = 0;

  while (i + 1 < n && sums[i] < x)
    i++;
  return i;
}

static gboolean
multinomial_run (CpuStep *step, GError **error)
{
  const InferGenerate *attrs = step->op->attrs;
  const InferShape *shape = cpu_in_shape (step, 0);
  CpuValue *in = step->in[0], *out = step->out[0];
  gsize n = (gsize) shape->dims[1];
  gsize samples = (gsize) cpu_out_shape (step, 0)->dims[1];
  gsize in_size = infer_type_size (in->desc.type);
  gsize out_size = infer_type_size (out->desc.type);
  double *chances = step->scratch, *sums = chances + n;
  Uniform *u = step->priv;

  if (out->n == 0)
    return TRUE;
  begin_sequence (u, attrs);
  for (gsize b = 0; b < (gsize) shape->dims[0]; b++) {
    infer_convert (chances, INFER_TYPE_F64,
        (const char *) in->data + b * n * in_size, in->desc.type, n);
    for (gsize i = 0; i < n && attrs->log_probs; i++)
      chances[i] = exp (chances[i]);
    double total = accumulate (chances, sums, n);
    for (gsize s = 0; s < samples; s++) {
      double x = cpu_random_next_double (&u->random);

      if (!(total > 0))
        return infer_fail (error, INFER_ERROR_INVALID_DATA,
            "no class of row %" G_GSIZE_FORMAT " has a chance", b);
      gint64 index = (gint64) pick (sums, n, x * total);
      infer_convert ((char *) out->data + (b * samples + s) * out_size,
          out->desc.type, &index, INFER_TYPE_I64, 1);
      if (!attrs->with_replacement) {
        chances[index] = 0;
        total = accumulate (chances, sums, n);
      }
    }
  }
  u->next_block = u->random.block;
  return TRUE;
}

const CpuOp cpu_op_multinomial = {
  .prepare = multinomial_prepare,
  .run = multinomial_run,
};
