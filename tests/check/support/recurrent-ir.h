/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Models of one recurrent sequence of batch 2; arguments are numbers in quotes.
 * W is at byte 64, R at r_at, biases at b_at; rows are those of all gates. */

#pragma once

#include "tests/check/support/ir.h"

/* clang-format off */
#define IR_SEQUENCE_INPUTS(time, input, hidden, rows, w_bytes, r_at, r_bytes) \
  IR_PARAMETER (0, "x", "f32", "2," time "," input) \
  IR_PARAMETER (1, "h", "f32", "2,1," hidden) \
  IR_CONST (3, "n", "i64", "2", "0", "16") \
  IR_CONST (4, "w", "f32", "1," rows "," input, "64", w_bytes) \
  IR_CONST (5, "r", "f32", "1," rows "," hidden, r_at, r_bytes)

#define IR_LSTM(time, input, hidden, rows, w_bytes, r_at, r_bytes, b_at, b_bytes) \
  IR_NET ("11", \
    IR_SEQUENCE_INPUTS (time, input, hidden, rows, w_bytes, r_at, r_bytes) \
    IR_PARAMETER (2, "c", "f32", "2,1," hidden) \
    IR_CONST (6, "b", "f32", "1," rows, b_at, b_bytes) \
    IR_LAYER (7, "op", "LSTMSequence", "opset5", \
      IR_DATA ("hidden_size=\"" hidden "\" direction=\"forward\""), \
      IR_PORT (0) IR_PORT (1) IR_PORT (2) IR_PORT (3) IR_PORT (4) IR_PORT (5) \
      IR_PORT (6), IR_PORT (7) IR_PORT (8) IR_PORT (9)) IR_RESULT (8, "out"), \
    IR_EDGE (0, 0, 7, 0) IR_EDGE (1, 0, 7, 1) IR_EDGE (2, 0, 7, 2) \
    IR_EDGE (3, 0, 7, 3) IR_EDGE (4, 0, 7, 4) IR_EDGE (5, 0, 7, 5) \
    IR_EDGE (6, 0, 7, 6) IR_EDGE (7, 7, 8, 0), "")

#define IR_GRU(time, input, hidden, rows, w_bytes, r_at, r_bytes, b_at, linear, biases, b_bytes) \
  IR_NET ("11", \
    IR_SEQUENCE_INPUTS (time, input, hidden, rows, w_bytes, r_at, r_bytes) \
    IR_CONST (6, "b", "f32", biases, b_at, b_bytes) \
    IR_LAYER (7, "op", "GRUSequence", "opset5", \
      IR_DATA ("hidden_size=\"" hidden "\" direction=\"forward\" " \
               "linear_before_reset=\"" linear "\""), \
      IR_PORT (0) IR_PORT (1) IR_PORT (2) IR_PORT (3) IR_PORT (4) IR_PORT (5), \
      IR_PORT (7) IR_PORT (8)) IR_RESULT (8, "out"), \
    IR_EDGE (0, 0, 7, 0) IR_EDGE (1, 0, 7, 1) IR_EDGE (3, 0, 7, 2) \
    IR_EDGE (4, 0, 7, 3) IR_EDGE (5, 0, 7, 4) IR_EDGE (6, 0, 7, 5) \
    IR_EDGE (7, 7, 8, 0), "")
/* clang-format on */
