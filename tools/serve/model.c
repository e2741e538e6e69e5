/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A request on its way through a model.
 *
 *   serve_model_infer ─► its sequence is busy ─► waits in the sequence ─┐
 *          │                                                            │
 *          ├─► no request is idle ─► waits in the model ◄───────────────┤
 *          ▼                                │                           │
 *        run (a request of the executable) ◄┘                           │
 *          ▼                                                            │
 *        on_done ─► response; the next of the sequence, of the model ───┘
 */

#include "tools/serve/model.h"

#include "infer/batch.h"
#include "infer/executor.h"
#include "inference/graph/model-private.h"
#include "tools/serve/states.h"
#include "tools/serve/tensors.h"

/* Inferences that take less, where nothing else of the model runs, are computed
 * by the thread that has read the request: it is awake. */
#define QUICK_NS 200000

typedef struct _Slot Slot;

typedef struct
{
  ProtocolInfer *request;
  ServeReply reply;
  ServeStep step;
  ServeSequence *sequence; /* NULL: none */
  gboolean begins;         /* it has made the sequence */
  gint64 arrived, started;
} Call;

struct _Slot
{
  ServeModel *model;
  InferAsyncRequest *async;
  Call *call;
};

struct _ServeModel
{
  gint refs;
  char *name, *version, *path;
  ServeShared *shared;
  InferModel *model;
  InferExecutable *executable;
  gboolean stateful, merged;
  Slot *slots;
  guint n_slots, rows; /* rows: announced to a batched executable */
  guint max_waiting;
  gint usual_ns; /* atomic: of an inference, a moving average; 0: none yet */
  ServeCounters counters;

  GMutex lock;
  GQueue idle;     /* Slot */
  GQueue waiting;  /* Call */
  guint n_waiting; /* also those in sequences */
  guint n_running;
  ServeSequences sequences;
};

static void run (Slot *slot, Call *call, InferExecutor *host);

/* --- calls --- */

static void
call_free (Call *call)
{
  protocol_infer_free (call->request);
  serve_step_clear (&call->step);
  g_free (call);
}

/* The answer; @response: (transfer full). */
static void
answer (
    ServeModel *model, Call *call, ProtocolInfer *response, const GError *error)
{
  if (error != NULL && call->started != 0)
    serve_counters_add_failed (&model->counters, call->arrived);
  else if (error != NULL)
    serve_count (&model->counters.refused, 1);
  else
    serve_counters_add_done (&model->counters, call->arrived, call->started,
        g_get_monotonic_time ());
  call->reply.done (response, error, call->reply.data);
}

static ProtocolInfer *
make_response (
    ServeModel *model, const Call *call, InferRequest *request, GError **error)
{
  g_autoptr (ProtocolInfer) response =
      protocol_infer_new (model->name, model->version);
  gsize size = 0;

  if (!protocol_infer_set (&response->id, call->request->id, error)
      || !serve_tensors_get (request, call->request, response, error))
    return NULL;
  if (call->step.checkpoint) {
    guint8 *data = serve_states_write (call->sequence->states, &size, error);
    if (data == NULL)
      return NULL;
    serve_tensors_add_checkpoint (call->request, response, data, size);
  }
  if (call->reply.draining)
    protocol_infer_add_bool (response, PROTOCOL_DRAINING, TRUE);
  for (guint i = 0; i < response->tensors->len; i++)
    serve_count (&model->counters.output_bytes,
        protocol_infer_tensor (response, i)->size);
  return g_steal_pointer (&response);
}

static void
note_duration (ServeModel *model, InferRequest *request)
{
  const gint64 took = (gint64) infer_count_from_stages (
      INFER_COUNT_EXECUTE, infer_request_get_timings (request));
  const gint64 before = g_atomic_int_get (&model->usual_ns);

  g_atomic_int_set (&model->usual_ns,
      (gint) CLAMP (
          before > 0 ? before + (took - before) / 8 : took, 1, G_MAXINT));
}

/* --- after a step --- */

static gboolean
ends_sequence (const Call *call, gboolean failed)
{
  return failed ? call->begins : call->step.end;
}

/* With the lock held, before the answer is sent: the client's next request may
 * begin a sequence in the place of one that has ended. */
static void
settle_sequence (ServeModel *model, Call *call, gboolean failed)
{
  serve_sequences_account (&model->sequences, call->sequence);
  if (ends_sequence (call, failed)
      && g_queue_is_empty (&call->sequence->waiting)) {
    serve_sequences_remove (&model->sequences, call->sequence);
    call->sequence = NULL;
  }
}

/* With the lock held: the sequence's step has ended.  Its next one waits for a
 * request from now on; those that come after the sequence's end go to
 * @orphans. */
static void
leave_sequence (ServeModel *model, Call *call, gboolean failed, GQueue *orphans)
{
  ServeSequence *sequence = call->sequence;
  gboolean ended = ends_sequence (call, failed);
  Call *next;

  while ((next = g_queue_pop_head (&sequence->waiting)) != NULL) {
    if (!ended || next->step.start) {
      next->begins = ended;
      g_queue_push_tail (&model->waiting, next);
      return;
    }
    model->n_waiting--;
    g_queue_push_tail (orphans, next);
  }
  sequence->busy = FALSE;
  if (ended)
    serve_sequences_remove (&model->sequences, sequence);
}

static void
answer_orphans (ServeModel *model, GQueue *orphans)
{
  Call *call;

  while ((call = g_queue_pop_head (orphans)) != NULL) {
    g_autoptr (GError) error = NULL;
    infer_fail (&error, INFER_ERROR_NOT_FOUND,
        "sequence %s has ended before this request", call->step.key);
    answer (model, call, NULL, error);
    call_free (call);
  }
}

/* Answers @call, and gives the slot to the next one.  @response: (transfer
 * full) */
static Call *
finish (Slot *slot, Call *call, ProtocolInfer *response, const GError *error)
{
  ServeModel *model = slot->model;
  GQueue orphans = G_QUEUE_INIT;

  if (call->sequence != NULL) {
    g_mutex_lock (&model->lock);
    settle_sequence (model, call, error != NULL);
    g_mutex_unlock (&model->lock);
  }
  answer (model, call, response, error);
  slot->call = NULL;
  g_mutex_lock (&model->lock);
  if (call->sequence != NULL)
    leave_sequence (model, call, error != NULL, &orphans);
  Call *next = g_queue_pop_head (&model->waiting);
  if (next != NULL) {
    model->n_waiting--;
  } else {
    model->n_running--;
    g_queue_push_tail (&model->idle, slot);
  }
  g_mutex_unlock (&model->lock);
  call_free (call);
  answer_orphans (model, &orphans);
  return next;
}

static void
on_done (InferAsyncRequest *async, const GError *error, gpointer data)
{
  Slot *slot = data;
  ServeModel *model = serve_model_ref (slot->model);
  Call *call = slot->call;
  g_autoptr (GError) failed = error != NULL ? g_error_copy (error) : NULL;
  ProtocolInfer *response = NULL;

  if (failed == NULL) {
    note_duration (model, infer_async_request_get_request (async));
    response = make_response (
        model, call, infer_async_request_get_request (async), &failed);
  }
  Call *next = finish (slot, call, response, failed);
  if (next != NULL)
    run (slot, next, NULL);
  serve_model_unref (model);
  serve_model_unref (model); /* of the run that has ended */
}

/* --- running --- */

static gboolean
start (Slot *slot, Call *call, InferExecutor *host, GError **error)
{
  InferRequest *request = infer_async_request_get_request (slot->async);
  const ProtocolTensor *checkpoint = serve_tensors_checkpoint (call->request);
  InferStartFlags flags = INFER_START_DEFAULT;

  if (call->reply.cancelled != NULL
      && g_atomic_int_get (call->reply.cancelled) != 0)
    return infer_fail (error, INFER_ERROR_CANCELLED,
        "the client has given up before the request ran");
  if (!serve_tensors_set (request, call->request, error))
    return FALSE;
  if (call->sequence != NULL && checkpoint != NULL) {
    InferStateSet *states = serve_states_read (
        slot->model->model, checkpoint->data, checkpoint->size, error);
    if (states == NULL)
      return FALSE;
    infer_state_set_unref (call->sequence->states);
    call->sequence->states = states;
  } else if (call->step.start) {
    flags = INFER_START_RESET_STATES;
  }
  if (call->sequence != NULL)
    infer_request_bind_states (request, call->sequence->states);
  call->started = g_get_monotonic_time ();
  return infer_async_request_start_at (slot->async, host, flags, error);
}

/* On a thread that may start requests; the slot is the caller's.  @host:
 * (nullable) where it may be computed at once. */
static void
run (Slot *slot, Call *call, InferExecutor *host)
{
  while (call != NULL) {
    g_autoptr (GError) error = NULL;

    slot->call = call;
    serve_model_ref (slot->model);
    if (start (slot, call, host, &error))
      return;
    call = finish (slot, call, NULL, error);
    serve_model_unref (slot->model);
  }
}

/* With the lock held: the call's sequence. */
static gboolean
enter_sequence (ServeModel *model, Call *call, GError **error)
{
  const guint before = g_hash_table_size (model->sequences.table);

  if (!model->stateful)
    return TRUE;
  if (call->step.key == NULL)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "model '%s' has states: its requests need the parameter sequence_id, "
        "and the first of a sequence sequence_start",
        model->name);
  if (call->reply.draining && call->step.start)
    return infer_fail (error, INFER_ERROR_BUSY,
        "the server is shutting down: no sequence can begin");
  call->sequence = serve_sequences_find (
      &model->sequences, &call->step, model->model, error);
  call->begins = g_hash_table_size (model->sequences.table) > before;
  return call->sequence != NULL;
}

/* With the lock held: gives @call a slot, or lets it wait. */
static gboolean
admit (ServeModel *model, Call *call, Slot **slot, GError **error)
{
  *slot = NULL;
  if (!enter_sequence (model, call, error))
    return FALSE;
  const gboolean behind = call->sequence != NULL && call->sequence->busy;
  if (!behind && model->idle.length > 0) {
    *slot = g_queue_pop_head (&model->idle);
    model->n_running++;
  } else if (model->n_waiting >= model->max_waiting) {
    if (call->begins)
      serve_sequences_remove (&model->sequences, call->sequence);
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "%u requests of model '%s' wait already, as many as may "
        "(--max-waiting): try again later",
        model->n_waiting, model->name);
  } else {
    model->n_waiting++;
    g_queue_push_tail (
        behind ? &call->sequence->waiting : &model->waiting, call);
  }
  if (call->sequence != NULL)
    call->sequence->busy = TRUE;
  return TRUE;
}

/* A merged batch is made of requests of one row each. */
static gboolean
check_rows (
    const ServeModel *model, const ProtocolInfer *request, GError **error)
{
  for (guint i = 0; i < request->tensors->len && model->merged; i++) {
    const ProtocolTensor *tensor = protocol_infer_tensor (request, i);

    if (tensor->shape.rank > 0 && tensor->shape.dims[0] != 1
        && !g_str_equal (tensor->name, PROTOCOL_STATE_EXTENSION))
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "model '%s': input '%s' has %" G_GINT64_FORMAT
          " rows; this server makes batches itself (--merge-batches): send "
          "requests of one row",
          model->name, tensor->name, tensor->shape.dims[0]);
  }
  return TRUE;
}

/* What can be said without the lock. */
static gboolean
check_call (ServeModel *model, Call *call, GError **error)
{
  const gboolean stateful = model->stateful;

  if (!serve_step_read (call->request, &call->step, error))
    return FALSE;
  if (call->step.checkpoint && !stateful)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "model '%s' has no states that the request could ask for", model->name);
  return serve_tensors_check (
             model->model, model->name, call->request, stateful, error)
         && check_rows (model, call->request, error);
}

/* With the lock held. */
static InferExecutor *
choose_host (ServeModel *model)
{
  const gint usual = g_atomic_int_get (&model->usual_ns);

  return usual > 0 && usual < QUICK_NS && model->n_running == 1
                 && infer_executable_get_batch_size (model->executable) == 0
             ? model->shared->awake
             : NULL;
}

void
serve_model_infer (
    ServeModel *model, ProtocolInfer *request, const ServeReply *reply)
{
  Call *call = g_new0 (Call, 1);
  g_autoptr (GError) error = NULL;
  InferExecutor *host = NULL;
  Slot *slot = NULL;

  call->request = request;
  call->reply = *reply;
  call->arrived = g_get_monotonic_time ();
  for (guint i = 0; i < request->tensors->len; i++)
    serve_count (
        &model->counters.input_bytes, protocol_infer_tensor (request, i)->size);
  if (check_call (model, call, &error)) {
    g_mutex_lock (&model->lock);
    admit (model, call, &slot, &error);
    host = choose_host (model);
    g_mutex_unlock (&model->lock);
  }
  if (error != NULL) {
    answer (model, call, NULL, error);
    call_free (call);
  } else if (slot != NULL) {
    /* It may have become idle a moment ago, at the end of its request's
     * callback, which returns before another thread may start the request. */
    infer_async_request_wait (slot->async, -1, NULL);
    run (slot, call, host);
  }
}

void
serve_model_expire (ServeModel *model)
{
  g_mutex_lock (&model->lock);
  serve_sequences_expire (&model->sequences, g_get_monotonic_time ());
  g_mutex_unlock (&model->lock);
}

void
serve_model_load (ServeModel *model, guint *sequences, guint *calls)
{
  g_mutex_lock (&model->lock);
  *sequences = g_hash_table_size (model->sequences.table);
  *calls = model->n_running + model->n_waiting;
  g_mutex_unlock (&model->lock);
}

/* --- lifetime --- */

/* On the reaper's thread: requests are not freed inside their callbacks. */
static void
model_free (gpointer data, gpointer unused)
{
  ServeModel *model = data;

  for (guint i = 0; i < model->n_slots; i++)
    infer_async_request_free (model->slots[i].async);
  if (model->rows > 0)
    infer_executable_remove_stream (model->executable, model->rows);
  if (model->sequences.table != NULL)
    serve_sequences_clear (&model->sequences);
  g_clear_pointer (&model->executable, infer_executable_unref);
  g_clear_pointer (&model->model, infer_model_unref);
  g_queue_clear (&model->idle);
  g_mutex_clear (&model->lock);
  g_free (model->slots);
  g_free (model->name);
  g_free (model->version);
  g_free (model->path);
  g_free (model);
}

void
serve_shared_init (ServeShared *shared, const ServeSettings *settings)
{
  *shared = (ServeShared){
    .settings = settings,
    .limits = { .most_sequences = settings->max_sequences,
        .most_bytes = (gsize) settings->max_state_mb << 20,
        .idle_us = settings->sequence_idle_s * G_USEC_PER_SEC },
    .awake = infer_executor_new_immediate (),
    .reaper = g_thread_pool_new (model_free, NULL, 1, FALSE, NULL),
  };
}

void
serve_shared_clear (ServeShared *shared)
{
  g_thread_pool_free (shared->reaper, FALSE, TRUE);
  infer_executor_unref (shared->awake);
}

ServeModel *
serve_model_ref (ServeModel *model)
{
  g_atomic_int_inc (&model->refs);
  return model;
}

void
serve_model_unref (ServeModel *model)
{
  if (model != NULL && g_atomic_int_dec_and_test (&model->refs))
    g_thread_pool_push (model->shared->reaper, model, NULL);
}

static gboolean
make_slots (ServeModel *model, gboolean waits, GError **error)
{
  const guint batch = infer_executable_get_batch_size (model->executable);
  const guint n =
      2 * MAX (infer_executable_optimal_requests (model->executable), batch);

  model->slots = g_new0 (Slot, n);
  for (guint i = 0; i < n; i++) {
    Slot *slot = &model->slots[i];

    slot->model = model;
    slot->async = infer_async_request_new (model->executable, NULL, error);
    if (slot->async == NULL)
      return FALSE;
    model->n_slots++;
    infer_async_request_set_callback (slot->async, on_done, slot);
    g_queue_push_tail (&model->idle, slot);
  }
  /* Without it, a batch takes what waits and runs at once. */
  if (batch > 0 && waits) {
    model->rows = batch;
    infer_executable_add_stream (model->executable, batch);
  }
  return TRUE;
}

ServeModel *
serve_model_new (const char *name, const char *version, const char *path,
    const ServeModelSettings *settings, InferRuntime *runtime,
    ServeShared *shared, GError **error)
{
  g_autoptr (ServeModel) model = g_new0 (ServeModel, 1);

  model->refs = 1;
  model->shared = shared;
  model->name = g_strdup (name);
  model->version = g_strdup (version);
  model->path = g_strdup (path);
  g_mutex_init (&model->lock);
  g_queue_init (&model->idle);
  g_queue_init (&model->waiting);
  serve_sequences_init (&model->sequences, &shared->limits);
  model->max_waiting = (guint) settings->max_waiting;
  model->model = infer_runtime_load (runtime, path, NULL, error);
  if (model->model == NULL)
    return NULL;
  model->stateful = infer_model_n_variables (model->model) > 0;
  model->executable = serve_model_settings_compile (
      settings, model->model, name, runtime, error);
  model->merged = settings->merge_batches && model->executable != NULL
                  && infer_executable_get_batch_size (model->executable) > 0;
  if (model->executable == NULL
      || !make_slots (model, settings->batch_timeout_us > 0, error))
    return NULL;
  return g_steal_pointer (&model);
}

/* --- what it is --- */

const char *
serve_model_name (const ServeModel *model)
{
  return model->name;
}

const char *
serve_model_version (const ServeModel *model)
{
  return model->version;
}

ServeCounters *
serve_model_counters (ServeModel *model)
{
  return &model->counters;
}

ProtocolMetadata *
serve_model_describe (const ServeModel *model)
{
  ProtocolMetadata *metadata = protocol_metadata_new (model->name);
  const InferModel *m = model->model;

  g_free (metadata->platform);
  metadata->platform = g_strdup (
      g_str_has_suffix (model->path, ".onnx") ? "onnx" : "openvino_ir");
  g_ptr_array_add (metadata->versions, g_strdup (model->version));
  for (guint i = 0; i < infer_model_n_inputs (m); i++)
    protocol_metadata_add_port (metadata->inputs, infer_model_input_name (m, i),
        infer_model_input_desc (m, i));
  for (guint i = 0; i < infer_model_n_outputs (m); i++)
    protocol_metadata_add_port (metadata->outputs,
        infer_model_output_name (m, i), infer_model_output_desc (m, i));
  metadata->sequences = model->stateful;
  metadata->idle_us = (guint64) model->shared->limits.idle_us;
  GHashTableIter iter;
  gpointer key, value;
  g_hash_table_iter_init (&iter, m->rt_info);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (g_str_has_prefix (key, PROTOCOL_INFO_PREFIX)) {
      g_ptr_array_add (metadata->settings, g_strdup (key));
      g_ptr_array_add (metadata->settings, g_strdup (value));
    }
  return metadata;
}
