/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/stream/states.h"

void
gst_infer_states_start (GstInferStates *states)
{
  g_atomic_int_set (&states->reset_pending, FALSE);
  g_atomic_int_set (&states->unused, TRUE);
  g_atomic_int_set (&states->preset, FALSE);
}

void
gst_infer_states_reset (GstInferStates *states)
{
  g_atomic_int_set (&states->reset_pending, TRUE);
}

void
gst_infer_states_reset_all (GstInferStates *states)
{
  gst_infer_states_forget_preset (states);
  gst_infer_states_reset (states);
}

void
gst_infer_states_forget_preset (GstInferStates *states)
{
  g_atomic_int_set (&states->preset, FALSE);
}

gboolean
gst_infer_states_take_reset (GstInferStates *states)
{
  g_atomic_int_set (&states->unused, FALSE);
  if (g_atomic_int_compare_and_exchange (&states->preset, TRUE, FALSE))
    g_atomic_int_set (&states->reset_pending, FALSE);
  return g_atomic_int_compare_and_exchange (
      &states->reset_pending, TRUE, FALSE);
}

gboolean
gst_infer_states_apply_reset (GstInferStates *states, InferStateSet *set)
{
  if (!g_atomic_int_compare_and_exchange (&states->reset_pending, TRUE, FALSE)
      || g_atomic_int_get (&states->preset))
    return FALSE;
  infer_state_set_reset (set);
  return TRUE;
}

void
gst_infer_states_note_written (GstInferStates *states)
{
  if (g_atomic_int_get (&states->unused))
    g_atomic_int_set (&states->preset, TRUE);
}

void
gst_infer_states_store (
    GstInferStates *states, const char *name, GstSample *sample)
{
  g_mutex_lock (&states->lock);
  if (states->restore == NULL)
    states->restore = g_hash_table_new_full (
        g_str_hash, g_str_equal, g_free, (GDestroyNotify) gst_sample_unref);
  g_hash_table_insert (
      states->restore, g_strdup (name), gst_sample_ref (sample));
  g_mutex_unlock (&states->lock);
}

GHashTable *
gst_infer_states_take_stored (GstInferStates *states)
{
  g_mutex_lock (&states->lock);
  GHashTable *restore = g_steal_pointer (&states->restore);
  g_mutex_unlock (&states->lock);
  return restore;
}
