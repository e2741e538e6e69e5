/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/oracle-private.h"

#include <string.h>

/* --- inferences --- */

void
oracle_emit (Oracle *o, LogEntry *entry)
{
  if (o->failed)
    log_entry_free (entry);
  else
    g_ptr_array_add (o->expected, entry);
}

/* The part of an inference's output that leaves. */
static GBytes *
part_of (GBytes *sum, gsize skip, gsize keep)
{
  return g_bytes_new_from_bytes (
      sum, skip * sizeof (float), keep * sizeof (float));
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
  if (o->config->media)
    return g_strdup_printf ("audio/x-raw, format=(string)F32LE, "
                            "layout=(string)interleaved, rate=(int)%u, "
                            "channels=(int)1",
        o->config->rate);
  if (o->config->kind == PLAN_ROWS)
    return g_strdup_printf ("2:%" G_GSIZE_FORMAT ":1", rows);
  return g_strdup_printf ("%" G_GSIZE_FORMAT ":1", rows);
}

/* Of the output: as the input's, or a window for each hop. */
static void
describe_rate (const Oracle *o, LogEntry *entry)
{
  g_autoptr (GstCaps) caps = NULL;

  if (o->config->media)
    return;
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

void
oracle_infer (Oracle *o, LogEntry *entry, const float *values, gsize n,
    gsize skip, gsize keep)
{
  gboolean reset = o->reset_pending && !o->restored;
  GPtrArray *after = oracle_states_new ();

  o->reset_pending = o->restored = o->pristine = FALSE;
  if (keep > 0) {
    entry->discont = o->discont;
    o->discont = FALSE;
  }
  entry->start = o->segment.start;
  entry->base = o->segment.base;
  entry->rate = o->segment.rate;
  entry->dimensions = describe_dimensions (o, n / o->width);
  describe_rate (o, entry);
  if (values[0] == ORACLE_FAIL_VALUE) {
    log_entry_free (entry);
    oracle_emit (o, log_entry_new (LOG_EOS));
    o->failed = TRUE;
    g_ptr_array_unref (after);
    return;
  }
  for (guint i = 0; i < o->states->len; i++) {
    GBytes *before = reset ? NULL : o->states->pdata[i];
    g_autoptr (GBytes) sum = add_up (values, n, before);

    g_ptr_array_add (entry->values, part_of (sum, skip, keep));
    oracle_states_add (after, o->config->stateful ? sum : NULL);
  }
  g_ptr_array_add (o->history, after);
  g_array_append_val (o->resets, reset);
  g_ptr_array_unref (o->states);
  o->states = g_ptr_array_ref (after);
  entry->inferences = o->history->len - 1;
  if (keep > 0)
    oracle_emit (o, entry);
  else
    log_entry_free (entry);
}

/* --- windows --- */

GstClockTime
oracle_rows_time (const Oracle *o, gsize rows)
{
  return gst_util_uint64_scale (rows, GST_SECOND, o->config->rate);
}

GstClockTime
oracle_row_time (const Oracle *o, gsize row)
{
  if (o->anchor == GST_CLOCK_TIME_NONE)
    return GST_CLOCK_TIME_NONE;
  if (row >= o->anchor_row)
    return o->anchor + oracle_rows_time (o, row - o->anchor_row);
  GstClockTime back = oracle_rows_time (o, o->anchor_row - row);
  return o->anchor > back ? o->anchor - back : 0;
}

gsize
oracle_n_rows (const Oracle *o)
{
  return o->rows->len / o->width;
}

static void
cover (const Oracle *o, LogEntry *entry, gsize begin, gsize end)
{
  entry->pts = oracle_row_time (o, begin);
  entry->duration = entry->pts == GST_CLOCK_TIME_NONE
                        ? oracle_rows_time (o, end - begin)
                        : oracle_row_time (o, end) - entry->pts;
  entry->offset = begin;
  entry->offset_end = end;
}

/* The next window up to row @end, filled up to @padded rows.  (transfer full)
 */
static float *
next_window (const Oracle *o, gsize end, gsize padded)
{
  gsize context = o->config->context, width = o->width;
  float *values = g_new0 (float, padded *width);

  for (gsize i = 0; i < context + end - o->next; i++)
    if (o->next + i >= context)
      memcpy (values + i * width,
          &g_array_index (o->rows, float, (o->next + i - context) * width),
          width * sizeof (float));
  return values;
}

static void
infer_window (Oracle *o, gsize end, gsize padded)
{
  LogEntry *entry = log_entry_new (LOG_BUFFER);
  g_autofree float *values = next_window (o, end, padded);

  cover (o, entry, o->next, end);
  oracle_infer (o, entry, values, padded * o->width, 0, padded * o->width);
}

/* The same of audio that leaves sample for sample, `latency` later: rows from
 * number @end on do not. */
static void
infer_samples (Oracle *o, gsize end)
{
  guint latency = o->config->latency, length = o->config->length;
  gsize stop = o->next + o->own;
  gsize from = o->next > latency ? o->next - latency : 0;
  gsize to = stop > latency ? MIN (stop - latency, end) : 0;
  gsize skip = o->config->context + from + latency - o->next;
  LogEntry *entry = log_entry_new (LOG_BUFFER);
  g_autofree float *values = next_window (o, stop, length);

  if (to > from)
    cover (o, entry, from, to);
  oracle_infer (o, entry, values, length, to > from ? skip : 0,
      to > from ? to - from : 0);
}

void
oracle_run_windows (Oracle *o, gsize end)
{
  while (o->next + o->own <= oracle_n_rows (o)) {
    if (o->config->media)
      infer_samples (o, end);
    else
      infer_window (o, o->next + o->own, o->config->length);
    o->covered = o->next + o->own;
    o->next += o->hop;
  }
}

/* Silence until the last row is out. */
static void
finish_samples (Oracle *o)
{
  gsize end = oracle_n_rows (o);

  while (end > 0 && o->next < end + o->config->latency) {
    g_array_set_size (o->rows, (guint) (o->next + o->own));
    memset (&g_array_index (o->rows, float, end), 0,
        (o->next + o->own - end) * sizeof (float));
    oracle_run_windows (o, end);
  }
}

static void
finish_windows (Oracle *o)
{
  guint multiple =
      o->config->tail == TAIL_RUN ? o->config->multiple : o->config->length;
  gsize left = oracle_n_rows (o) - o->next + o->config->context;

  if (oracle_n_rows (o) > o->covered)
    infer_window (o, oracle_n_rows (o),
        MIN ((left + multiple - 1) / multiple * multiple, o->config->length));
}

void
oracle_run_tail (Oracle *o)
{
  if (o->config->tail == TAIL_DROP)
    return;
  if (o->config->media)
    finish_samples (o);
  else
    finish_windows (o);
}
