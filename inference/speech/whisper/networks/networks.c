/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/networks/networks-private.h"

#include <string.h>

#include "inference/base/memory/pages.h"
#include "inference/runtime/rest.h"

/* Between two steps a stream chooses a token, which takes a third of this. */
#define PATIENCE_US 300

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

static gboolean
compile (const WhisperNetworks *networks, InferModel *model,
    InferRuntime *runtime, InferExecutable **executable, WhisperPorts *ports,
    GError **error)
{
  if (ports != NULL
      && !find_ports (model, networks->graphs.n_cross, ports, error))
    return FALSE;
  *executable = infer_executable_new (model, runtime, error);
  return *executable != NULL;
}

static void
aligner_free (gpointer data)
{
  WhisperAligner *aligner = data;

  infer_request_free (aligner->request);
  g_clear_pointer (&aligner->scores, g_ptr_array_unref);
  g_free (aligner);
}

gboolean
whisper_networks_open (WhisperNetworks *n, WhisperGraphs *graphs,
    InferRuntime *runtime, GError **error)
{
  const guint processors = g_get_num_processors ();

  *n = (WhisperNetworks){ .graphs = *graphs };
  *graphs = (WhisperGraphs){ 0 };
  whisper_pool_init (
      &n->encoders, processors, (GDestroyNotify) infer_request_free);
  whisper_pool_init (
      &n->long_encoders, processors / 2, (GDestroyNotify) infer_request_free);
  whisper_pool_init (&n->aligners, processors / 2, aligner_free);
  whisper_pool_init (
      &n->verifiers, G_MAXUINT, (GDestroyNotify) infer_request_free);
  n->joint = infer_joint_new (PATIENCE_US);
  return compile (n, n->graphs.encoder, runtime, &n->encoder, NULL, error)
         && (n->graphs.first == NULL
             || compile (n, n->graphs.first, runtime, &n->first,
                 &n->first_ports, error))
         && compile (n, n->graphs.decoder, runtime, &n->decoder,
             &n->decoder_ports, error)
         && (n->graphs.aligner == NULL
             || compile (n, n->graphs.aligner, runtime, &n->aligner,
                 &n->aligner_ports, error))
         && (n->graphs.verifier == NULL
             || compile (n, n->graphs.verifier, runtime, &n->verifier,
                 &n->verifier_ports, error));
}

void
whisper_networks_close (WhisperNetworks *networks)
{
  if (networks->joint == NULL)
    return;
  whisper_pool_clear (&networks->encoders);
  whisper_pool_clear (&networks->long_encoders);
  whisper_pool_clear (&networks->aligners);
  whisper_pool_clear (&networks->verifiers);
  g_clear_pointer (&networks->joint, infer_joint_free);
  g_clear_pointer (&networks->encoder, infer_executable_unref);
  g_clear_pointer (&networks->first, infer_executable_unref);
  g_clear_pointer (&networks->decoder, infer_executable_unref);
  g_clear_pointer (&networks->aligner, infer_executable_unref);
  g_clear_pointer (&networks->verifier, infer_executable_unref);
  whisper_graphs_clear (&networks->graphs);
  g_clear_pointer (&networks->first_ports.cross, g_free);
  g_clear_pointer (&networks->decoder_ports.cross, g_free);
  g_clear_pointer (&networks->aligner_ports.cross, g_free);
  g_clear_pointer (&networks->verifier_ports.cross, g_free);
}

/* --- one stream --- */

static gboolean
open_first (WhisperSession *session, GError **error)
{
  InferStateSet *set = infer_request_get_states (session->decoder);
  const GStrv names = session->networks->graphs.states;
  guint n = g_strv_length (names);

  session->states = g_new0 (InferState *, n + 1);
  for (guint i = 0; i < n; i++) {
    session->states[i] = infer_state_set_find (set, names[i], error);
    if (session->states[i] == NULL)
      return FALSE;
  }
  session->first = infer_request_new (session->networks->first, error);
  return session->first != NULL;
}

gboolean
whisper_session_open (
    WhisperSession *session, WhisperNetworks *networks, GError **error)
{
  *session = (WhisperSession){ .networks = networks };
  session->cross =
      g_ptr_array_new_with_free_func ((GDestroyNotify) infer_tensor_unref);
  session->copies =
      g_ptr_array_new_with_free_func ((GDestroyNotify) infer_tensor_unref);
  session->decoder = infer_request_new (networks->decoder, error);
  return session->decoder != NULL
         && (networks->first == NULL || open_first (session, error));
}

void
whisper_session_close (WhisperSession *session)
{
  g_clear_pointer (&session->first, infer_request_free);
  g_clear_pointer (&session->states, g_free);
  g_clear_pointer (&session->decoder, infer_request_free);
  whisper_session_end_alignment (session);
  whisper_session_end_verifying (session);
  g_clear_pointer (&session->logits, infer_tensor_unref);
  g_clear_pointer (&session->cross, g_ptr_array_unref);
  g_clear_pointer (&session->copies, g_ptr_array_unref);
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
      shape.dims[d] = d <= (networks->graphs.stacked ? 1 : 0) ? 1 : context;
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
    InferTensor *tensor = infer_pages_tensor_mapped (desc->type, &shape, error);
    if (tensor == NULL)
      return FALSE;
    g_ptr_array_add (session->cross, tensor);
  }
  session->context = context;
  session->n_copies = 0;
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

static gpointer
encoder_new (gconstpointer networks, GError **error)
{
  return infer_request_new (
      ((const WhisperNetworks *) networks)->encoder, error);
}

gboolean
whisper_session_encode (WhisperSession *session, const float *rows, gsize n,
    float padding, gint64 context, GError **error)
{
  WhisperNetworks *networks = session->networks;

  if (!networks->graphs.any_context)
    context = networks->graphs.positions;
  if (!prepare_cross (session, context, error))
    return FALSE;
  WhisperPool *pool = context > networks->graphs.positions / 2
                          ? &networks->long_encoders
                          : &networks->encoders;
  InferRequest *request =
      whisper_pool_take (pool, encoder_new, networks, error);
  if (request == NULL)
    return FALSE;
  gboolean ok = run_encoder (session, request, rows, n, padding, error);
  for (guint i = 0; i < session->cross->len; i++)
    infer_request_set_output (request, i, NULL, NULL);
  infer_request_rest (request);
  whisper_pool_give_back (pool, request);
  return ok;
}

void
whisper_session_rest (WhisperSession *session)
{
  infer_pages_discard_tensors (session->cross);
  infer_request_rest (session->decoder);
}

/* --- decoder --- */

void
whisper_session_begin_steps (WhisperSession *session)
{
  infer_joint_enter (session->networks->joint);
}

void
whisper_session_end_steps (WhisperSession *session)
{
  infer_joint_leave (session->networks->joint);
}

void
whisper_session_restart (WhisperSession *session)
{
  infer_state_set_reset (infer_request_get_states (session->decoder));
  session->n_tokens = 0;
}

gboolean
whisper_session_set_cross (const GPtrArray *cross, InferRequest *request,
    const WhisperPorts *ports, GError **error)
{
  for (guint i = 0; i < cross->len; i++)
    if (ports->cross[i] >= 0
        && !infer_request_set_input (
            request, (guint) ports->cross[i], cross->pdata[i], error))
      return FALSE;
  return TRUE;
}

/* The keys and values @sequences times. */
static gboolean
repeat_cross (WhisperSession *session, guint sequences, GError **error)
{
  if (session->n_copies == sequences)
    return TRUE;
  session->n_copies = 0;
  g_ptr_array_set_size (session->copies, 0);
  for (guint i = 0; i < session->cross->len; i++) {
    const InferTensor *one = session->cross->pdata[i];
    InferShape shape = one->shape;

    shape.dims[0] = sequences;
    InferTensor *many = infer_tensor_new (one->type, &shape, error);
    if (many == NULL)
      return FALSE;
    g_ptr_array_add (session->copies, many);
    for (guint k = 0; k < sequences; k++)
      memcpy ((char *) many->data + k * one->size, one->data, one->size);
  }
  session->n_copies = sequences;
  return TRUE;
}

gboolean
whisper_session_set_tokens (InferRequest *request, const WhisperPorts *ports,
    const gint64 *tokens, guint sequences, guint n, GError **error)
{
  InferShape shape = infer_shape_make (2, (gint64) sequences, (gint64) n);
  InferTensor *input = infer_request_set_input_shape (
      request, (guint) ports->tokens, &shape, error);

  return input != NULL
         && infer_convert (input->data, input->type, tokens, INFER_TYPE_I64,
             (gsize) sequences * n);
}

gboolean
whisper_session_set_beams (InferRequest *request, const WhisperPorts *ports,
    guint sequences, const gint32 *from, GError **error)
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

static gboolean
find_logits (InferRequest *request, guint sequences, const float **logits,
    gsize *stride, GError **error)
{
  const InferTensor *out = infer_request_get_output (request, 0, error);

  if (out == NULL)
    return FALSE;
  if (out->type != INFER_TYPE_F32 || out->shape.rank != 3
      || out->shape.dims[1] < 1 || out->shape.dims[0] != (gint64) sequences) {
    g_autofree char *shape = infer_shape_to_string (&out->shape);

    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: its logits are %s %s, not f32 of %u sequences",
        infer_model_get_path (infer_executable_get_model (
            infer_request_get_executable (request))),
        infer_type_name (out->type), shape, sequences);
  }
  gsize rows = (gsize) out->shape.dims[1];
  gsize vocabulary = (gsize) out->shape.dims[2];
  *logits = (const float *) out->data + (rows - 1) * vocabulary;
  *stride = rows * vocabulary;
  return TRUE;
}

/* The first tokens: what they leave is what the decoder goes on from. */
static gboolean
run_first (WhisperSession *session, const gint64 *tokens, guint n,
    const float **logits, gsize *stride, GError **error)
{
  const WhisperPorts *ports = &session->networks->first_ports;
  InferRequest *request = session->first;

  if (!whisper_session_set_cross (session->cross, request, ports, error)
      || !whisper_session_set_tokens (request, ports, tokens, 1, n, error)
      || !infer_request_infer (request, error))
    return FALSE;
  for (guint i = 0; session->states[i] != NULL; i++) {
    const InferTensor *value = infer_request_get_output (request, i + 1, error);

    if (value == NULL
        || !infer_state_set_value (session->states[i], value, error))
      return FALSE;
  }
  return find_logits (request, 1, logits, stride, error);
}

static gboolean
run_decoder (WhisperSession *session, const gint64 *tokens, guint sequences,
    guint n, const gint32 *from, const float **logits, gsize *stride,
    GError **error)
{
  const WhisperPorts *ports = &session->networks->decoder_ports;
  const gboolean repeated = session->first != NULL && sequences > 1;
  InferRequest *request = session->decoder;

  return (!repeated || repeat_cross (session, sequences, error))
         && whisper_session_set_cross (
             repeated ? session->copies : session->cross, request, ports, error)
         && whisper_session_set_tokens (
             request, ports, tokens, sequences, n, error)
         && whisper_session_set_beams (request, ports, sequences, from, error)
         && infer_joint_infer (session->networks->joint, request, error)
         && find_logits (request, sequences, logits, stride, error);
}

gboolean
whisper_session_step (WhisperSession *session, const gint64 *tokens,
    guint sequences, guint n, const gint32 *from, const float **logits,
    gsize *stride, GError **error)
{
  const gboolean started = session->n_tokens > 0;

  session->n_tokens += n;
  if (session->first == NULL
      && !(started && session->networks->graphs.one_by_one))
    return run_decoder (
        session, tokens, sequences, n, from, logits, stride, error);
  if (!started)
    return run_first (session, tokens, n, logits, stride, error);
  for (guint i = 0; i < n; i++)
    if (!run_decoder (
            session, tokens + i, sequences, 1, from, logits, stride, error))
      return FALSE;
  return TRUE;
}
