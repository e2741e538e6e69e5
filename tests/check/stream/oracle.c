/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/oracle-private.h"
#include "tests/check/stream/rig-private.h"

#include <string.h>

/* --- new and free --- */

static void
clear_rows (Oracle *o)
{
  g_array_set_size (o->rows, 0);
  o->next = o->covered = o->anchor_row = 0;
  o->anchor = o->after = GST_CLOCK_TIME_NONE;
}

static void
part_free (gpointer data)
{
  Part *part = data;

  g_free (part->values);
  g_free (part);
}

void
oracle_forget_rows (Oracle *o)
{
  clear_rows (o);
  g_queue_clear_full (&o->unit, part_free);
}

Oracle *
oracle_new (const PlanConfig *config)
{
  Oracle *o = g_new0 (Oracle, 1);

  o->config = config;
  o->width = config->kind == PLAN_ROWS ? 2 : 1;
  o->own = config->length - config->context;
  o->hop = config->hop_ms * config->rate / 1000;
  if (config->hop_ms == 0)
    o->hop = o->own;
  o->rows = g_array_new (FALSE, FALSE, sizeof (float));
  o->expected =
      g_ptr_array_new_with_free_func ((GDestroyNotify) log_entry_free);
  o->alive = g_array_new (FALSE, FALSE, sizeof (gboolean));
  o->resets = g_array_new (FALSE, FALSE, sizeof (gboolean));
  o->history =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  oracle_cut (o, TRUE);
  if (config->chained)
    o->twin = twin_new (config);
  return o;
}

void
oracle_free (Oracle *o)
{
  twin_free (o->twin);
  g_free (o->caps);
  g_queue_clear_full (&o->unit, part_free);
  g_array_unref (o->rows);
  g_ptr_array_unref (o->expected);
  g_ptr_array_unref (o->states);
  g_array_unref (o->alive);
  g_array_unref (o->resets);
  g_ptr_array_unref (o->history);
  g_free (o);
}

static gboolean
windowed (const Oracle *o)
{
  return o->config->kind != PLAN_TENSORS;
}

static void
end_sequence (Oracle *o, gboolean reset)
{
  if (windowed (o)) {
    oracle_run_tail (o);
    clear_rows (o);
  }
  o->after = GST_CLOCK_TIME_NONE;
  if (reset)
    o->reset_pending = TRUE;
  o->discont = TRUE;
}

static void
add_rows (Oracle *o, const float *values, gsize rows, GstClockTime pts)
{
  GstClockTime due = oracle_row_time (o, oracle_n_rows (o));

  if (rows == 0)
    return;
  if (pts != GST_CLOCK_TIME_NONE
      && (due == GST_CLOCK_TIME_NONE
          || ABS (GST_CLOCK_DIFF (pts, due)) > REANCHOR)) {
    o->anchor = pts;
    o->anchor_row = oracle_n_rows (o);
  }
  g_array_append_vals (o->rows, values, (guint) (rows * o->width));
  oracle_run_windows (o, G_MAXSIZE);
}

/* --- units of reverse playback --- */

/* Reverses the expected results from number @from on; of a unit that fails,
 * only the end is left. */
static void
reverse_expected (Oracle *o, guint from)
{
  gpointer *entries = o->expected->pdata;

  if (o->failed) {
    while (o->expected->len > from + 1)
      g_ptr_array_remove_index (o->expected, from);
    return;
  }
  for (guint i = from, k = o->expected->len; i + 1 < k; i++) {
    gpointer entry = entries[i];

    entries[i] = entries[--k];
    entries[k] = entry;
  }
  for (guint i = from; i < o->expected->len; i++)
    ((LogEntry *) o->expected->pdata[i])->discont = i == from;
}

void
oracle_drain (Oracle *o)
{
  guint from = o->expected->len;
  Part *part;

  if (o->twin != NULL) {
    twin_drain (o->twin);
    return;
  }
  if (g_queue_is_empty (&o->unit))
    return;
  end_sequence (o, (o->config->reset & RESET_DISCONT) != 0);
  while ((part = g_queue_pop_head (&o->unit)) != NULL) {
    add_rows (o, part->values, part->rows, part->pts);
    part_free (part);
  }
  end_sequence (o, FALSE);
  if (o->expected->len > from)
    reverse_expected (o, from);
}

static gboolean
meet (GstClockTime a, GstClockTime b)
{
  return a != GST_CLOCK_TIME_NONE && b != GST_CLOCK_TIME_NONE
         && ABS (GST_CLOCK_DIFF (a, b)) <= (GstClockTimeDiff) GST_MSECOND;
}

static void
collect (Oracle *o, const float *values, gsize rows, GstClockTime pts,
    gboolean begins)
{
  GstClockTime end = pts != GST_CLOCK_TIME_NONE
                         ? pts + oracle_rows_time (o, rows)
                         : GST_CLOCK_TIME_NONE;
  Part *part = g_new (Part, 1);
  guint n = o->unit.length;

  *part =
      (Part){ g_memdup2 (values, rows * o->width * sizeof (float)), rows, pts };
  if (n > 0 && !begins && !o->ascending && meet (end, o->unit_start)) {
    o->unit_start = pts;
    g_queue_push_head (&o->unit, part);
  } else if (n > 0 && !begins && (o->ascending || n == 1)
             && meet (o->unit_end, pts)) {
    o->unit_end = end;
    o->ascending = TRUE;
    g_queue_push_tail (&o->unit, part);
  } else {
    oracle_drain (o);
    o->unit_start = pts;
    o->unit_end = end;
    o->ascending = FALSE;
    g_queue_push_tail (&o->unit, part);
  }
  if (!o->ascending && o->unit_end != GST_CLOCK_TIME_NONE
      && o->unit_end - o->unit_start >= UNIT_LENGTH)
    oracle_drain (o);
}

/* --- input --- */

static void
swap_model (Oracle *o)
{
  if (!o->swap)
    return;
  o->swap = FALSE;
  end_sequence (o, TRUE);
  o->restored = FALSE;
}

void
oracle_swap (Oracle *o)
{
  o->swap = TRUE;

  if (o->twin != NULL) {
    twin_swap (o->twin);
    return;
  }
}

void
oracle_caps (Oracle *o, const char *id)
{
  if (o->twin != NULL) {
    twin_caps (o->twin, id);
    return;
  }
  oracle_drain (o);
  /* Caps of rows only differ in how many are in a buffer. */
  if (g_strcmp0 (o->caps, id) == 0
      || (o->caps != NULL && o->config->kind == PLAN_ROWS))
    return;
  if (o->caps != NULL)
    end_sequence (o, TRUE);
  swap_model (o);
  g_free (o->caps);
  o->caps = g_strdup (id);
}

static gboolean
jumped (const Oracle *o, GstClockTime pts)
{
  GstClockTime due = oracle_row_time (o, oracle_n_rows (o));

  return windowed (o) && pts != GST_CLOCK_TIME_NONE
         && due != GST_CLOCK_TIME_NONE
         && (GstClockTime) ABS (GST_CLOCK_DIFF (due, pts)) > o->config->max_gap;
}

void
oracle_buffer (Oracle *o, const float *values, gsize rows, GstClockTime pts,
    GstClockTime duration, guint flags)
{
  guint policy = o->config->reset;

  if (o->twin != NULL) {
    twin_buffer (o->twin, values, rows, pts, duration, flags);
    return;
  }
  swap_model (o);
  if (windowed (o) && o->segment.rate < 0) {
    collect (o, values, rows, pts, (flags & (PLAN_DISCONT | PLAN_RESYNC)) != 0);
    return;
  }
  if (((policy & RESET_DISCONT) && (flags & (PLAN_DISCONT | PLAN_RESYNC)))
      || ((policy & RESET_GAP) && jumped (o, pts)))
    end_sequence (o, TRUE);
  if (windowed (o)) {
    add_rows (o, values, rows, pts);
  } else {
    LogEntry *entry = log_entry_new (LOG_BUFFER);

    entry->pts = pts;
    entry->duration = duration;
    entry->offset = entry->offset_end = GST_BUFFER_OFFSET_NONE;
    o->after = pts == GST_CLOCK_TIME_NONE ? pts : pts + duration;
    oracle_infer (o, entry, values, rows, 0, rows);
  }
}

void
oracle_gap (Oracle *o, GstClockTime pts, GstClockTime duration)
{
  if (o->twin != NULL) {
    twin_event (o->twin, gst_event_new_gap (pts, duration));
    return;
  }
  oracle_drain (o);
  if (o->caps != NULL)
    swap_model (o);
  if (duration == GST_CLOCK_TIME_NONE || duration > o->config->max_gap
      || !windowed (o) || o->segment.rate < 0) {
    LogEntry *entry = log_entry_new (LOG_GAP);

    if (duration != GST_CLOCK_TIME_NONE && duration > o->config->max_gap
        && (o->config->reset & RESET_GAP))
      end_sequence (o, TRUE);
    else if (!windowed (o) && duration != GST_CLOCK_TIME_NONE && o->caps != NULL
             && duration <= o->config->max_gap)
      o->after = pts + duration;
    entry->pts = pts;
    entry->duration = duration;
    oracle_emit (o, entry);
  } else {
    gsize rows =
        (gsize) ((duration * o->config->rate + GST_SECOND / 2) / GST_SECOND);
    g_autofree float *silence = g_new0 (float, rows * o->width + 1);

    add_rows (o, silence, rows, pts);
  }
}

/* TRUE if running time continues. */
static gboolean
continues (const Oracle *o, const GstSegment *next)
{
  const GstSegment *now = &o->segment;
  GstClockTime due =
      windowed (o) ? oracle_row_time (o, oracle_n_rows (o)) : o->after;

  if (now->format != next->format || now->rate != next->rate)
    return FALSE;
  if (now->start == next->start && now->base == next->base
      && now->time == next->time)
    return TRUE;
  if (due != GST_CLOCK_TIME_NONE && due < next->start
      && next->start - due <= GST_MSECOND)
    due = next->start;
  return due != GST_CLOCK_TIME_NONE && due >= next->start
         && gst_segment_to_running_time (now, GST_FORMAT_TIME, due)
                == gst_segment_to_running_time (next, GST_FORMAT_TIME, due)
         && gst_segment_to_stream_time (now, GST_FORMAT_TIME, due)
                == gst_segment_to_stream_time (next, GST_FORMAT_TIME, due);
}

void
oracle_segment (Oracle *o, const GstSegment *segment)
{
  if (o->twin != NULL) {
    twin_event (o->twin, gst_event_new_segment (segment));
    return;
  }
  oracle_drain (o);
  if ((o->config->reset & RESET_SEGMENT) && !continues (o, segment))
    end_sequence (o, TRUE);
  o->segment = *segment;
}

void
oracle_stream_start (Oracle *o)
{
  if (o->twin != NULL) {
    twin_event (o->twin, gst_event_new_stream_start ("calm"));
    return;
  }
  oracle_drain (o);
  if (o->config->reset & RESET_STREAM_START)
    end_sequence (o, TRUE);
}

void
oracle_eos (Oracle *o)
{
  if (o->twin != NULL) {
    twin_event (o->twin, gst_event_new_eos ());
    return;
  }
  oracle_drain (o);
  end_sequence (o, FALSE);
  oracle_emit (o, log_entry_new (LOG_EOS));
}

void
oracle_segment_done (Oracle *o, GstClockTime position)
{
  if (o->twin != NULL) {
    twin_event (o->twin,
        gst_event_new_segment_done (GST_FORMAT_TIME, (gint64) position));
    return;
  }
  LogEntry *entry = log_entry_new (LOG_SEGMENT_DONE);
  oracle_drain (o);
  end_sequence (o, FALSE);
  entry->pts = position;
  oracle_emit (o, entry);
}

void
oracle_custom (Oracle *o, guint number, gboolean resets)
{
  if (o->twin != NULL) {
    twin_event (o->twin, rig_custom_event (number, resets));
    return;
  }
  LogEntry *entry = log_entry_new (LOG_CUSTOM);
  oracle_drain (o);
  if (resets) {
    o->restored = FALSE;
    end_sequence (o, TRUE);
    oracle_forget_states (o);
  }
  entry->offset = number;
  oracle_emit (o, entry);
}

void
oracle_tag (Oracle *o, const char *title)
{
  if (o->twin != NULL)
    twin_event (o->twin,
        gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, title, NULL)));
  else
    oracle_drain (o);
}

void
oracle_allocation (Oracle *o)
{
  if (o->twin != NULL)
    twin_allocation (o->twin);
  else
    oracle_drain (o);
}

void
oracle_reset (Oracle *o)
{
  o->restored = FALSE;
  o->reset_pending = TRUE;
}
