/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every pass, in the order in which they run.
 *
 * To add one: inference/passes/NAME.c with `const InferPass infer_pass_NAME`
 * (see pass.h), the file's name in inference/passes/meson.build, a line here
 * and its cases in tests/check/inference/passes/passes.c. */

PASS (whole_bytes)
PASS (single_precision)
PASS (no_operations)
PASS (constant_folding)
PASS (inline_bodies)
PASS (common_subexpressions)
PASS (einsum)
PASS (activations)
PASS (layer_norm)
PASS (turned_interpolate)
