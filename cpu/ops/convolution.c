/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/posts.h"
#include "cpu/conv/impl.h"
#include "cpu/conv/nspc/nspc.h"
#include "cpu/conv/u8/u8.h"
#include "cpu/ops/op-table.h"
#include "cpu/ops/pad.h"

static const CpuImpl *const impls[] = {
#define IMPL(name, file) &cpu_conv_impl_##name,
#include "cpu/conv/impl-list.h"
#undef IMPL
};

typedef struct
{
  CpuConvGeometry geometry;
  CpuImplUse use;
} Convolution;

static void
release (gpointer priv)
{
  Convolution *conv = priv;

  cpu_impl_clear (&conv->use);
  g_free (conv);
}

static gboolean
wants_nspc (const CpuStep *step)
{
  return cpu_conv_is_fast (step);
}

static gboolean
absorb (const CpuStep *step, const InferOperation *op, guint from,
    const CpuValue *other)
{
  if (step->in[0]->form.quant != NULL)
    return cpu_conv_u8_can_absorb (step, op, from, other);
  return cpu_conv_is_fast (step)
         && cpu_posts_can_absorb (step, 1, op, from, other);
}

static gboolean
prepare_any (CpuStep *step, gboolean transposed, GError **error)
{
  Convolution *conv = g_new0 (Convolution, 1);

  step->priv = conv;
  return cpu_conv_geometry (step, transposed, &conv->geometry, error)
         && cpu_impl_prepare (&conv->use, step, impls, G_N_ELEMENTS (impls),
             &conv->geometry, TRUE, error);
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

  return cpu_impl_run (&conv->use, step, error);
}

static CpuConvNspc *
nspc_of (const CpuStep *step)
{
  const Convolution *conv = step->priv;

  return cpu_conv_nspc (&conv->use);
}

static gboolean
fuse_producer (CpuStep *step, CpuStep *earlier, guint input)
{
  CpuConvNspc *conv = nspc_of (step), *first;

  if (conv == NULL)
    return FALSE;
  if (input >= step->n_in)
    return cpu_pad_appends_channels (earlier)
           && cpu_conv_nspc_fuse_pad (step, conv, earlier);
  if (input != 0
      || (earlier->cpu_op != &cpu_op_convolution
          && earlier->cpu_op != &cpu_op_group_convolution))
    return FALSE;
  first = nspc_of (earlier);
  return first != NULL
         && (cpu_conv_nspc_fuse_depthwise (step, conv, earlier, first)
             || cpu_conv_nspc_fuse_expansion (step, conv, earlier, first));
}

static gboolean
share (CpuStep *step, const CpuStep *earlier)
{
  const Convolution *conv = step->priv, *first = earlier->priv;

  return cpu_conv_share (step, &conv->use, &first->use);
}

static gboolean
reads_f16 (const CpuStep *step, const CpuValue *value)
{
  const CpuConvNspc *conv = nspc_of (step);

  return conv != NULL && cpu_conv_nspc_reads_f16 (step, conv, value);
}

static gboolean
gives_f16 (const CpuStep *step)
{
  const CpuConvNspc *conv = nspc_of (step);

  return conv != NULL && cpu_conv_nspc_gives_f16 (step, conv);
}

static gboolean
use_f16 (CpuStep *step)
{
  return cpu_conv_nspc_use_f16 (step, nspc_of (step));
}

#define CONVOLUTION(name, prepare_it)                                          \
  const CpuOp cpu_op_##name = {                                                \
    .wants_nspc = wants_nspc,                                                  \
    .absorb = absorb,                                                          \
    .prepare = prepare_it,                                                     \
    .fuse_producer = fuse_producer,                                            \
    .share = share,                                                            \
    .reads_f16 = reads_f16,                                                    \
    .gives_f16 = gives_f16,                                                    \
    .use_f16 = use_f16,                                                        \
    .run = run,                                                                \
    .release = release,                                                        \
  }

CONVOLUTION (convolution, prepare_forward);
CONVOLUTION (group_convolution, prepare_forward);
CONVOLUTION (convolution_backprop_data, prepare_transposed);
CONVOLUTION (group_convolution_backprop_data, prepare_transposed);
