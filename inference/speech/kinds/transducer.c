/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Streaming transducers (RNN-T) in sherpa-onnx's layout: zipformer, conformer
 * and LSTM encoders.
 *
 * Samples become Kaldi's filter banks, as sherpa-onnx computes them: samples in
 * [-1, 1], frames centred, no dither.  Whenever the encoder's window is full,
 * it runs with its states in place, and its frames go through the search. */

#include <string.h>

#include "infer/request.h"
#include "inference/media/features/features.h"
#include "inference/media/features/kind.h"
#include "inference/speech/kind.h"
#include "inference/speech/transducer/networks.h"
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
  InferFeaturesConfig features;
  guint hop; /* samples */
} Transducer;

typedef struct
{
  const Transducer *model;
  InferFeatures *features;
  InferRequest *encoder;
  InferTensor *window; /* [1, window, bands] */
  InferTensor *count;  /* [1] i64; NULL: it takes none */
  float *frames;       /* [frames, width]: what the encoder gave */
  TransducerSearch *search;
  guint paths; /* as set */
  gboolean has_phrases;
  guint64 silence; /* samples that end a transcript; 0: only the end does */

  guint64 first, samples; /* of the utterance */
  guint64 done;           /* frames of features that the encoder went past */
  guint filled;           /* frames in the window */
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
  guint n = count_tokens (t->vocabulary);
  const InferModel *joiner = infer_executable_get_model (t->net.joiner);

  return n == t->net.classes
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%s: it has %u tokens, but %s gives scores of %u; they are not of "
             "one model",
             infer_vocabulary_name (t->vocabulary), n,
             infer_model_get_path (joiner), t->net.classes);
}

static gboolean
set_features (Transducer *t, GError **error)
{
  InferFeaturesConfig config = infer_features_unset ();

  config.sample_rate = t->net.rate;
  config.bands = t->net.bands;
  config.snip_edges = FALSE;
  config.scale = 1;
  config.fmax = t->net.rate / 2.0 - FREQUENCY_MARGIN;
  infer_features_fill (&infer_features_fbank, &config);
  t->features = config;
  t->hop = config.hop;
  /* Once here, so that opening a stream cannot fail by it. */
  g_autoptr (InferFeatures) features =
      infer_features_new (&infer_features_fbank, &config, error);
  return features != NULL;
}

static gpointer
load (const SpeechFolder *folder, InferRuntime *runtime, InferSpeechInfo *info,
    GError **error)
{
  Transducer *t = g_new0 (Transducer, 1);

  if (!transducer_networks_load (&t->net, folder, runtime, error)
      || (t->vocabulary = infer_vocabulary_load (folder, error)) == NULL
      || !check_tokens (t, error) || !set_features (t, error)) {
    unload (t);
    return NULL;
  }
  info->rate = t->net.rate;
  info->delay =
      infer_features_delay (&infer_features_fbank, &t->features, t->net.window);
  info->streaming = TRUE;
  return t;
}

/* --- stream --- */

static void
close_stream (gpointer stream)
{
  Stream *s = stream;

  infer_features_free (s->features);
  infer_request_free (s->encoder);
  infer_tensor_unref (s->window);
  infer_tensor_unref (s->count);
  transducer_search_free (s->search);
  g_free (s->frames);
  g_free (s);
}

static gboolean
set_inputs (Stream *s, GError **error)
{
  const TransducerNetworks *net = &s->model->net;
  InferShape window = infer_shape_make (
      3, (gint64) 1, (gint64) net->window, (gint64) net->bands);
  InferShape count = infer_shape_make (1, (gint64) 1);

  s->window = infer_tensor_new (INFER_TYPE_F32, &window, error);
  if (s->window == NULL
      || !infer_request_set_input (s->encoder, 0, s->window, error))
    return FALSE;
  if (!net->counts)
    return TRUE;
  s->count = infer_tensor_new (INFER_TYPE_I64, &count, error);
  return s->count != NULL
         && infer_request_set_input (s->encoder, 1, s->count, error);
}

static gpointer
open_stream (gpointer model, GError **error)
{
  const Transducer *t = model;
  Stream *s = g_new0 (Stream, 1);

  s->model = t;
  s->paths = 1;
  s->silence = (guint64) SILENCE * t->net.rate / 1000;
  s->frames = g_new0 (float, (gsize) t->net.frames * t->net.width);
  s->features = infer_features_new (&infer_features_fbank, &t->features, error);
  if (s->features != NULL)
    s->encoder = infer_request_new (t->net.encoder, error);
  if (s->encoder != NULL)
    s->search = transducer_search_new (
        &t->net, infer_vocabulary_find (t->vocabulary, "<unk>"), error);
  if (s->search != NULL && set_inputs (s, error))
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
    number = 1;
    if (value != NULL
        && !read_setting (key, value, 1, TRANSDUCER_MOST_PATHS, &number, error))
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
  transducer_search_set_paths (
      s->search, s->has_phrases ? MAX (s->paths, BEAM) : s->paths);
  return TRUE;
}

/* --- transcripts --- */

static TransducerTimes
times_of (const Stream *s)
{
  const TransducerNetworks *net = &s->model->net;

  return (TransducerTimes){
    .first = s->first,
    .end = s->first + s->samples,
    .shift = (guint64) net->shift * s->model->hop,
    .frames = net->frames,
  };
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
  } else if (s->silence > 0) {
    guint64 frames = transducer_search_silence (s->search);

    if (frames * net->shift * s->model->hop / net->frames >= s->silence)
      take (s, n, finals);
  }
}

static gboolean
partial (gpointer stream, InferTranscript **transcript, GError **error)
{
  Stream *s = stream;
  TransducerTimes times = times_of (s);
  guint n;
  const TransducerToken *tokens = transducer_search_best (s->search, &n);

  (void) error;
  if (n > 0)
    *transcript = transducer_words (s->model->vocabulary, tokens, n, &times);
  return TRUE;
}

/* --- samples --- */

static gboolean
run_encoder (Stream *s, GError **error)
{
  const TransducerNetworks *net = &s->model->net;
  gsize count = (gsize) net->frames * net->width;

  if (s->count != NULL)
    *(gint64 *) s->count->data = (gint64) s->done;
  if (!infer_request_infer (s->encoder, error))
    return FALSE;
  const InferTensor *out = infer_request_get_output (s->encoder, 0, error);
  if (out == NULL)
    return FALSE;
  if (infer_shape_count (&out->shape) == count
      && infer_convert (s->frames, INFER_TYPE_F32, out->data, out->type, count))
    return TRUE;
  g_autofree char *shape = infer_shape_to_string (&out->shape);
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "%s: it gave %s %s instead of %u frames of %u values",
      infer_model_get_path (infer_executable_get_model (net->encoder)),
      infer_type_name (out->type), shape, net->frames, net->width);
}

/* The window is full. */
static gboolean
run_window (Stream *s, SpeechFinals *finals, GError **error)
{
  const TransducerNetworks *net = &s->model->net;
  float *rows = s->window->data;

  if (!run_encoder (s, error))
    return FALSE;
  for (guint i = 0; i < net->frames; i++) {
    if (!transducer_search_push (
            s->search, s->frames + (gsize) i * net->width, error))
      return FALSE;
    take_ended (s, finals);
  }
  s->done += net->shift;
  s->filled -= net->shift;
  memmove (rows, rows + (gsize) net->shift * net->bands,
      (gsize) s->filled * net->bands * sizeof (float));
  return TRUE;
}

static gboolean
push_samples (Stream *s, const float *samples, gsize n, SpeechFinals *finals,
    GError **error)
{
  const TransducerNetworks *net = &s->model->net;

  while (n > 0) {
    float *row = (float *) s->window->data + (gsize) s->filled * net->bands;
    gboolean complete = FALSE;
    gsize taken = infer_features_push (s->features, samples, n, row, &complete);

    samples += taken;
    n -= taken;
    if (complete)
      s->filled++;
    if (s->filled == net->window && !run_window (s, finals, error))
      return FALSE;
  }
  return TRUE;
}

static void
reset (gpointer stream)
{
  Stream *s = stream;

  infer_features_reset (s->features);
  infer_state_set_reset (infer_request_get_states (s->encoder));
  s->first = s->samples = s->done = 0;
  s->filled = 0;
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

/* Silence until the encoder went past all frames and the tail. */
static gboolean
end (gpointer stream, SpeechFinals *finals, GError **error)
{
  static const float zeros[256];
  Stream *s = stream;
  guint64 tail = (guint64) TAIL * s->model->net.rate / 1000;
  guint64 frames = (s->samples + tail) / s->model->hop;
  guint n;

  while (s->samples > 0 && s->done < frames)
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
  .description = "Streaming transducers: encoder*.onnx, decoder*.onnx, "
                 "joiner*.onnx, tokens.txt",
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
