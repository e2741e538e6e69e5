/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a server says of a model: its metadata, and what clients of Triton look
 * up in its configuration. */

#pragma once

#include "infer/error.h"
#include "infer/tensor.h"
#include "protocol/parts.h"

/* Advertised in the extensions of the server's metadata: README.md. */
#define PROTOCOL_STATE_EXTENSION "inferfilter_state"
/* Of the protocol: binary data behind the JSON. */
#define PROTOCOL_BINARY_EXTENSION "binary_tensor_data"
/* A parameter of responses, true while the server drains: README.md. */
#define PROTOCOL_DRAINING "inferfilter_draining"
/* Parameters of the configuration start with it where they are the model's own
 * rt_info (infer_model_get_rt_info). */
#define PROTOCOL_INFO_PREFIX "model_info/"

typedef struct
{
  char *name;
  InferDesc desc; /* of a static rank; dims may be INFER_DYNAMIC */
} ProtocolPort;

typedef struct
{
  char *name, *platform;
  GPtrArray *versions;      /* char * */
  GArray *inputs, *outputs; /* ProtocolPort */
  /* Of the configuration: */
  gboolean sequences;  /* requests belong to sequences */
  gboolean decoupled;  /* answers only ModelStreamInfer */
  guint64 idle_us;     /* a sequence may be idle for; 0: not said */
  int batch;           /* max_batch_size; 0: none */
  GPtrArray *settings; /* char *: key, value, key, value, … */
} ProtocolMetadata;

ProtocolMetadata *protocol_metadata_new (const char *name);
void protocol_metadata_free (ProtocolMetadata *metadata); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProtocolMetadata, protocol_metadata_free)

/* A dynamic rank cannot be told; such a port says [-1]. */
void protocol_metadata_add_port (
    GArray *ports, const char *name, const InferDesc *desc);
/* NULL: no such setting.  @key is that of the configuration. */
const char *protocol_metadata_setting (
    const ProtocolMetadata *metadata, const char *key);

/* --- gRPC: ModelMetadataResponse, ModelConfigResponse --- */

void protocol_grpc_write_metadata (
    const ProtocolMetadata *metadata, ProtocolParts *parts);
void protocol_grpc_write_config (
    const ProtocolMetadata *metadata, ProtocolParts *parts);
/* (transfer full) */
ProtocolMetadata *protocol_grpc_read_metadata (GBytes *message, GError **error);
/* Fills the fields of the configuration. */
gboolean protocol_grpc_read_config (
    GBytes *message, ProtocolMetadata *metadata, GError **error);

/* --- REST --- */

void protocol_rest_write_metadata (
    const ProtocolMetadata *metadata, GString *json);
void protocol_rest_write_config (
    const ProtocolMetadata *metadata, GString *json);
/* (transfer full) */
ProtocolMetadata *protocol_rest_read_metadata (GBytes *body, GError **error);
gboolean protocol_rest_read_config (
    GBytes *body, ProtocolMetadata *metadata, GError **error);
