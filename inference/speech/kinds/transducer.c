/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Transducers (RNN-T) in sherpa-onnx's layout: zipformer, conformer and LSTM
 * encoders; streaming ones, and those of whole utterances; NeMo's, with
 * durations too.
 *
 * Samples become Kaldi's filter banks, as sherpa-onnx computes them: samples in
 * [-1, 1], frames centred, no dither.  Whenever the encoder's window is full,
 * it runs with its states in place, and its frames go through the search. */

#include <string.h>

#include "inference/speech/network.h"
#include "inference/media/features/kind.h"
#include "inference/speech/kind.h"
#include "inference/speech/transducer/encoder.h"
#include "inference/speech/transducer/words.h"

#define BEAM 4               /* paths where phrases are given */
#define WEIGHT 1.5           /* of a phrase */
#define FREQUENCY_MARGIN 400 /* Hz below half the rate: icefall's features */
#define TAIL 300             /* ms of silence after the end: models are late */
#define SILENCE 1200         /* ms without a token that end a transcript */
#define MOST_SILENCE 60000
/* A transcript ends at a word before its tokens fill a path. */
#define MANY_TOKENS (TRANSDUCER_MOST_TOKENS / 2)

typedef struct
{
  TransducerNetworks net;
  InferVocabulary *vocabulary;
  const InferFeaturesKind *kind; /* of features */
  InferFeaturesConfig features;
  guint hop; /* samples */
} Transducer;

typedef struct
{
  const Transducer *model;
  TransducerEncoder encoder;
  TransducerSearch *search;
  guint paths; /* as set */
  gboolean has_phrases;
  guint64 silence; /* samples that end a transcript; 0: only the end does */

  guint64 first, samples; /* of the utterance */
} Stream;

/* --- model --- */

static gboolean
probe (const SpeechFolder *folder)
{
  return transducer_networks_probe (folder);
}

static void
unload (gpointer model)
{
  Transducer *t = model;

  transducer_networks_clear (&t->net);
  infer_vocabulary_unref (t->vocabulary);
  g_free (t);
}

/* Pieces for decoding graphs only (#0, #1) are in some files. */
static guint
count_tokens (const InferVocabulary *vocabulary)
{
  guint n = infer_vocabulary_size (vocabulary);
  gsize length;

  while (n > 0) {
    const char *piece = infer_vocabulary_bytes (vocabulary, n - 1, &length);

    if (length < 2 || piece[0] != '#' || !g_ascii_isdigit (piece[1]))
      break;
    n--;
  }
  return n;
}

static gboolean
check_tokens (const Transducer *t, GError **error)
{
  return speech_network_check_tokens (
      infer_executable_get_model (t->net.joiner), t->net.classes, t->vocabulary,
      count_tokens (t->vocabulary), 0, error);
}

static gboolean
set_features (Transducer *t, GError **error)
{
  InferFeaturesConfig config = infer_features_unset ();

  t->kind = t->net.nemo ? &infer_features_nemo : &infer_features_fbank;
  config.sample_rate = t->net.rate;
  config.bands = t->net.bands;
  if (!t->net.nemo) {
    config.snip_edges = FALSE;
    config.scale = 1;
    config.fmax = t->net.rate / 2.0 - FREQUENCY_MARGIN;
  }
  infer_features_fill (t->kind, &config);
  t->features = config;
  t->hop = config.hop;
  /* Once here, so that opening a stream cannot fail by it. */
  g_autoptr (InferFeatures) features =
      infer_features_new (t->kind, &config, error);
  return features != NULL;
}

static gpointer
load (const SpeechFolder *folder, InferRuntime *runtime, InferSpeechInfo *info,
    GError **error)
{
  Transducer *t = g_new0 (Transducer, 1);

  t->vocabulary = infer_vocabulary_load (folder, error);
  if (t->vocabulary == NULL
      || !transducer_networks_load (
          &t->net, folder, t->vocabulary, runtime, error)
      || !check_tokens (t, error) || !set_features (t, error)) {
    unload (t);
    return NULL;
  }
  info->rate = t->net.rate;
  info->streaming = !t->net.whole;
  if (t->net.whole)
    info->longest = (guint64) t->net.window * t->hop;
  else
    info->delay = infer_features_delay (t->kind, &t->features, t->net.window);
  return t;
}

/* --- stream --- */

static void
close_stream (gpointer stream)
{
  Stream *s = stream;

  transducer_encoder_clear (&s->encoder);
  transducer_search_free (s->search);
  g_free (s);
}

static gpointer
open_stream (gpointer model, GError **error)
{
  const Transducer *t = model;
  Stream *s = g_new0 (Stream, 1);

  s->model = t;
  s->paths = 1;
  s->silence = (guint64) SILENCE * t->net.rate / 1000;
  if (transducer_encoder_init (
          &s->encoder, &t->net, t->kind, &t->features, error))
    s->search = transducer_search_new (&t->net,
        t->net.nemo ? -1 : infer_vocabulary_find (t->vocabulary, "<unk>"),
        error);
  if (s->search != NULL)
    return s;
  close_stream (s);
  return NULL;
}

/* --- settings --- */

static gboolean
read_setting (const char *key, const char *value, guint least, guint most,
    guint *number, GError **error)
{
  guint64 n;

  if (!g_ascii_string_to_unsigned (value, 10, least, most, &n, NULL))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s = '%s' is not a number from %u to %u", key, value, least, most);
  *number = (guint) n;
  return TRUE;
}

static gboolean
set_phrases (Stream *s, const char *value, GError **error)
{
  g_autoptr (InferPhrases) phrases = NULL;

  if (value != NULL && *value != '\0') {
    phrases = infer_phrases_new (s->model->vocabulary, value, WEIGHT, error);
    if (phrases == NULL)
      return FALSE;
  }
  s->has_phrases = phrases != NULL;
  transducer_search_set_phrases (s->search, phrases);
  return TRUE;
}

static gboolean
set (gpointer stream, const char *key, const char *value, GError **error)
{
  Stream *s = stream;
  guint number = 0;

  if (strcmp (key, "phrases") == 0) {
    if (!set_phrases (s, value, error))
      return FALSE;
  } else if (strcmp (key, "beam") == 0) {
    const guint most = s->model->net.nemo ? 1 : TRANSDUCER_MOST_PATHS;

    number = 1;
    if (value != NULL && !read_setting (key, value, 1, most, &number, error))
      return FALSE;
    s->paths = number;
  } else if (strcmp (key, "trailing-silence") == 0) {
    number = SILENCE;
    if (value != NULL
        && !read_setting (key, value, 0, MOST_SILENCE, &number, error))
      return FALSE;
    s->silence = (guint64) number * s->model->net.rate / 1000;
  } else {
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "transducers have no setting '%s', only phrases, beam and "
        "trailing-silence",
        key);
  }
  transducer_search_set_paths (s->search,
      s->has_phrases && !s->model->net.nemo ? MAX (s->paths, BEAM) : s->paths);
  return TRUE;
}

/* --- transcripts --- */

static TransducerTimes
times_of (const Stream *s)
{
  const TransducerNetworks *net = &s->model->net;
  guint frames = MAX (s->encoder.n_frames, 1);
  TransducerTimes times = { .first = s->first, .end = s->first + s->samples };

  /* An encoder of utterances loses some frames at their ends. */
  times.frames = net->whole ? 1 : frames;
  times.shift =
      net->whole ? (s->encoder.filled + frames / 2) / frames : net->shift;
  times.shift = MAX (times.shift, 1) * s->model->hop;
  if (net->whole)
    times.first += s->encoder.done * s->model->hop;
  return times;
}

/* The first @n tokens of the best path are final. */
static void
take (Stream *s, guint n, SpeechFinals *finals)
{
  TransducerTimes times = times_of (s);
  guint all;
  const TransducerToken *tokens = transducer_search_best (s->search, &all);
  InferTranscript *transcript =
      transducer_words (s->model->vocabulary, tokens, n, &times);

  if (transcript != NULL)
    g_queue_push_tail (finals, transcript);
  transducer_search_take (s->search, n);
}

/* Whether a frame ended a transcript. */
static void
take_ended (Stream *s, SpeechFinals *finals)
{
  const TransducerNetworks *net = &s->model->net;
  guint n;
  const TransducerToken *tokens = transducer_search_best (s->search, &n);

  if (n == 0)
    return;
  if (n >= MANY_TOKENS) {
    take (s, transducer_last_word (s->model->vocabulary, tokens, n), finals);
  } else if (s->silence > 0 && !net->whole) {
    guint64 frames = transducer_search_silence (s->search);

    if (frames * net->shift * s->model->hop / MAX (s->encoder.n_frames, 1)
        >= s->silence)
      take (s, n, finals);
  }
}

/* --- samples --- */

/* Searches the frames that the encoder gave.  @finals NULL: nothing becomes
 * final. */
static gboolean
search_frames (Stream *s, SpeechFinals *finals, GError **error)
{
  for (guint i = 0; i < s->encoder.n_frames; i++) {
    if (!transducer_search_push (s->search,
            s->encoder.frames + (gsize) i * s->model->net.width, error))
      return FALSE;
    if (finals != NULL)
      take_ended (s, finals);
  }
  return TRUE;
}

/* All of an utterance, or of the piece of it that there is room for. */
static gboolean
run_whole (Stream *s, SpeechFinals *finals, GError **error)
{
  guint n;

  if (!transducer_search_reset (s->search, error)
      || !transducer_encoder_run (&s->encoder, error)
      || !search_frames (s, finals, error))
    return FALSE;
  transducer_search_finish (s->search);
  if (finals == NULL)
    return TRUE;
  transducer_search_best (s->search, &n);
  if (n > 0)
    take (s, n, finals);
  transducer_encoder_advance (&s->encoder);
  return TRUE;
}

static gboolean
run_window (Stream *s, SpeechFinals *finals, GError **error)
{
  if (!transducer_encoder_run (&s->encoder, error)
      || !search_frames (s, finals, error))
    return FALSE;
  transducer_encoder_advance (&s->encoder);
  return TRUE;
}

static gboolean
push_samples (Stream *s, const float *samples, gsize n, SpeechFinals *finals,
    GError **error)
{
  while (n > 0) {
    gboolean full;
    gsize taken = transducer_encoder_push (&s->encoder, samples, n, &full);

    samples += taken;
    n -= taken;
    if (full
        && !(s->model->net.whole ? run_whole : run_window) (s, finals, error))
      return FALSE;
  }
  return TRUE;
}

static void
reset (gpointer stream)
{
  Stream *s = stream;

  transducer_encoder_reset (&s->encoder);
  s->first = s->samples = 0;
}

static gboolean
begin (gpointer stream, guint64 first, GError **error)
{
  Stream *s = stream;

  reset (s);
  s->first = first;
  return transducer_search_reset (s->search, error);
}

static gboolean
push (gpointer stream, const float *samples, gsize n, SpeechFinals *finals,
    GError **error)
{
  Stream *s = stream;

  s->samples += n;
  return push_samples (s, samples, n, finals, error);
}

static gboolean
partial (gpointer stream, InferTranscript **transcript, GError **error)
{
  Stream *s = stream;
  guint n;

  if (s->model->net.whole
      && (s->encoder.filled == 0 || !run_whole (s, NULL, error)))
    return s->encoder.filled == 0;
  TransducerTimes times = times_of (s);
  const TransducerToken *tokens = transducer_search_best (s->search, &n);
  if (n > 0)
    *transcript = transducer_words (s->model->vocabulary, tokens, n, &times);
  return TRUE;
}

static gboolean
end_whole (Stream *s, SpeechFinals *finals, GError **error)
{
  while (transducer_encoder_finish (&s->encoder))
    if (!run_whole (s, finals, error))
      return FALSE;
  return s->encoder.filled == 0 || run_whole (s, finals, error);
}

/* Silence until the encoder went past all frames and the tail. */
static gboolean
end (gpointer stream, SpeechFinals *finals, GError **error)
{
  static const float zeros[256];
  Stream *s = stream;
  guint64 tail = (guint64) TAIL * s->model->net.rate / 1000;
  guint64 frames = (s->samples + tail) / s->model->hop;
  guint n;

  if (s->model->net.whole)
    return end_whole (s, finals, error);
  while (s->samples > 0 && s->encoder.done < frames)
    if (!push_samples (s, zeros, G_N_ELEMENTS (zeros), finals, error))
      return FALSE;
  transducer_search_finish (s->search);
  transducer_search_best (s->search, &n);
  if (n > 0)
    take (s, n, finals);
  return TRUE;
}

const InferSpeechKind infer_speech_transducer = {
  .name = "transducer",
  .description = "Transducers: encoder*.onnx, decoder*.onnx, joiner*.onnx, "
                 "tokens.txt; encoder*.onnx, decoder_joint*.onnx, vocab.txt",
  .probe = probe,
  .load = load,
  .unload = unload,
  .open = open_stream,
  .close = close_stream,
  .set = set,
  .begin = begin,
  .push = push,
  .partial = partial,
  .end = end,
  .reset = reset,
};
