/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/ctc.h"

#include <math.h>

#include "inference/media/ctc-beam.h"

struct _InferCtc
{
  guint classes, blank;
  guint64 step;
  guint last;         /* greedy: class of the previous step, at first blank */
  InferCtcToken open; /* greedy: valid unless last is the blank */
  CtcBeam *beam;      /* NULL: greedy */
};

InferCtc *
infer_ctc_new (guint classes, guint blank, guint beam_width, GError **error)
{
  if (blank >= classes || beam_width < 1 || beam_width > 1024) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "CTC: blank %u of %u classes, beam width %u: out of range", blank,
        classes, beam_width);
    return NULL;
  }
  InferCtc *ctc = g_new0 (InferCtc, 1);
  ctc->classes = classes;
  ctc->blank = ctc->last = blank;
  if (beam_width > 1)
    ctc->beam = ctc_beam_new (classes, blank, beam_width);
  return ctc;
}

void
infer_ctc_free (InferCtc *ctc)
{
  if (ctc == NULL)
    return;
  g_clear_pointer (&ctc->beam, ctc_beam_free);
  g_free (ctc);
}

static guint
best_class (const float *scores, guint n)
{
  guint best = 0;

  for (guint i = 1; i < n; i++)
    if (scores[i] > scores[best])
      best = i;
  return best;
}

static double
log_probability (const float *scores, guint n, guint c)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += exp ((double) scores[i] - scores[c]);
  return -log (sum);
}

static void
greedy_step (InferCtc *ctc, const float *scores, GArray *tokens)
{
  const guint best = best_class (scores, ctc->classes);

  if (best != ctc->last) {
    if (ctc->last != ctc->blank)
      g_array_append_val (tokens, ctc->open);
    ctc->open = (InferCtcToken){ .class_index = best, .start = ctc->step };
  }
  ctc->open.end = ctc->step + 1;
  if (best != ctc->blank)
    ctc->open.log_probability += log_probability (scores, ctc->classes, best);
  ctc->last = best;
}

void
infer_ctc_push (InferCtc *ctc, const float *scores, gsize steps, GArray *tokens)
{
  for (gsize i = 0; i < steps; i++, scores += ctc->classes) {
    if (ctc->beam != NULL)
      ctc_beam_push (ctc->beam, scores, ctc->step, tokens);
    else
      greedy_step (ctc, scores, tokens);
    ctc->step++;
  }
}

void
infer_ctc_finish (InferCtc *ctc, GArray *tokens)
{
  if (ctc->beam != NULL)
    ctc_beam_finish (ctc->beam, tokens);
  else if (ctc->last != ctc->blank)
    g_array_append_val (tokens, ctc->open);
  infer_ctc_reset (ctc);
}

void
infer_ctc_peek (const InferCtc *ctc, GArray *tokens)
{
  if (ctc->beam != NULL)
    ctc_beam_peek (ctc->beam, tokens);
  else if (ctc->last != ctc->blank)
    g_array_append_val (tokens, ctc->open);
}

void
infer_ctc_set_bias (InferCtc *ctc, const InferCtcBias *bias)
{
  g_return_if_fail (ctc->beam != NULL);
  ctc_beam_set_bias (ctc->beam, bias);
  infer_ctc_reset (ctc);
}

void
infer_ctc_reset (InferCtc *ctc)
{
  ctc->step = 0;
  ctc->last = ctc->blank;
  if (ctc->beam != NULL)
    ctc_beam_reset (ctc->beam);
}

guint64
infer_ctc_steps (const InferCtc *ctc)
{
  return ctc->step;
}

guint64
infer_ctc_decided (const InferCtc *ctc)
{
  if (ctc->beam != NULL)
    return ctc_beam_decided (ctc->beam, ctc->step);
  return ctc->last == ctc->blank ? ctc->step : ctc->open.start;
}
