/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The front end of gRPC: HTTP/2 by nghttp2, with the messages of
 * protocol/grpc.h. */

#pragma once

#include "tools/serve/server.h"

typedef struct _ServeRpc ServeRpc;

/* Listens and serves.  (transfer full) */
ServeRpc *serve_rpc_new (ServeServer *server, GError **error);
/* Takes no further calls, gives those that run @seconds, cancels the rest.
 * Blocks. */
void serve_rpc_free (ServeRpc *rpc, double seconds);
