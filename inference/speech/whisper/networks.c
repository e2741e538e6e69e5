/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/networks.h"

#include <string.h>

/* --- compiled --- */

/* Inputs other than those known must not be there. */
static gboolean
find_ports (
    const InferModel *model, guint n_cross, WhisperPorts *ports, GError **error)
{
  int tokens = infer_model_find_input (model, WHISPER_TOKENS, NULL);
  int beams = infer_model_find_input (model, WHISPER_BEAMS, NULL);
  guint known = beams >= 0 ? 2 : 1;

  if (tokens < 0)
    tokens = infer_model_find_input (model, "decoder_input_ids", error);
  if (tokens < 0)
    return FALSE;
  ports->tokens = tokens;
  ports->beams = beams;
  ports->cross = g_new (int, n_cross);
  for (guint i = 0; i < n_cross; i++) {
    g_autofree char *name = g_strdup_printf (WHISPER_CROSS, i);

    ports->cross[i] = infer_model_find_input (model, name, NULL);
    known += ports->cross[i] >= 0 ? 1 : 0;
  }
  return infer_model_n_inputs (model) == known
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "%s: it has inputs besides '%s', '%s' and "
             "'encoder_hidden_states'",
             infer_model_get_path (model), WHISPER_TOKENS, WHISPER_BEAMS);
}

gboolean
whisper_networks_open (WhisperNetworks *networks, WhisperGraphs *graphs,
    InferRuntime *runtime, GError **error)
{
  *networks = (WhisperNetworks){ .graphs = *graphs };
  *graphs = (WhisperGraphs){ 0 };
  g_mutex_init (&networks->lock);
  networks->encoders =
      g_ptr_array_new_with_free_func ((GDestroyNotify) infer_request_free);
  networks->aligners =
      g_ptr_array_new_with_free_func ((GDestroyNotify) infer_request_free);
  if (!find_ports (networks->graphs.decoder, networks->graphs.n_cross,
          &networks->decoder_ports, error))
    return FALSE;
  networks->encoder =
      infer_executable_new (networks->graphs.encoder, runtime, error);
  if (networks->encoder == NULL)
    return FALSE;
  networks->decoder =
      infer_executable_new (networks->graphs.decoder, runtime, error);
  if (networks->decoder == NULL)
    return FALSE;
  if (networks->graphs.aligner == NULL)
    return TRUE;
  if (!find_ports (networks->graphs.aligner, networks->graphs.n_cross,
          &networks->aligner_ports, error))
    return FALSE;
  networks->aligner =
      infer_executable_new (networks->graphs.aligner, runtime, error);
  return networks->aligner != NULL;
}

void
whisper_networks_close (WhisperNetworks *networks)
{
  if (networks->encoders == NULL)
    return;
  g_clear_pointer (&networks->encoders, g_ptr_array_unref);
  g_clear_pointer (&networks->aligners, g_ptr_array_unref);
  g_clear_pointer (&networks->encoder, infer_executable_unref);
  g_clear_pointer (&networks->decoder, infer_executable_unref);
  g_clear_pointer (&networks->aligner, infer_executable_unref);
  whisper_graphs_clear (&networks->graphs);
  g_clear_pointer (&networks->decoder_ports.cross, g_free);
  g_clear_pointer (&networks->aligner_ports.cross, g_free);
  g_mutex_clear (&networks->lock);
}

/* Requests that hold nothing of a stream are shared, since their working memory
 * is large. */
static InferRequest *
take_request (WhisperNetworks *networks, GPtrArray *idle,
    InferExecutable *executable, GError **error)
{
  InferRequest *request = NULL;

  g_mutex_lock (&networks->lock);
  if (idle->len > 0)
    request = g_ptr_array_steal_index (idle, idle->len - 1);
  g_mutex_unlock (&networks->lock);
  return request != NULL ? request : infer_request_new (executable, error);
}

static void
give_request (WhisperNetworks *networks, GPtrArray *idle, InferRequest *request)
{
  g_mutex_lock (&networks->lock);
  g_ptr_array_add (idle, request);
  g_mutex_unlock (&networks->lock);
}

/* --- one stream --- */

gboolean
whisper_session_open (
    WhisperSession *session, WhisperNetworks *networks, GError **error)
{
  *session = (WhisperSession){ .networks = networks };
  session->cross =
      g_ptr_array_new_with_free_func ((GDestroyNotify) infer_tensor_unref);
  session->decoder = infer_request_new (networks->decoder, error);
  return session->decoder != NULL;
}

void
whisper_session_close (WhisperSession *session)
{
  g_clear_pointer (&session->decoder, infer_request_free);
  whisper_session_end_alignment (session);
  g_clear_pointer (&session->cross, g_ptr_array_unref);
}

/* --- encoder --- */

/* The shape of output @index of the encoder for @context positions. */
static InferShape
cross_shape (const WhisperNetworks *networks, guint index, gint64 context)
{
  InferShape shape =
      infer_model_output_desc (networks->graphs.encoder, index)->shape;

  for (int d = 0; d < shape.rank; d++)
    if (shape.dims[d] == INFER_DYNAMIC)
      shape.dims[d] = d == 0 ? 1 : context;
  return shape;
}

static gboolean
prepare_cross (WhisperSession *session, gint64 context, GError **error)
{
  const WhisperNetworks *networks = session->networks;

  for (guint i = 0; i < networks->graphs.n_cross; i++) {
    const InferDesc *desc =
        infer_model_output_desc (networks->graphs.encoder, i);
    InferShape shape = cross_shape (networks, i, context);

    if (i < session->cross->len) {
      if (!infer_tensor_reshape (
              session->cross->pdata[i], desc->type, &shape, error))
        return FALSE;
      continue;
    }
    InferTensor *tensor = infer_tensor_new (desc->type, &shape, error);
    if (tensor == NULL)
      return FALSE;
    g_ptr_array_add (session->cross, tensor);
  }
  session->context = context;
  return TRUE;
}

/* Bands are the rows of the encoder's input. */
static void
fill_features (float *to, const float *rows, gsize n, gint64 bands,
    gsize frames, float padding)
{
  n = MIN (n, frames);
  for (gint64 b = 0; b < bands; b++) {
    float *row = to + (gsize) b * frames;

    for (gsize t = 0; t < n; t++)
      row[t] = rows[t * (gsize) bands + (gsize) b];
    for (gsize t = n; t < frames; t++)
      row[t] = padding;
  }
}

/* The beginning of the positional embedding, in place. */
static gboolean
set_positions (
    const WhisperSession *session, InferRequest *request, GError **error)
{
  const WhisperGraphs *graphs = &session->networks->graphs;
  const gint64 begin[INFER_MAX_RANK] = { 0 };
  int index = infer_model_find_input (graphs->encoder, WHISPER_POSITIONS, NULL);

  if (graphs->embedding == NULL || index < 0)
    return TRUE;
  InferShape shape = graphs->embedding->shape;
  shape.dims[shape.rank - 2] = session->context;
  g_autoptr (InferTensor) rows =
      infer_tensor_new_roi (graphs->embedding, begin, &shape, error);
  return rows != NULL
         && infer_request_set_input (request, (guint) index, rows, error);
}

static gboolean
run_encoder (WhisperSession *session, InferRequest *request, const float *rows,
    gsize n, float padding, GError **error)
{
  const gint64 bands = session->networks->graphs.bands;
  const gint64 frames = 2 * session->context;
  InferShape shape = infer_shape_make (3, (gint64) 1, bands, frames);
  InferTensor *input =
      infer_request_set_input_shape (request, 0, &shape, error);

  if (input == NULL)
    return FALSE;
  fill_features (input->data, rows, n, bands, (gsize) frames, padding);
  if (!set_positions (session, request, error))
    return FALSE;
  for (guint i = 0; i < session->cross->len; i++)
    if (!infer_request_set_output (request, i, session->cross->pdata[i], error))
      return FALSE;
  return infer_request_infer (request, error);
}

gboolean
whisper_session_encode (WhisperSession *session, const float *rows, gsize n,
    float padding, gint64 context, GError **error)
{
  WhisperNetworks *networks = session->networks;
  InferRequest *request;

  if (!networks->graphs.any_context)
    context = networks->graphs.positions;
  if (!prepare_cross (session, context, error))
    return FALSE;
  request =
      take_request (networks, networks->encoders, networks->encoder, error);
  if (request == NULL)
    return FALSE;
  gboolean ok = run_encoder (session, request, rows, n, padding, error);
  for (guint i = 0; i < session->cross->len; i++)
    infer_request_set_output (request, i, NULL, NULL);
  give_request (networks, networks->encoders, request);
  return ok;
}

/* --- decoder --- */

void
whisper_session_restart (WhisperSession *session)
{
  infer_state_set_reset (infer_request_get_states (session->decoder));
}

static gboolean
set_cross (const WhisperSession *session, InferRequest *request,
    const WhisperPorts *ports, GError **error)
{
  for (guint i = 0; i < session->cross->len; i++)
    if (ports->cross[i] >= 0
        && !infer_request_set_input (
            request, (guint) ports->cross[i], session->cross->pdata[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
set_tokens (InferRequest *request, const WhisperPorts *ports,
    const gint64 *tokens, guint sequences, guint n, GError **error)
{
  InferShape shape = infer_shape_make (2, (gint64) sequences, (gint64) n);
  InferTensor *input = infer_request_set_input_shape (
      request, (guint) ports->tokens, &shape, error);

  return input != NULL
         && infer_convert (input->data, input->type, tokens, INFER_TYPE_I64,
             (gsize) sequences * n);
}

static gboolean
set_beams (InferRequest *request, const WhisperPorts *ports, guint sequences,
    const gint32 *from, GError **error)
{
  InferShape shape = infer_shape_make (1, (gint64) sequences);

  if (ports->beams < 0)
    return from == NULL
           || infer_fail (error, INFER_ERROR_UNSUPPORTED,
               "the decoder has no input '%s', which a beam search needs",
               WHISPER_BEAMS);
  InferTensor *input = infer_request_set_input_shape (
      request, (guint) ports->beams, &shape, error);
  if (input == NULL)
    return FALSE;
  for (guint i = 0; i < sequences; i++) {
    gint64 source = from != NULL ? from[i] : (gint64) i;

    infer_convert ((char *) input->data + input->strides[0] * i, input->type,
        &source, INFER_TYPE_I64, 1);
  }
  return TRUE;
}

gboolean
whisper_session_step (WhisperSession *session, const gint64 *tokens,
    guint sequences, guint n, const gint32 *from, const float **logits,
    gsize *stride, GError **error)
{
  const WhisperNetworks *networks = session->networks;
  InferRequest *request = session->decoder;

  if (!set_cross (session, request, &networks->decoder_ports, error)
      || !set_tokens (
          request, &networks->decoder_ports, tokens, sequences, n, error)
      || !set_beams (request, &networks->decoder_ports, sequences, from, error)
      || !infer_request_infer (request, error))
    return FALSE;
  const InferTensor *out = infer_request_get_output (request, 0, error);
  if (out == NULL)
    return FALSE;
  gsize rows = (gsize) out->shape.dims[1];
  gsize vocabulary = (gsize) out->shape.dims[2];
  if (out->type != INFER_TYPE_F32 || rows == 0
      || out->shape.dims[0] != (gint64) sequences)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: its logits are not f32 of %u sequences",
        infer_model_get_path (networks->graphs.decoder), sequences);
  *logits = (const float *) out->data + (rows - 1) * vocabulary;
  *stride = rows * vocabulary;
  return TRUE;
}

/* --- aligner --- */

void
whisper_session_end_alignment (WhisperSession *session)
{
  if (session->aligner == NULL)
    return;
  for (guint i = 0; i < session->cross->len; i++)
    if (session->networks->aligner_ports.cross[i] >= 0)
      infer_request_set_input (session->aligner,
          (guint) session->networks->aligner_ports.cross[i], NULL, NULL);
  give_request (
      session->networks, session->networks->aligners, session->aligner);
  session->aligner = NULL;
}

gboolean
whisper_session_align (WhisperSession *session, const gint64 *tokens, guint n,
    const InferTensor **scores, GError **error)
{
  WhisperNetworks *networks = session->networks;
  const WhisperPorts *ports = &networks->aligner_ports;

  if (session->aligner == NULL)
    session->aligner =
        take_request (networks, networks->aligners, networks->aligner, error);
  if (session->aligner == NULL
      || !set_cross (session, session->aligner, ports, error)
      || !set_tokens (session->aligner, ports, tokens, 1, n, error)
      || !set_beams (session->aligner, ports, 1, NULL, error)
      || !infer_request_infer (session->aligner, error))
    return FALSE;
  for (guint i = 0; i < networks->graphs.n_layers; i++) {
    scores[i] = infer_request_get_output (session->aligner, i, error);
    if (scores[i] == NULL)
      return FALSE;
  }
  return TRUE;
}
