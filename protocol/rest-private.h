/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the files of rest.h share. */

#pragma once

#include "inference/base/json.h"
#include "protocol/tensor.h"

/* Fills @tensor from its "data", nested arrays or a flat one. */
gboolean protocol_rest_read_data (
    ProtocolTensor *tensor, InferJsonValue data, GError **error);
/* Appends the values as a flat array. */
gboolean protocol_rest_write_data (
    const ProtocolTensor *tensor, GString *json, GError **error);
