/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/chain/chain.h"
#include "tests/check/stream/oracle-private.h"

static void
maybe_unref (gpointer bytes)
{
  if (bytes != NULL)
    g_bytes_unref (bytes);
}

GPtrArray *
oracle_states_new (void)
{
  return g_ptr_array_new_with_free_func (maybe_unref);
}

void
oracle_states_add (GPtrArray *states, GBytes *state)
{
  g_ptr_array_add (states, state != NULL ? g_bytes_ref (state) : NULL);
}

/* As many are followed; each flush multiplies them by what was in flight. */
#define MAX_STATES 200

static guint
hash_state (gconstpointer state)
{
  return state != NULL ? g_bytes_hash (state) : 0;
}

static gboolean
equal_states (gconstpointer a, gconstpointer b)
{
  return a == b || (a != NULL && b != NULL && g_bytes_equal (a, b));
}

/* From here on, each of @states (transfer full) is possible. */
static void
set_states (Oracle *o, GPtrArray *states)
{
  GPtrArray *first = oracle_states_new ();

  g_clear_pointer (&o->states, g_ptr_array_unref);
  o->states = states;
  g_array_set_size (o->alive, 0);
  g_ptr_array_set_size (o->history, 0);
  g_array_set_size (o->resets, 0);
  o->checked = o->refused_at = 0;
  for (guint i = 0; i < states->len; i++) {
    oracle_states_add (first, states->pdata[i]);
    g_array_append_val (o->alive, (gboolean){ TRUE });
  }
  g_ptr_array_add (o->history, first);
}

static void
set_one_state (Oracle *o, GBytes *state)
{
  GPtrArray *states = oracle_states_new ();

  oracle_states_add (states, state);
  set_states (o, states);
}

/* --- reading and writing --- */

void
oracle_set_state (Oracle *o, GBytes *value)
{
  o->reset_pending = FALSE;
  o->restored = o->pristine;
  set_one_state (o, value);
}

gboolean
oracle_get_state (Oracle *o, GBytes **value)
{
  gboolean found = FALSE;

  *value = NULL;
  for (guint i = 0; i < o->states->len; i++) {
    GBytes *state =
        o->reset_pending && !o->restored ? NULL : o->states->pdata[i];

    if (!g_array_index (o->alive, gboolean, i))
      continue;
    if (found
        && (state == NULL || *value == NULL || !g_bytes_equal (state, *value)))
      return FALSE;
    found = TRUE;
    *value = state;
  }
  return found;
}

/* Adds the states that are possible after the first @n entries of the history,
 * with @reset pending; @known has those that are in @states. */
static void
add_possible (const Oracle *o, GPtrArray *states, GHashTable *known, guint n,
    gboolean reset)
{
  /* Later inferences may not have been computed; then their resets apply to the
   * next one. */
  for (guint k = n; k > o->checked; k--) {
    const GPtrArray *after = o->history->pdata[k - 1];

    for (guint i = 0; i < after->len; i++) {
      GBytes *state = reset ? NULL : after->pdata[i];

      if (g_array_index (o->alive, gboolean, i)
          && g_hash_table_add (known, state))
        oracle_states_add (states, state);
    }
    if (k > 1)
      reset |= g_array_index (o->resets, gboolean, k - 2);
  }
}

static GPtrArray *
possible_states (const Oracle *o)
{
  g_autoptr (GHashTable) known = g_hash_table_new (hash_state, equal_states);
  GPtrArray *states = oracle_states_new ();

  add_possible (o, states, known, o->history->len, o->reset_pending);
  if (o->refused_at > 0)
    add_possible (o, states, known, o->refused_at, o->refused_reset);
  return states;
}

void
oracle_refused (Oracle *o)
{
  if (o->refused_at > 0)
    return;
  o->refused_at = o->history->len;
  o->refused_reset = o->reset_pending;
}

void
oracle_cut (Oracle *o, gboolean fresh)
{
  if (fresh || (o->config->reset & RESET_FLUSH))
    set_one_state (o, NULL);
  else
    set_states (o, possible_states (o));
  if (o->swap) /* during the flush, with fresh states */
    set_one_state (o, NULL);
  o->swap = FALSE;
  if (fresh) {
    g_clear_pointer (&o->caps, g_free);
    o->confirmed = FALSE;
  }
  o->reset_pending = o->failed = o->restored = FALSE;
  o->pristine |= fresh;
  o->discont = TRUE;
  oracle_forget_rows (o);
  gst_segment_init (&o->segment, GST_FORMAT_UNDEFINED);
  g_ptr_array_set_size (o->expected, 0);
  if (o->twin != NULL)
    twin_cut (o->twin, fresh);
}

void
oracle_allow_reset (Oracle *o)
{
  GPtrArray *states = oracle_states_new ();

  for (guint i = 0; i < o->states->len; i++)
    oracle_states_add (states, o->states->pdata[i]);
  if (!g_ptr_array_find (states, NULL, NULL))
    oracle_states_add (states, NULL);
  set_states (o, states);
}

gboolean
oracle_has_too_many_states (const Oracle *o)
{
  return o->states->len > MAX_STATES;
}

void
oracle_forget_states (Oracle *o)
{
  if (o->history->len == 1)
    set_one_state (o, NULL);
}

void
oracle_resync (Oracle *o)
{
  set_one_state (o, NULL);
  o->swap = o->failed = FALSE;
  g_ptr_array_set_size (o->expected, 0);
}

gboolean
oracle_has_inferred (const Oracle *o)
{
  return o->confirmed;
}

gboolean
oracle_may_have_inferred (const Oracle *o)
{
  return !o->pristine;
}

gboolean
oracle_has_failed (const Oracle *o)
{
  return o->failed;
}

/* --- comparing --- */

/* Removes the states that would have given another value. */
static gboolean
check_values (Oracle *o, const LogEntry *want, const LogEntry *got)
{
  gboolean any = FALSE;

  for (guint i = 0; i < want->values->len; i++) {
    gboolean *alive = &g_array_index (o->alive, gboolean, i);

    *alive =
        *alive && g_bytes_equal (want->values->pdata[i], got->values->pdata[0]);
    any |= *alive;
  }
  return any;
}

static char *
complain (const LogEntry *want, const LogEntry *got, guint i)
{
  g_autofree char *a =
      want != NULL ? log_entry_to_string (want) : g_strdup ("nothing");
  g_autofree char *b =
      got != NULL ? log_entry_to_string (got) : g_strdup ("nothing");

  return g_strdup_printf (
      "entry %u should be\n    %s\n  but is\n    %s", i, a, b);
}

static void
forget_gaps (Oracle *o)
{
  for (guint i = o->expected->len; i-- > 0;)
    if (((LogEntry *) o->expected->pdata[i])->kind == LOG_GAP)
      g_ptr_array_remove_index (o->expected, i);
}

/* Adds the twin's output to the expected one.  Where not all must have left,
 * the twin may have more: all that was pushed.  Where a model's output shapes
 * are not known before it runs, the caps leave with the first result.  The twin
 * had it, but the elements were flushed before: they keep GAP events, which
 * must not leave without caps, and drop them at EOS. */
static void
expect_twin (Oracle *o, gboolean prefix, gboolean has_caps)
{
  if (prefix)
    twin_drain (o->twin);
  g_ptr_array_extend_and_steal (o->expected, twin_take (o->twin));
  if (!has_caps)
    forget_gaps (o);
}

/* The twin's last events may still be in it, if the elements' have left. */
static gboolean
may_hold (const Oracle *o)
{
  return o->twin != NULL && chain_holds_events (o->config->chain);
}

char *
oracle_check (
    Oracle *o, const GPtrArray *seen, gboolean prefix, gboolean has_caps)
{
  if (o->twin != NULL)
    expect_twin (o, prefix, has_caps);
  for (guint i = 0; i < seen->len; i++) {
    const LogEntry *got = seen->pdata[i];
    LogEntry *want = i < o->expected->len ? o->expected->pdata[i] : NULL;

    if (want == NULL && prefix && got->kind != LOG_BUFFER && may_hold (o))
      continue;

    /* A second element may see a sequence begin where the first does not. */
    if (o->config->row && want != NULL && got->discont)
      want->discont = TRUE;
    if (want == NULL || !log_entry_equal (want, got)
        || (want->kind == LOG_BUFFER && !check_values (o, want, got)))
      return complain (want, got, i);
    if (want->kind != LOG_BUFFER)
      continue;
    o->checked = MAX (o->checked, want->inferences);
    o->confirmed = TRUE;
  }
  if (!prefix && seen->len < o->expected->len)
    return complain (o->expected->pdata[seen->len], NULL, seen->len);
  /* Some results have no part of the output. */
  if (!prefix)
    o->checked = o->history->len - 1;
  if (seen->len > 0)
    g_ptr_array_remove_range (
        o->expected, 0, MIN (seen->len, o->expected->len));
  return NULL;
}
