/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/moonshine/decode.h"

#include <math.h>
#include <string.h>

#include "infer/request.h"
#include "inference/base/cancel.h"

/* Samples that the first convolutions need. */
#define LEAST_SAMPLES 4000

/* A loop: a sequence of up to so many tokens, this often, and so many tokens in
 * all. */
#define LOOP_PERIOD 16
#define LOOP_TIMES 4
#define LOOP_TOKENS 8

/* Of a request of the decoder: the number of each input; -1: it has none. */
typedef struct
{
  InferRequest *request;
  int token, hidden, length, cached, mask;
} Step;

struct _MoonshineDecoder
{
  const MoonshineNetworks *net;
  InferRequest *preprocess, *encoder;
  Step first, next;
  InferTensor *samples, *samples_mask; /* [1, n] */
  InferTensor *frames;                 /* [1]: how many the encoder takes */
  InferTensor *token, *length, *mask;  /* [1, 1], [1], [1, frames] */
  InferTensor *no, *yes;               /* [1]: whether states are given */
  InferState **states;                 /* of the links; NULL where none */
  float *scores;                       /* [classes] */
  InferPhrases *phrases;               /* nullable */
};

/* --- new and free --- */

static InferTensor *
new_tensor (InferType type, int rank, GError **error)
{
  InferShape shape = rank == 1 ? infer_shape_make (1, (gint64) 1)
                               : infer_shape_make (2, (gint64) 1, (gint64) 1);

  return infer_tensor_new (type, &shape, error);
}

static int
find_input (const Step *step, const char *name)
{
  return infer_model_find_input (
      infer_executable_get_model (infer_request_get_executable (step->request)),
      name, NULL);
}

static void
find_step_inputs (const MoonshineNetworks *net, Step *step)
{
  step->token = net->merged ? find_input (step, "input_ids") : 0;
  step->hidden = net->merged ? find_input (step, "encoder_hidden_states") : 1;
  step->length = net->merged ? -1 : 2;
  step->cached = net->merged ? find_input (step, "use_cache_branch") : -1;
  step->mask = net->merged ? find_input (step, "encoder_attention_mask") : -1;
}

static gboolean
set_fixed (MoonshineDecoder *d, Step *step, InferTensor *cached, GError **error)
{
  return infer_request_set_input (
             step->request, (guint) step->token, d->token, error)
         && (step->length < 0
             || infer_request_set_input (
                 step->request, (guint) step->length, d->length, error))
         && (step->cached < 0
             || infer_request_set_input (
                 step->request, (guint) step->cached, cached, error));
}

/* The first step takes caches without entries. */
static gboolean
set_empty (MoonshineDecoder *d, GError **error)
{
  const InferModel *model = infer_executable_get_model (d->net->first);

  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    InferShape shape = infer_model_input_desc (model, i)->shape;

    if (!g_str_has_prefix (infer_model_input_name (model, i), "past_"))
      continue;
    if (shape.rank != 4 || shape.dims[1] < 0 || shape.dims[3] < 0)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "%s: the heads of its input '%s' are not known",
          infer_model_get_path (model), infer_model_input_name (model, i));
    shape.dims[0] = 1;
    shape.dims[2] = 0;
    if (infer_request_set_input_shape (d->first.request, i, &shape, error)
        == NULL)
      return FALSE;
  }
  return TRUE;
}

static gboolean
find_states (MoonshineDecoder *d, GError **error)
{
  InferStateSet *set = infer_request_get_states (d->next.request);
  const GArray *links = d->net->links;

  d->states = g_new0 (InferState *, links->len + 1);
  for (guint i = 0; i < links->len; i++) {
    const char *name = g_array_index (links, MoonshineLink, i).state;

    if (name == NULL)
      continue;
    d->states[i] = infer_state_set_find (set, name, error);
    if (d->states[i] == NULL)
      return FALSE;
  }
  return TRUE;
}

static gboolean
open_requests (MoonshineDecoder *d, GError **error)
{
  const MoonshineNetworks *net = d->net;

  if (net->preprocess != NULL
      && (d->preprocess = infer_request_new (net->preprocess, error)) == NULL)
    return FALSE;
  d->encoder = infer_request_new (net->encoder, error);
  if (d->encoder == NULL)
    return FALSE;
  d->first.request = infer_request_new (net->first, error);
  if (d->first.request == NULL)
    return FALSE;
  d->next.request = infer_request_new (net->next, error);
  return d->next.request != NULL;
}

static gboolean
make_tensors (MoonshineDecoder *d, GError **error)
{
  struct
  {
    InferTensor **tensor;
    InferType type;
    int rank;
  } all[] = {
    { &d->samples, INFER_TYPE_F32, 2 },
    { &d->samples_mask, INFER_TYPE_I64, 2 },
    { &d->frames, INFER_TYPE_I64, 1 },
    { &d->token, INFER_TYPE_I64, 2 },
    { &d->length, INFER_TYPE_I64, 1 },
    { &d->mask, INFER_TYPE_I64, 2 },
    { &d->no, INFER_TYPE_BOOLEAN, 1 },
    { &d->yes, INFER_TYPE_BOOLEAN, 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++) {
    *all[i].tensor = new_tensor (all[i].type, all[i].rank, error);
    if (*all[i].tensor == NULL)
      return FALSE;
  }
  *(guint8 *) d->yes->data = 1;
  return TRUE;
}

MoonshineDecoder *
moonshine_decoder_new (const MoonshineNetworks *net, GError **error)
{
  MoonshineDecoder *d = g_new0 (MoonshineDecoder, 1);

  d->net = net;
  d->scores = g_new (float, net->classes);
  if (open_requests (d, error) && make_tensors (d, error)
      && find_states (d, error)) {
    find_step_inputs (net, &d->first);
    find_step_inputs (net, &d->next);
    if (set_fixed (d, &d->first, d->no, error)
        && set_fixed (d, &d->next, d->yes, error)
        && (!net->merged || set_empty (d, error)))
      return d;
  }
  moonshine_decoder_free (d);
  return NULL;
}

void
moonshine_decoder_free (MoonshineDecoder *d)
{
  if (d == NULL)
    return;
  infer_request_free (d->preprocess);
  infer_request_free (d->encoder);
  infer_request_free (d->first.request);
  infer_request_free (d->next.request);
  infer_tensor_unref (d->samples);
  infer_tensor_unref (d->samples_mask);
  infer_tensor_unref (d->frames);
  infer_tensor_unref (d->token);
  infer_tensor_unref (d->length);
  infer_tensor_unref (d->mask);
  infer_tensor_unref (d->no);
  infer_tensor_unref (d->yes);
  g_free (d->states);
  g_free (d->scores);
  infer_phrases_unref (d->phrases);
  g_free (d);
}

void
moonshine_decoder_set_phrases (MoonshineDecoder *d, InferPhrases *phrases)
{
  if (phrases != NULL)
    infer_phrases_ref (phrases);
  infer_phrases_unref (d->phrases);
  d->phrases = phrases;
}

/* --- encoder --- */

/* @n ones. */
static gboolean
set_ones (InferRequest *request, guint input, InferTensor *ones, gint64 n,
    GError **error)
{
  InferShape shape = infer_shape_make (2, (gint64) 1, n);

  if (!infer_tensor_reshape (ones, INFER_TYPE_I64, &shape, error))
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    ((gint64 *) ones->data)[i] = 1;
  return infer_request_set_input (request, input, ones, error);
}

static gboolean
set_samples (MoonshineDecoder *d, const float *samples, gsize n, GError **error)
{
  gsize padded = MAX (n, LEAST_SAMPLES);
  InferShape shape = infer_shape_make (2, (gint64) 1, (gint64) padded);

  if (!infer_tensor_reshape (d->samples, INFER_TYPE_F32, &shape, error))
    return FALSE;
  memcpy (d->samples->data, samples, n * sizeof (float));
  memset ((float *) d->samples->data + n, 0, (padded - n) * sizeof (float));
  return infer_request_set_input (
      d->net->merged ? d->encoder : d->preprocess, 0, d->samples, error);
}

static InferTensor *
run (InferRequest *request, GError **error)
{
  if (!infer_request_infer (request, error))
    return NULL;
  return infer_request_get_output (request, 0, error);
}

/* Returns what the encoder gives, [1, frames, width]. */
static InferTensor *
encode (MoonshineDecoder *d, GError **error)
{
  if (d->preprocess != NULL) {
    InferTensor *frames = run (d->preprocess, error);

    if (frames == NULL)
      return NULL;
    *(gint64 *) d->frames->data =
        frames->shape.rank > 1 ? frames->shape.dims[1] : 0;
    if (!infer_request_set_input (d->encoder, 0, frames, error)
        || !infer_request_set_input (d->encoder, 1, d->frames, error))
      return NULL;
  } else if (infer_model_n_inputs (infer_executable_get_model (d->net->encoder))
                 > 1
             && !set_ones (d->encoder, 1, d->samples_mask,
                 d->samples->shape.dims[1], error)) {
    return NULL;
  }
  return run (d->encoder, error);
}

/* --- decoder --- */

static gboolean
set_hidden (
    MoonshineDecoder *d, Step *step, InferTensor *hidden, GError **error)
{
  return infer_request_set_input (
             step->request, (guint) step->hidden, hidden, error)
         && (step->mask < 0
             || set_ones (step->request, (guint) step->mask, d->mask,
                 hidden->shape.rank > 1 ? hidden->shape.dims[1] : 0, error));
}

/* @token is token number @length, from 1. */
static gboolean
run_step (MoonshineDecoder *d, Step *step, gint64 token, gint64 length,
    GError **error)
{
  *(gint64 *) d->token->data = token;
  *(gint64 *) d->length->data = length;
  const InferTensor *out = run (step->request, error);
  if (out == NULL)
    return FALSE;
  if (infer_shape_count (&out->shape) == d->net->classes
      && infer_convert (
          d->scores, INFER_TYPE_F32, out->data, out->type, d->net->classes))
    return TRUE;
  g_autofree char *shape = infer_shape_to_string (&out->shape);
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "%s: it gave %s instead of scores of %u tokens",
      infer_model_get_path (infer_executable_get_model (
          infer_request_get_executable (step->request))),
      shape, d->net->classes);
}

/* Passes the outputs of the first step to the next ones. */
static gboolean
follow_links (MoonshineDecoder *d, GError **error)
{
  for (guint i = 0; i < d->net->links->len; i++) {
    const MoonshineLink *link =
        &g_array_index (d->net->links, MoonshineLink, i);
    InferTensor *value =
        infer_request_get_output (d->first.request, link->output, error);

    if (value == NULL)
      return FALSE;
    if (link->state != NULL
            ? !infer_state_set_value (d->states[i], value, error)
            : !infer_request_set_input (
                d->next.request, link->input, value, error))
      return FALSE;
  }
  return TRUE;
}

/* With what the phrases add in *@state, which goes on. */
static MoonshineToken
best_token (const MoonshineDecoder *d, InferPhraseState *state)
{
  const float *scores = d->scores;
  guint best = 0;
  double sum = 0;

  for (guint i = 1; i < d->net->classes; i++)
    if (scores[i] > scores[best])
      best = i;
  if (d->phrases != NULL) {
    float bonus;

    best = infer_phrases_best (
        d->phrases, *state, scores, d->net->classes, (guint) d->net->end);
    *state = infer_phrases_step (d->phrases, *state, best, &bonus);
  }
  for (guint i = 0; i < d->net->classes; i++)
    sum += exp ((double) scores[i] - scores[best]);
  return (MoonshineToken){ best, (float) -log (sum) };
}

static guint
id_at (const GArray *tokens, guint i)
{
  return g_array_index (tokens, MoonshineToken, i).id;
}

/* Whether the last tokens are a loop, which it then ends: once is enough. */
static gboolean
end_loop (GArray *tokens)
{
  guint n = tokens->len;

  for (guint period = 1; period <= LOOP_PERIOD; period++) {
    guint times = MAX (LOOP_TIMES, LOOP_TOKENS / period), same = 0;

    if (n < period * times)
      break;
    while (same < period * (times - 1)
           && id_at (tokens, n - 1 - same)
                  == id_at (tokens, n - 1 - same - period))
      same++;
    if (same == period * (times - 1)) {
      g_array_set_size (tokens, n - same);
      return TRUE;
    }
  }
  return FALSE;
}

gboolean
moonshine_decode (MoonshineDecoder *d, const float *samples, gsize n,
    guint most, GArray *tokens, GError **error)
{
  InferPhraseState state = 0;

  g_array_set_size (tokens, 0);
  if (!set_samples (d, samples, n, error))
    return FALSE;
  InferTensor *hidden = encode (d, error);
  if (hidden == NULL || !set_hidden (d, &d->first, hidden, error)
      || !set_hidden (d, &d->next, hidden, error)
      || !run_step (d, &d->first, d->net->start, 1, error)
      || !follow_links (d, error))
    return FALSE;
  for (guint i = 0; i < most; i++) {
    MoonshineToken token = best_token (d, &state);

    if (token.id == d->net->end)
      break;
    g_array_append_val (tokens, token);
    if (end_loop (tokens) || i + 1 == most)
      break;
    if (!infer_cancel_check (infer_cancel_flag (), error)
        || !run_step (d, &d->next, token.id, (gint64) i + 2, error))
      return FALSE;
  }
  return TRUE;
}
