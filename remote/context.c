/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "remote/context.h"

#include <pthread.h>
#include <string.h>

#include "inference/base/clock.h"

/* Before the first repetition on a server that has failed; doubled each time.
 */
#define BACKOFF_US (20 * 1000)
#define MOST_BACKOFF_US (G_USEC_PER_SEC / 2)

typedef enum
{
  IDLE,
  RUNNING,
  DONE,
} State;

typedef struct
{
  RemoteServer *server;
  RemoteCall *call;
} Line;

struct _RemoteContext
{
  const RemoteExecutable *executable;
  GArray *calls; /* Line: one per server that was needed */
  InferExecutor *executor;

  pthread_mutex_t lock; /* guards the members below against wait and cancel */
  pthread_cond_t done;
  State state;
  gboolean cancelled;
  gboolean calling; /* `line` is started */
  Line line;        /* of the last call; borrowed from `calls` */
  InferTask *waiter;

  /* Of the step: the thread that starts it, then that of its call. */
  InferTensor *const *inputs; /* the request's; stay until `wait` */
  InferState *const *states;
  RemoteSequence *sequence;
  GList
      *replayed; /* the step of the log that runs now; NULL: the step itself */
  guint attempts;
  char *lost;              /* what was lost of the state; NULL: nothing */
  guint64 begun, duration; /* ns */
  ProtocolInfer *answer;
  GError *error;
};

RemoteContext *
remote_context_new (const RemoteExecutable *executable)
{
  RemoteContext *self = g_new0 (RemoteContext, 1);

  self->executable = executable;
  self->calls = g_array_new (FALSE, FALSE, sizeof (Line));
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->done, NULL);
  return self;
}

static void
drop_answer (RemoteContext *self)
{
  protocol_infer_free (g_steal_pointer (&self->answer));
  g_clear_error (&self->error);
  g_clear_pointer (&self->sequence, remote_sequence_unref);
  g_clear_pointer (&self->lost, g_free);
}

/* --- calls by server --- */

static void
close_line (RemoteContext *self, guint index)
{
  Line *line = &g_array_index (self->calls, Line, index);

  line->server->protocol->call_free (line->call);
  remote_server_unref (line->server);
  g_array_remove_index_fast (self->calls, index);
}

/* While no call is started. */
static void
close_lines_of_gone (RemoteContext *self)
{
  for (guint i = self->calls->len; i-- > 0;)
    if (G_UNLIKELY (g_atomic_int_get (
            &g_array_index (self->calls, Line, i).server->gone)))
      close_line (self, i);
}

static Line
find_line (RemoteContext *self, RemoteServer *server)
{
  for (guint i = 0; i < self->calls->len; i++)
    if (g_array_index (self->calls, Line, i).server == server)
      return g_array_index (self->calls, Line, i);
  const Line line = { remote_server_ref (server),
    server->protocol->call_new (server->client) };
  g_array_append_val (self->calls, line);
  return line;
}

void
remote_context_free (RemoteContext *self)
{
  drop_answer (self);
  while (self->calls->len > 0)
    close_line (self, self->calls->len - 1);
  g_array_unref (self->calls);
  g_clear_pointer (&self->executor, infer_executor_unref);
  pthread_mutex_destroy (&self->lock);
  pthread_cond_destroy (&self->done);
  g_free (self);
}

/* --- the message --- */

static gboolean
add_input (ProtocolInfer *infer, const char *name, const InferTensor *value,
    gboolean binary, GError **error)
{
  ProtocolTensor *tensor = protocol_infer_add_tensor (infer);

  if (!protocol_tensor_from_infer (tensor, name, value, error))
    return FALSE;
  tensor->binary = binary;
  return TRUE;
}

static void
add_checkpoint (ProtocolInfer *infer, GBytes *checkpoint)
{
  ProtocolTensor *tensor = protocol_infer_add_tensor (infer);
  gsize size;

  tensor->data = g_bytes_get_data (checkpoint, &size);
  tensor->name = g_strdup (PROTOCOL_STATE_EXTENSION);
  tensor->type = INFER_TYPE_U8;
  tensor->shape = (InferShape){ .rank = 1, .dims = { (gint64) size } };
  tensor->size = size;
  tensor->binary = TRUE;
}

static void
add_sequence (RemoteContext *self, ProtocolInfer *infer)
{
  RemoteSequence *sequence = self->sequence;

  remote_sequence_add_parameters (sequence, infer, !sequence->started, FALSE);
  if (!sequence->started && sequence->checkpoint != NULL)
    add_checkpoint (infer, sequence->checkpoint);
  remote_sequence_plan_checkpoint (sequence, self->replayed == NULL);
  if (sequence->asked)
    protocol_infer_add_bool (infer, PROTOCOL_STATE_EXTENSION, TRUE);
}

/* The inputs of the step, or of the one that is replayed.  (transfer full) */
static ProtocolInfer *
make_infer (RemoteContext *self, GError **error)
{
  const RemoteExecutable *executable = self->executable;
  const RemoteAddress *address = executable->servers->address;
  const RemoteStep *step = self->replayed != NULL ? self->replayed->data : NULL;
  g_autoptr (ProtocolInfer) infer =
      protocol_infer_new (address->model, address->version);

  /* REST: else the answer has its numbers as text. */
  if (executable->rest && executable->binary)
    protocol_infer_add_bool (infer, "binary_data_output", TRUE);
  for (guint i = 0; i < executable->n_inputs; i++) {
    if (!add_input (infer, executable->input_names[i],
            step != NULL ? step->inputs[i] : self->inputs[i],
            executable->binary, error))
      return NULL;
  }
  if (self->sequence != NULL)
    add_sequence (self, infer);
  return g_steal_pointer (&infer);
}

/* Memory that a call reads; it may do so after a cancelled one is finished. */
typedef struct
{
  guint n;
  GBytes *checkpoint;
  InferTensor *tensors[];
} Kept;

static void
release_kept (gpointer data)
{
  Kept *kept = data;

  for (guint i = 0; i < kept->n; i++)
    infer_tensor_unref (kept->tensors[i]);
  g_clear_pointer (&kept->checkpoint, g_bytes_unref);
  g_free (kept);
}

static Kept *
keep_memory (RemoteContext *self)
{
  const guint n = self->executable->n_inputs;
  const RemoteStep *step = self->replayed != NULL ? self->replayed->data : NULL;
  Kept *kept = g_malloc (sizeof (Kept) + n * sizeof (InferTensor *));

  kept->n = n;
  kept->checkpoint =
      self->sequence != NULL && self->sequence->checkpoint != NULL
          ? g_bytes_ref (self->sequence->checkpoint)
          : NULL;
  for (guint i = 0; i < n; i++)
    kept->tensors[i] =
        infer_tensor_ref (step != NULL ? step->inputs[i] : self->inputs[i]);
  return kept;
}

/* --- the call --- */

static void on_done (gpointer data);

/* With the lock held, which `on_done` takes on another thread. */
static gboolean
begin_call (RemoteContext *self, gint64 delay_us, GError **error)
{
  RemoteServers *servers = self->executable->servers;
  g_autoptr (ProtocolInfer) infer = make_infer (self, error);

  if (infer == NULL)
    return FALSE;
  g_autoptr (RemoteServer) server =
      self->sequence != NULL ? remote_server_ref (self->sequence->server)
                             : remote_servers_choose (servers,
                                 self->attempts > 0 ? self->line.server : NULL);
  self->line = find_line (self, server);
  const RemoteRequest request = { infer, servers->address->timeout_us, delay_us,
    self->executable->stream, keep_memory (self), release_kept };
  g_atomic_int_inc (&server->running);
  self->calling = servers->protocol->call_start (
      self->line.call, &request, on_done, self, error);
  if (!self->calling)
    g_atomic_int_add (&server->running, -1);
  return self->calling;
}

/* --- after a failure --- */

/* The servers that this request may still try, and its wait before. */
static gboolean
may_repeat (RemoteContext *self, gint64 *delay_us)
{
  RemoteServers *servers = self->executable->servers;
  const guint n = remote_servers_count (servers);
  const guint round = (self->attempts + 1) / n;

  if (self->cancelled
      || self->attempts + 1 >= (guint) servers->address->retries + n)
    return FALSE;
  self->attempts++;
  /* A server that was not tried yet needs no wait. */
  *delay_us = round == 0 ? 0
                         : MIN ((gint64) BACKOFF_US << MIN (round - 1, 10),
                             MOST_BACKOFF_US);
  return TRUE;
}

/* A sequence without checkpoints ends with its server.  TRUE: it begins again
 * with this step. */
static gboolean
lose_state (RemoteContext *self)
{
  if (self->executable->servers->address->restart) {
    g_free (self->lost);
    self->lost = g_strdup_printf (
        "the state of the sequence is lost with its server (%s), which has no "
        "extension %s: it begins again",
        self->error != NULL ? self->error->message
                            : self->sequence->server->name,
        PROTOCOL_STATE_EXTENSION);
    return TRUE;
  }
  self->sequence->broken = TRUE;
  g_prefix_error (&self->error,
      "the state of the sequence is lost with its server, which has no "
      "extension %s: ",
      PROTOCOL_STATE_EXTENSION);
  return FALSE;
}

/* Begins again what has failed, where that cannot change results.  FALSE:
 * self->error stays. */
static gboolean
repeat (RemoteContext *self, RemoteFailure failure)
{
  RemoteSequence *sequence = self->sequence;
  gint64 delay_us;

  /* A server that was started again does not know our sequence, nor, while it
   * loads, the model, which it had. */
  if (failure == REMOTE_ANSWERED)
    return FALSE;
  if (failure == REMOTE_GARBLED) {
    if (sequence != NULL)
      sequence->broken = TRUE; /* it is one step ahead */
    return FALSE;
  }
  if (failure != REMOTE_NOT_DONE)
    remote_servers_mark_down (self->executable->servers, self->line.server);
  if (sequence != NULL && sequence->started && !sequence->checkpoints
      && !lose_state (self))
    return FALSE;
  if (!may_repeat (self, &delay_us)) {
    if (sequence != NULL)
      sequence->broken = TRUE;
    return FALSE;
  }
  if (sequence != NULL) {
    remote_sequence_move (sequence, self->line.server);
    self->replayed = sequence->log.head;
  }
  g_clear_error (&self->error);
  return begin_call (self, delay_us, &self->error);
}

/* --- after an answer --- */

/* The state that came with it.  (transfer full) (nullable) */
static GBytes *
take_checkpoint (const ProtocolInfer *answer)
{
  for (guint i = 0; i < answer->tensors->len; i++) {
    const ProtocolTensor *tensor = protocol_infer_tensor (answer, i);

    if (g_str_equal (tensor->name, PROTOCOL_STATE_EXTENSION))
      return g_bytes_new (tensor->data, tensor->size);
  }
  return NULL;
}

/* TRUE: the step is finished.  FALSE: the next one of the log runs, or the step
 * itself, or self->error is set. */
static gboolean
go_on (RemoteContext *self)
{
  RemoteSequence *sequence = self->sequence;

  if (sequence == NULL)
    return TRUE;
  sequence->started = TRUE;
  if (self->replayed != NULL) {
    self->replayed = self->replayed->next;
    protocol_infer_free (g_steal_pointer (&self->answer));
    begin_call (self, 0, &self->error);
    return FALSE;
  }
  return remote_sequence_note_step (sequence, self->inputs,
      self->executable->n_inputs, take_checkpoint (self->answer), &self->error);
}

/* Marks the server as up, and as draining if its answer says so. */
static void
note_server (RemoteContext *self)
{
  RemoteServers *servers = self->executable->servers;
  gboolean draining = FALSE;

  if (protocol_infer_get_bool (self->answer, PROTOCOL_DRAINING, &draining, NULL)
      && draining)
    remote_servers_mark_draining (servers, self->line.server);
  remote_servers_mark_up (servers, self->line.server);
}

static void
on_done (gpointer data)
{
  RemoteContext *self = data;
  RemoteServers *servers = self->executable->servers;
  RemoteFailure failure = REMOTE_ANSWERED;
  InferTask *waiter = NULL;

  pthread_mutex_lock (&self->lock);
  self->calling = FALSE;
  g_atomic_int_add (&self->line.server->running, -1);
  self->answer =
      servers->protocol->call_finish (self->line.call, &failure, &self->error);
  if (self->answer != NULL) {
    note_server (self);
    go_on (self);
  } else if (!repeat (self, failure) && self->sequence != NULL
             && self->cancelled) {
    self->sequence->broken = TRUE;
  }
  if (!self->calling) {
    self->duration = infer_clock_ns () - self->begun;
    self->state = DONE;
    waiter = g_steal_pointer (&self->waiter);
    pthread_cond_broadcast (&self->done);
  }
  pthread_mutex_unlock (&self->lock);
  /* From here on the callback may free the request. */
  if (waiter != NULL)
    waiter->run (waiter);
}

/* --- the stages --- */

/* The sequence of @states, or a new one after a reset.  (transfer full) */
static RemoteSequence *
find_sequence (RemoteContext *self, InferState *const *states, GError **error)
{
  const RemoteExecutable *executable = self->executable;
  RemoteSequence *sequence = infer_state_peek_kept (
      states[0], &remote_sequence_keeper, executable->place);

  if (sequence != NULL)
    return remote_sequence_ref (sequence);
  if (infer_state_peek_desc (states[0]) == NULL)
    return remote_sequence_new (
        executable->servers, executable->input_names, executable->checkpoints);
  infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "the state of a sequence on a server cannot be set: reset it");
  return NULL;
}

/* After a step whose end is not known the server may have taken it. */
static gboolean
mend (RemoteContext *self, GError **error)
{
  RemoteSequence *sequence = self->sequence;

  if (sequence->broken && !sequence->checkpoints && !lose_state (self)) {
    g_clear_error (&self->error);
    return infer_fail (error, INFER_ERROR_DEVICE,
        "the state of the sequence is lost with its server; reset it to go on");
  }
  if (sequence->broken)
    remote_sequence_move (sequence, NULL);
  else
    remote_sequence_follow (sequence);
  if (!sequence->started)
    self->replayed = sequence->log.head;
  return TRUE;
}

gboolean
remote_context_start (RemoteContext *self, InferTensor *const *inputs,
    InferState *const *states, GError **error)
{
  drop_answer (self);
  close_lines_of_gone (self);
  self->inputs = inputs;
  self->states = states;
  self->replayed = NULL;
  self->attempts = 0;
  self->begun = infer_clock_ns ();
  self->duration = 0;
  if (self->executable->sequences) {
    self->sequence = find_sequence (self, states, error);
    if (self->sequence == NULL || !mend (self, error))
      return FALSE;
  }
  pthread_mutex_lock (&self->lock);
  self->state = RUNNING;
  self->cancelled = FALSE;
  const gboolean ok = begin_call (self, 0, error);
  if (!ok)
    self->state = IDLE;
  pthread_mutex_unlock (&self->lock);
  return ok;
}

static gboolean
commit (RemoteContext *self, GError **error)
{
  const InferDesc desc = { INFER_TYPE_U8, { .rank = 1, .dims = { 8 } } };
  const gconstpointer place = self->executable->place;
  InferState *state = self->states[0];

  /* The state holds one reference, however many steps the sequence has. */
  if (infer_state_peek_kept (state, &remote_sequence_keeper, place)
      != self->sequence)
    remote_sequence_ref (self->sequence);
  return infer_state_commit_kept (
      state, &remote_sequence_keeper, place, self->sequence, &desc, error);
}

gboolean
remote_context_wait (RemoteContext *self, GError **error)
{
  pthread_mutex_lock (&self->lock);
  while (self->state == RUNNING)
    pthread_cond_wait (&self->done, &self->lock);
  self->state = IDLE;
  pthread_mutex_unlock (&self->lock);
  const gboolean ok =
      self->error == NULL && (self->sequence == NULL || commit (self, error));
  if (self->error != NULL)
    g_propagate_error (error, g_steal_pointer (&self->error));
  /* From here on only the state holds it, whose reset ends it. */
  g_clear_pointer (&self->sequence, remote_sequence_unref);
  return ok;
}

static const ProtocolTensor *
find_output (const RemoteContext *self, const char *name, GError **error)
{
  for (guint i = 0; self->answer != NULL && i < self->answer->tensors->len;
       i++) {
    const ProtocolTensor *tensor = protocol_infer_tensor (self->answer, i);

    if (g_str_equal (tensor->name, name))
      return tensor;
  }
  infer_fail (error, INFER_ERROR_INVALID_DATA,
      "%s: the answer has no output '%.200s'", self->line.server->name, name);
  return NULL;
}

static gboolean
take_output (const RemoteContext *self, const ProtocolTensor *tensor,
    InferTensor *output, const InferDesc *desc, GError **error)
{
  const char *host = self->line.server->name;
  InferShape merged;

  if (tensor->type != desc->type
      || !infer_shape_merge (&tensor->shape, &desc->shape, &merged)) {
    g_autofree char *got = infer_shape_to_string (&tensor->shape);
    g_autofree char *want = infer_shape_to_string (&desc->shape);

    return infer_fail (error, INFER_ERROR_INVALID_DATA,
        "%s: output '%.200s' is %s %s, its metadata say %s %s", host,
        tensor->name, infer_type_name (tensor->type), got,
        infer_type_name (desc->type), want);
  }
  return infer_tensor_reshape (output, desc->type, &tensor->shape, error)
         && protocol_tensor_copy (tensor, output, error);
}

gboolean
remote_context_download (
    RemoteContext *self, InferTensor **outputs, GError **error)
{
  const RemoteExecutable *executable = self->executable;

  for (guint i = 0; i < executable->n_outputs; i++) {
    const guint from = executable->outputs[i];
    const ProtocolTensor *tensor =
        find_output (self, executable->call->outputs[from].names[0], error);

    if (tensor == NULL
        || !take_output (self, tensor, outputs[i],
            &executable->call->outputs[from].desc, error))
      return FALSE;
  }
  return TRUE;
}

const char *
remote_context_lost (const RemoteContext *self)
{
  return self->lost;
}

guint64
remote_context_duration (const RemoteContext *self)
{
  return self->duration;
}

/* --- asynchronous requests --- */

static void
submit_wait (InferTask *task, gpointer data)
{
  RemoteContext *self = data;

  pthread_mutex_lock (&self->lock);
  const gboolean now = self->state != RUNNING;
  if (!now)
    self->waiter = task;
  pthread_mutex_unlock (&self->lock);
  if (now)
    task->run (task);
}

InferExecutor *
remote_context_executor (RemoteContext *self)
{
  if (self->executor == NULL)
    self->executor = infer_executor_new_custom (submit_wait, self, NULL);
  return self->executor;
}

InferTask *
remote_context_cancel (RemoteContext *self)
{
  pthread_mutex_lock (&self->lock);
  if (self->state == RUNNING) {
    self->cancelled = TRUE;
    if (self->calling)
      self->executable->servers->protocol->call_cancel (self->line.call);
  }
  pthread_mutex_unlock (&self->lock);
  return NULL;
}
