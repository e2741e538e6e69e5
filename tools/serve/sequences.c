/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/serve/sequences.h"

#include "protocol/metadata.h"
#include "tools/serve/states.h"

/* --- parameters --- */

void
serve_step_clear (ServeStep *step)
{
  g_clear_pointer (&step->key, g_free);
}

gboolean
serve_step_read (const ProtocolInfer *request, ServeStep *step, GError **error)
{
  const ProtocolParameter *id = protocol_infer_find (request, "sequence_id");

  *step = (ServeStep){ 0 };
  if (!protocol_infer_get_bool (request, "sequence_start", &step->start, error)
      || !protocol_infer_get_bool (request, "sequence_end", &step->end, error)
      || !protocol_infer_get_bool (
          request, PROTOCOL_STATE_EXTENSION, &step->checkpoint, error))
    return FALSE;
  if (id == NULL)
    return TRUE;
  if (id->type == PROTOCOL_STRING) {
    if (id->string[0] != '\0')
      step->key = g_strdup_printf ("'%s'", id->string);
  } else if (id->type == PROTOCOL_INT) {
    if (id->integer != 0)
      step->key = g_strdup_printf ("%" G_GINT64_FORMAT, id->integer);
  } else {
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "parameter 'sequence_id' is neither an integer nor a string");
  }
  return TRUE;
}

/* --- the table --- */

static void
sequence_free (gpointer data)
{
  ServeSequence *sequence = data;

  g_free (sequence->key);
  infer_state_set_unref (sequence->states);
  g_free (sequence);
}

void
serve_sequences_init (ServeSequences *sequences, ServeLimits *limits)
{
  sequences->table =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, sequence_free);
  sequences->limits = limits;
}

void
serve_sequences_clear (ServeSequences *sequences)
{
  GHashTableIter iter;
  gpointer sequence;

  g_hash_table_iter_init (&iter, sequences->table);
  while (g_hash_table_iter_next (&iter, NULL, &sequence)) {
    __atomic_fetch_sub (&sequences->limits->sequences, 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub (&sequences->limits->bytes,
        ((ServeSequence *) sequence)->bytes, __ATOMIC_RELAXED);
  }
  g_clear_pointer (&sequences->table, g_hash_table_unref);
}

static gboolean
check_room (ServeSequences *sequences, GError **error)
{
  ServeLimits *limits = sequences->limits;

  if (__atomic_add_fetch (&limits->sequences, 1, __ATOMIC_RELAXED)
      > limits->most_sequences) {
    __atomic_fetch_sub (&limits->sequences, 1, __ATOMIC_RELAXED);
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "the server has %d sequences already, as many as it may "
        "(--max-sequences): end one, or wait",
        limits->most_sequences);
  }
  if (__atomic_load_n (&limits->bytes, __ATOMIC_RELAXED)
      >= limits->most_bytes) {
    __atomic_fetch_sub (&limits->sequences, 1, __ATOMIC_RELAXED);
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "the states of all sequences have %zu MB already, as many as they may "
        "(--max-state-memory): end a sequence, or wait",
        limits->most_bytes >> 20);
  }
  return TRUE;
}

ServeSequence *
serve_sequences_find (ServeSequences *sequences, const ServeStep *step,
    const InferModel *model, GError **error)
{
  ServeSequence *sequence = g_hash_table_lookup (sequences->table, step->key);

  if (sequence != NULL)
    return sequence;
  if (!step->start) {
    infer_fail (error, INFER_ERROR_NOT_FOUND,
        "sequence %s is not known: it has ended, was idle for longer than %d s, "
        "or began on another server; its first request needs sequence_start",
        step->key, (int) (sequences->limits->idle_us / G_USEC_PER_SEC));
    return NULL;
  }
  serve_sequences_expire (sequences, g_get_monotonic_time ());
  if (!check_room (sequences, error))
    return NULL;
  sequence = g_new0 (ServeSequence, 1);
  sequence->key = g_strdup (step->key);
  sequence->states = infer_state_set_new (model);
  sequence->used = g_get_monotonic_time ();
  g_queue_init (&sequence->waiting);
  g_hash_table_insert (sequences->table, sequence->key, sequence);
  return sequence;
}

void
serve_sequences_account (ServeSequences *sequences, ServeSequence *sequence)
{
  const gsize bytes = serve_states_size (sequence->states);

  __atomic_fetch_add (
      &sequences->limits->bytes, bytes - sequence->bytes, __ATOMIC_RELAXED);
  sequence->bytes = bytes;
  sequence->used = g_get_monotonic_time ();
}

void
serve_sequences_remove (ServeSequences *sequences, ServeSequence *sequence)
{
  __atomic_fetch_sub (
      &sequences->limits->bytes, sequence->bytes, __ATOMIC_RELAXED);
  __atomic_fetch_sub (&sequences->limits->sequences, 1, __ATOMIC_RELAXED);
  g_hash_table_remove (sequences->table, sequence->key);
}

void
serve_sequences_expire (ServeSequences *sequences, gint64 now)
{
  GHashTableIter iter;
  gpointer data;

  g_hash_table_iter_init (&iter, sequences->table);
  while (g_hash_table_iter_next (&iter, NULL, &data)) {
    ServeSequence *sequence = data;

    if (sequence->busy || now - sequence->used <= sequences->limits->idle_us)
      continue;
    __atomic_fetch_sub (
        &sequences->limits->bytes, sequence->bytes, __ATOMIC_RELAXED);
    __atomic_fetch_sub (&sequences->limits->sequences, 1, __ATOMIC_RELAXED);
    g_hash_table_iter_remove (&iter);
  }
}
