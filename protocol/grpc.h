/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages of inference as protocol buffers.  Messages are untrusted: one that
 * is malformed is INFER_ERROR_INVALID_ARGUMENT.
 *
 * Readers: tensors' memory is that of @message, which the result keeps, except
 * for typed contents.  Writers borrow tensors' memory. */

#pragma once

#include "protocol/infer.h"
#include "protocol/parts.h"

/* (transfer full) */
ProtocolInfer *protocol_grpc_read_request (GBytes *message, GError **error);
ProtocolInfer *protocol_grpc_read_response (GBytes *message, GError **error);
/* An answer of ModelStreamInfer: *@infer (transfer full) is NULL if it only
 * brings an error, *@failure (transfer full) NULL if it brings none.  Triton
 * fills both where it knows which request has failed. */
gboolean protocol_grpc_read_stream_response (
    GBytes *message, ProtocolInfer **infer, char **failure, GError **error);

void protocol_grpc_write_request (
    const ProtocolInfer *infer, ProtocolParts *parts);
void protocol_grpc_write_response (
    const ProtocolInfer *infer, ProtocolParts *parts);
/* Both nullable. */
void protocol_grpc_write_stream_response (
    const ProtocolInfer *infer, const char *failure, ProtocolParts *parts);
