/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "infer/model.h"
#include "tests/fuzz/support/container.h"

/* Changes @model if it is small, compiles it, and runs it twice with different
 * shapes, as the control bytes of @input say. */
void fuzz_execute (InferModel *model, FuzzInput *input);
