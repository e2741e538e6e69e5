/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/ctc.h"

#include "cpu/base/widen.h"

#include <math.h>
#include <string.h>

static gsize
largest (const double *p, gsize n)
{
  gsize best = 0;
  for (gsize i = 1; i < n; i++)
    if (p[i] > p[best])
      best = i;
  return best;
}

/* --- greedy decoding --- */

static gboolean
widened_prepare (CpuStep *step, guint32 skip, gsize more, GError **error)
{
  CpuWiden *widen = g_new0 (CpuWiden, 1);
  step->priv = widen;
  step->kernel = "ref_f64";
  return cpu_widen_prepare (widen, step, INFER_TYPE_F64, skip, more, error);
}

static gboolean
greedy_prepare (CpuStep *step, GError **error)
{
  return widened_prepare (step, 0, 0, error);
}

static gboolean
greedy_run (CpuStep *step, GError **error)
{
  const InferCtcGreedy *attrs = step->op->attrs;
  const CpuWiden *widen = step->priv;
  const gint64 *dims = cpu_in_shape (step, 0)->dims;
  gsize time = (gsize) dims[0], batch = (gsize) dims[1];
  gsize classes = (gsize) dims[2];
  if (step->out[0]->n == 0)
    return TRUE;
  const double *data = cpu_widen_in (widen, step, 0);
  const double *mask = cpu_widen_in (widen, step, 1);
  double *out = cpu_widen_out (widen, step, 0);
  for (gsize b = 0; b < batch; b++) {
    double *to = out + b * time;
    gsize n = 0, previous = G_MAXSIZE;
    for (gsize t = 0; t < time; t++) {
      if (mask[t * batch + b] == 0 || classes == 0)
        break;
      gsize class = largest (data + (t * batch + b) * classes, classes);
      if (class != classes - 1 && !(attrs->merge_repeated && class == previous))
        to[n++] = (double) class;
      previous = class;
    }
    while (n < time)
      to[n++] = -1;
  }
  cpu_widen_finish (widen, step);
  return TRUE;
}

const CpuOp cpu_op_ctc_greedy_decoder = {
  .prepare = greedy_prepare,
  .run = greedy_run,
};

static gboolean
seq_len_prepare (CpuStep *step, GError **error)
{
  return widened_prepare (step, 1 << 1 | 1 << 2, 0, error);
}

static void
put_int (const CpuValue *value, gsize i, gint64 number)
{
  if (value->desc.type == INFER_TYPE_I64)
    ((gint64 *) value->data)[i] = number;
  else
    ((gint32 *) value->data)[i] = (gint32) number;
}

/* FALSE: a sequence is longer than the data. */
static gboolean
read_length (
    const CpuValue *lengths, gsize b, gsize time, gsize *length, GError **error)
{
  gint64 n = cpu_integer_at (lengths, b);
  *length = (gsize) n;
  return (n >= 0 && (guint64) n <= time)
         || infer_fail (error, INFER_ERROR_INVALID_DATA,
             "length %" G_GINT64_FORMAT " of sequence %" G_GSIZE_FORMAT
             " is not between 0 and %" G_GSIZE_FORMAT,
             n, b, time);
}

static gboolean
seq_len_run (CpuStep *step, GError **error)
{
  const InferCtcGreedy *attrs = step->op->attrs;
  const CpuWiden *widen = step->priv;
  const gint64 *dims = cpu_in_shape (step, 0)->dims;
  gsize batch = (gsize) dims[0], time = (gsize) dims[1];
  gsize classes = (gsize) dims[2];
  gint64 blank = cpu_has_in (step, 2) ? cpu_integer_at (step->in[2], 0)
                                      : (gint64) classes - 1;
  const double *data = cpu_widen_in (widen, step, 0);
  for (gsize b = 0; b < batch; b++) {
    gsize length, n = 0;
    gint64 previous = -1;
    if (!read_length (step->in[1], b, time, &length, error))
      return FALSE;
    for (gsize t = 0; t < length && classes > 0; t++) {
      gint64 class =
          (gint64) largest (data + (b * time + t) * classes, classes);
      if (class != blank && !(attrs->merge_repeated && class == previous))
        put_int (step->out[0], b * time + n++, class);
      previous = class;
    }
    put_int (step->out[1], b, (gint64) n);
    while (n < time)
      put_int (step->out[0], b * time + n++, -1);
  }
  return TRUE;
}

const CpuOp cpu_op_ctc_greedy_decoder_seq_len = {
  .prepare = seq_len_prepare,
  .run = seq_len_run,
};

/* --- loss */

static double
log_add (double a, double b)
{
  if (a < b)
    return log_add (b, a);
  return b == -(double) INFINITY ? a : a + log1p (exp (b - a));
}

/* The target labels, after the merging that the attributes ask for. */
static gsize
read_target (const CpuStep *step, gsize b, gsize length, gint64 *target)
{
  const InferCtcLoss *attrs = step->op->attrs;
  gsize time = (gsize) cpu_in_shape (step, 2)->dims[1], n = 0;
  for (gsize i = 0; i < length; i++) {
    gint64 label = cpu_integer_at (step->in[2], b * time + i);
    gboolean seen = FALSE;
    for (gsize k = 0; attrs->unique && k < n; k++)
      seen = seen || target[k] == label;
    if (attrs->preprocess_collapse_repeated && n > 0 && i > 0)
      seen = seen || cpu_integer_at (step->in[2], b * time + i - 1) == label;
    if (!seen)
      target[n++] = label;
  }
  return n;
}

/* Logarithm of the probability that the logits spell the target: the forward
 * algorithm over blank, label, blank, label, … */
static double
log_likelihood (const CpuStep *step, const double *log_p, gsize time,
    gsize classes, const gint64 *target, gsize n, gint64 blank, double *alpha)
{
  const InferCtcLoss *attrs = step->op->attrs;
  gsize states = 2 * n + 1;
  for (gsize s = 0; s < states; s++)
    alpha[s] = -(double) INFINITY;
  alpha[0] = 0; /* before the first step */
  for (gsize t = 0; t < time && !cpu_step_is_cancelled (step); t++) {
    const double *p = log_p + t * classes;
    for (gsize s = states; s-- > 0;) {
      gboolean is_blank = s % 2 == 0;
      gint64 label = is_blank ? blank : target[s / 2];
      /* A repeated label stays in its state only where repeats are merged. */
      double sum =
          is_blank || attrs->ctc_merge_repeated ? alpha[s] : -(double) INFINITY;
      if (t == 0)
        sum = s == 0 ? 0 : -(double) INFINITY;
      if (s > 0)
        sum = log_add (sum, alpha[s - 1]);
      if (s > 1 && !is_blank
          && !(attrs->ctc_merge_repeated && target[s / 2 - 1] == label))
        sum = log_add (sum, alpha[s - 2]);
      alpha[s] = sum + p[label];
    }
  }
  return n == 0 ? alpha[0] : log_add (alpha[states - 1], alpha[states - 2]);
}

static void
log_softmax (double *to, const double *from, gsize n)
{
  double top = -(double) INFINITY, sum = 0;
  for (gsize i = 0; i < n; i++)
    top = MAX (top, from[i]);
  for (gsize i = 0; i < n; i++)
    sum += exp (from[i] - top);
  for (gsize i = 0; i < n; i++)
    to[i] = from[i] - top - log (sum);
}

static gboolean
loss_prepare (CpuStep *step, GError **error)
{
  const gint64 *dims = cpu_in_shape (step, 0)->dims;
  gsize time = (gsize) dims[1];
  gsize total = cpu_scratch_add (0, time * (gsize) dims[2], sizeof (double));
  total = cpu_scratch_add (total, time, sizeof (gint64));
  total = cpu_scratch_add (total, 2 * time + 1, sizeof (double));
  return widened_prepare (
      step, 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4, total, error);
}

static gboolean
check_target (
    const gint64 *target, gsize n, gsize classes, gint64 blank, GError **error)
{
  if (blank < 0 || (guint64) blank >= classes)
    return infer_fail (error, INFER_ERROR_INVALID_DATA,
        "blank index %" G_GINT64_FORMAT " of %" G_GSIZE_FORMAT " classes",
        blank, classes);
  for (gsize i = 0; i < n; i++)
    if (target[i] < 0 || (guint64) target[i] >= classes)
      return infer_fail (error, INFER_ERROR_INVALID_DATA,
          "label %" G_GINT64_FORMAT " of %" G_GSIZE_FORMAT " classes",
          target[i], classes);
  return TRUE;
}

static gboolean
loss_run (CpuStep *step, GError **error)
{
  const CpuWiden *widen = step->priv;
  const gint64 *dims = cpu_in_shape (step, 0)->dims;
  gsize batch = (gsize) dims[0], time = (gsize) dims[1];
  gsize classes = (gsize) dims[2];
  const double *logits = cpu_widen_in (widen, step, 0);
  double *out = cpu_widen_out (widen, step, 0);
  gint64 blank = cpu_has_in (step, 4) ? cpu_integer_at (step->in[4], 0)
                                      : (gint64) classes - 1;
  char *memory = cpu_widen_more (widen, step);
  gsize at = cpu_scratch_add (0, time * classes, sizeof (double));
  double *log_p = (double *) (gpointer) memory;
  gint64 *target = (gint64 *) (gpointer) (memory + at);
  double *alpha =
      (double *) (gpointer) (memory
                             + cpu_scratch_add (at, time, sizeof (gint64)));
  for (gsize b = 0; b < batch; b++) {
    gsize length, labels;
    if (!read_length (step->in[1], b, time, &length, error)
        || !read_length (step->in[3], b, time, &labels, error))
      return FALSE;
    gsize n = read_target (step, b, labels, target);
    if (!check_target (target, n, classes, blank, error))
      return FALSE;
    for (gsize t = 0; t < length; t++)
      log_softmax (
          log_p + t * classes, logits + (b * time + t) * classes, classes);
    out[b] =
        -log_likelihood (step, log_p, length, classes, target, n, blank, alpha);
  }
  cpu_widen_finish (widen, step);
  return TRUE;
}

const CpuOp cpu_op_ctc_loss = {
  .prepare = loss_prepare,
  .run = loss_run,
};
