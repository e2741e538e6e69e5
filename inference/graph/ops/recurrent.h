/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of the recurrent cells and sequences: LSTM, GRU, RNN. */

#pragma once

#include <glib.h>

typedef enum
{
  INFER_CELL_LSTM,
  INFER_CELL_GRU,
  INFER_CELL_RNN,
} InferCell;

/* Activation of a gate.  All but the first three have alpha, beta or both, as
 * in the ONNX operators of those names. */
typedef enum
{
  INFER_GATE_SIGMOID,
  INFER_GATE_TANH,
  INFER_GATE_RELU,
  INFER_GATE_HARD_SIGMOID,
  INFER_GATE_AFFINE,
  INFER_GATE_LEAKY_RELU,
  INFER_GATE_THRESHOLDED_RELU,
  INFER_GATE_SCALED_TANH,
  INFER_GATE_ELU,
  INFER_GATE_SOFTSIGN,
  INFER_GATE_SOFTPLUS,
} InferGate;

typedef enum
{
  INFER_DIRECTION_FORWARD,
  INFER_DIRECTION_REVERSE,
  INFER_DIRECTION_BIDIRECTIONAL,
} InferDirection;

typedef struct
{
  InferGate kind;
  double alpha, beta;
} InferActivation;

typedef struct
{
  InferCell cell;
  gboolean sequence; /* inputs have a time and a direction dim */
  gint64 hidden_size;
  int direction;                  /* InferDirection; of sequences */
  guint n_activations;            /* 3, 2, 1 */
  InferActivation activations[3]; /* f, g, h */
  double clip;                    /* 0: none */
  gboolean linear_before_reset;   /* GRU */
  gboolean input_forget;          /* LSTMCell-1: i = 1 - f */
  /* LSTM: gate g (f, i, c, o) of W and R is their part order[g].  Only the pass
   * gate_order sets another order, for backends that ask for it. */
  guint8 order[4];
} InferRecurrent;

/* Gates of W and R: 4, 3, 1. */
guint infer_recurrent_gates (const InferRecurrent *attrs);
/* Parts of hidden_size in B: one more for linear_before_reset. */
guint infer_recurrent_biases (const InferRecurrent *attrs);
/* Index of W; R and B follow. */
guint infer_recurrent_w (const InferRecurrent *attrs);
/* Whether the gates of W and R are in another order than that of B. */
gboolean infer_recurrent_is_reordered (const InferRecurrent *attrs);
