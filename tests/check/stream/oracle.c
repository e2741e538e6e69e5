/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/oracle-private.h"

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
  o->hop = config->hop_ms * config->rate / 1000;
  if (config->hop_ms == 0)
    o->hop = config->length;
  o->rows = g_array_new (FALSE, FALSE, sizeof (float));
  o->expected =
      g_ptr_array_new_with_free_func ((GDestroyNotify) log_entry_free);
  o->alive = g_array_new (FALSE, FALSE, sizeof (gboolean));
  o->resets = g_array_new (FALSE, FALSE, sizeof (gboolean));
  o->history =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  oracle_cut (o, TRUE);
  return o;
}

void
oracle_free (Oracle *o)
{
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

/* --- inferences --- */

static void
emit (Oracle *o, LogEntry *entry)
{
  if (o->failed)
    log_entry_free (entry);
  else
    g_ptr_array_add (o->expected, entry);
}

static GBytes *
add_up (const float *values, gsize n, GBytes *state)
{
  gsize size = n * sizeof (float), have = 0;
  const float *sum = state != NULL ? g_bytes_get_data (state, &have) : NULL;
  float *out = g_new (float, n);

  for (gsize i = 0; i < n; i++)
    out[i] = values[i] + (have == size ? sum[i] : 0);
  return g_bytes_new_take (out, size);
}

static char *
describe_dimensions (const Oracle *o, gsize rows)
{
  if (o->config->kind == PLAN_TENSORS)
    return g_strdup ("3:1");
  if (o->config->kind == PLAN_ROWS)
    return g_strdup_printf ("2:%" G_GSIZE_FORMAT ":1", rows);
  return g_strdup_printf ("%" G_GSIZE_FORMAT ":1", rows);
}

/* Of the output: as the input's, or a window for each hop. */
static void
describe_rate (const Oracle *o, LogEntry *entry)
{
  g_autoptr (GstCaps) caps = NULL;

  if (o->config->kind == PLAN_TENSORS) {
    caps = gst_caps_from_string (o->caps);
    gst_structure_get_fraction (gst_caps_get_structure (caps, 0), "framerate",
        &entry->fps_n, &entry->fps_d);
    return;
  }
  gint divisor = (gint) gst_util_greatest_common_divisor (
      (gint) o->config->rate, (gint) o->hop);
  entry->fps_n = (gint) o->config->rate / divisor;
  entry->fps_d = (gint) o->hop / divisor;
}

static void
infer (Oracle *o, LogEntry *entry, const float *values, gsize rows)
{
  gsize n = rows * o->width;
  gboolean reset = o->reset_pending && !o->restored;
  GPtrArray *after = oracle_states_new ();

  o->reset_pending = o->restored = o->pristine = FALSE;
  entry->discont = o->discont;
  o->discont = FALSE;
  entry->start = o->segment.start;
  entry->base = o->segment.base;
  entry->rate = o->segment.rate;
  entry->dimensions = describe_dimensions (o, rows);
  describe_rate (o, entry);
  if (values[0] == ORACLE_FAIL_VALUE) {
    log_entry_free (entry);
    emit (o, log_entry_new (LOG_EOS));
    o->failed = TRUE;
    g_ptr_array_unref (after);
    return;
  }
  for (guint i = 0; i < o->states->len; i++) {
    GBytes *before = reset ? NULL : o->states->pdata[i];
    GBytes *sum = add_up (values, n, before);

    g_ptr_array_add (entry->values, sum);
    oracle_states_add (after, o->config->stateful ? sum : NULL);
  }
  g_ptr_array_add (o->history, after);
  g_array_append_val (o->resets, reset);
  g_ptr_array_unref (o->states);
  o->states = g_ptr_array_ref (after);
  emit (o, entry);
}

/* --- windows --- */

static GstClockTime
rows_time (const Oracle *o, gsize rows)
{
  return gst_util_uint64_scale (rows, GST_SECOND, o->config->rate);
}

static GstClockTime
row_time (const Oracle *o, gsize row)
{
  if (o->anchor == GST_CLOCK_TIME_NONE)
    return GST_CLOCK_TIME_NONE;
  if (row >= o->anchor_row)
    return o->anchor + rows_time (o, row - o->anchor_row);
  GstClockTime back = rows_time (o, o->anchor_row - row);
  return o->anchor > back ? o->anchor - back : 0;
}

static gsize
n_rows (const Oracle *o)
{
  return o->rows->len / o->width;
}

/* The window that starts at @begin and has rows up to @end. */
static void
infer_window (Oracle *o, gsize begin, gsize end, gsize padded)
{
  LogEntry *entry = log_entry_new (LOG_BUFFER);
  g_autofree float *values = g_new0 (float, padded * o->width);

  memcpy (values, &g_array_index (o->rows, float, begin * o->width),
      (end - begin) * o->width * sizeof (float));
  entry->pts = row_time (o, begin);
  entry->duration = entry->pts == GST_CLOCK_TIME_NONE
                        ? rows_time (o, end - begin)
                        : row_time (o, end) - entry->pts;
  entry->offset = begin;
  entry->offset_end = end;
  infer (o, entry, values, padded);
}

static void
run_windows (Oracle *o)
{
  guint length = o->config->length;

  while (o->next + length <= n_rows (o)) {
    infer_window (o, o->next, o->next + length, length);
    o->covered = o->next + length;
    o->next += o->hop;
  }
}

static gboolean
windowed (const Oracle *o)
{
  return o->config->kind != PLAN_TENSORS;
}

static void
end_sequence (Oracle *o, gboolean reset)
{
  guint multiple =
      o->config->tail == TAIL_RUN ? o->config->multiple : o->config->length;
  gsize left = n_rows (o) - o->next;

  if (windowed (o)) {
    if (o->config->tail != TAIL_DROP && n_rows (o) > o->covered)
      infer_window (o, o->next, n_rows (o),
          MIN ((left + multiple - 1) / multiple * multiple, o->config->length));
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
  GstClockTime due = row_time (o, n_rows (o));

  if (rows == 0)
    return;
  if (pts != GST_CLOCK_TIME_NONE
      && (due == GST_CLOCK_TIME_NONE
          || ABS (GST_CLOCK_DIFF (pts, due)) > REANCHOR)) {
    o->anchor = pts;
    o->anchor_row = n_rows (o);
  }
  g_array_append_vals (o->rows, values, (guint) (rows * o->width));
  run_windows (o);
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
  GstClockTime end = pts != GST_CLOCK_TIME_NONE ? pts + rows_time (o, rows)
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
}

void
oracle_caps (Oracle *o, const char *id)
{
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
  GstClockTime due = row_time (o, n_rows (o));

  return windowed (o) && pts != GST_CLOCK_TIME_NONE
         && due != GST_CLOCK_TIME_NONE
         && (GstClockTime) ABS (GST_CLOCK_DIFF (due, pts)) > o->config->max_gap;
}

void
oracle_buffer (Oracle *o, const float *values, gsize rows, GstClockTime pts,
    GstClockTime duration, guint flags)
{
  guint policy = o->config->reset;

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
    infer (o, entry, values, rows);
  }
}

void
oracle_gap (Oracle *o, GstClockTime pts, GstClockTime duration)
{
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
    emit (o, entry);
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
  GstClockTime due = windowed (o) ? row_time (o, n_rows (o)) : o->after;

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
  oracle_drain (o);
  if ((o->config->reset & RESET_SEGMENT) && !continues (o, segment))
    end_sequence (o, TRUE);
  o->segment = *segment;
}

void
oracle_stream_start (Oracle *o)
{
  oracle_drain (o);
  if (o->config->reset & RESET_STREAM_START)
    end_sequence (o, TRUE);
}

void
oracle_eos (Oracle *o)
{
  oracle_drain (o);
  end_sequence (o, FALSE);
  emit (o, log_entry_new (LOG_EOS));
}

void
oracle_segment_done (Oracle *o, GstClockTime position)
{
  LogEntry *entry = log_entry_new (LOG_SEGMENT_DONE);

  oracle_drain (o);
  end_sequence (o, FALSE);
  entry->pts = position;
  emit (o, entry);
}

void
oracle_custom (Oracle *o, guint number, gboolean resets)
{
  LogEntry *entry = log_entry_new (LOG_CUSTOM);

  oracle_drain (o);
  if (resets) {
    o->restored = FALSE;
    end_sequence (o, TRUE);
  }
  entry->offset = number;
  emit (o, entry);
}

void
oracle_reset (Oracle *o)
{
  o->restored = FALSE;
  o->reset_pending = TRUE;
}
