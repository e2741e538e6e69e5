/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Between messages and the tensors of a request.  No state of its own. */

#pragma once

#include "infer/request.h"
#include "protocol/infer.h"

/* Checks names, types and shapes of @message against @model, without running
 * anything; @stateful: an input of the state extension is allowed. */
gboolean serve_tensors_check (const InferModel *model, const char *name,
    const ProtocolInfer *message, gboolean stateful, GError **error);
/* Copies inputs into @request. */
gboolean serve_tensors_set (
    InferRequest *request, const ProtocolInfer *message, GError **error);
/* Appends copies of the outputs that @message asks for. */
gboolean serve_tensors_get (InferRequest *request, const ProtocolInfer *message,
    ProtocolInfer *response, GError **error);

/* The input of the state extension; NULL: none. */
const ProtocolTensor *serve_tensors_checkpoint (const ProtocolInfer *message);
/* Appends it as an output; takes @data. */
void serve_tensors_add_checkpoint (const ProtocolInfer *message,
    ProtocolInfer *response, guint8 *data, gsize size);
