/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every operation class, one line each, in alphabetical order.
 *
 * To add an operation: write inference/ops/NAME.c with
 * `const InferOpClass infer_op_NAME`, put the file into inference/meson.build
 * and OP (NAME) here; then its kernel in cpu/ops/NAME.c with a line in
 * cpu/op-list.h, and a case in tests/cases. */

OP (adaptive_avg_pool)
OP (adaptive_max_pool)
OP (avg_pool)
OP (binary_convolution)
OP (convolution)
OP (convolution_backprop_data)
OP (deformable_convolution)
OP (group_convolution)
OP (group_convolution_backprop_data)
OP (max_pool)
OP (batch_norm_inference)
OP (einsum)
OP (group_normalization)
OP (grouped_matmul)
OP (gru_cell)
OP (gru_sequence)
OP (inverse)
OP (lstm_cell)
OP (lstm_sequence)
OP (matmul)
OP (mvn)
OP (rnn_cell)
OP (rnn_sequence)
OP (scaled_dot_product_attention)
