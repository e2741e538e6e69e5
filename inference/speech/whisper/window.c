/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One window: encoded with as much context as it needs, decoded until the text
 * can be believed. */

#include "inference/speech/whisper/stream.h"

#include <math.h>

#include "inference/speech/whisper/guards.h"
#include "inference/speech/whisper/segments.h"

/* Contexts are multiples of this, so that there are few of them. */
#define STEP_SECONDS 2
/* Of partial results, whose context grows with every one of them: with less
 * behind the audio one word in 500 more is wrong. */
#define QUICK_STEP_SECONDS 1
#define QUICK_MARGIN 2.0
/* The energy below which a window is silent, as log10: noise of -75 dBFS. */
#define SILENCE -7.f
/* The least value of a feature before it is normalised, and how far below the
 * greatest of a window all are cut. */
#define SILENT -10.f
#define RANGE 8.f

void
whisper_window_init (WhisperWindow *window)
{
  *window = (WhisperWindow){ 0 };
  whisper_hypothesis_init (&window->hypothesis);
}

void
whisper_window_clear (WhisperWindow *window)
{
  whisper_hypothesis_clear (&window->hypothesis);
}

/* --- context --- */

static double
positions_per_second (const WhisperConfig *c)
{
  return (double) c->rate / (c->hop * WHISPER_FRAMES_PER_POSITION);
}

/* Positions that hear @n frames and what follows them. */
static gint64
context_for (const WhisperStream *stream, gsize n, gboolean quick)
{
  const WhisperConfig *c = &stream->model->config;
  const double rate = positions_per_second (c);
  const double step = rate * (quick ? QUICK_STEP_SECONDS : STEP_SECONDS);
  const double margin = quick ? MIN (stream->settings.margin, QUICK_MARGIN)
                              : stream->settings.margin;
  double wanted = (double) n / WHISPER_FRAMES_PER_POSITION + margin * rate;

  return MIN (c->positions, (gint64) (ceil (wanted / step) * step + 0.5));
}

/* --- prompt --- */

/* The last of the tokens that lie before the window. */
static void
add_previous (WhisperStream *stream)
{
  const WhisperConfig *c = &stream->model->config;
  const GArray *texts[] = { stream->settings.initial_prompt,
    stream->settings.previous_text ? stream->previous : NULL };
  gint64 previous = c->previous;
  guint most = c->context / 2 - 1;

  if (c->previous == G_MAXUINT
      || (texts[0]->len == 0 && (texts[1] == NULL || texts[1]->len == 0)))
    return;
  g_array_append_val (stream->prompt, previous);
  for (guint k = 0; k < G_N_ELEMENTS (texts); k++)
    for (guint i = 0; texts[k] != NULL && i < texts[k]->len; i++) {
      gint64 id = g_array_index (texts[k], guint, i);
      g_array_append_val (stream->prompt, id);
    }
  if (stream->prompt->len > most + 1)
    g_array_remove_range (stream->prompt, 1, stream->prompt->len - most - 1);
}

static void
make_prompt (WhisperStream *stream, const WhisperLanguage *language)
{
  const WhisperConfig *c = &stream->model->config;
  gint64 ids[3] = { c->start };
  guint n = 1;

  g_array_set_size (stream->prompt, 0);
  add_previous (stream);
  stream->start = stream->prompt->len;
  if (c->multilingual && language != NULL)
    ids[n++] = language->id;
  if (c->multilingual && c->transcribe != G_MAXUINT)
    ids[n++] = stream->settings.translate ? c->translate : c->transcribe;
  g_array_append_vals (stream->prompt, ids, n);
}

static WhisperDecoding
decoding_of (WhisperStream *stream)
{
  const WhisperConfig *c = &stream->model->config;

  return (WhisperDecoding){ .session = &stream->session,
    .config = c,
    .phrases = stream->settings.phrases,
    .prompt = (const gint64 *) (gpointer) stream->prompt->data,
    .n_prompt = stream->prompt->len,
    .start = stream->start,
    .most = MIN (c->context / 2, c->context - stream->prompt->len),
    .deadline = stream->deadline,
    .beams = stream->settings.beams,
    .length_penalty = (float) stream->settings.length_penalty,
    .random = stream->random,
    .scratch = stream->scratch };
}

static gboolean
find_language (WhisperStream *stream, gboolean quick,
    const WhisperLanguage **language, GError **error)
{
  WhisperDecoding decoding = decoding_of (stream);

  *language = stream->settings.language != NULL ? stream->settings.language
                                                : stream->heard;
  if (!stream->model->config.multilingual || *language != NULL)
    return TRUE;
  if (!whisper_detect_language (&decoding, language, NULL, error))
    return FALSE;
  if (!quick)
    stream->heard = *language;
  return TRUE;
}

/* --- attempts --- */

static void
swap (WhisperHypothesis *a, WhisperHypothesis *b)
{
  WhisperHypothesis other = *a;

  *a = *b;
  *b = other;
}

/* One way to hear a window. */
typedef struct
{
  gint64 context;
  float temperature;
} Attempt;

/* Those to make, the next only if the one before was no good: first with little
 * context, which may loop, then with all of it, then at random. */
static GArray *
list_attempts (const WhisperStream *stream, gsize n, gboolean quick)
{
  const WhisperSettings *s = &stream->settings;
  GArray *attempts = g_array_new (FALSE, FALSE, sizeof (Attempt));
  gint64 full = stream->model->config.positions;
  Attempt attempt = { context_for (stream, n, quick), s->temperatures[0] };

  if (!stream->model->networks.graphs.any_context)
    attempt.context = full;
  g_array_append_val (attempts, attempt);
  if (quick)
    return attempts;
  if (attempt.context < full) {
    attempt.context = full;
    g_array_append_val (attempts, attempt);
  }
  for (guint i = 1; i < s->n_temperatures; i++) {
    attempt.temperature = s->temperatures[i];
    g_array_append_val (attempts, attempt);
  }
  return attempts;
}

static gboolean
try_once (WhisperStream *stream, const Attempt *attempt, gsize n, gsize from,
    gboolean quick, WhisperWindow *window, WhisperHypothesis *hypothesis,
    GError **error)
{
  const float *rows = &g_array_index (stream->rows, float, 0);

  if (stream->encoded != attempt->context
      && !whisper_session_encode (
          &stream->session, rows, n, stream->padding, attempt->context, error))
    return FALSE;
  stream->encoded = attempt->context;
  if (!find_language (stream, quick, &window->language, error))
    return FALSE;
  make_prompt (stream, window->language);
  WhisperDecoding decoding = decoding_of (stream);
  decoding.temperature = attempt->temperature;
  decoding.draft = quick ? stream->guess : NULL;
  /* So that tokens drawn for this window do not depend on earlier windows. */
  g_rand_set_seed (stream->random, (guint32) from);
  return whisper_decode (&decoding, hypothesis, error);
}

static void
report (const WhisperStream *stream, const WhisperWindow *window,
    WhisperVerdict verdict, gsize from)
{
  if (!window->dropped)
    g_message ("%s: decoding %" G_GSIZE_FORMAT
               " frames of speech from frame %" G_GSIZE_FORMAT
               " was cut after %g s (setting time-limit)",
        stream->model->config.path, window->frames, from,
        stream->settings.time_limit);
  else if (verdict != WHISPER_SILENT)
    g_info ("%" G_GSIZE_FORMAT " frames of speech from frame %" G_GSIZE_FORMAT
            " dropped: %s",
        window->frames, from, whisper_verdict_reason (verdict));
}

static gboolean
try_all (WhisperStream *stream, const GArray *attempts, gsize n, gsize from,
    gboolean quick, WhisperWindow *window, GError **error)
{
  g_auto (WhisperHypothesis) next = { 0 };
  WhisperVerdict best = WHISPER_GOOD;

  whisper_hypothesis_init (&next);
  for (guint i = 0; i < attempts->len; i++) {
    const Attempt *attempt = &g_array_index (attempts, Attempt, i);

    if (!try_once (stream, attempt, n, from, quick, window, &next, error))
      return FALSE;
    WhisperVerdict verdict =
        whisper_judge (&stream->settings, &stream->model->config, &next);
    if (i == 0 || verdict < best
        || (verdict == best && next.average > window->hypothesis.average)) {
      swap (&next, &window->hypothesis);
      best = verdict;
    }
    if (verdict <= WHISPER_SILENT || next.late
        || g_get_monotonic_time () > stream->deadline)
      break;
    g_debug ("speech from frame %" G_GSIZE_FORMAT
             ": %s (context %" G_GINT64_FORMAT ", temperature %g)",
        from, whisper_verdict_reason (verdict), attempt->context,
        (double) attempt->temperature);
  }
  window->dropped = best != WHISPER_GOOD && best != WHISPER_UNLIKELY;
  if (window->dropped)
    window->reason = whisper_verdict_name (best);
  else if (g_get_monotonic_time () > stream->deadline)
    window->reason = "time";
  if (window->reason != NULL && !quick)
    report (stream, window, best, from);
  return TRUE;
}

gboolean
whisper_window_decode (WhisperStream *stream, gsize from, gsize n,
    gboolean quick, WhisperWindow *window, GError **error)
{
  g_array_set_size (stream->rows, (guint) n * stream->mel.bands);
  float loudest = whisper_mel_read (
      &stream->mel, from, n, &g_array_index (stream->rows, float, 0));

  /* Behind the audio OpenAI's windows have features of 0.  Silence, the least
   * value there is, is heard better, above all with less context. */
  stream->padding = stream->settings.margin < WHISPER_WHOLE_MARGIN
                        ? (MAX (SILENT, loudest - RANGE) + 4) / 4
                        : 0;
  window->frames = n;
  stream->encoded = 0;
  stream->deadline =
      stream->settings.time_limit > 0
          ? g_get_monotonic_time ()
                + (gint64) (stream->settings.time_limit * G_USEC_PER_SEC)
          : G_MAXINT64;
  if (loudest < SILENCE) {
    window->dropped = TRUE;
    return TRUE;
  }
  g_autoptr (GArray) attempts = list_attempts (stream, n, quick);
  return try_all (stream, attempts, n, from, quick, window, error);
}
