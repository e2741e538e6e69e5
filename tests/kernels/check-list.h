/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One line for each kernel that is checked. */

CHECK (binary_f32)
CHECK (conv_depthwise_f32)
CHECK (conv_tile_f32)
CHECK (dot_f32)
CHECK (dot_rows_f32)
CHECK (f16_to_f32)
CHECK (f32_to_f16)
CHECK (fake_quantize_f32)
CHECK (gemm_f16)
CHECK (gemm_f32)
CHECK (gemm_i8)
CHECK (gru_gates_f32)
CHECK (gru_linear_f32)
CHECK (gru_state_f32)
CHECK (log_softmax_f32)
CHECK (lstm_f32)
CHECK (moments_f32)
CHECK (pool_box_f32)
CHECK (reduce_f32)
CHECK (rnn_f32)
CHECK (softmax_f32)
CHECK (unary_f32)
