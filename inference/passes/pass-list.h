/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every pass, in the order in which they run.
 *
 * To add a pass: some-name.c in this folder with `const InferPass
 * infer_pass_some_name` (see pass.h) and PASS (some_name) here; Meson derives
 * the file's name.  Its cases: tests/check/inference/passes/passes.c. */

PASS (widen_sub_byte)
PASS (single_precision)
PASS (no_operations)
PASS (gate_order)
PASS (keep_compressed)
PASS (constant_folding)
PASS (inline_bodies)
PASS (common_subexpressions)
PASS (einsum)
PASS (convolution_affine)
PASS (activations)
PASS (layer_norm)
PASS (transposed_interpolate)
