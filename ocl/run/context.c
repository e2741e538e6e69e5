/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/run/context.h"

#include "inference/runtime/state-backend.h"
#include "ocl/passes/pass.h"
#include "ocl/run/enqueue.h"
#include "ocl/run/ports.h"

#include <string.h>

/* Bounds the memory of inputs whose shapes keep changing. */
#define MAX_PLANS 32
/* Bounds the compilations for them. */
#define MAX_TEXTS 8

typedef struct
{
  OclPlan *plan;
  OclRecordings *recordings; /* nullable */
} Planned;

struct _OclContext
{
  OclScope *scope;
  OclStream *stream;
  const InferModel *model;
  guint n_inputs, n_variables;
  OclPorts ports;
  OclBuffer **next;
  OclBuffer **states; /* values of variables, uploaded from the host */
  OclBuffer **bound;  /* values of variables that this run reads; counted */
  OclKey key;         /* while looking for a plan */
  GPtrArray *plans;   /* (element-type Planned) */
  Planned *planned;   /* of the last run */
  guint texts_left;   /* see ocl_plan_new */
  guint64 clock;
  cl_event done;              /* while running */
  InferState *const *running; /* its variables */
};

static gboolean
fits (const OclPlan *plan, const OclKey *key)
{
  for (guint i = 0; i < key->n; i++) {
    const InferDesc *a = &plan->key.descs[i], *b = &key->descs[i];

    if (a->type != b->type
        || (a->type != INFER_TYPE_DYNAMIC
            && !infer_shape_equal (&a->shape, &b->shape)))
      return FALSE;
  }
  return TRUE;
}

static void
planned_free (Planned *planned)
{
  ocl_recordings_free (planned->recordings);
  ocl_plan_free (planned->plan);
  g_free (planned);
}

static void
drop_oldest (OclContext *self)
{
  guint oldest = 0;

  for (guint i = 1; i < self->plans->len; i++)
    if (((Planned *) self->plans->pdata[i])->plan->used
        < ((Planned *) self->plans->pdata[oldest])->plan->used)
      oldest = i;
  if (self->plans->pdata[oldest] == self->planned)
    self->planned = NULL;
  g_ptr_array_remove_index_fast (self->plans, oldest);
}

static Planned *
plan_for_key (OclContext *self, GError **error)
{
  if (self->planned != NULL && fits (self->planned->plan, &self->key))
    return self->planned;
  for (guint i = 0; i < self->plans->len; i++)
    if (fits (((Planned *) self->plans->pdata[i])->plan, &self->key))
      return self->plans->pdata[i];
  if (self->plans->len >= MAX_PLANS)
    drop_oldest (self);
  OclPlan *plan =
      ocl_plan_new (self->scope, self->model, &self->key, &self->texts_left);
  if (!ocl_passes_run (plan, error)) {
    ocl_plan_free (plan);
    return NULL;
  }
  Planned *planned = g_new0 (Planned, 1);
  planned->plan = plan;
  planned->recordings = ocl_recordings_new (plan);
  g_ptr_array_add (self->plans, planned);
  return planned;
}

/* Plans a model of static shapes when it is compiled, so that errors show
 * then. */
static gboolean
plan_ahead (OclContext *self, GError **error)
{
  for (guint i = 0; i < self->n_inputs; i++) {
    self->key.descs[i] = *infer_model_input_desc (self->model, i);
    if (self->key.descs[i].type == INFER_TYPE_DYNAMIC
        || !infer_shape_is_static (&self->key.descs[i].shape))
      return TRUE;
  }
  for (guint v = 0; v < self->n_variables; v++)
    self->key.descs[self->n_inputs + v] =
        (InferDesc){ INFER_TYPE_DYNAMIC, infer_shape_dynamic () };
  return plan_for_key (self, error) != NULL;
}

OclContext *
ocl_context_new (OclScope *scope, const InferModel *model, GError **error)
{
  OclContext *self = g_new0 (OclContext, 1);
  guint stream = (guint) g_atomic_int_add (&scope->next_stream, 1);

  self->scope = scope;
  self->stream = &scope->streams[stream % scope->n_streams];
  self->model = model;
  self->texts_left = MAX_TEXTS;
  self->n_inputs = infer_model_n_inputs (model);
  self->n_variables = infer_model_n_variables (model);
  ocl_ports_init (&self->ports, scope, self->stream->copy, self->n_inputs,
      infer_model_n_outputs (model));
  self->states = g_new0 (OclBuffer *, self->n_variables + 1);
  self->next = g_new0 (OclBuffer *, self->n_variables + 1);
  self->bound = g_new0 (OclBuffer *, self->n_variables + 1);
  self->key.n = self->n_inputs + self->n_variables;
  self->key.descs = g_new0 (InferDesc, self->key.n + 1);
  self->plans = g_ptr_array_new_with_free_func ((GDestroyNotify) planned_free);
  if (plan_ahead (self, error))
    return self;
  ocl_context_free (self);
  return NULL;
}

static void
free_buffers (OclBuffer **buffers, guint n)
{
  for (guint i = 0; i < n; i++)
    ocl_buffer_unref (buffers[i]);
  g_free (buffers);
}

void
ocl_context_free (OclContext *self)
{
  if (self == NULL)
    return;
  if (self->done != NULL) {
    ocl_api.clWaitForEvents (1, &self->done);
    ocl_api.clReleaseEvent (self->done);
  }
  g_ptr_array_unref (self->plans);
  ocl_ports_clear (&self->ports);
  free_buffers (self->states, self->n_variables);
  free_buffers (self->next, self->n_variables);
  free_buffers (self->bound, self->n_variables);
  g_free (self->key.descs);
  g_free (self);
}

/* --- transfers --- */

gboolean
ocl_context_upload (
    OclContext *self, InferTensor *const *inputs, GError **error)
{
  return ocl_ports_upload (&self->ports, inputs, error);
}

gboolean
ocl_context_download (OclContext *self, InferTensor **outputs, GError **error)
{
  return ocl_ports_download (&self->ports, self->planned->plan, outputs, error);
}

InferTensor *
ocl_context_tensor (
    OclContext *self, InferType type, const InferShape *shape, GError **error)
{
  return ocl_host_tensor_new (self->scope, type, shape, error);
}

/* --- variables --- */

/* A variable's value in device memory; may outlive the runtime. */
typedef struct
{
  OclBuffer *buffer;
  cl_command_queue queue;
} Kept;

static gboolean
kept_fetch (gpointer data, InferTensor *into, GError **error)
{
  const Kept *kept = data;

  return into->size == 0
         || ocl_check (
             ocl_api.clEnqueueReadBuffer (kept->queue, kept->buffer->mem,
                 CL_TRUE, 0, into->size, into->data, 0, NULL, NULL),
             "clEnqueueReadBuffer", error);
}

static void
kept_free (gpointer data)
{
  Kept *kept = data;

  ocl_buffer_unref (kept->buffer);
  ocl_api.clReleaseCommandQueue (kept->queue);
  g_free (kept);
}

static const InferStateKeeper keeper = { kept_fetch, kept_free };

/* A value in this context's device memory is read in place. */
static gboolean
bind_state (OclContext *self, guint v, InferState *state, GError **error)
{
  const Kept *kept =
      infer_state_peek_kept (state, &keeper, self->scope->context);

  g_clear_pointer (&self->bound[v], ocl_buffer_unref);
  if (kept != NULL) {
    self->bound[v] = ocl_buffer_ref (kept->buffer);
    return TRUE;
  }
  const InferTensor *value = infer_state_peek (state);
  if (value == NULL)
    return self->key.descs[self->n_inputs + v].type == INFER_TYPE_DYNAMIC
           || infer_fail (error, INFER_ERROR_DEVICE,
               "variable '%s' was lost with its device",
               infer_state_get_name (state));
  if (!ocl_ports_write (
          &self->ports, OCL_MEMORY_DEVICE, &self->states[v], value, error))
    return FALSE;
  self->bound[v] = ocl_buffer_ref (self->states[v]);
  return TRUE;
}

static gboolean
bind_states (OclContext *self, InferState *const *states, GError **error)
{
  for (guint v = 0; v < self->n_variables; v++)
    if (!bind_state (self, v, states[v], error))
      return FALSE;
  return TRUE;
}

static gboolean
commit_state (OclContext *self, guint v, InferState *state, GError **error)
{
  const OclValue *value = self->planned->plan->next[v];

  if (value->host != NULL) {
    InferTensor *next =
        infer_state_next (state, value->desc.type, &value->desc.shape, error);

    if (next == NULL)
      return FALSE;
    if (value->bytes > 0)
      memcpy (next->data, value->host->data, value->bytes);
    infer_state_commit (state);
    return TRUE;
  }
  if (!ocl_check (ocl_api.clRetainCommandQueue (self->stream->copy),
          "clRetainCommandQueue", error))
    return FALSE;
  Kept *kept = g_new0 (Kept, 1);
  kept->queue = self->stream->copy;
  kept->buffer = g_steal_pointer (&self->next[v]);
  return infer_state_commit_kept (
      state, &keeper, self->scope->context, kept, &value->desc, error);
}

/* The buffer of the previous value becomes that of the next. */
static void
recycle (OclContext *self, guint v)
{
  OclBuffer *before = g_steal_pointer (&self->bound[v]);

  if (before != NULL && self->next[v] == NULL
      && g_atomic_int_get (&before->refs) == 1)
    self->next[v] = before;
  else
    ocl_buffer_unref (before);
}

/* A failed run changes no variable: allocates for all before it commits any. */
static gboolean
commit_states (OclContext *self, InferState *const *states, GError **error)
{
  gboolean ok = TRUE;

  for (guint v = 0; ok && v < self->n_variables; v++) {
    const OclValue *value = self->planned->plan->next[v];

    ok = value == NULL
         || infer_state_next (
                states[v], value->desc.type, &value->desc.shape, error)
                != NULL;
  }
  for (guint v = 0; v < self->n_variables; v++) {
    ok = ok
         && (self->planned->plan->next[v] == NULL
             || commit_state (self, v, states[v], error));
    recycle (self, v);
  }
  return ok;
}

/* --- a run --- */

static void
make_key (
    OclContext *self, InferTensor *const *inputs, InferState *const *states)
{
  for (guint i = 0; i < self->n_inputs; i++)
    self->key.descs[i] = (InferDesc){ inputs[i]->type, inputs[i]->shape };
  for (guint v = 0; v < self->n_variables; v++) {
    const InferTensor *value = infer_state_peek_desc (states[v]);
    InferDesc *desc = &self->key.descs[self->n_inputs + v];

    if (value != NULL)
      *desc = (InferDesc){ value->type, value->shape };
    else
      *desc = (InferDesc){ INFER_TYPE_DYNAMIC, infer_shape_dynamic () };
  }
}

static gboolean
reserve_next (OclContext *self, GError **error)
{
  const OclPlan *plan = self->planned->plan;

  for (guint v = 0; v < self->n_variables; v++)
    if (plan->next[v] != NULL
        && !ocl_buffer_reserve (self->scope, OCL_MEMORY_DEVICE, &self->next[v],
            plan->next[v]->bytes, error))
      return FALSE;
  return TRUE;
}

static gboolean
enqueue (OclContext *self, GError **error)
{
  OclBinding binding = { self->stream, self->ports.inputs, self->ports.results,
    self->bound, self->next };
  OclPlan *plan = self->planned->plan;

  pthread_mutex_lock (&self->stream->lock);
  gboolean ok = ocl_buffer_reserve (self->scope, OCL_MEMORY_DEVICE,
                    &self->stream->arena, plan->arena_size, error)
                && ocl_plan_enqueue (plan, self->planned->recordings, &binding,
                    &self->done, error);
  pthread_mutex_unlock (&self->stream->lock);
  return ok;
}

gboolean
ocl_context_start (OclContext *self, InferTensor *const *inputs,
    InferTensor **outputs, InferState *const *states, GError **error)
{
  make_key (self, inputs, states);
  Planned *planned = plan_for_key (self, error);
  if (planned == NULL)
    return FALSE;
  planned->plan->used = ++self->clock;
  self->planned = planned;
  self->running = states;
  if (reserve_next (self, error) && bind_states (self, states, error)
      && ocl_ports_lend (&self->ports, planned->plan, inputs, outputs, error)
      && enqueue (self, error))
    return TRUE;
  ocl_ports_give_back (&self->ports, NULL);
  return FALSE;
}

gboolean
ocl_context_wait (OclContext *self, GError **error)
{
  gboolean ok = ocl_check (
      ocl_api.clWaitForEvents (1, &self->done), "clWaitForEvents", error);

  /* Kernels may still write memory of the caller. */
  if (!ok)
    ocl_api.clFinish (self->stream->run);
  if (ok && self->scope->config.perf_count)
    ocl_plan_read_timings (self->planned->plan);
  g_clear_pointer (&self->done, ocl_api.clReleaseEvent);
  if (!ocl_ports_give_back (&self->ports, ok ? error : NULL))
    ok = FALSE;
  return ok && commit_states (self, self->running, error);
}

const OclPlan *
ocl_context_last_plan (const OclContext *self)
{
  return self->planned != NULL ? self->planned->plan : NULL;
}
