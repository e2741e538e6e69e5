/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench/peer.h"

#include <dlfcn.h>
#include <string.h>

#include "inference/error.h"

/* OpenVINO's C API as its documentation describes it, as far as it is used
 * here.  Handles are opaque. */
typedef void Handle;

typedef struct
{
  const char *build_number, *description;
} Version;

typedef struct
{
  gint64 rank;
  gint64 *dims;
} Shape;

typedef int Status;
typedef int ElementType;

/* Variadic: what follows the name is a count, a place for the result, and keys
 * and values in turn. */
typedef Status CompileFunc (const Handle *core, const Handle *model,
    const char *device, gsize n_properties, Handle **compiled, ...);

typedef struct
{
  Status (*get_openvino_version) (Version *version);
  void (*version_free) (Version *version);
  const char *(*get_last_err_msg) (void);
  Status (*core_create) (Handle **core);
  void (*core_free) (Handle *core);
  Status (*core_read_model) (const Handle *core, const char *model,
      const char *weights, Handle **result);
  void (*model_free) (Handle *model);
  CompileFunc *core_compile_model;
  void (*compiled_model_free) (Handle *compiled);
  Status (*compiled_model_input_by_index) (
      const Handle *compiled, gsize index, Handle **port);
  Status (*port_get_element_type) (const Handle *port, ElementType *type);
  void (*output_const_port_free) (Handle *port);
  Status (*compiled_model_create_infer_request) (
      const Handle *compiled, Handle **request);
  void (*infer_request_free) (Handle *request);
  Status (*infer_request_set_input_tensor_by_index) (
      Handle *request, gsize index, const Handle *tensor);
  Status (*infer_request_get_output_tensor_by_index) (
      const Handle *request, gsize index, Handle **tensor);
  Status (*infer_request_infer) (Handle *request);
  Status (*infer_request_start_async) (Handle *request);
  Status (*infer_request_wait) (Handle *request);
  Status (*tensor_create) (ElementType type, Shape shape, Handle **tensor);
  Status (*tensor_data) (const Handle *tensor, void **data);
  Status (*tensor_get_byte_size) (const Handle *tensor, gsize *size);
  void (*tensor_free) (Handle *tensor);
} Api;

static const struct
{
  const char *name;
  gsize offset;
} symbols[] = {
#define SYMBOL(name)                                                           \
  {                                                                            \
    "ov_" #name, G_STRUCT_OFFSET (Api, name)                                   \
  }
  SYMBOL (get_openvino_version),
  SYMBOL (version_free),
  SYMBOL (get_last_err_msg),
  SYMBOL (core_create),
  SYMBOL (core_free),
  SYMBOL (core_read_model),
  SYMBOL (model_free),
  SYMBOL (core_compile_model),
  SYMBOL (compiled_model_free),
  SYMBOL (compiled_model_input_by_index),
  SYMBOL (port_get_element_type),
  SYMBOL (output_const_port_free),
  SYMBOL (compiled_model_create_infer_request),
  SYMBOL (infer_request_free),
  SYMBOL (infer_request_set_input_tensor_by_index),
  SYMBOL (infer_request_get_output_tensor_by_index),
  SYMBOL (infer_request_infer),
  SYMBOL (infer_request_start_async),
  SYMBOL (infer_request_wait),
  SYMBOL (tensor_create),
  SYMBOL (tensor_data),
  SYMBOL (tensor_get_byte_size),
  SYMBOL (tensor_free),
#undef SYMBOL
};

struct _Peer
{
  Api api;
  Handle *core;
  char *version;
};

struct _PeerModel
{
  const Api *api;
  Handle *compiled, *request, *output;
};

static gboolean
check (const Api *api, Status status, const char *what, GError **error)
{
  if (status == 0)
    return TRUE;
  const char *message = api->get_last_err_msg ();
  return infer_fail (error, INFER_ERROR_FAILED, "OpenVINO: %s: status %d%s%s",
      what, status, message ? ": " : "", message ? message : "");
}

static gboolean
load_symbols (Api *api, void *library, const char *path, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++) {
    void *symbol = dlsym (library, symbols[i].name);
    if (!symbol)
      return infer_fail (
          error, INFER_ERROR_FAILED, "%s: has no %s", path, symbols[i].name);
    G_STRUCT_MEMBER (void *, api, symbols[i].offset) = symbol;
  }
  return TRUE;
}

Peer *
peer_new (const char *path, GError **error)
{
  void *library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    infer_fail (
        error, INFER_ERROR_NOT_FOUND, "cannot open OpenVINO: %s", dlerror ());
    return NULL;
  }
  g_autoptr (Peer) peer = g_new0 (Peer, 1);
  Version version = { NULL, NULL };
  if (!load_symbols (&peer->api, library, path, error)
      || !check (
          &peer->api, peer->api.core_create (&peer->core), "core", error))
    return NULL;
  if (peer->api.get_openvino_version (&version) == 0) {
    peer->version = g_strdup (version.build_number);
    peer->api.version_free (&version);
  }
  return g_steal_pointer (&peer);
}

void
peer_free (Peer *peer)
{
  if (!peer)
    return;
  if (peer->core)
    peer->api.core_free (peer->core);
  g_free (peer->version);
  g_free (peer);
}

const char *
peer_get_version (const Peer *peer)
{
  return peer->version ? peer->version : "unknown";
}

PeerModel *
peer_model_new (Peer *peer, const char *xml, const char *weights, int threads,
    GError **error)
{
  const Api *api = &peer->api;
  g_autoptr (PeerModel) self = g_new0 (PeerModel, 1);
  g_autofree char *n_threads = g_strdup_printf ("%d", threads);
  Handle *model = NULL;
  self->api = api;
  if (!check (api, api->core_read_model (peer->core, xml, weights, &model), xml,
          error))
    return NULL;
  Status status =
      api->core_compile_model (peer->core, model, "CPU", 8, &self->compiled,
          "INFERENCE_PRECISION_HINT", "f32", "INFERENCE_NUM_THREADS", n_threads,
          "NUM_STREAMS", "1", "PERFORMANCE_HINT", "LATENCY");
  api->model_free (model);
  if (!check (api, status, xml, error)
      || !check (api,
          api->compiled_model_create_infer_request (
              self->compiled, &self->request),
          "infer request", error))
    return NULL;
  return g_steal_pointer (&self);
}

void
peer_model_free (PeerModel *self)
{
  if (!self)
    return;
  if (self->output)
    self->api->tensor_free (self->output);
  if (self->request)
    self->api->infer_request_free (self->request);
  if (self->compiled)
    self->api->compiled_model_free (self->compiled);
  g_free (self);
}

static gboolean
copy_values (
    const Api *api, Handle *tensor, const InferTensor *values, GError **error)
{
  gsize size = 0;
  void *data = NULL;
  if (!check (api, api->tensor_get_byte_size (tensor, &size), "tensor", error)
      || !check (api, api->tensor_data (tensor, &data), "tensor", error))
    return FALSE;
  if (size != values->size)
    return infer_fail (error, INFER_ERROR_FAILED,
        "OpenVINO's input has %" G_GSIZE_FORMAT " bytes, ours %" G_GSIZE_FORMAT,
        size, values->size);
  if (size > 0)
    memcpy (data, values->data, size);
  return TRUE;
}

gboolean
peer_model_set_input (
    PeerModel *self, guint index, const InferTensor *values, GError **error)
{
  const Api *api = self->api;
  InferShape dims = values->shape;
  Shape shape = { dims.rank, dims.dims };
  Handle *port = NULL, *tensor = NULL;
  ElementType type = 0;
  if (!check (api,
          api->compiled_model_input_by_index (self->compiled, index, &port),
          "input", error))
    return FALSE;
  Status status = api->port_get_element_type (port, &type);
  api->output_const_port_free (port);
  if (!check (api, status, "element type", error)
      || !check (
          api, api->tensor_create (type, shape, &tensor), "tensor", error))
    return FALSE;
  gboolean ok = copy_values (api, tensor, values, error)
                && check (api,
                    api->infer_request_set_input_tensor_by_index (
                        self->request, index, tensor),
                    "set input", error);
  api->tensor_free (tensor);
  return ok;
}

gboolean
peer_model_infer (PeerModel *self, GError **error)
{
  return check (self->api, self->api->infer_request_infer (self->request),
      "infer", error);
}

gboolean
peer_model_infer_async (PeerModel *self, GError **error)
{
  return check (self->api, self->api->infer_request_start_async (self->request),
             "start", error)
         && check (self->api, self->api->infer_request_wait (self->request),
             "wait", error);
}

gboolean
peer_model_get_output (PeerModel *self, guint index, gconstpointer *data,
    gsize *size, GError **error)
{
  const Api *api = self->api;
  void *bytes = NULL;
  if (self->output)
    api->tensor_free (self->output);
  self->output = NULL;
  if (!check (api,
          api->infer_request_get_output_tensor_by_index (
              self->request, index, &self->output),
          "output", error)
      || !check (api, api->tensor_data (self->output, &bytes), "output", error)
      || !check (
          api, api->tensor_get_byte_size (self->output, size), "output", error))
    return FALSE;
  *data = bytes;
  return TRUE;
}
