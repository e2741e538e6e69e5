/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/conv/narrow.h"
#include "cpu/conv/nspc/nspc.h"
#include "cpu/conv/onednn.h"
#include "cpu/conv/u8/u8.h"
#include "cpu/conv/winograd.h"
#include "cpu/base/f16-gemm.h"
#include "cpu/base/posts.h"
#include "cpu/ops/op-table.h"
#include "cpu/plan/tune.h"
#include "cpu/base/unpack.h"

#include <string.h>

typedef struct
{
  CpuConvGeometry geometry;
  CpuConvU8 *u8; /* where the input is levels; else */
  CpuConvNarrow *narrow;
  CpuConvWinograd *winograd;
  CpuConvDnn *dnn;   /* or this if there, */
  CpuConvNspc *nspc; /* else this, else the reference */
} Convolution;

static void
release (gpointer priv)
{
  Convolution *conv = priv;

  cpu_conv_u8_free (conv->u8);
  cpu_conv_narrow_free (conv->narrow);
  cpu_conv_winograd_free (conv->winograd);
  cpu_conv_dnn_free (conv->dnn);
  cpu_conv_nspc_free (conv->nspc);
  g_free (conv);
}

/* What is of f32 and not empty has channels last, except what is so small that
 * turning it costs as much as computing it. */
static gboolean
is_fast (const CpuStep *step)
{
  return step->out[0]->desc.type == INFER_TYPE_F32 && step->in[0]->n > 0
         && step->in[1]->n > 0 && step->out[0]->n > 0;
}

static gboolean
wants_nspc (const CpuStep *step)
{
  return is_fast (step);
}

static gboolean
absorb (const CpuStep *step, const InferOperation *op, guint from,
    const CpuValue *other)
{
  if (step->in[0]->form.quant != NULL)
    return cpu_conv_u8_can_absorb (step, op, from, other);
  return is_fast (step) && cpu_posts_can_absorb (step, 1, op, from, other);
}

/* The names of all ways, and how many; the rule's comes first. */
static guint
find_ways (
    const CpuStep *step, const CpuConvGeometry *g, const char *const **names)
{
  static const char *const with_winograd[] = { "winograd", "own", "onednn" };
  static const char *const large[] = { "onednn", "own" };
  static const char *const small[] = { "own", "onednn" };
  gboolean prefers, dnn = cpu_conv_dnn_can (step, g, &prefers);

  if (cpu_conv_winograd_can (step, g)) {
    *names = with_winograd;
    return dnn ? 3 : 2;
  }
  *names = dnn && prefers ? large : small;
  return dnn ? 2 : 1;
}

/* FALSE: by our own direct kernels. */
static gboolean
prepare_way (CpuStep *step, Convolution *conv)
{
  const CpuConvGeometry *g = &conv->geometry;
  const char *const *names;
  const guint n = find_ways (step, g, &names);
  const char *way = names[cpu_step_choose (step, n, names)];

  if (strcmp (way, "winograd") == 0)
    conv->winograd = cpu_conv_winograd_new (step, g);
  else if (strcmp (way, "onednn") == 0)
    conv->dnn = cpu_conv_dnn_new (step, g);
  return conv->winograd != NULL || conv->dnn != NULL;
}

/* Products of half floats leave other ways behind. */
static gboolean
prepare_half (CpuStep *step, Convolution *conv)
{
  if (!cpu_half_wanted (step, 1))
    return FALSE;
  conv->nspc = cpu_conv_nspc_new (step, &conv->geometry, step->layout);
  if (conv->nspc != NULL && conv->nspc->half)
    return TRUE;
  g_clear_pointer (&conv->nspc, cpu_conv_nspc_free);
  return FALSE;
}

static gboolean
prepare_any (CpuStep *step, gboolean transposed, GError **error)
{
  Convolution *conv = g_new0 (Convolution, 1);

  step->priv = conv;
  if (!cpu_conv_geometry (step, transposed, &conv->geometry, error))
    return FALSE;
  if (step->in[0]->form.quant != NULL) {
    conv->u8 = cpu_conv_u8_new (step, &conv->geometry);
    return conv->u8 != NULL
           || infer_fail (error, INFER_ERROR_NO_MEMORY,
               "the padded input needs too much memory");
  }
  if (is_fast (step)) {
    conv->narrow = cpu_conv_narrow_new (step, &conv->geometry);
    if (conv->narrow != NULL)
      return TRUE;
    if (prepare_half (step, conv) || prepare_way (step, conv))
      return TRUE;
    conv->nspc = cpu_conv_nspc_new (step, &conv->geometry, step->layout);
    if (conv->nspc == NULL)
      return infer_fail (error, INFER_ERROR_NO_MEMORY,
          "the padded input or the weights need too much memory");
    return TRUE;
  }
  cpu_conv_ref_prepare (step);
  return cpu_step_want_data (step, 1, error);
}

static gboolean
prepare_forward (CpuStep *step, GError **error)
{
  return prepare_any (step, FALSE, error);
}

static gboolean
prepare_transposed (CpuStep *step, GError **error)
{
  return prepare_any (step, TRUE, error);
}

static gboolean
run (CpuStep *step, GError **error)
{
  const Convolution *conv = step->priv;

  if (conv->u8 != NULL) {
    cpu_conv_u8_run (step, conv->u8);
    return TRUE;
  }
  if (conv->narrow != NULL) {
    cpu_conv_narrow_run (step, conv->narrow);
    return TRUE;
  }
  if (conv->winograd != NULL) {
    cpu_conv_winograd_run (step, conv->winograd);
    return TRUE;
  }
  if (conv->dnn != NULL)
    return cpu_conv_dnn_run (step, conv->dnn, error);
  if (conv->nspc == NULL)
    return cpu_conv_ref_run (step, &conv->geometry, error);
  cpu_conv_nspc_run (step, conv->nspc);
  return TRUE;
}

static gboolean
take_over (CpuStep *step, CpuStep *earlier, guint input)
{
  Convolution *conv = step->priv;
  const Convolution *before = earlier->priv;

  if (conv->nspc == NULL)
    return FALSE;
  if (input >= step->n_in)
    return cpu_conv_nspc_take_pad (step, conv->nspc, earlier);
  return input == 0 && earlier->cpu_op == &cpu_op_group_convolution
         && before->nspc != NULL
         && cpu_conv_nspc_take_depthwise (
             step, conv->nspc, earlier, before->nspc);
}

static gboolean
reads_halves (const CpuStep *step, const CpuValue *value)
{
  const Convolution *conv = step->priv;

  return conv->nspc != NULL
         && cpu_conv_nspc_reads_halves (step, conv->nspc, value);
}

static gboolean
gives_halves (const CpuStep *step)
{
  const Convolution *conv = step->priv;

  return conv->nspc != NULL && cpu_conv_nspc_gives_halves (step, conv->nspc);
}

static gboolean
use_halves (CpuStep *step)
{
  const Convolution *conv = step->priv;

  return cpu_conv_nspc_use_halves (step, conv->nspc);
}

#define CONVOLUTION(name, prepare_it)                                          \
  const CpuOp cpu_op_##name = {                                                \
    .wants_nspc = wants_nspc,                                                  \
    .absorb = absorb,                                                          \
    .prepare = prepare_it,                                                     \
    .fuse_producer = take_over,                                                \
    .reads_f16 = reads_halves,                                                 \
    .gives_f16 = gives_halves,                                                 \
    .use_f16 = use_halves,                                                     \
    .run = run,                                                                \
    .release = release,                                                        \
  }

CONVOLUTION (convolution, prepare_forward);
CONVOLUTION (group_convolution, prepare_forward);
CONVOLUTION (convolution_backprop_data, prepare_transposed);
CONVOLUTION (group_convolution_backprop_data, prepare_transposed);
