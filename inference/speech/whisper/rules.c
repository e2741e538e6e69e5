/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/rules.h"

#include <math.h>

#include "inference/speech/whisper/logits.h"

static void
forbid (float *logits, guint from, guint end)
{
  for (guint i = from; i < end; i++)
    logits[i] = -INFINITY;
}

static void
forbid_all (float *logits, guint n, const GArray *ids)
{
  for (guint i = 0; i < ids->len; i++) {
    guint id = g_array_index (ids, guint, i);

    if (id < n)
      logits[id] = -INFINITY;
  }
}

/* Two timestamps, the end of a segment and the beginning of the next, then
 * text; each no earlier than the one before. */
static void
forbid_timestamps (
    const WhisperConfig *c, const guint *tokens, guint n, float *logits)
{
  guint size = (guint) c->vocabulary;
  gboolean after = n >= 1 && whisper_is_timestamp (c, tokens[n - 1]);
  gboolean paired = n < 2 || whisper_is_timestamp (c, tokens[n - 2]);
  guint last = G_MAXUINT;

  if (after && paired)
    forbid (logits, c->timestamps, size);
  else if (after)
    forbid (logits, 0, c->end);
  for (guint i = n; i-- > 0 && last == G_MAXUINT;)
    if (whisper_is_timestamp (c, tokens[i]))
      last = tokens[i];
  if (last != G_MAXUINT)
    forbid (
        logits, c->timestamps, MIN (size, after && !paired ? last : last + 1));
}

void
whisper_rules_apply (
    const WhisperConfig *c, const guint *tokens, guint n, float *logits)
{
  guint size = (guint) c->vocabulary;

  forbid_all (logits, size, c->suppress);
  if (n == 0)
    forbid_all (logits, size, c->suppress_first);
  if (c->no_timestamps < size)
    logits[c->no_timestamps] = -INFINITY;
  forbid_timestamps (c, tokens, n, logits);
  if (n == 0) {
    forbid (logits, 0, c->timestamps);
    if (c->first_timestamp < size - c->timestamps)
      forbid (logits, c->timestamps + c->first_timestamp + 1, size);
  }
  float times =
      whisper_logits_log_sum (logits + c->timestamps, size - c->timestamps, 1);
  if (times > whisper_logits_most (logits, c->timestamps))
    forbid (logits, 0, c->timestamps);
}
