/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A session's scores of the cross-attention. */

#include "inference/base/memory/pages.h"
#include "inference/runtime/rest.h"
#include "inference/speech/whisper/networks/networks-private.h"

void
whisper_session_end_alignment (WhisperSession *session)
{
  WhisperNetworks *networks = session->networks;

  if (session->aligner == NULL)
    return;
  for (guint i = 0; i < session->cross->len; i++)
    if (networks->aligner_ports.cross[i] >= 0)
      infer_request_set_input (session->aligner->request,
          (guint) networks->aligner_ports.cross[i], NULL, NULL);
  for (guint i = 0; i < networks->graphs.n_layers; i++)
    infer_request_set_output (session->aligner->request, i, NULL, NULL);
  infer_pages_discard_tensors (session->aligner->scores);
  infer_request_rest (session->aligner->request);
  whisper_pool_give_back (&networks->aligners, session->aligner);
  session->aligner = NULL;
}

/* The shape of the scores of @n tokens against @context positions, where all
 * else is known. */
static gboolean
scores_shape (const WhisperGraphs *graphs, guint layer, guint n, gint64 context,
    InferShape *shape)
{
  const InferDesc *desc = infer_model_output_desc (graphs->aligner, layer);

  *shape = desc->shape;
  if (desc->type != INFER_TYPE_F32 || shape->rank != 4)
    return FALSE;
  shape->dims[0] = 1;
  shape->dims[2] = n;
  shape->dims[3] = context;
  return shape->dims[1] > 0 && infer_shape_matches (&desc->shape, shape);
}

/* Gives scores memory that all numbers of tokens and positions share. */
static gboolean
prepare_scores (WhisperAligner *aligner, const WhisperGraphs *graphs, guint n,
    gint64 context, GError **error)
{
  for (guint i = 0; aligner->scores != NULL && i < graphs->n_layers; i++) {
    InferTensor *tensor =
        i < aligner->scores->len ? aligner->scores->pdata[i] : NULL;
    InferShape shape;

    if (!scores_shape (graphs, i, n, context, &shape)) {
      g_clear_pointer (&aligner->scores, g_ptr_array_unref);
      return TRUE;
    }
    if (tensor == NULL) {
      tensor = infer_pages_tensor_mapped (INFER_TYPE_F32, &shape, error);
      if (tensor == NULL)
        return FALSE;
      g_ptr_array_add (aligner->scores, tensor);
    } else if (!infer_tensor_reshape (tensor, INFER_TYPE_F32, &shape, error)) {
      return FALSE;
    }
    if (!infer_request_set_output (aligner->request, i, tensor, error))
      return FALSE;
  }
  return TRUE;
}

static gpointer
aligner_new (gconstpointer owner, GError **error)
{
  const WhisperNetworks *networks = owner;
  InferRequest *request = infer_request_new (networks->aligner, error);

  if (request == NULL)
    return NULL;
  WhisperAligner *aligner = g_new (WhisperAligner, 1);
  aligner->request = request;
  aligner->scores =
      g_ptr_array_new_with_free_func ((GDestroyNotify) infer_tensor_unref);
  return aligner;
}

gboolean
whisper_session_begin_alignment (WhisperSession *session, GError **error)
{
  WhisperNetworks *networks = session->networks;

  if (session->aligner == NULL)
    session->aligner =
        whisper_pool_take (&networks->aligners, aligner_new, networks, error);
  if (session->aligner == NULL)
    return FALSE;
  InferRequest *request = session->aligner->request;
  InferStateSet *states = infer_request_get_states (request);
  if (states != NULL)
    infer_state_set_reset (states);
  return whisper_session_set_cross (
      session->cross, request, &networks->aligner_ports, error);
}

gboolean
whisper_session_align (WhisperSession *session, const gint64 *tokens, guint n,
    const InferTensor **scores, GError **error)
{
  const WhisperNetworks *networks = session->networks;
  const WhisperPorts *ports = &networks->aligner_ports;
  InferRequest *request = session->aligner->request;

  if (!whisper_session_set_tokens (request, ports, tokens, 1, n, error)
      || !whisper_session_set_beams (request, ports, 1, NULL, error)
      || !prepare_scores (
          session->aligner, &networks->graphs, n, session->context, error)
      || !infer_request_infer (request, error))
    return FALSE;
  for (guint i = 0; i < networks->graphs.n_layers; i++) {
    scores[i] = infer_request_get_output (request, i, error);
    if (scores[i] == NULL)
      return FALSE;
  }
  return TRUE;
}
