/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Runs the networks of graphs.h.  What a piece of audio becomes in the encoder
 * is kept in tensors of the stream, which the decoder and the aligner read in
 * place. */

#pragma once

#include "inference/runtime/batch/joint.h"
#include "inference/speech/whisper/graph/graphs.h"
#include "inference/speech/whisper/networks/pool.h"

/* Inputs, by index; -1: it has none. */
typedef struct
{
  int tokens, beams;
  int *cross; /* [n_cross] */
} WhisperPorts;

/* Compiled; shared by the streams of a model, any thread. */
typedef struct
{
  InferExecutable *encoder, *decoder;
  InferExecutable *first, *aligner, *verifier; /* nullable */
  WhisperGraphs graphs;
  WhisperPorts first_ports, decoder_ports, aligner_ports, verifier_ports;
  /* (element-type InferRequest); long_encoders: of contexts longer than half of
   * the encoder's, which take most memory. */
  WhisperPool encoders, long_encoders, verifiers;
  WhisperPool aligners; /* (element-type WhisperAligner) */
  InferJoint *joint;    /* the decoder's steps, of all streams */
} WhisperNetworks;

typedef struct
{
  InferRequest *request;
  /* (element-type InferTensor): of each layer, for any number of tokens and
   * positions; NULL: the request has tensors for each of them. */
  GPtrArray *scores;
} WhisperAligner;

/* Takes what is in @graphs. */
gboolean whisper_networks_open (WhisperNetworks *networks,
    WhisperGraphs *graphs, InferRuntime *runtime, GError **error);
void whisper_networks_close (WhisperNetworks *networks);

/* One stream. */
typedef struct
{
  WhisperNetworks *networks;
  InferRequest *decoder;
  InferRequest *first;     /* nullable */
  InferState **states;     /* [n]: those that the first tokens decide */
  guint n_tokens;          /* of each sequence */
  WhisperAligner *aligner; /* NULL but while scores are read */
  InferRequest *verifier;  /* NULL but while its logits are read */
  InferTensor *logits;     /* of it; NULL: it has not run */
  GPtrArray *cross;        /* (element-type InferTensor) */
  GPtrArray *copies;       /* the same for each of several sequences */
  guint n_copies;          /* sequences in @copies; 0: not made yet */
  gint64 context;          /* positions in @cross */
} WhisperSession;

gboolean whisper_session_open (
    WhisperSession *session, WhisperNetworks *networks, GError **error);
void whisper_session_close (WhisperSession *session);

/* @rows [@n, bands]: features, 2 for each position; behind them @padding up to
 * 2 * @context. */
gboolean whisper_session_encode (WhisperSession *session, const float *rows,
    gsize n, float padding, gint64 context, GError **error);

/* Gives memory back to the system: the keys and values of the cross-attention,
 * which are not valid any more, and the decoder's activations.  To be called
 * when the text of what was encoded has been found. */
void whisper_session_rest (WhisperSession *session);

/* Between them, the stream brings one step after the other: those of several
 * streams go together. */
void whisper_session_begin_steps (WhisperSession *session);
void whisper_session_end_steps (WhisperSession *session);
/* Starts sequences without tokens. */
void whisper_session_restart (WhisperSession *session);
/* Appends tokens [@sequences, @n] to sequences; sequence i continues @from[i]
 * of those before (NULL: itself).  @logits [sequences, vocabulary], rows
 * *@stride apart, of the last token, valid until the next call. */
gboolean whisper_session_step (WhisperSession *session, const gint64 *tokens,
    guint sequences, guint n, const gint32 *from, const float **logits,
    gsize *stride, GError **error);

/* Appends @n tokens to the one sequence at once.  @logits [n, vocabulary]: of
 * each of them, valid until the next call; NULL without error: the decoder
 * cannot, and nothing is appended. */
gboolean whisper_session_verify (WhisperSession *session, const gint64 *tokens,
    guint n, const float **logits, GError **error);
/* Takes back all but the first @n tokens of a sequence that was verified. */
gboolean whisper_session_cut (WhisperSession *session, guint n, GError **error);
/* Gives the memory of those logits to other streams. */
void whisper_session_end_verifying (WhisperSession *session);

/* whisper_session_align begins without tokens. */
gboolean whisper_session_begin_alignment (
    WhisperSession *session, GError **error);
/* Scores of the next @n tokens against the positions, of each layer:
 * *@scores[layer] is [heads, n, context], valid until the next call.  An
 * aligner without variables takes all tokens at once. */
gboolean whisper_session_align (WhisperSession *session, const gint64 *tokens,
    guint n, const InferTensor **scores, GError **error);
/* Gives the memory of the scores to other streams. */
void whisper_session_end_alignment (WhisperSession *session);
