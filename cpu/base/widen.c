/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/base/widen.h"

gsize
cpu_scratch_add (gsize total, gsize count, gsize element)
{
  gsize bytes;
  if (!g_size_checked_mul (&bytes, count, element)
      || !g_size_checked_add (&total, total, bytes)
      || !g_size_checked_add (&total, total, 63))
    return G_MAXSIZE;
  return total & ~(gsize) 63;
}

static gsize
place (CpuWiden *widen, const CpuValue *value)
{
  if (value == NULL || value->desc.type == widen->to
      || !infer_type_is_real (value->desc.type))
    return G_MAXSIZE;
  gsize at = widen->bytes;
  widen->bytes = cpu_scratch_add (
      at, infer_shape_count (&value->desc.shape), infer_type_size (widen->to));
  return at;
}

gboolean
cpu_widen_prepare (CpuWiden *widen, CpuStep *step, InferType to, guint32 skip,
    gsize more, GError **error)
{
  widen->to = to;
  widen->bytes = 0;
  for (guint i = 0; i < MIN (step->n_in, CPU_WIDEN_MAX); i++)
    widen->in[i] = skip >> i & 1 ? G_MAXSIZE : place (widen, step->in[i]);
  for (guint k = 0; k < MIN (step->n_out, CPU_WIDEN_MAX); k++)
    widen->out[k] = place (widen, step->out[k]);
  gsize total = cpu_scratch_add (widen->bytes, more, 1);
  if (widen->bytes == G_MAXSIZE || total == G_MAXSIZE)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "the working memory would be larger than can be addressed");
  cpu_step_need_scratch (step, total);
  return TRUE;
}

gconstpointer
cpu_widen_in (const CpuWiden *widen, const CpuStep *step, guint i)
{
  const CpuValue *value = step->in[i];
  if (widen->in[i] == G_MAXSIZE)
    return value->data;
  gpointer to = step->scratch ? (char *) step->scratch + widen->in[i] : NULL;
  infer_convert (to, widen->to, value->data, value->desc.type, value->n);
  return to;
}

gpointer
cpu_widen_out (const CpuWiden *widen, const CpuStep *step, guint k)
{
  if (widen->out[k] == G_MAXSIZE)
    return step->out[k]->data;
  return step->scratch ? (char *) step->scratch + widen->out[k] : NULL;
}

void
cpu_widen_finish (const CpuWiden *widen, const CpuStep *step)
{
  for (guint k = 0; k < MIN (step->n_out, CPU_WIDEN_MAX); k++)
    if (widen->out[k] != G_MAXSIZE)
      infer_convert (step->out[k]->data, step->out[k]->desc.type,
          cpu_widen_out (widen, step, k), widen->to, step->out[k]->n);
}

InferType
cpu_widen_type (InferType type)
{
  return type == INFER_TYPE_F64 ? INFER_TYPE_F64 : INFER_TYPE_F32;
}
