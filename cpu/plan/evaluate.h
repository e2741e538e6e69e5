/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "cpu/base/scope.h"

/* Computes one operation on whole tensors, for the model.  @outputs (transfer
 * full). */
gboolean cpu_evaluate (CpuScope *scope, const InferOperation *op,
    InferTensor *const *inputs, InferTensor **outputs, GError **error);
