/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/vision/classify.h"

#include <math.h>

void
infer_classify_normalize (float *scores, gsize n)
{
  gboolean logits = FALSE;
  float most = -INFINITY, sum = 0;

  for (gsize i = 0; i < n; i++) {
    logits |= scores[i] < 0 || scores[i] > 1.001f;
    most = scores[i] > most ? scores[i] : most;
  }
  if (!logits)
    return;
  for (gsize i = 0; i < n; i++)
    sum += scores[i] = expf (scores[i] - most);
  for (gsize i = 0; i < n; i++)
    scores[i] /= sum;
}

guint
infer_classify_top (const float *scores, gsize n, guint k, InferClass *best)
{
  guint found = 0;

  for (gsize i = 0; i < n; i++) {
    guint at = found;

    if (isnan (scores[i]))
      continue;
    while (at > 0 && scores[i] > best[at - 1].score)
      at--;
    if (at >= k)
      continue;
    found = MIN (found + 1, k);
    for (guint j = found - 1; j > at; j--)
      best[j] = best[j - 1];
    best[at] = (InferClass){ (int) i, scores[i] };
  }
  return found;
}
