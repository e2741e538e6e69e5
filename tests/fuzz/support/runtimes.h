/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The runtimes of the process: made once, used by every execution. */

#pragma once

#include "infer/runtime.h"
#include "tests/fuzz/support/container.h"

InferRuntime *fuzz_runtime (const FuzzInput *input);
