/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages of inference over HTTP: JSON, and behind it the data of tensors that
 * are sent as bytes (the binary tensor data extension).
 *
 * Messages are untrusted: one that is malformed is
 * INFER_ERROR_INVALID_ARGUMENT. */

#pragma once

#include "protocol/infer.h"
#include "protocol/parts.h"

/* Says how many bytes of a body are JSON. */
#define PROTOCOL_REST_HEADER "Inference-Header-Content-Length"

/* @json_size: the value of PROTOCOL_REST_HEADER, < 0 without it.  The model's
 * name and version are in the URL of a request and are left empty.  Binary
 * tensors' memory is that of @body, which the result keeps.  (transfer full) */
ProtocolInfer *protocol_rest_read_request (
    GBytes *body, gssize json_size, GError **error);
ProtocolInfer *protocol_rest_read_response (
    GBytes *body, gssize json_size, GError **error);

/* Tensors with `binary` set go behind the JSON; @json_size (out) is for
 * PROTOCOL_REST_HEADER, -1 if the header is not needed.  An error if a tensor
 * cannot be written in JSON: NaN, infinities, BYTES that are no UTF-8. */
gboolean protocol_rest_write_request (const ProtocolInfer *infer,
    ProtocolParts *parts, gssize *json_size, GError **error);
gboolean protocol_rest_write_response (const ProtocolInfer *infer,
    ProtocolParts *parts, gssize *json_size, GError **error);

/* {"error":"…"} (transfer full) */
char *protocol_rest_write_error (const char *message);
/* What a server says in such a body; NULL: the body is none.  (transfer full)
 */
char *protocol_rest_read_error (GBytes *body);
