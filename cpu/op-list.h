/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every operation that the CPU backend runs, one line each, alphabetically.
 *
 * To add one: cpu/ops/NAME.c with `const CpuOp cpu_op_NAME`, the file's name in
 * cpu/meson.build, and OP (NAME) here. */

OP (assign)
OP (avg_pool)
OP (batch_norm_inference)
OP (convolution)
OP (convolution_backprop_data)
OP (ctc_greedy_decoder)
OP (ctc_greedy_decoder_seq_len)
OP (ctc_loss)
OP (dft)
OP (einsum)
OP (group_convolution)
OP (group_convolution_backprop_data)
OP (group_normalization)
OP (grouped_matmul)
OP (gru_cell)
OP (gru_sequence)
OP (idft)
OP (if)
OP (inverse)
OP (irdft)
OP (istft)
OP (loop)
OP (lstm_cell)
OP (lstm_sequence)
OP (matmul)
OP (max_pool)
OP (mvn)
OP (rdft)
OP (read_value)
OP (rnn_cell)
OP (rnn_sequence)
OP (scaled_dot_product_attention)
OP (stft)
OP (tensor_iterator)
