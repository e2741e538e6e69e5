/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "protocol/status.h"

/* The first row of a gRPC code or HTTP status is what it means to a client. */
static const struct
{
  InferErrorCode error;
  ProtocolGrpcCode grpc;
  guint http;
} statuses[] = {
  { INFER_ERROR_CANCELLED, PROTOCOL_GRPC_CANCELLED, 499 },
  { INFER_ERROR_INVALID_ARGUMENT, PROTOCOL_GRPC_INVALID_ARGUMENT, 400 },
  { INFER_ERROR_NOT_FOUND, PROTOCOL_GRPC_NOT_FOUND, 404 },
  { INFER_ERROR_NO_MEMORY, PROTOCOL_GRPC_RESOURCE_EXHAUSTED, 429 },
  { INFER_ERROR_INVALID_MODEL, PROTOCOL_GRPC_FAILED_PRECONDITION, 409 },
  { INFER_ERROR_INVALID_DATA, PROTOCOL_GRPC_OUT_OF_RANGE, 422 },
  { INFER_ERROR_UNSUPPORTED, PROTOCOL_GRPC_UNIMPLEMENTED, 501 },
  { INFER_ERROR_FAILED, PROTOCOL_GRPC_INTERNAL, 500 },
  { INFER_ERROR_DEVICE, PROTOCOL_GRPC_UNAVAILABLE, 503 },
  { INFER_ERROR_BUSY, PROTOCOL_GRPC_UNAVAILABLE, 503 },
  /* Read only: what other servers and proxies answer. */
  { INFER_ERROR_DEVICE, PROTOCOL_GRPC_DEADLINE_EXCEEDED, 504 },
  { INFER_ERROR_DEVICE, PROTOCOL_GRPC_DEADLINE_EXCEEDED, 502 },
  { INFER_ERROR_DEVICE, PROTOCOL_GRPC_DEADLINE_EXCEEDED, 408 },
};

static const struct
{
  guint status;
  const char *phrase;
} phrases[] = {
  { 200, "OK" },
  { 400, "Bad Request" },
  { 401, "Unauthorized" },
  { 403, "Forbidden" },
  { 404, "Not Found" },
  { 405, "Method Not Allowed" },
  { 408, "Request Timeout" },
  { 409, "Conflict" },
  { 413, "Content Too Large" },
  { 415, "Unsupported Media Type" },
  { 422, "Unprocessable Content" },
  { 429, "Too Many Requests" },
  { 431, "Request Header Fields Too Large" },
  { 499, "Client Closed Request" },
  { 500, "Internal Server Error" },
  { 501, "Not Implemented" },
  { 502, "Bad Gateway" },
  { 503, "Service Unavailable" },
  { 504, "Gateway Timeout" },
  { 505, "HTTP Version Not Supported" },
};

static guint
find_error (const GError *error)
{
  const InferErrorCode code = error->domain == INFER_ERROR
                                  ? (InferErrorCode) error->code
                                  : INFER_ERROR_FAILED;

  for (guint i = 0; i < G_N_ELEMENTS (statuses); i++)
    if (statuses[i].error == code)
      return i;
  const GError failed = { INFER_ERROR, INFER_ERROR_FAILED, NULL };
  return find_error (&failed);
}

ProtocolGrpcCode
protocol_status_to_grpc (const GError *error)
{
  return error != NULL ? statuses[find_error (error)].grpc : PROTOCOL_GRPC_OK;
}

guint
protocol_status_to_http (const GError *error)
{
  return error != NULL ? statuses[find_error (error)].http : 200;
}

InferErrorCode
protocol_status_from_grpc (int code)
{
  for (guint i = 0; i < G_N_ELEMENTS (statuses); i++)
    if ((int) statuses[i].grpc == code)
      return statuses[i].error;
  return INFER_ERROR_FAILED;
}

InferErrorCode
protocol_status_from_http (guint status)
{
  for (guint i = 0; i < G_N_ELEMENTS (statuses); i++)
    if (statuses[i].http == status)
      return statuses[i].error;
  return status / 100 == 4 ? INFER_ERROR_INVALID_ARGUMENT : INFER_ERROR_FAILED;
}

const char *
protocol_status_phrase (guint status)
{
  for (guint i = 0; i < G_N_ELEMENTS (phrases); i++)
    if (phrases[i].status == status)
      return phrases[i].phrase;
  return "Unknown";
}
