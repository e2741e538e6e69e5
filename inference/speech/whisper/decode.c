/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/decode.h"

#include <math.h>
#include <string.h>

#include "inference/speech/whisper/logits.h"
#include "inference/speech/whisper/rules.h"

/* A text repeats itself if as many times the same tokens follow each other,
 * and as many tokens are in it. */
#define LOOP_TIMES 5
#define LOOP_TOKENS 12

void
whisper_hypothesis_init (WhisperHypothesis *h)
{
  *h = (WhisperHypothesis){ .no_speech = NAN };
  h->tokens = g_array_new (FALSE, FALSE, sizeof (guint));
  h->log_probabilities = g_array_new (FALSE, FALSE, sizeof (float));
}

void
whisper_hypothesis_clear (WhisperHypothesis *h)
{
  g_clear_pointer (&h->tokens, g_array_unref);
  g_clear_pointer (&h->log_probabilities, g_array_unref);
}

/* --- loops --- */

static gboolean
same (const WhisperConfig *config, guint a, guint b)
{
  return a == b
         || (whisper_is_timestamp (config, a)
             && whisper_is_timestamp (config, b));
}

gboolean
whisper_is_looping (const WhisperConfig *config, const guint *tokens, guint n)
{
  for (guint period = 1; period * LOOP_TIMES <= n; period++) {
    guint length = MAX (period * LOOP_TIMES, LOOP_TOKENS);
    guint equal = 0;

    while (
        equal + period < length && equal + period < n
        && same (config, tokens[n - 1 - equal], tokens[n - 1 - equal - period]))
      equal++;
    if (equal + period >= length)
      return TRUE;
  }
  return FALSE;
}

/* --- prompt --- */

gboolean
whisper_decode_prompt (const WhisperDecoding *d, WhisperHypothesis *h,
    const float **logits, GError **error)
{
  const guint vocabulary = (guint) d->config->vocabulary;
  const guint head = d->start + 1;
  gsize stride;

  whisper_session_restart (d->session);
  if (!whisper_session_step (
          d->session, d->prompt, 1, head, NULL, logits, &stride, error))
    return FALSE;
  if (d->config->no_speech < vocabulary)
    h->no_speech = expf ((*logits)[d->config->no_speech]
                         - whisper_logits_log_sum (*logits, vocabulary, 1));
  return head == d->n_prompt
         || whisper_session_step (d->session, d->prompt + head, 1,
             d->n_prompt - head, NULL, logits, &stride, error);
}

gboolean
whisper_detect_language (const WhisperDecoding *d,
    const WhisperLanguage **language, float *probability, GError **error)
{
  const GArray *all = d->config->languages;
  const gint64 start = d->config->start;
  const float *logits;
  gsize stride;
  float best = -INFINITY, sum = 0;

  *language = NULL;
  whisper_session_restart (d->session);
  if (!whisper_session_step (
          d->session, &start, 1, 1, NULL, &logits, &stride, error))
    return FALSE;
  for (guint i = 0; i < all->len; i++) {
    const WhisperLanguage *l = &g_array_index (all, WhisperLanguage, i);

    if (logits[l->id] > best) {
      best = logits[l->id];
      *language = l;
    }
  }
  for (guint i = 0; i < all->len; i++)
    sum += expf (logits[g_array_index (all, WhisperLanguage, i).id] - best);
  if (probability != NULL)
    *probability = 1 / sum;
  return TRUE;
}

/* --- one token after the other --- */

gboolean
whisper_decode_is_late (const WhisperDecoding *d)
{
  return g_get_monotonic_time () > d->deadline;
}

float *
whisper_decode_allowed (
    const WhisperDecoding *d, const float *logits, const guint *tokens, guint n)
{
  const guint vocabulary = (guint) d->config->vocabulary;

  g_array_set_size (d->scratch, vocabulary);
  float *allowed = &g_array_index (d->scratch, float, 0);
  memcpy (allowed, logits, vocabulary * sizeof *allowed);
  whisper_rules_apply (d->config, tokens, n, allowed);
  return allowed;
}

/* A timestamp wins where it is likelier than any text: phrases have no say. */
static guint
choose (const WhisperDecoding *d, const float *logits, InferPhraseState *state)
{
  const guint vocabulary = (guint) d->config->vocabulary;
  guint token;

  if (d->temperature > 0)
    token = (guint) whisper_logits_sample (
        logits, vocabulary, 1 / d->temperature, g_rand_double (d->random));
  else
    token = (guint) whisper_logits_best (logits, vocabulary);
  if (d->phrases == NULL || token >= d->config->timestamps)
    return token;
  if (d->temperature <= 0)
    token = infer_phrases_best (
        d->phrases, *state, logits, d->config->timestamps, d->config->end);
  if (token != d->config->end) {
    float bonus;
    *state = infer_phrases_step (d->phrases, *state, token, &bonus);
  }
  return token;
}

/* --- drafts --- */

/* Tokens that are verified at once: few enough for the decoder's weights as it
 * keeps them; lengths are multiples of FILL, so that they are few. */
#define PIECE 16
#define FILL 8

/* Draft tokens that the session has appended before they were chosen. */
typedef struct
{
  guint n;          /* tokens that may still be right */
  guint first, end; /* those that @logits are of */
  const float *logits;
} Draft;

/* Appends the next tokens from number @at on, which was just chosen. */
static gboolean
verify (const WhisperDecoding *d, Draft *draft, guint at, GError **error)
{
  const guint n = MIN (draft->n - at, PIECE);
  const guint whole = (n + FILL - 1) / FILL * FILL;
  gint64 tokens[PIECE];

  if (d->n_prompt + at + whole > d->config->context) {
    draft->n = 0;
    return TRUE;
  }
  for (guint i = 0; i < whole; i++)
    tokens[i] =
        i < n ? g_array_index (d->draft, guint, at + i) : d->config->end;
  draft->first = at;
  draft->end = at + n;
  if (!whisper_session_cut (d->session, d->n_prompt + at, error)
      || !whisper_session_verify (
          d->session, tokens, whole, &draft->logits, error))
    return FALSE;
  if (draft->logits == NULL)
    draft->n = 0;
  return TRUE;
}

/* The logits that follow @token, the last of the text. */
static gboolean
append_token (const WhisperDecoding *d, const WhisperHypothesis *h, guint token,
    Draft *draft, const float **logits, GError **error)
{
  const guint at = h->tokens->len - 1;
  const gint64 next = token;
  gsize stride;

  if (at < draft->n && g_array_index (d->draft, guint, at) != token)
    draft->n = 0;
  if (at < draft->n && at >= draft->end && !verify (d, draft, at, error))
    return FALSE;
  if (at < draft->n) {
    *logits =
        draft->logits + (at - draft->first) * (gsize) d->config->vocabulary;
    return TRUE;
  }
  return whisper_session_cut (d->session, d->n_prompt + at, error)
         && whisper_session_step (
             d->session, &next, 1, 1, NULL, logits, &stride, error);
}

static gboolean
decode_tokens (const WhisperDecoding *d, WhisperHypothesis *h, GError **error)
{
  const guint vocabulary = (guint) d->config->vocabulary;
  InferPhraseState state = 0;
  Draft draft = { .n = d->draft != NULL && d->temperature <= 0 ? d->draft->len
                                                               : 0 };
  const float *logits;

  if (!whisper_decode_prompt (d, h, &logits, error))
    return FALSE;
  while (h->tokens->len < d->most) {
    const guint *tokens = (const guint *) (gpointer) h->tokens->data;
    const float *allowed =
        whisper_decode_allowed (d, logits, tokens, h->tokens->len);
    guint token = choose (d, allowed, &state);
    float log_probability =
        allowed[token] - whisper_logits_log_sum (allowed, vocabulary, 1);

    h->sum += (double) log_probability;
    if (token == d->config->end)
      break;
    g_array_append_val (h->tokens, token);
    g_array_append_val (h->log_probabilities, log_probability);
    h->looping = whisper_is_looping (
        d->config, (const guint *) (gpointer) h->tokens->data, h->tokens->len);
    h->late = whisper_decode_is_late (d);
    if (h->looping || h->late || h->tokens->len == d->most)
      break;
    if (!append_token (d, h, token, &draft, &logits, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
whisper_decode (const WhisperDecoding *d, WhisperHypothesis *h, GError **error)
{
  g_array_set_size (h->tokens, 0);
  g_array_set_size (h->log_probabilities, 0);
  h->sum = 0;
  h->looping = FALSE;
  h->late = FALSE;
  h->no_speech = NAN;
  h->temperature = d->temperature;
  whisper_session_begin_steps (d->session);
  gboolean ok = d->beams > 1 && d->temperature <= 0
                    ? whisper_decode_beams (d, h, error)
                    : decode_tokens (d, h, error);
  whisper_session_end_steps (d->session);
  whisper_session_end_verifying (d->session);
  h->average = (float) (h->sum / (h->tokens->len + 1));
  return ok;
}
