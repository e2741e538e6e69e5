/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The networks of a Whisper export, rewritten so that each part of the work is
 * done once:
 *
 *   encoder   features → what every layer's cross-attention reads of them (its
 *             keys and values), at any number of positions up to the model's
 *   decoder   tokens, keys and values → logits of the last token; its
 *             self-attention caches are variables
 *   verifier  the same with the logits of all tokens
 *   aligner   tokens, keys and values → scores of the cross-attention, for the
 *             times of words; variables as the decoder has them
 *
 * As published, the decoder projects the encoder's output to keys and values
 * itself, and keeps them in variables; or an export has no variables
 * (past.h), and two decoders:
 *
 *   first     as decoder, from no tokens on; gives the caches, too
 *   decoder   one token at a time, keys and values for each sequence
 *   aligner   all tokens at once, no variables
 *
 * Exports of OpenAI's own networks are of a third form (stacked.h). */

#pragma once

#include "infer/model.h"

typedef struct
{
  InferModel *encoder; /* input 0: [1, bands, 2 * positions] */
  InferModel *first;   /* NULL: the decoder takes the first tokens, too */
  InferModel *decoder;
  InferModel *verifier; /* the decoder with the logits of all tokens; NULL: it
                         * takes one at a time */
  GStrv states; /* variables of the decoder that first's outputs 1, 2, … are */
  InferModel *aligner; /* NULL: the attention has a form not known here */
  guint n_cross;       /* outputs of the encoder, inputs of the others */
  guint n_layers; /* outputs of the aligner: [n, heads, tokens, positions] */
  float *scales; /* [n_layers]: softmaxes are taken of their products with it */
  gint64 bands, positions, vocabulary;
  /* The positional embedding, whose first rows are input WHISPER_POSITIONS of
   * the encoder; NULL: it has none. */
  InferTensor *embedding;
  gboolean any_context; /* the encoder runs at fewer positions, too */
  gboolean stacked;     /* all layers are in one tensor: [layers, batch, …] */
  gboolean one_by_one;  /* after the first call, a token at a time */
} WhisperGraphs;

/* @encoder and @decoder as exported: input_features → last_hidden_state, and a
 * decoder that is stateful, or merged, or has @past (nullable), the decoder
 * with past, beside it; or both stacked.  @positions: where the encoder does
 * not say; -1: unknown. INFER_ERROR_INVALID_MODEL names the file that is not of
 * this form, or both if they do not fit together. */
gboolean whisper_graphs_make (WhisperGraphs *graphs, const InferModel *encoder,
    const InferModel *decoder, const InferModel *past, gint64 positions,
    GError **error);
void whisper_graphs_clear (WhisperGraphs *graphs);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (WhisperGraphs, whisper_graphs_clear)

/* Ports. */
#define WHISPER_POSITIONS "position_embedding" /* of the encoder */
#define WHISPER_TOKENS "input_ids"             /* i64 [sequences, tokens] */
#define WHISPER_BEAMS "beam_idx" /* i32 [sequences]; decoder only */
#define WHISPER_CROSS "cross.%u" /* as the encoder's output of this number */
