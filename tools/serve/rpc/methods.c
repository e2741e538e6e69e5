/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The methods of the service. */

#include "inference.pb-c.h"
#include "protocol/grpc-private.h"
#include "tools/serve/rpc/private.h"

static void
reply_message (RpcCall *call, gconstpointer message)
{
  g_auto (ProtocolParts) parts;

  protocol_parts_init (&parts);
  protocol_pack (message, &parts);
  rpc_call_reply (call, &parts, NULL);
}

/* A request that is read; NULL: the call has failed. */
static gpointer
unpack (RpcCall *call, const ProtobufCMessageDescriptor *descriptor,
    GBytes *message, ProtocolAllocator *allocator)
{
  g_autoptr (GError) error = NULL;
  gsize size;
  const guint8 *data = g_bytes_get_data (message, &size);
  gpointer request = protocol_unpack (
      descriptor, descriptor->short_name, data, size, allocator, &error);

  if (request == NULL)
    rpc_call_fail (call, error);
  return request;
}

static void
release (gpointer request, ProtocolAllocator *allocator)
{
  protobuf_c_message_free_unpacked (request, &allocator->allocator);
}

/* --- health --- */

static void
server_live (RpcCall *call, GBytes *message)
{
  Inference__ServerLiveResponse response =
      INFERENCE__SERVER_LIVE_RESPONSE__INIT;

  response.live = TRUE;
  reply_message (call, &response);
}

static void
server_ready (RpcCall *call, GBytes *message)
{
  Inference__ServerReadyResponse response =
      INFERENCE__SERVER_READY_RESPONSE__INIT;

  response.ready = serve_server_is_ready (call->server);
  reply_message (call, &response);
}

static void
model_ready (RpcCall *call, GBytes *message)
{
  Inference__ModelReadyResponse response =
      INFERENCE__MODEL_READY_RESPONSE__INIT;
  ProtocolAllocator allocator;
  Inference__ModelReadyRequest *request = unpack (
      call, &inference__model_ready_request__descriptor, message, &allocator);

  if (request == NULL)
    return;
  g_autoptr (ServeModel) model = serve_repository_find (
      call->server->repository, request->name, request->version, NULL);
  response.ready = model != NULL && serve_server_is_ready (call->server);
  release (request, &allocator);
  reply_message (call, &response);
}

/* grpc.health.v1, which Kubernetes asks: field 1 of the answer is 1 for
 * "serving", 2 for "not serving". */
static void
health_check (RpcCall *call, GBytes *message)
{
  const guint8 answer[] = { 1 << 3,
    serve_server_is_ready (call->server) ? 1 : 2 };
  g_auto (ProtocolParts) parts;

  protocol_parts_init (&parts);
  protocol_parts_append (&parts, answer, sizeof answer);
  rpc_call_reply (call, &parts, NULL);
}

/* --- metadata --- */

static void
server_metadata (RpcCall *call, GBytes *message)
{
  Inference__ServerMetadataResponse response =
      INFERENCE__SERVER_METADATA_RESPONSE__INIT;
  char name[] = SERVE_NAME, version[] = PROJECT_VERSION;

  response.name = name;
  response.version = version;
  response.n_extensions = g_strv_length ((char **) (guintptr) serve_extensions);
  response.extensions = (char **) (guintptr) serve_extensions;
  reply_message (call, &response);
}

static void
describe (RpcCall *call, const char *name, const char *version,
    void (*write) (const ProtocolMetadata *metadata, ProtocolParts *parts))
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ProtocolMetadata) metadata =
      serve_server_describe (call->server, name, version, &error);
  g_auto (ProtocolParts) parts;

  protocol_parts_init (&parts);
  if (metadata == NULL) {
    rpc_call_fail (call, error);
    return;
  }
  write (metadata, &parts);
  rpc_call_reply (call, &parts, NULL);
}

static void
model_metadata (RpcCall *call, GBytes *message)
{
  ProtocolAllocator allocator;
  Inference__ModelMetadataRequest *request = unpack (call,
      &inference__model_metadata_request__descriptor, message, &allocator);

  if (request == NULL)
    return;
  describe (
      call, request->name, request->version, protocol_grpc_write_metadata);
  release (request, &allocator);
}

static void
model_config (RpcCall *call, GBytes *message)
{
  ProtocolAllocator allocator;
  Inference__ModelConfigRequest *request = unpack (
      call, &inference__model_config_request__descriptor, message, &allocator);

  if (request == NULL)
    return;
  describe (call, request->name, request->version, protocol_grpc_write_config);
  release (request, &allocator);
}

static void
model_statistics (RpcCall *call, GBytes *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) models = NULL;
  g_auto (ProtocolParts) parts;
  ProtocolAllocator allocator;
  Inference__ModelStatisticsRequest *request = unpack (call,
      &inference__model_statistics_request__descriptor, message, &allocator);

  protocol_parts_init (&parts);
  if (request == NULL)
    return;
  g_autoptr (GArray) list = serve_server_statistics (
      call->server, request->name, request->version, &models, &error);
  release (request, &allocator);
  if (list == NULL) {
    rpc_call_fail (call, error);
    return;
  }
  serve_statistics_to_grpc (
      (const ServeStatistics *) (gpointer) list->data, list->len, &parts);
  rpc_call_reply (call, &parts, NULL);
}

/* --- inference --- */

static void
on_infer_done (ProtocolInfer *response, const GError *error, gpointer data)
{
  RpcCall *call = data;
  g_auto (ProtocolParts) parts;

  protocol_parts_init (&parts);
  if (error != NULL) {
    rpc_call_fail (call, error);
    return;
  }
  protocol_grpc_write_response (response, &parts);
  rpc_call_reply (call, &parts, response);
}

static void
model_infer (RpcCall *call, GBytes *message)
{
  g_autoptr (GError) error = NULL;
  ProtocolInfer *request = protocol_grpc_read_request (message, &error);

  if (request == NULL)
    rpc_call_fail (call, error);
  else
    serve_server_infer (
        call->server, request, &call->gone, on_infer_done, call);
}

/* --- repository --- */

static void
repository_index (RpcCall *call, GBytes *message)
{
  Inference__RepositoryIndexResponse response =
      INFERENCE__REPOSITORY_INDEX_RESPONSE__INIT;
  ProtocolAllocator allocator;
  Inference__RepositoryIndexRequest *request = unpack (call,
      &inference__repository_index_request__descriptor, message, &allocator);
  char ready[] = "READY", unavailable[] = "UNAVAILABLE",
       unloaded[] = "unloaded", none[] = "";

  if (request == NULL)
    return;
  g_autoptr (GArray) entries = serve_repository_list (call->server->repository);
  g_autofree Inference__ModelIndex *models =
      g_new (Inference__ModelIndex, MAX (entries->len, 1));
  g_autofree Inference__ModelIndex **list =
      g_new (Inference__ModelIndex *, MAX (entries->len, 1));
  for (guint i = 0; i < entries->len; i++) {
    const ServeEntry *entry = &g_array_index (entries, ServeEntry, i);

    if (request->ready && !entry->ready)
      continue;
    Inference__ModelIndex *model = &models[i];
    inference__model_index__init (model);
    model->name = entry->name;
    model->version = entry->version;
    model->state = entry->ready ? ready : unavailable;
    model->reason = entry->ready            ? none
                    : entry->reason != NULL ? entry->reason
                                            : unloaded;
    list[response.n_models++] = model;
  }
  response.models = list;
  release (request, &allocator);
  reply_message (call, &response);
}

/* *@config: NULL without it. */
static gboolean
read_load_parameters (const Inference__RepositoryModelLoadRequest *request,
    const char **config, GError **error)
{
  *config = NULL;
  for (gsize i = 0; i < request->n_parameters; i++) {
    const Inference__RepositoryParameterEntry *entry = request->parameters[i];

    if (!serve_model_settings_check_key (entry->key, error))
      return FALSE;
    if (entry->value == NULL
        || entry->value->parameter_choice_case
               != INFERENCE__REPOSITORY_PARAMETER__PARAMETER_CHOICE_STRING_PARAM)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "parameter '%s' must be a string", entry->key);
    *config = entry->value->string_param;
  }
  return TRUE;
}

static void
repository_load (RpcCall *call, GBytes *message)
{
  Inference__RepositoryModelLoadResponse response =
      INFERENCE__REPOSITORY_MODEL_LOAD_RESPONSE__INIT;
  ProtocolAllocator allocator;
  g_autoptr (GError) error = NULL;
  Inference__RepositoryModelLoadRequest *request =
      unpack (call, &inference__repository_model_load_request__descriptor,
          message, &allocator);

  if (request == NULL)
    return;
  const char *config;
  const gboolean done = read_load_parameters (request, &config, &error)
                        && serve_repository_load (call->server->repository,
                            request->model_name, config, &error);
  release (request, &allocator);
  if (done)
    reply_message (call, &response);
  else
    rpc_call_fail (call, error);
}

static void
repository_unload (RpcCall *call, GBytes *message)
{
  Inference__RepositoryModelUnloadResponse response =
      INFERENCE__REPOSITORY_MODEL_UNLOAD_RESPONSE__INIT;
  ProtocolAllocator allocator;
  g_autoptr (GError) error = NULL;
  Inference__RepositoryModelUnloadRequest *request =
      unpack (call, &inference__repository_model_unload_request__descriptor,
          message, &allocator);

  if (request == NULL)
    return;
  const gboolean done = serve_repository_unload (
      call->server->repository, request->model_name, &error);
  release (request, &allocator);
  if (done)
    reply_message (call, &response);
  else
    rpc_call_fail (call, error);
}

static const RpcMethod methods[] = {
  { RPC_SERVICE "ModelInfer", model_infer, FALSE, FALSE },
  { RPC_SERVICE "ModelStreamInfer", NULL, FALSE, FALSE },
  { RPC_SERVICE "ServerLive", server_live, TRUE, FALSE },
  { RPC_SERVICE "ServerReady", server_ready, TRUE, FALSE },
  { RPC_SERVICE "ModelReady", model_ready, FALSE, FALSE },
  { RPC_SERVICE "ServerMetadata", server_metadata, FALSE, FALSE },
  { RPC_SERVICE "ModelMetadata", model_metadata, FALSE, FALSE },
  { RPC_SERVICE "ModelConfig", model_config, FALSE, FALSE },
  { RPC_SERVICE "ModelStatistics", model_statistics, FALSE, FALSE },
  { RPC_SERVICE "RepositoryIndex", repository_index, FALSE, FALSE },
  { RPC_SERVICE "RepositoryModelLoad", repository_load, FALSE, TRUE },
  { RPC_SERVICE "RepositoryModelUnload", repository_unload, FALSE, TRUE },
  { "/grpc.health.v1.Health/Check", health_check, TRUE, FALSE },
};

const RpcMethod *
rpc_method_find (const char *path, gsize length)
{
  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    if (rpc_is_text (path, length, methods[i].name))
      return &methods[i];
  return NULL;
}
