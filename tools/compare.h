/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Comparison of tensors with a tolerance. */

#pragma once

#include "infer/tensor.h"

/* abs (got - want) <= atol + rtol abs (want); NaN equals NaN; both 0: exact.
 * Types must agree unless @any_type.  FALSE with @error, which says how many
 * elements differ, and where most. */
gboolean tool_compare (const InferTensor *got, const InferTensor *want,
    double rtol, double atol, gboolean any_type, GError **error);
