/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Errors of the runtime as status codes of gRPC and HTTP, and back. */

#pragma once

#include "infer/error.h"

/* Codes of gRPC, as the protocol numbers them. */
typedef enum
{
  PROTOCOL_GRPC_OK = 0,
  PROTOCOL_GRPC_CANCELLED = 1,
  PROTOCOL_GRPC_UNKNOWN = 2,
  PROTOCOL_GRPC_INVALID_ARGUMENT = 3,
  PROTOCOL_GRPC_DEADLINE_EXCEEDED = 4,
  PROTOCOL_GRPC_NOT_FOUND = 5,
  PROTOCOL_GRPC_PERMISSION_DENIED = 7,
  PROTOCOL_GRPC_RESOURCE_EXHAUSTED = 8,
  PROTOCOL_GRPC_FAILED_PRECONDITION = 9,
  PROTOCOL_GRPC_OUT_OF_RANGE = 11,
  PROTOCOL_GRPC_UNIMPLEMENTED = 12,
  PROTOCOL_GRPC_INTERNAL = 13,
  PROTOCOL_GRPC_UNAVAILABLE = 14,
  PROTOCOL_GRPC_UNAUTHENTICATED = 16,
} ProtocolGrpcCode;

/* What a server answers to @error; NULL: OK, 200. */
ProtocolGrpcCode protocol_status_to_grpc (const GError *error);
guint protocol_status_to_http (const GError *error);

/* The code of the error that a client reports.  A server that is draining,
 * gone or too slow is INFER_ERROR_DEVICE: another one may answer. */
InferErrorCode protocol_status_from_grpc (int code);
InferErrorCode protocol_status_from_http (guint status);

/* Of an HTTP status, "Not Found". */
const char *protocol_status_phrase (guint status);
