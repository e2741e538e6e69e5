/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/serve/front.h"

#if SERVE_HAVE_GRPC
#include "tools/serve/rpc/rpc.h"
#else
/* Left out of the build, and never called then. */
typedef void ServeRpc;
#define serve_rpc_new(server, error) NULL
#define serve_rpc_free(rpc, seconds)
#endif
#include "tools/serve/rest/rest.h"

struct _ServeFront
{
  ServeRpc *rpc;
  ServeRest *rest;
};

gboolean
serve_front_check (const ServeSettings *settings, GError **error)
{
  return SERVE_HAVE_GRPC || settings->grpc_port == 0
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "--grpc-port: this infer-serve was built without gRPC (meson "
             "option grpc, libnghttp2)");
}

ServeFront *
serve_front_new (ServeServer *server, GError **error)
{
  const ServeSettings *settings = server->settings;
  ServeFront *front = g_new0 (ServeFront, 1);
  const gboolean wants_rest =
      settings->http_port > 0 || settings->metrics_port > 0;

  if (settings->grpc_port > 0)
    front->rpc = serve_rpc_new (server, error);
  if (front->rpc != NULL || settings->grpc_port == 0) {
    front->rest = wants_rest ? serve_rest_new (server, error) : NULL;
    if (front->rest != NULL || !wants_rest)
      return front;
  }
  serve_front_free (front, 0);
  return NULL;
}

void
serve_front_free (ServeFront *front, double seconds)
{
  serve_rpc_free (front->rpc, seconds);
  serve_rest_free (front->rest, seconds);
  g_free (front);
}
