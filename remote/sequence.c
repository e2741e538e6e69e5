/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "remote/sequence.h"

#include <string.h>

/* Beside others' sequences on the same server, by chance different. */
static gint64
new_id (void)
{
  guint64 id = 0;

  while (id == 0)
    id = ((guint64) (g_random_int () & 0x7fffffffu) << 32) | g_random_int ();
  return (gint64) id;
}

RemoteSequence *
remote_sequence_new (
    RemoteServers *servers, char *const *names, gboolean checkpoints)
{
  RemoteSequence *self = g_new0 (RemoteSequence, 1);

  g_atomic_ref_count_init (&self->refs);
  self->servers = remote_servers_ref (servers);
  self->names = g_strdupv ((char **) (gsize) names);
  self->checkpoints = checkpoints;
  self->descs = g_array_new (FALSE, FALSE, sizeof (InferDesc));
  g_queue_init (&self->log);
  self->key = (guint64) new_id ();
  self->checked = g_get_monotonic_time ();
  remote_sequence_move (self, NULL);
  return self;
}

RemoteSequence *
remote_sequence_ref (RemoteSequence *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

/* --- the log --- */

static void
free_step (gpointer data)
{
  RemoteStep *step = data;

  for (guint i = 0; i < step->n; i++)
    g_clear_pointer (&step->inputs[i], infer_tensor_unref);
  g_free (step->inputs);
  g_free (step);
}

static void
forget_log (RemoteSequence *self)
{
  g_queue_clear_full (&self->log, free_step);
  g_queue_init (&self->log);
  self->log_bytes = 0;
}

static InferTensor *
copy_tensor (const InferTensor *from, GError **error)
{
  g_autoptr (InferTensor) copy =
      infer_tensor_new (from->type, &from->shape, error);

  return copy != NULL && infer_tensor_copy (copy, from, error)
             ? g_steal_pointer (&copy)
             : NULL;
}

static gboolean
log_step (
    RemoteSequence *self, InferTensor *const *inputs, guint n, GError **error)
{
  RemoteStep *step = g_new (RemoteStep, 1);

  *step = (RemoteStep){ n, g_new0 (InferTensor *, n) };
  for (guint i = 0; i < n; i++) {
    step->inputs[i] = copy_tensor (inputs[i], error);
    if (step->inputs[i] == NULL) {
      free_step (step);
      return FALSE;
    }
    self->log_bytes += infer_shape_count (&inputs[i]->shape)
                       * infer_type_size (inputs[i]->type);
  }
  g_queue_push_tail (&self->log, step);
  return TRUE;
}

void
remote_sequence_plan_checkpoint (RemoteSequence *self, gboolean last)
{
  const RemoteAddress *address = self->servers->address;

  self->asked = last && self->checkpoints
                && (self->log.length + 1 >= (guint) address->checkpoint
                    || self->log_bytes >= (gsize) address->replay_bytes
                    || (address->checkpoint_us > 0
                        && g_get_monotonic_time () - self->checked
                               >= address->checkpoint_us));
}

gboolean
remote_sequence_note_step (RemoteSequence *self, InferTensor *const *inputs,
    guint n, GBytes *checkpoint, GError **error)
{
  self->n_steps++;
  self->started = TRUE;
  g_array_set_size (self->descs, n);
  for (guint i = 0; i < n; i++)
    g_array_index (self->descs, InferDesc, i) =
        (InferDesc){ inputs[i]->type, inputs[i]->shape };
  if (checkpoint != NULL) {
    g_clear_pointer (&self->checkpoint, g_bytes_unref);
    self->checkpoint = checkpoint;
    self->checked = g_get_monotonic_time ();
    forget_log (self);
    return TRUE;
  }
  if (!self->checkpoints)
    return TRUE;
  if (!self->asked)
    return log_step (self, inputs, n, error);
  /* It was asked for one, and gave none. */
  self->checkpoints = FALSE;
  g_clear_pointer (&self->checkpoint, g_bytes_unref);
  forget_log (self);
  return TRUE;
}

/* --- parameters --- */

void
remote_sequence_add_parameters (const RemoteSequence *self,
    ProtocolInfer *infer, gboolean start, gboolean end)
{
  if (self->servers->address->text_ids) {
    g_autofree char *id =
        g_strdup_printf ("%016" G_GINT64_MODIFIER "x", self->id);

    protocol_infer_add_string (infer, "sequence_id", id);
  } else {
    protocol_infer_add_int (infer, "sequence_id", self->id);
  }
  protocol_infer_add_bool (infer, "sequence_start", start);
  protocol_infer_add_bool (infer, "sequence_end", end);
}

/* --- the end --- */

/* The protocol has no other way to end a sequence than a last request, whose
 * inputs are zeros and whose outputs nobody reads. */
typedef struct
{
  RemoteServers *servers;
  RemoteServer *server;
  RemoteCall *call;
} Ending;

static void
free_ending (Ending *ending)
{
  ending->servers->protocol->call_free (ending->call);
  g_atomic_int_add (&ending->server->running, -1);
  remote_server_unref (ending->server);
  remote_servers_unref (ending->servers);
  g_free (ending);
}

static void
on_ended (gpointer data)
{
  Ending *ending = data;
  const RemoteProtocol *protocol = ending->servers->protocol;
  RemoteFailure failure;
  ProtocolInfer *answer = protocol->call_finish (ending->call, &failure, NULL);

  protocol_infer_free (answer);
  free_ending (ending);
}

static void
add_zeros (const RemoteSequence *self, ProtocolInfer *infer)
{
  for (guint i = 0; i < self->descs->len; i++) {
    const InferDesc *desc = &g_array_index (self->descs, InferDesc, i);
    ProtocolTensor *tensor = protocol_infer_add_tensor (infer);
    const gsize size =
        infer_shape_count (&desc->shape) * infer_type_size (desc->type);

    tensor->name = g_strdup (self->names[i]);
    tensor->type = desc->type;
    tensor->shape = desc->shape;
    tensor->binary = TRUE;
    protocol_tensor_take_data (tensor, g_malloc0 (MAX (size, 1)), size);
  }
}

static void
free_infer (gpointer infer)
{
  protocol_infer_free (infer);
}

static void
end_on_server (RemoteSequence *self)
{
  const RemoteAddress *address = self->servers->address;
  const RemoteProtocol *protocol = self->servers->protocol;
  ProtocolInfer *infer = protocol_infer_new (address->model, address->version);
  const RemoteRequest request = { infer, address->timeout_us, 0,
    address->stream == REMOTE_USE_YES, infer, free_infer };
  Ending *ending = g_new (Ending, 1);

  add_zeros (self, infer);
  remote_sequence_add_parameters (self, infer, FALSE, TRUE);
  *ending = (Ending){ remote_servers_ref (self->servers),
    remote_server_ref (self->server),
    protocol->call_new (self->server->client) };
  g_atomic_int_inc (&self->server->running);
  if (!protocol->call_start (ending->call, &request, on_ended, ending, NULL))
    free_ending (ending);
}

/* --- moves --- */

void
remote_sequence_move (RemoteSequence *self, const RemoteServer *avoid)
{
  RemoteServer *old = self->server;

  self->id = new_id ();
  self->epoch = remote_servers_epoch (self->servers);
  self->server = remote_servers_choose_for (self->servers, self->key, avoid);
  self->started = self->broken = FALSE;
  remote_server_unref (old);
}

/* Without checkpoints it stays where its state is. */
void
remote_sequence_follow (RemoteSequence *self)
{
  const guint epoch = remote_servers_epoch (self->servers);

  if (G_LIKELY (epoch == self->epoch) || !self->started || self->broken
      || !self->checkpoints)
    return;
  g_autoptr (RemoteServer) best =
      remote_servers_choose_for (self->servers, self->key, NULL);
  self->epoch = epoch;
  if (best == self->server)
    return;
  end_on_server (self);
  remote_sequence_move (self, NULL);
}

void
remote_sequence_unref (RemoteSequence *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  if (self->started && !self->broken)
    end_on_server (self);
  forget_log (self);
  g_clear_pointer (&self->checkpoint, g_bytes_unref);
  g_array_unref (self->descs);
  g_strfreev (self->names);
  remote_server_unref (self->server);
  remote_servers_unref (self->servers);
  g_free (self);
}

/* --- the variable's value --- */

static gboolean
fetch (gpointer data, InferTensor *into, GError **error)
{
  const RemoteSequence *self = data;

  memcpy (into->data, &self->id, sizeof self->id);
  return TRUE;
}

static void
drop (gpointer data)
{
  remote_sequence_unref (data);
}

const InferStateKeeper remote_sequence_keeper = { fetch, drop };
