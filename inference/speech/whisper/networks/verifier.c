/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A session's logits of tokens that are appended before they are chosen, and
 * the way back where others are chosen. */

#include "inference/base/memory/pages.h"
#include "inference/runtime/rest.h"
#include "inference/runtime/state-backend.h"
#include "inference/speech/whisper/networks/networks-private.h"

/* The dimension along which the caches of variable @index grow: the last that
 * the model leaves open; -1: none besides the sequences. */
static int
cache_axis (const WhisperNetworks *networks, guint index)
{
  const InferVariable *variable =
      infer_model_variable (networks->graphs.decoder, index);

  for (int d = variable->desc.shape.rank - 1; d > 0; d--)
    if (variable->desc.shape.dims[d] == INFER_DYNAMIC)
      return d;
  return -1;
}

/* Whether all caches have one entry for each token. */
static gboolean
has_caches (const WhisperSession *session)
{
  InferStateSet *set = infer_request_get_states (session->decoder);
  guint n = set != NULL ? infer_state_set_n_states (set) : 0;

  for (guint i = 0; i < n; i++) {
    const InferTensor *value =
        infer_state_peek_desc (infer_state_set_get (set, i));
    int axis = cache_axis (session->networks, i);

    if (value == NULL || axis < 0 || value->shape.rank <= axis
        || value->shape.dims[axis] != (gint64) session->n_tokens
        || value->shape.dims[0] != 1)
      return FALSE;
  }
  return n > 0;
}

/* Logits of all tokens are large: they are in pages that are given back. */
static gboolean
prepare_logits (
    WhisperSession *session, const InferShape *shape, GError **error)
{
  if (session->logits == NULL)
    session->logits = infer_pages_tensor_mapped (INFER_TYPE_F32, shape, error);
  return session->logits != NULL
         && infer_tensor_reshape (session->logits, INFER_TYPE_F32, shape, error)
         && infer_request_set_output (
             session->verifier, 0, session->logits, error);
}

static gboolean
run (WhisperSession *session, const gint64 *tokens, guint n,
    const float **logits, GError **error)
{
  const WhisperPorts *ports = &session->networks->verifier_ports;
  InferRequest *request = session->verifier;

  const InferShape expected = infer_shape_make (
      3, (gint64) 1, (gint64) n, session->networks->graphs.vocabulary);

  if (!whisper_session_set_cross (session->cross, request, ports, error)
      || !whisper_session_set_tokens (request, ports, tokens, 1, n, error)
      || !whisper_session_set_beams (request, ports, 1, NULL, error)
      || !prepare_logits (session, &expected, error)
      || !infer_request_infer (request, error))
    return FALSE;
  const InferTensor *out = infer_request_get_output (request, 0, error);
  if (out == NULL)
    return FALSE;
  if (out->type != INFER_TYPE_F32
      || !infer_shape_equal (&out->shape, &expected)) {
    g_autofree char *shape = infer_shape_to_string (&out->shape);

    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: its logits are %s %s, not f32 of each of %u tokens",
        infer_model_get_path (session->networks->graphs.verifier),
        infer_type_name (out->type), shape, n);
  }
  *logits = out->data;
  return TRUE;
}

static gpointer
verifier_new (gconstpointer networks, GError **error)
{
  return infer_request_new (
      ((const WhisperNetworks *) networks)->verifier, error);
}

gboolean
whisper_session_verify (WhisperSession *session, const gint64 *tokens, guint n,
    const float **logits, GError **error)
{
  WhisperNetworks *networks = session->networks;

  *logits = NULL;
  if (networks->verifier == NULL || !has_caches (session))
    return TRUE;
  if (session->verifier == NULL)
    session->verifier =
        whisper_pool_take (&networks->verifiers, verifier_new, networks, error);
  if (session->verifier == NULL)
    return FALSE;
  infer_request_bind_states (
      session->verifier, infer_request_get_states (session->decoder));
  gboolean ok = run (session, tokens, n, logits, error);
  infer_request_bind_states (session->verifier, NULL);
  session->n_tokens += n;
  return ok;
}

void
whisper_session_end_verifying (WhisperSession *session)
{
  WhisperNetworks *networks = session->networks;
  InferRequest *request = g_steal_pointer (&session->verifier);

  if (request == NULL)
    return;
  for (guint i = 0; i < session->cross->len; i++)
    if (networks->verifier_ports.cross[i] >= 0)
      infer_request_set_input (
          request, (guint) networks->verifier_ports.cross[i], NULL, NULL);
  infer_request_set_output (request, 0, NULL, NULL);
  if (session->logits != NULL)
    infer_pages_discard (session->logits->data, session->logits->size);
  infer_request_rest (request);
  whisper_pool_give_back (&networks->verifiers, request);
}

static gboolean
cut_state (InferState *state, int axis, guint n, GError **error)
{
  const gint64 begin[INFER_MAX_RANK] = { 0 };
  g_autoptr (InferTensor) value = infer_state_get_value (state, error);

  if (value == NULL)
    return FALSE;
  InferShape shape = value->shape;
  shape.dims[axis] = n;
  g_autoptr (InferTensor) kept =
      infer_tensor_new_roi (value, begin, &shape, error);
  return kept != NULL && infer_state_set_value (state, kept, error);
}

gboolean
whisper_session_cut (WhisperSession *session, guint n, GError **error)
{
  InferStateSet *set = infer_request_get_states (session->decoder);

  if (session->n_tokens <= n)
    return TRUE;
  for (guint i = 0; i < infer_state_set_n_states (set); i++)
    if (!cut_state (infer_state_set_get (set, i),
            cache_axis (session->networks, i), n, error))
      return FALSE;
  session->n_tokens = n;
  return TRUE;
}
