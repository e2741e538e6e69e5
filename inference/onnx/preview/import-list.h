/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ONNX (type, function, file): an operation of the domain ai.onnx.preview, and
 * what imports it. */

ONNX (FlexAttention, preview_flex_attention, flex-attention)
