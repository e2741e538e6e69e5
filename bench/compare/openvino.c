/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench/compare/engine.h"

#include <dlfcn.h>
#include <string.h>

#include "infer/error.h"

/* The part of OpenVINO's C API used here, from its documentation.  Handles are
 * opaque. */
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

/* Variadic: after the name a count, the result, then pairs of key and value. */
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
  Status (*core_compile_model_from_file) (const Handle *core, const char *model,
      const char *device, gsize n_properties, Handle **compiled, ...);
  Status (*compiled_model_get_property) (
      const Handle *compiled, const char *key, char **value);
  void (*free) (const char *text);
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
  SYMBOL (core_compile_model_from_file),
  SYMBOL (compiled_model_get_property),
  SYMBOL (free),
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

typedef struct
{
  Api api;
  Handle *core;
} Library;

typedef struct
{
  const Api *api;
  Handle *compiled, *output;
  GPtrArray *requests;
} Loaded;

#define MAX_PROPERTIES 8

typedef struct
{
  const char *pairs[2 * MAX_PROPERTIES];
  guint n; /* keys and values */
} Properties;

static gboolean
check (const Api *api, Status status, const char *what, GError **error)
{
  if (status == 0)
    return TRUE;
  const char *message = api->get_last_err_msg ();
  return infer_fail (error, INFER_ERROR_FAILED, "OpenVINO: %s: status %d%s%s",
      what, status, message != NULL ? ": " : "",
      message != NULL ? message : "");
}

static gboolean
load_symbols (Api *api, void *library, const char *path, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++) {
    void *symbol = dlsym (library, symbols[i].name);
    if (symbol == NULL)
      return infer_fail (
          error, INFER_ERROR_FAILED, "%s: has no %s", path, symbols[i].name);
    G_STRUCT_MEMBER (void *, api, symbols[i].offset) = symbol;
  }
  return TRUE;
}

static void
close_library (gpointer library)
{
  Library *self = library;
  if (self == NULL)
    return;
  if (self->core != NULL)
    self->api.core_free (self->core);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Library, close_library)

static gpointer
open_library (const char *peers, char **version, GError **error)
{
  g_autofree char *path = engine_find_file (peers,
      "lib/python3*/site-packages/openvino/libs/libopenvino_c.so*", error);
  if (path == NULL)
    return NULL;
  void *handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    infer_fail (
        error, INFER_ERROR_NOT_FOUND, "cannot open OpenVINO: %s", dlerror ());
    return NULL;
  }
  g_autoptr (Library) self = g_new0 (Library, 1);
  Version found = { NULL, NULL };
  if (!load_symbols (&self->api, handle, path, error))
    return NULL;
  if (self->api.get_openvino_version (&found) == 0) {
    *version = g_strdup (found.build_number);
    self->api.version_free (&found);
  }
  return g_steal_pointer (&self);
}

static void
unload (gpointer model)
{
  Loaded *self = model;
  if (self == NULL)
    return;
  if (self->output != NULL)
    self->api->tensor_free (self->output);
  for (guint i = 0; i < self->requests->len; i++)
    self->api->infer_request_free (g_ptr_array_index (self->requests, i));
  g_ptr_array_unref (self->requests);
  if (self->compiled != NULL)
    self->api->compiled_model_free (self->compiled);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Loaded, unload)

static gboolean
add_request (gpointer model, GError **error)
{
  Loaded *self = model;
  Handle *request = NULL;
  if (!check (self->api,
          self->api->compiled_model_create_infer_request (
              self->compiled, &request),
          "infer request", error))
    return FALSE;
  g_ptr_array_add (self->requests, request);
  return TRUE;
}

static void
add_property (Properties *properties, const char *key, const char *value)
{
  g_assert (properties->n + 2 <= G_N_ELEMENTS (properties->pairs));
  properties->pairs[properties->n++] = key;
  properties->pairs[properties->n++] = value;
}

static void
choose_properties (
    const EngineSettings *settings, const char *threads, Properties *chosen)
{
  add_property (chosen, "INFERENCE_NUM_THREADS", threads);
  add_property (chosen, "PERFORMANCE_HINT",
      settings->throughput ? "THROUGHPUT" : "LATENCY");
  if (!settings->throughput)
    add_property (chosen, "NUM_STREAMS", "1");
  if (settings->precision == ENGINE_F32) {
    add_property (chosen, "INFERENCE_PRECISION_HINT", "f32");
    /* Otherwise it quantises activations for products with 8-bit weights. */
    add_property (chosen, "DYNAMIC_QUANTIZATION_GROUP_SIZE", "0");
  }
  if (settings->cache_dir != NULL)
    add_property (chosen, "CACHE_DIR", settings->cache_dir);
}

#define PAIR(p, i) (p)->pairs[2 * (i)], (p)->pairs[2 * (i) + 1]
#define ALL_PAIRS(p)                                                           \
  PAIR (p, 0), PAIR (p, 1), PAIR (p, 2), PAIR (p, 3), PAIR (p, 4), PAIR (p, 5)

/* From the file if possible: with a cache it then does not read the model. */
static gboolean
compile (const Library *library, const EngineSettings *settings,
    Handle **compiled, GError **error)
{
  const Api *api = &library->api;
  g_autofree char *threads = g_strdup_printf ("%d", settings->threads);
  Properties chosen = { .n = 0 };
  Handle *model = NULL;
  choose_properties (settings, threads, &chosen);
  if (settings->weights == NULL)
    return check (api,
        api->core_compile_model_from_file (library->core, settings->model,
            "CPU", chosen.n, compiled, ALL_PAIRS (&chosen)),
        settings->model, error);
  if (!check (api,
          api->core_read_model (
              library->core, settings->model, settings->weights, &model),
          settings->model, error))
    return FALSE;
  Status status = api->core_compile_model (
      library->core, model, "CPU", chosen.n, compiled, ALL_PAIRS (&chosen));
  api->model_free (model);
  return check (api, status, settings->model, error);
}

/* The core of the process, with its first model. */
static gboolean
make_core (Library *self, GError **error)
{
  return self->core != NULL
         || check (
             &self->api, self->api.core_create (&self->core), "core", error);
}

static gpointer
load (gpointer library, const EngineSettings *settings, GError **error)
{
  g_autoptr (Loaded) self = g_new0 (Loaded, 1);
  if (!make_core (library, error))
    return NULL;
  self->api = &((Library *) library)->api;
  self->requests = g_ptr_array_new ();
  return compile (library, settings, &self->compiled, error)
                 && add_request (self, error)
             ? g_steal_pointer (&self)
             : NULL;
}

/* (transfer full, nullable) */
static char *
get_property (const Loaded *self, const char *key)
{
  char *value = NULL;
  if (self->api->compiled_model_get_property (self->compiled, key, &value) != 0)
    return NULL;
  char *copy = g_strdup (value);
  self->api->free (value);
  return copy;
}

static char *
get_precision (gpointer model)
{
  g_autofree char *sums = get_property (model, "INFERENCE_PRECISION_HINT");
  g_autofree char *group =
      get_property (model, "DYNAMIC_QUANTIZATION_GROUP_SIZE");
  if (sums == NULL)
    return NULL;
  return group != NULL && !g_str_equal (group, "0")
             ? g_strdup_printf ("%s, dynamic quantisation by %s", sums, group)
             : g_strdup (sums);
}

static guint
optimal_requests (gpointer model)
{
  g_autofree char *n = get_property (model, "OPTIMAL_NUMBER_OF_INFER_REQUESTS");
  return n != NULL ? (guint) CLAMP (g_ascii_strtoull (n, NULL, 10), 1, 1024)
                   : 1;
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

static gboolean
set_input (const Loaded *self, Handle *request, guint index,
    const InferTensor *values, GError **error)
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
  gboolean ok =
      copy_values (api, tensor, values, error)
      && check (api,
          api->infer_request_set_input_tensor_by_index (request, index, tensor),
          "set input", error);
  api->tensor_free (tensor);
  return ok;
}

static gboolean
set_inputs (gpointer model, guint request, const GArray *inputs, GError **error)
{
  const Loaded *self = model;
  for (guint i = 0; i < inputs->len; i++)
    if (!set_input (self, g_ptr_array_index (self->requests, request), i,
            g_array_index (inputs, EngineInput, i).tensor, error))
      return FALSE;
  return TRUE;
}

static gboolean
infer (gpointer model, GError **error)
{
  const Loaded *self = model;
  return check (self->api,
      self->api->infer_request_infer (g_ptr_array_index (self->requests, 0)),
      "infer", error);
}

static gboolean
start (gpointer model, guint request, GError **error)
{
  const Loaded *self = model;
  return check (self->api,
      self->api->infer_request_start_async (
          g_ptr_array_index (self->requests, request)),
      "start", error);
}

static gboolean
wait_for (gpointer model, guint request, GError **error)
{
  const Loaded *self = model;
  return check (self->api,
      self->api->infer_request_wait (
          g_ptr_array_index (self->requests, request)),
      "wait", error);
}

static gboolean
get_output (gpointer model, guint index, EngineOutput *output, GError **error)
{
  Loaded *self = model;
  const Api *api = self->api;
  void *bytes = NULL;
  if (self->output != NULL)
    api->tensor_free (self->output);
  self->output = NULL;
  if (!check (api,
          api->infer_request_get_output_tensor_by_index (
              g_ptr_array_index (self->requests, 0), index, &self->output),
          "output", error)
      || !check (api, api->tensor_data (self->output, &bytes), "output", error)
      || !check (api, api->tensor_get_byte_size (self->output, &output->size),
          "output", error))
    return FALSE;
  output->data = bytes;
  output->is_f32 = FALSE;
  return TRUE;
}

const Engine engine_openvino = {
  .name = "OpenVINO",
  .key = "openvino",
  .suffix = ".xml",
  .open = open_library,
  .close = close_library,
  .load = load,
  .unload = unload,
  .get_precision = get_precision,
  .set_inputs = set_inputs,
  .infer = infer,
  .get_output = get_output,
  .optimal_requests = optimal_requests,
  .add_request = add_request,
  .start = start,
  .wait = wait_for,
};
