/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Outputs as files, and as a line each. */

#pragma once

#include "infer/request.h"

/* Writes the outputs to @dir, which is made, as out_<k>.npy, and prints name,
 * type, shape, range and file of each. */
gboolean tool_write_outputs (InferRequest *request, const InferModel *model,
    const char *dir, GError **error);

/* "from -1 to 2.5, mean 0.25; 3 NaN"; values that are not finite only count.
 * (transfer full) */
char *tool_summarise (const InferTensor *tensor);
