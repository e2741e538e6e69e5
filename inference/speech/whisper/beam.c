/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Beam search as OpenAI's, with a patience of 1: it ends when as many texts
 * have ended as there are beams.  The beams are one batch of the decoder. */

#include <math.h>
#include <string.h>

#include "inference/speech/whisper/decode.h"
#include "inference/speech/whisper/logits.h"

typedef struct
{
  GArray *tokens, *log_probabilities;
  double sum;
  InferPhraseState state;
  float bonus; /* of the phrases, so far */
} Beam;

/* A beam with one more token. */
typedef struct
{
  guint beam, token;
  float log_probability, bonus;
  double score; /* what is compared: the sum and the bonus */
  InferPhraseState state;
} Candidate;

static void
beam_free (gpointer data)
{
  Beam *beam = data;

  g_array_unref (beam->tokens);
  g_array_unref (beam->log_probabilities);
  g_free (beam);
}

static Beam *
beam_new (void)
{
  Beam *beam = g_new0 (Beam, 1);

  beam->tokens = g_array_new (FALSE, FALSE, sizeof (guint));
  beam->log_probabilities = g_array_new (FALSE, FALSE, sizeof (float));
  return beam;
}

static Beam *
beam_extend (const Beam *from, const Candidate *by, gboolean ends)
{
  Beam *beam = beam_new ();

  g_array_append_vals (beam->tokens, from->tokens->data, from->tokens->len);
  g_array_append_vals (beam->log_probabilities, from->log_probabilities->data,
      from->log_probabilities->len);
  if (!ends) {
    g_array_append_val (beam->tokens, by->token);
    g_array_append_val (beam->log_probabilities, by->log_probability);
  }
  beam->sum = from->sum + (double) by->log_probability;
  beam->state = by->state;
  beam->bonus = from->bonus + by->bonus;
  return beam;
}

static int
compare_candidates (gconstpointer a, gconstpointer b)
{
  double x = ((const Candidate *) a)->score, y = ((const Candidate *) b)->score;

  return x < y ? 1 : x > y ? -1 : 0;
}

/* The @n likeliest tokens after @beam. */
static void
add_candidates (const WhisperDecoding *d, const Beam *beam, guint index,
    float *allowed, guint n, GArray *candidates)
{
  const guint vocabulary = (guint) d->config->vocabulary;
  float sum = whisper_logits_log_sum (allowed, vocabulary, 1);

  for (guint i = 0; i < n; i++) {
    guint token = (guint) whisper_logits_best (allowed, vocabulary);
    Candidate c = { .beam = index, .token = token, .state = beam->state };

    if (!isfinite (allowed[token]))
      return;
    c.log_probability = allowed[token] - sum;
    if (d->phrases != NULL && token == d->config->end)
      c.bonus = infer_phrases_end (d->phrases, beam->state);
    else if (d->phrases != NULL && token < d->config->timestamps)
      c.state = infer_phrases_step (d->phrases, beam->state, token, &c.bonus);
    c.score = beam->sum + (double) (c.log_probability + beam->bonus + c.bonus);
    g_array_append_val (candidates, c);
    allowed[token] = -INFINITY;
  }
}

/* Of @beams, those that go on; what ends goes to @ended.  @from: where each
 * comes from. */
static GPtrArray *
advance (const WhisperDecoding *d, const GPtrArray *beams, GArray *candidates,
    GPtrArray *ended, gint32 *from)
{
  GPtrArray *next = g_ptr_array_new_with_free_func (beam_free);

  g_array_sort (candidates, compare_candidates);
  for (guint i = 0; i < candidates->len && next->len < d->beams; i++) {
    const Candidate *c = &g_array_index (candidates, Candidate, i);
    gboolean ends = c->token == d->config->end;
    Beam *beam = beam_extend (beams->pdata[c->beam], c, ends);

    if (!ends) {
      from[next->len] = (gint32) c->beam;
      g_ptr_array_add (next, beam);
    } else if (ended->len < d->beams) {
      g_ptr_array_add (ended, beam);
    } else {
      beam_free (beam);
    }
  }
  return next;
}

static GPtrArray *
step (const WhisperDecoding *d, const GPtrArray *beams, const float *logits,
    gsize stride, GPtrArray *ended, gint32 *from)
{
  g_autoptr (GArray) candidates =
      g_array_new (FALSE, FALSE, sizeof (Candidate));

  for (guint i = 0; i < beams->len; i++) {
    const Beam *beam = beams->pdata[i];
    float *allowed = whisper_decode_allowed (d, logits + i * stride,
        (const guint *) (gpointer) beam->tokens->data, beam->tokens->len);

    add_candidates (d, beam, i, allowed, d->beams + 1, candidates);
  }
  return advance (d, beams, candidates, ended, from);
}

/* --- the best --- */

static double
rank (const WhisperDecoding *d, const Beam *beam)
{
  double length = (double) beam->tokens->len;

  if (isfinite (d->length_penalty))
    length = pow ((5 + length) / 6, (double) d->length_penalty);
  return (beam->sum + (double) beam->bonus) / MAX (length, 1);
}

static void
take_best (
    const WhisperDecoding *d, const GPtrArray *ended, WhisperHypothesis *h)
{
  const Beam *best = NULL;

  for (guint i = 0; i < ended->len; i++)
    if (best == NULL || rank (d, ended->pdata[i]) > rank (d, best))
      best = ended->pdata[i];
  if (best == NULL)
    return;
  g_array_append_vals (h->tokens, best->tokens->data, best->tokens->len);
  g_array_append_vals (h->log_probabilities, best->log_probabilities->data,
      best->log_probabilities->len);
  h->sum = best->sum;
  h->looping = whisper_is_looping (
      d->config, (const guint *) (gpointer) h->tokens->data, h->tokens->len);
}

/* The tokens that end @beams. */
static void
last_tokens (const GPtrArray *beams, gint64 *tokens)
{
  for (guint i = 0; i < beams->len; i++) {
    const GArray *own = ((const Beam *) beams->pdata[i])->tokens;

    tokens[i] = g_array_index (own, guint, own->len - 1);
  }
}

gboolean
whisper_decode_beams (
    const WhisperDecoding *d, WhisperHypothesis *h, GError **error)
{
  g_autoptr (GPtrArray) beams = g_ptr_array_new_with_free_func (beam_free);
  g_autoptr (GPtrArray) ended = g_ptr_array_new_with_free_func (beam_free);
  g_autofree gint32 *from = g_new (gint32, d->beams);
  g_autofree gint64 *tokens = g_new (gint64, d->beams);
  const float *logits;
  gsize stride = 0;

  if (!whisper_decode_prompt (d, h, &logits, error))
    return FALSE;
  g_ptr_array_add (beams, beam_new ());
  for (guint n = 0; n < d->most; n++) {
    GPtrArray *next = step (d, beams, logits, stride, ended, from);

    g_ptr_array_unref (beams);
    beams = next;
    if (beams->len == 0 || ended->len >= d->beams || n + 1 == d->most)
      break;
    h->late = whisper_decode_is_late (d);
    if (h->late)
      break;
    last_tokens (beams, tokens);
    if (!whisper_session_step (
            d->session, tokens, beams->len, 1, from, &logits, &stride, error))
      return FALSE;
  }
  /* Those that did not end are as good as none, unless too few did. */
  for (guint i = 0; i < beams->len && ended->len < d->beams; i++) {
    Candidate none = { .state = 0 };

    g_ptr_array_add (ended, beam_extend (beams->pdata[i], &none, TRUE));
  }
  take_best (d, ended, h);
  return TRUE;
}
