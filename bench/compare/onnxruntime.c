/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <dlfcn.h>
#include <string.h>

#include "bench/compare/engine.h"
#include "bench/compare/inputs.h"
#include "infer/error.h"

#define API_VERSION 1
#define MAX_PORTS 256

/* ONNX Runtime's C API is a table of functions that only grows at its end: the
 * indices of the functions used here. */
enum
{
  GET_ERROR_MESSAGE = 2,
  CREATE_ENV = 3,
  CREATE_SESSION = 7,
  RUN = 9,
  CREATE_SESSION_OPTIONS = 10,
  SET_INTRA_OP_NUM_THREADS = 24,
  SESSION_GET_INPUT_COUNT = 30,
  SESSION_GET_OUTPUT_COUNT = 31,
  SESSION_GET_INPUT_TYPE_INFO = 33,
  SESSION_GET_INPUT_NAME = 36,
  SESSION_GET_OUTPUT_NAME = 37,
  CREATE_TENSOR_WITH_DATA = 49,
  GET_TENSOR_MUTABLE_DATA = 51,
  CAST_TYPE_INFO_TO_TENSOR_INFO = 55,
  GET_TENSOR_ELEMENT_TYPE = 60,
  GET_DIMENSIONS_COUNT = 61,
  GET_DIMENSIONS = 62,
  GET_ELEMENT_COUNT = 64,
  GET_TENSOR_TYPE_AND_SHAPE = 65,
  CREATE_CPU_MEMORY_INFO = 69,
  GET_DEFAULT_ALLOCATOR = 78,
  RELEASE_ENV = 92,
  RELEASE_STATUS = 93,
  RELEASE_MEMORY_INFO = 94,
  RELEASE_SESSION = 95,
  RELEASE_VALUE = 96,
  RELEASE_TYPE_INFO = 98,
  RELEASE_TYPE_AND_SHAPE = 99,
  RELEASE_SESSION_OPTIONS = 100,
};

/* Handles are opaque; a status is NULL for success. */
typedef void Handle;
typedef void Status;
typedef void AnyFunction (void);

typedef struct
{
  const void *(*get_api) (guint32 version);
  const char *(*get_version) (void);
} ApiBase;

typedef const char *MessageFunc (const Status *status);
typedef void ReleaseFunc (Handle *handle);
typedef Status *CreateEnvFunc (int level, const char *name, Handle **env);
typedef Status *CreateSessionFunc (const Handle *env, const char *path,
    const Handle *options, Handle **session);
typedef Status *RunFunc (Handle *session, const Handle *options,
    const char *const *input_names, const Handle *const *inputs, gsize n_inputs,
    const char *const *output_names, gsize n_outputs, Handle **outputs);
typedef Status *CreateFunc (Handle **result);
typedef Status *SetIntFunc (Handle *options, int value);
typedef Status *CountFunc (const Handle *handle, gsize *count);
typedef Status *TypeInfoFunc (
    const Handle *session, gsize index, Handle **info);
typedef Status *NameFunc (
    const Handle *session, gsize index, Handle *allocator, char **name);
typedef Status *CreateTensorFunc (const Handle *memory, void *data, gsize size,
    const gint64 *dims, gsize rank, int type, Handle **value);
typedef Status *CastFunc (const Handle *info, const Handle **tensor);
typedef Status *ElementTypeFunc (const Handle *tensor, int *type);
typedef Status *DimensionsFunc (const Handle *tensor, gint64 *dims, gsize rank);
typedef Status *DataFunc (Handle *value, void **data);
typedef Status *TypeAndShapeFunc (const Handle *value, Handle **tensor);
typedef Status *MemoryInfoFunc (int allocator, int type, Handle **info);

typedef struct
{
  AnyFunction *const *api;
  Handle *env, *memory, *allocator;
} Library;

typedef struct
{
  const Library *library;
  Handle *session;
  gsize n_inputs, n_outputs;
  /* Names belong to the allocator and are never freed. */
  char *input_names[MAX_PORTS], *output_names[MAX_PORTS];
  Handle *inputs[MAX_PORTS], *outputs[MAX_PORTS];
  InferTensor *tensors[MAX_PORTS]; /* memory of the inputs */
} Loaded;

/* The function at an index of the table, cast to its type. */
#define CALL(library, Func, place) ((Func *) (library)->api[place])

static gboolean
check (const Library *self, Status *status, const char *what, GError **error)
{
  if (status == NULL)
    return TRUE;
  infer_fail (error, INFER_ERROR_FAILED, "ONNX Runtime: %s: %s", what,
      CALL (self, MessageFunc, GET_ERROR_MESSAGE) (status));
  CALL (self, ReleaseFunc, RELEASE_STATUS) (status);
  return FALSE;
}

static void
release (const Library *self, int place, Handle *handle)
{
  if (handle != NULL)
    CALL (self, ReleaseFunc, place) (handle);
}

/* --- the library --- */

static void
close_library (gpointer library)
{
  Library *self = library;
  if (self == NULL)
    return;
  release (self, RELEASE_MEMORY_INFO, self->memory);
  release (self, RELEASE_ENV, self->env);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Library, close_library)

static gboolean
find_api (Library *self, void *handle, char **version, GError **error)
{
  const ApiBase *(*get_base) (void) = NULL;
  void *symbol = dlsym (handle, "OrtGetApiBase");
  memcpy (&get_base, &symbol, sizeof symbol);
  if (get_base == NULL)
    return infer_fail (
        error, INFER_ERROR_FAILED, "ONNX Runtime has no OrtGetApiBase");
  self->api = get_base ()->get_api (API_VERSION);
  *version = g_strdup (get_base ()->get_version ());
  return self->api != NULL
         || infer_fail (error, INFER_ERROR_FAILED,
             "ONNX Runtime has no version %d of its API", API_VERSION);
}

static gpointer
open_library (const char *peers, char **version, GError **error)
{
  g_autofree char *path = engine_find_file (peers,
      "lib/python3*/site-packages/onnxruntime/capi/libonnxruntime.so*", error);
  if (path == NULL)
    return NULL;
  void *handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) {
    infer_fail (error, INFER_ERROR_NOT_FOUND, "cannot open ONNX Runtime: %s",
        dlerror ());
    return NULL;
  }
  g_autoptr (Library) self = g_new0 (Library, 1);
  return find_api (self, handle, version, error) ? g_steal_pointer (&self)
                                                 : NULL;
}

/* The environment of the process, with its first model. */
static gboolean
make_environment (Library *self, GError **error)
{
  enum
  {
    WARNING_LEVEL = 3, /* errors only */
    ARENA = 1,
    DEFAULT_MEMORY = 0
  };
  return self->env != NULL
         || (check (self,
                 CALL (self, CreateEnvFunc, CREATE_ENV) (
                     WARNING_LEVEL, "compare", &self->env),
                 "environment", error)
             && check (self,
                 CALL (self, MemoryInfoFunc, CREATE_CPU_MEMORY_INFO) (
                     ARENA, DEFAULT_MEMORY, &self->memory),
                 "memory", error)
             && check (self,
                 CALL (self, CreateFunc, GET_DEFAULT_ALLOCATOR) (
                     &self->allocator),
                 "allocator", error));
}

/* --- a model --- */

static void
release_outputs (Loaded *self)
{
  for (gsize i = 0; i < self->n_outputs; i++) {
    release (self->library, RELEASE_VALUE, self->outputs[i]);
    self->outputs[i] = NULL;
  }
}

static void
unload (gpointer model)
{
  Loaded *self = model;
  if (self == NULL)
    return;
  release_outputs (self);
  for (gsize i = 0; i < self->n_inputs; i++) {
    release (self->library, RELEASE_VALUE, self->inputs[i]);
    infer_tensor_unref (self->tensors[i]);
  }
  release (self->library, RELEASE_SESSION, self->session);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Loaded, unload)

static gboolean
create_session (Loaded *self, const EngineSettings *settings, GError **error)
{
  const Library *library = self->library;
  Handle *options = NULL;
  if (!check (library,
          CALL (library, CreateFunc, CREATE_SESSION_OPTIONS) (&options),
          "options", error))
    return FALSE;
  gboolean ok = check (library,
                    CALL (library, SetIntFunc, SET_INTRA_OP_NUM_THREADS) (
                        options, settings->threads),
                    "threads", error)
                && check (library,
                    CALL (library, CreateSessionFunc, CREATE_SESSION) (
                        library->env, settings->model, options, &self->session),
                    settings->model, error);
  release (library, RELEASE_SESSION_OPTIONS, options);
  return ok;
}

static gboolean
find_names (
    const Loaded *self, int place, gsize n, char **names, GError **error)
{
  const Library *library = self->library;
  if (n > MAX_PORTS)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "ONNX Runtime: a model of %" G_GSIZE_FORMAT " ports", n);
  for (gsize i = 0; i < n; i++)
    if (!check (library,
            CALL (library, NameFunc, place) (
                self->session, i, library->allocator, &names[i]),
            "name", error))
      return FALSE;
  return TRUE;
}

static gpointer
load (gpointer library, const EngineSettings *settings, GError **error)
{
  g_autoptr (Loaded) self = g_new0 (Loaded, 1);
  const Library *api = self->library = library;
  gsize n_inputs = 0, n_outputs = 0;
  if (!make_environment (library, error)
      || !create_session (self, settings, error)
      || !check (api,
          CALL (api, CountFunc, SESSION_GET_INPUT_COUNT) (
              self->session, &n_inputs),
          "inputs", error)
      || !check (api,
          CALL (api, CountFunc, SESSION_GET_OUTPUT_COUNT) (
              self->session, &n_outputs),
          "outputs", error)
      || !find_names (
          self, SESSION_GET_INPUT_NAME, n_inputs, self->input_names, error)
      || !find_names (
          self, SESSION_GET_OUTPUT_NAME, n_outputs, self->output_names, error))
    return NULL;
  self->n_inputs = n_inputs;
  self->n_outputs = n_outputs;
  return g_steal_pointer (&self);
}

/* --- its inputs --- */

static const struct
{
  int onnx;
  InferType type;
} types[] = {
  { 1, INFER_TYPE_F32 },
  { 2, INFER_TYPE_U8 },
  { 3, INFER_TYPE_I8 },
  { 6, INFER_TYPE_I32 },
  { 7, INFER_TYPE_I64 },
  { 9, INFER_TYPE_BOOLEAN },
  { 10, INFER_TYPE_F16 },
  { 11, INFER_TYPE_F64 },
};

static gboolean
find_type (int onnx, InferType *type, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (types[i].onnx == onnx) {
      *type = types[i].type;
      return TRUE;
    }
  return infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "ONNX Runtime: an input of element type %d", onnx);
}

/* Dynamic dimensions are -1. */
static gboolean
describe_input (const Loaded *self, gsize index, int *onnx_type,
    InferShape *shape, GError **error)
{
  const Library *library = self->library;
  Handle *info = NULL;
  const Handle *tensor = NULL;
  gsize rank = 0;
  if (!check (library,
          CALL (library, TypeInfoFunc, SESSION_GET_INPUT_TYPE_INFO) (
              self->session, index, &info),
          "type", error))
    return FALSE;
  gboolean ok =
      check (library,
          CALL (library, CastFunc, CAST_TYPE_INFO_TO_TENSOR_INFO) (
              info, &tensor),
          "tensor", error)
      && (tensor != NULL
          || infer_fail (error, INFER_ERROR_UNSUPPORTED,
              "ONNX Runtime: input '%s' is no tensor",
              self->input_names[index]))
      && check (library,
          CALL (library, ElementTypeFunc, GET_TENSOR_ELEMENT_TYPE) (
              tensor, onnx_type),
          "element type", error)
      && check (library,
          CALL (library, CountFunc, GET_DIMENSIONS_COUNT) (tensor, &rank),
          "rank", error)
      && (rank <= INFER_MAX_RANK
          || infer_fail (error, INFER_ERROR_UNSUPPORTED,
              "ONNX Runtime: an input of rank %" G_GSIZE_FORMAT, rank));
  shape->rank = (int) rank;
  ok = ok
       && check (library,
           CALL (library, DimensionsFunc, GET_DIMENSIONS) (
               tensor, shape->dims, rank),
           "shape", error);
  release (library, RELEASE_TYPE_INFO, info);
  return ok;
}

static gboolean
set_input (Loaded *self, gsize index, const GArray *inputs, GError **error)
{
  const Library *library = self->library;
  InferShape shape = { .rank = 0 };
  InferType type = INFER_TYPE_F32;
  int onnx_type = 0;
  if (!describe_input (self, index, &onnx_type, &shape, error)
      || !find_type (onnx_type, &type, error))
    return FALSE;
  InferTensor *tensor = inputs_match (
      inputs, self->input_names[index], (guint) index, type, &shape, error);
  if (tensor == NULL)
    return FALSE;
  infer_tensor_unref (self->tensors[index]);
  self->tensors[index] = tensor;
  release (library, RELEASE_VALUE, self->inputs[index]);
  self->inputs[index] = NULL;
  return check (library,
      CALL (library, CreateTensorFunc, CREATE_TENSOR_WITH_DATA) (
          library->memory, tensor->data, tensor->size, tensor->shape.dims,
          (gsize) tensor->shape.rank, onnx_type, &self->inputs[index]),
      "input", error);
}

static gboolean
set_inputs (gpointer model, guint request, const GArray *inputs, GError **error)
{
  Loaded *self = model;
  for (gsize i = 0; i < self->n_inputs; i++)
    if (!set_input (self, i, inputs, error))
      return FALSE;
  return TRUE;
}

static gboolean
infer (gpointer model, GError **error)
{
  Loaded *self = model;
  release_outputs (self);
  return check (self->library,
      CALL (self->library, RunFunc, RUN) (self->session, NULL,
          (const char *const *) self->input_names,
          (const Handle *const *) self->inputs, self->n_inputs,
          (const char *const *) self->output_names, self->n_outputs,
          self->outputs),
      "run", error);
}

/* Values that are no tensors, and types that are not measured, are of size 0.
 */
static gboolean
get_output (gpointer model, guint index, EngineOutput *output, GError **error)
{
  Loaded *self = model;
  const Library *library = self->library;
  Handle *tensor = NULL;
  void *data = NULL;
  gsize count = 0;
  int onnx_type = 0;
  if (index >= self->n_outputs || self->outputs[index] == NULL)
    return infer_fail (
        error, INFER_ERROR_NOT_FOUND, "ONNX Runtime: no output %u", index);
  gboolean ok =
      check (library,
          CALL (library, TypeAndShapeFunc, GET_TENSOR_TYPE_AND_SHAPE) (
              self->outputs[index], &tensor),
          "shape of an output", error)
      && check (library,
          CALL (library, ElementTypeFunc, GET_TENSOR_ELEMENT_TYPE) (
              tensor, &onnx_type),
          "element type", error)
      && check (library,
          CALL (library, CountFunc, GET_ELEMENT_COUNT) (tensor, &count),
          "elements", error)
      && check (library,
          CALL (library, DataFunc, GET_TENSOR_MUTABLE_DATA) (
              self->outputs[index], &data),
          "data", error);
  release (library, RELEASE_TYPE_AND_SHAPE, tensor);
  gboolean is_f32 = onnx_type == types[0].onnx;
  *output = (EngineOutput){ data, is_f32 ? count * sizeof (float) : 0, is_f32 };
  return ok;
}

const Engine engine_onnxruntime = {
  .name = "ONNX Runtime",
  .key = "onnxruntime",
  .suffix = ".onnx",
  .open = open_library,
  .close = close_library,
  .load = load,
  .unload = unload,
  .set_inputs = set_inputs,
  .infer = infer,
  .get_output = get_output,
};
