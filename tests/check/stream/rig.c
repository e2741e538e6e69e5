/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/rig.h"

#include <stdlib.h>
#include <string.h>

#include "gst/gstinferfilter.h"
#include "tests/check/stream/models.h"
#include "tests/check/stream/oracle.h"
#include "tests/check/support/fake-backend.h"

#define TIMEOUT_US (5 * G_USEC_PER_SEC)
#define MAX_ROWS 400

typedef struct
{
  const Plan *plan;
  Oracle *oracle;
  GstElement *filter;
  GstBus *bus;
  GstPad *src, *sink;

  /* Where the stream is. */
  GstClockTime base; /* of row 0 */
  guint64 rows;
  GstSegment segment;
  gboolean other_format;
  guint n_streams, n_customs, n_tags, n_seeks;
  gboolean tagged; /* since the element was started */

  GMutex lock;
  GCond cond;
  GPtrArray *seen; /* (element-type LogEntry), guarded */
} Rig;

static GstStaticPadTemplate any_sink = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

typedef char *(*Operation) (Rig *rig, const PlanOp *op);

/* --- downstream --- */

static void
note (Rig *rig, LogEntry *entry)
{
  g_mutex_lock (&rig->lock);
  g_ptr_array_add (rig->seen, entry);
  g_cond_broadcast (&rig->cond);
  g_mutex_unlock (&rig->lock);
}

static void
note_circumstances (LogEntry *entry, GstPad *pad)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  g_autoptr (GstEvent) event =
      gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;

  if (event != NULL) {
    gst_event_parse_segment (event, &segment);
    entry->start = segment->start;
    entry->base = segment->base;
    entry->rate = segment->rate;
  }
  if (caps != NULL)
    entry->dimensions = g_strdup (gst_structure_get_string (
        gst_caps_get_structure (caps, 0), "dimensions"));
}

static GstFlowReturn
sink_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Rig *rig = gst_pad_get_element_private (pad);
  LogEntry *entry = log_entry_new (LOG_BUFFER);
  gsize size = gst_buffer_get_size (buffer);
  gpointer data = g_malloc (size);

  gst_buffer_extract (buffer, 0, data, size);
  g_ptr_array_add (entry->values, g_bytes_new_take (data, size));
  entry->pts = GST_BUFFER_PTS (buffer);
  entry->duration = GST_BUFFER_DURATION (buffer);
  entry->offset = GST_BUFFER_OFFSET (buffer);
  entry->offset_end = GST_BUFFER_OFFSET_END (buffer);
  entry->discont = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  note_circumstances (entry, pad);
  gst_buffer_unref (buffer);
  note (rig, entry);
  if (rig->plan->config.sink_us > 0)
    g_usleep (rig->plan->config.sink_us);
  return GST_FLOW_OK;
}

static void
note_custom (Rig *rig, GstEvent *event)
{
  const GstStructure *s = gst_event_get_structure (event);
  LogEntry *entry;
  guint number;

  if (!gst_structure_get_uint (s, "number", &number))
    return;
  entry = log_entry_new (LOG_CUSTOM);
  entry->offset = number;
  note (rig, entry);
}

static gboolean
sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  Rig *rig = gst_pad_get_element_private (pad);
  LogEntry *entry;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_EOS:
      note (rig, log_entry_new (LOG_EOS));
      break;
    case GST_EVENT_GAP:
      entry = log_entry_new (LOG_GAP);
      gst_event_parse_gap (event, &entry->pts, &entry->duration);
      note (rig, entry);
      break;
    case GST_EVENT_CUSTOM_DOWNSTREAM:
      note_custom (rig, event);
      break;
    default:
      break;
  }
  gst_event_unref (event);
  return TRUE;
}

static gboolean
src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  Rig *rig = gst_pad_get_element_private (pad);

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    rig->n_seeks++;
  gst_event_unref (event);
  return TRUE;
}

/* --- checking --- */

/* What has been seen must be what the oracle says, or its beginning. */
static char *
check_seen (Rig *rig, gboolean prefix)
{
  char *wrong;

  g_mutex_lock (&rig->lock);
  wrong = oracle_check (rig->oracle, rig->seen, prefix);
  g_ptr_array_set_size (rig->seen, 0);
  g_mutex_unlock (&rig->lock);
  return wrong;
}

static char *
check_tags (Rig *rig)
{
  g_autoptr (GstEvent) event =
      gst_pad_get_sticky_event (rig->sink, GST_EVENT_TAG, 0);
  g_autofree char *title = NULL;
  g_autofree char *want = g_strdup_printf ("%u", rig->n_tags);
  GstTagList *tags;

  if (!rig->tagged)
    return NULL;
  if (event != NULL) {
    gst_event_parse_tag (event, &tags);
    gst_tag_list_get_string (tags, GST_TAG_TITLE, &title);
  }
  if (g_strcmp0 (title, want) == 0)
    return NULL;
  return g_strdup_printf (
      "tags should be '%s' but are '%s'", want, title ? title : "none");
}

static char *
await_eos (Rig *rig)
{
  gint64 until = g_get_monotonic_time () + TIMEOUT_US;
  gboolean eos = FALSE, in_time = TRUE;

  g_mutex_lock (&rig->lock);
  while (!eos && in_time) {
    const LogEntry *last =
        rig->seen->len > 0 ? rig->seen->pdata[rig->seen->len - 1] : NULL;

    eos = last != NULL && last->kind == LOG_EOS;
    if (!eos)
      in_time = g_cond_wait_until (&rig->cond, &rig->lock, until);
  }
  g_mutex_unlock (&rig->lock);
  if (!eos)
    return g_strdup ("EOS never came");
  return check_seen (rig, FALSE);
}

/* A query is answered after all that came before it. */
static char *
drain (Rig *rig)
{
  g_autoptr (GstQuery) query = gst_query_new_drain ();
  char *wrong;

  gst_pad_peer_query (rig->src, query);
  if (oracle_has_failed (rig->oracle))
    return NULL;
  wrong = check_seen (rig, FALSE);
  return wrong != NULL ? wrong : check_tags (rig);
}

static char *
check_messages (Rig *rig, gboolean expected)
{
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (rig->bus, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  if ((message != NULL) == expected)
    return NULL;
  if (message == NULL)
    return g_strdup ("no error was posted");
  gst_message_parse_error (message, &error, NULL);
  return g_strdup_printf ("posted: %s", error->message);
}

/* --- upstream --- */

static GstClockTime
time_of_row (const Rig *rig, guint64 row)
{
  return rig->base
         + gst_util_uint64_scale (row, GST_SECOND, rig->plan->config.rate);
}

static GstClockTime
position (const Rig *rig)
{
  return time_of_row (rig, rig->rows);
}

static void
move_to (Rig *rig, GstClockTime time)
{
  rig->base = time;
  rig->rows = 0;
}

static void
send_segment (Rig *rig)
{
  gst_pad_push_event (rig->src, gst_event_new_segment (&rig->segment));
  oracle_segment (rig->oracle, &rig->segment);
}

static void
new_segment (Rig *rig, GstClockTime start)
{
  gst_segment_init (&rig->segment, GST_FORMAT_TIME);
  rig->segment.start = rig->segment.time = start;
  move_to (rig, start);
  send_segment (rig);
}

static void
send_caps (Rig *rig)
{
  const PlanConfig *c = &rig->plan->config;
  g_autoptr (GstCaps) caps = NULL;
  g_autofree char *text = NULL;

  if (c->kind == PLAN_AUDIO || c->kind == PLAN_DYNAMIC)
    text = g_strdup_printf ("audio/x-raw, format=%s, layout=interleaved, "
                            "rate=%u, channels=1",
        rig->other_format ? "S16LE" : "F32LE", c->rate);
  else if (c->kind == PLAN_ROWS)
    text = g_strdup_printf ("other/tensors, format=static, num_tensors=1, "
                            "types=(string)float32, dimensions=(string)2:%u:1, "
                            "framerate=(fraction)%u/%u",
        rig->other_format ? 2 : 1, c->rate, rig->other_format ? 2 : 1);
  else
    text = g_strdup_printf ("other/tensors, format=static, num_tensors=1, "
                            "types=(string)float32, dimensions=(string)3:1, "
                            "framerate=(fraction)%u/1",
        rig->other_format ? 20 : 10);
  caps = gst_caps_from_string (text);
  gst_pad_push_event (rig->src, gst_event_new_caps (caps));
  oracle_caps (rig->oracle, text);
}

static void
send_stream_start (Rig *rig)
{
  g_autofree char *id = g_strdup_printf ("stream-%u", rig->n_streams++);

  rig->tagged = FALSE; /* they are a stream's */
  gst_pad_push_event (rig->src, gst_event_new_stream_start (id));
  oracle_stream_start (rig->oracle);
}

static void
begin (Rig *rig)
{
  send_stream_start (rig);
  send_caps (rig);
  new_segment (rig, 0);
}

static gboolean
is_s16 (const Rig *rig)
{
  return rig->other_format && rig->plan->config.kind < PLAN_ROWS;
}

static guint
row_width (const Rig *rig)
{
  return rig->plan->config.kind == PLAN_ROWS ? 2 : 1;
}

/* Whole numbers, so that sums are exact. */
static void
make_values (Rig *rig, float *values, gsize n, const PlanOp *op)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (op->seed);

  for (gsize i = 0; i < n; i++)
    values[i] = op->kind == PLAN_FAIL
                    ? ORACLE_FAIL_VALUE
                    : (float) g_rand_int_range (random, -50, 50)
                          / (is_s16 (rig) ? 32768.f : 1.f);
}

static GstBuffer *
make_buffer (Rig *rig, const float *values, gsize n)
{
  g_autofree gint16 *samples = g_new (gint16, n + 1);

  if (n == 0)
    return gst_buffer_new ();
  if (!is_s16 (rig))
    return gst_buffer_new_memdup (values, n * sizeof (float));
  for (gsize i = 0; i < n; i++)
    samples[i] = (gint16) (values[i] * 32768.f);
  return gst_buffer_new_memdup (samples, n * sizeof (gint16));
}

static GstClockTime
displace (Rig *rig, guint how)
{
  GstClockTime time = position (rig);

  switch (how) {
    case 1:
      return time + 10 * GST_MSECOND;
    case 2:
      move_to (rig, time + 2 * GST_SECOND);
      break;
    case 3:
      move_to (rig, time > GST_SECOND ? time - GST_SECOND : 0);
      break;
    case 4:
      move_to (rig, time + 45 * GST_MSECOND);
      break;
    default:
      break;
  }
  return position (rig);
}

static GstFlowReturn
push (Rig *rig, const PlanOp *op, gsize rows, guint flags, guint off)
{
  float values[2 * MAX_ROWS];
  GstClockTime pts = displace (rig, off), duration;
  GstBuffer *buffer;
  GstFlowReturn flow;

  if (rig->plan->config.kind == PLAN_TENSORS)
    rows = 3;
  rows = MIN (rows, MAX_ROWS);
  make_values (rig, values, rows * row_width (rig), op);
  buffer = make_buffer (rig, values, rows * row_width (rig));
  rig->rows += rows;
  duration = position (rig) - pts;
  if (flags & PLAN_NO_PTS)
    pts = GST_CLOCK_TIME_NONE;
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = duration;
  if (flags & PLAN_DISCONT)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  if (flags & PLAN_RESYNC)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_RESYNC);
  flow = gst_pad_push (rig->src, buffer);
  oracle_buffer (rig->oracle, values, rows, pts, duration, flags);
  return flow;
}

/* --- operations --- */

static char *
do_buffer (Rig *rig, const PlanOp *op)
{
  GstFlowReturn flow = push (rig, op, op->a, op->b, op->c);

  if (flow != GST_FLOW_OK && !oracle_has_failed (rig->oracle))
    return g_strdup_printf ("push: %s", gst_flow_get_name (flow));
  return NULL;
}

static char *
do_gap (Rig *rig, const PlanOp *op)
{
  GstClockTime pts = position (rig);
  GstClockTime duration = op->a < 8    ? GST_CLOCK_TIME_NONE
                          : op->a < 16 ? (op->a - 7) * 500 * GST_MSECOND
                                       : op->a * GST_MSECOND / 3;

  gst_pad_push_event (rig->src, gst_event_new_gap (pts, duration));
  oracle_gap (rig->oracle, pts, duration);
  if (duration != GST_CLOCK_TIME_NONE)
    move_to (rig, pts + duration);
  return NULL;
}

static char *
do_segment (Rig *rig, const PlanOp *op)
{
  GstClockTime at = position (rig);
  GstSegment *s = &rig->segment;

  switch (op->a % 4) {
    case 0:
      send_segment (rig);
      break;
    case 1:
      s->base = gst_segment_to_running_time (s, GST_FORMAT_TIME, at);
      s->time = gst_segment_to_stream_time (s, GST_FORMAT_TIME, at);
      s->start = at;
      if (s->base == GST_CLOCK_TIME_NONE)
        new_segment (rig, at);
      else
        send_segment (rig);
      break;
    case 2:
      new_segment (rig, op->b * GST_SECOND);
      break;
    default:
      gst_segment_init (s, GST_FORMAT_TIME);
      s->rate = op->b % 2 ? 2 : -1;
      s->start = s->time = at;
      if (s->rate < 0)
        s->stop = at + GST_SECOND;
      send_segment (rig);
  }
  return NULL;
}

static char *
after_flush (Rig *rig, const PlanOp *op)
{
  char *wrong;

  gst_pad_push_event (rig->src, gst_event_new_flush_stop (op->c % 2));
  wrong = check_seen (rig, TRUE);
  oracle_cut (rig->oracle, FALSE);
  new_segment (rig, op->c % 3 ? 0 : op->c * GST_SECOND);
  return wrong;
}

static char *
do_flush (Rig *rig, const PlanOp *op)
{
  gst_pad_push_event (rig->src, gst_event_new_flush_start ());
  return after_flush (rig, op);
}

typedef struct
{
  Rig *rig;
  const PlanOp *op;
} Interruption;

static gpointer
flush_later (gpointer data)
{
  const Interruption *i = data;

  g_usleep (i->op->b);
  gst_pad_push_event (i->rig->src, gst_event_new_flush_start ());
  return NULL;
}

static GstState
low_state (const PlanOp *op)
{
  return op->c % 2 ? GST_STATE_NULL : GST_STATE_READY;
}

static gpointer
stop_later (gpointer data)
{
  const Interruption *i = data;

  g_usleep (i->op->b);
  gst_element_set_state (i->rig->filter, low_state (i->op));
  return NULL;
}

static char *
push_until (Rig *rig, const PlanOp *op, GThreadFunc interrupt)
{
  Interruption i = { rig, op };
  GThread *thread = g_thread_new ("interrupt", interrupt, &i);
  GstFlowReturn flow = GST_FLOW_OK;
  PlanOp part = *op;

  for (guint k = 0; k < op->a && flow == GST_FLOW_OK; k++) {
    part.seed++;
    flow = push (rig, &part, part.seed % (2 * rig->plan->config.length), 0, 0);
  }
  g_thread_join (thread);
  if (flow != GST_FLOW_OK && flow != GST_FLOW_FLUSHING)
    return g_strdup_printf ("push: %s", gst_flow_get_name (flow));
  return NULL;
}

static char *
do_flush_during (Rig *rig, const PlanOp *op)
{
  char *wrong = push_until (rig, op, flush_later);
  char *more = after_flush (rig, op);

  if (wrong == NULL)
    return more;
  g_free (more);
  return wrong;
}

static char *
do_seek (Rig *rig, const PlanOp *op)
{
  gboolean flush = op->a % 2;
  guint before = rig->n_seeks;

  gst_pad_push_event (rig->sink,
      gst_event_new_seek (1.0, GST_FORMAT_TIME,
          flush ? GST_SEEK_FLAG_FLUSH : GST_SEEK_FLAG_NONE, GST_SEEK_TYPE_SET,
          (gint64) (op->c * GST_SECOND), GST_SEEK_TYPE_NONE, -1));
  if (rig->n_seeks != before + 1)
    return g_strdup ("the seek did not reach upstream");
  if (flush)
    return do_flush (rig, op);
  new_segment (rig, op->c * GST_SECOND);
  return NULL;
}

static char *
do_caps (Rig *rig, const PlanOp *op)
{
  if (op->a % 3 != 0)
    rig->other_format = !rig->other_format;
  send_caps (rig);
  return NULL;
}

static char *
again (Rig *rig)
{
  char *wrong = check_seen (rig, TRUE);

  rig->tagged = FALSE;
  oracle_cut (rig->oracle, TRUE);
  if (gst_element_set_state (rig->filter, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_SUCCESS)
    return wrong != NULL ? wrong : g_strdup ("did not start again");
  begin (rig);
  return wrong;
}

static char *
do_state (Rig *rig, const PlanOp *op)
{
  gst_element_set_state (rig->filter, low_state (op));
  return again (rig);
}

static char *
do_state_during (Rig *rig, const PlanOp *op)
{
  char *wrong = push_until (rig, op, stop_later);
  char *more = again (rig);

  if (wrong == NULL)
    return more;
  g_free (more);
  return wrong;
}

static char *
do_pause (Rig *rig, const PlanOp *op)
{
  gst_element_set_state (rig->filter, GST_STATE_PAUSED);
  gst_element_set_state (rig->filter, GST_STATE_PLAYING);
  return NULL;
}

static char *
do_custom (Rig *rig, const PlanOp *op)
{
  gboolean resets = op->a % 4 == 0;
  guint number = rig->n_customs++;

  gst_pad_push_event (rig->src,
      gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
          gst_structure_new (resets ? "inferfilter/reset-state" : "test/mark",
              "number", G_TYPE_UINT, number, NULL)));
  oracle_custom (rig->oracle, number, resets);
  return NULL;
}

static char *
do_tag (Rig *rig, const PlanOp *op)
{
  g_autofree char *title = g_strdup_printf ("%u", ++rig->n_tags);

  rig->tagged = TRUE;
  gst_pad_push_event (rig->src,
      gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, title, NULL)));
  return NULL;
}

static char *
do_query (Rig *rig, const PlanOp *op)
{
  return drain (rig);
}

static char *
do_reset (Rig *rig, const PlanOp *op)
{
  GstStructure *s = gst_structure_new_empty ("inferfilter/reset-state");
  gboolean done = FALSE;

  if (op->a % 3 == 0)
    gst_pad_push_event (
        rig->sink, gst_event_new_custom (GST_EVENT_CUSTOM_UPSTREAM, s));
  else if (op->a % 3 == 1)
    gst_pad_push_event (
        rig->src, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM_OOB, s));
  else
    gst_structure_free (s);
  if (op->a % 3 == 2)
    g_signal_emit_by_name (rig->filter, "reset-state", &done);
  oracle_reset (rig->oracle);
  return NULL;
}

static char *
do_eos (Rig *rig, const PlanOp *op)
{
  char *wrong;

  gst_pad_push_event (rig->src, gst_event_new_eos ());
  oracle_eos (rig->oracle);
  if (oracle_has_failed (rig->oracle))
    return NULL;
  if (op->a % 4 == 0)
    return do_flush (rig, op);
  wrong = await_eos (rig);
  if (wrong != NULL)
    return wrong;
  send_stream_start (rig);
  send_segment (rig);
  return NULL;
}

static char *
do_stream_start (Rig *rig, const PlanOp *op)
{
  send_stream_start (rig);
  send_segment (rig);
  return NULL;
}

static GstSample *
get_state (Rig *rig)
{
  GstSample *sample = NULL;

  g_signal_emit_by_name (rig->filter, "get-state", "sum", &sample);
  return sample;
}

static GBytes *
sample_bytes (GstSample *sample)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  gsize size = gst_buffer_get_size (buffer);
  gpointer data = g_malloc (size);

  gst_buffer_extract (buffer, 0, data, size);
  return g_bytes_new_take (data, size);
}

static gboolean
all_zero (GBytes *bytes)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);

  for (gsize i = 0; i < size; i++)
    if (data[i] != 0)
      return FALSE;
  return TRUE;
}

/* What the state is, and from then on something else. */
static char *
do_save_restore (Rig *rig, const PlanOp *op)
{
  const PlanConfig *c = &rig->plan->config;
  gsize n = c->kind == PLAN_TENSORS ? 3 : c->length * row_width (rig);
  g_autofree char *wrong = drain (rig);
  g_autoptr (GstSample) sample = NULL, other = NULL;
  g_autoptr (GBytes) have = NULL;
  g_autofree float *values = g_new (float, n);
  GstBuffer *buffer;
  GBytes *want;
  gboolean done = FALSE;

  if (wrong != NULL || !c->stateful || c->kind == PLAN_DYNAMIC
      || oracle_has_failed (rig->oracle))
    return g_steal_pointer (&wrong);
  sample = get_state (rig);
  if (sample == NULL)
    return g_strdup ("get-state gave nothing");
  have = sample_bytes (sample);
  if (oracle_get_state (rig->oracle, &want)
      && (want != NULL ? !g_bytes_equal (want, have) : !all_zero (have)))
    return g_strdup ("get-state gave something else");

  for (gsize i = 0; i < n; i++)
    values[i] = (float) ((op->seed + i) % 100);
  buffer = gst_buffer_new_memdup (values, n * sizeof (float));
  other = gst_sample_new (buffer, gst_sample_get_caps (sample), NULL, NULL);
  gst_buffer_unref (buffer);
  g_signal_emit_by_name (rig->filter, "set-state", "sum", other, &done);
  if (!done)
    return g_strdup ("set-state refused");
  g_bytes_unref (g_steal_pointer (&have));
  have = g_bytes_new (values, n * sizeof (float));
  oracle_set_state (rig->oracle, have);
  return NULL;
}

/* The same model anew, which is as good as another. */
static char *
do_swap (Rig *rig, const PlanOp *op)
{
  GstProgressType type = GST_PROGRESS_TYPE_CANCELED;
  g_autofree char *model = NULL;
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_PROGRESS)))
    gst_message_unref (message);
  g_object_get (rig->filter, "model", &model, NULL);
  g_object_set (rig->filter, "model", model, NULL);
  while (type != GST_PROGRESS_TYPE_COMPLETE) {
    message = gst_bus_timed_pop_filtered (
        rig->bus, 5 * GST_SECOND, GST_MESSAGE_PROGRESS);
    if (message == NULL)
      return g_strdup ("the other model is never loaded");
    gst_message_parse_progress (message, &type, NULL, NULL);
    gst_message_unref (message);
  }
  oracle_swap (rig->oracle);
  return NULL;
}

static void
new_sink (Rig *rig)
{
  g_autoptr (GstPad) peer = gst_element_get_static_pad (rig->filter, "src");

  rig->sink = gst_pad_new_from_static_template (&any_sink, "sink");
  gst_pad_set_chain_function (rig->sink, sink_chain);
  gst_pad_set_event_function (rig->sink, sink_event);
  gst_pad_set_element_private (rig->sink, rig);
  gst_pad_set_active (rig->sink, TRUE);
  gst_pad_link (peer, rig->sink);
}

static void
remove_pad (GstPad *pad, gboolean is_src)
{
  g_autoptr (GstPad) peer = gst_pad_get_peer (pad);

  gst_pad_set_active (pad, FALSE);
  if (peer != NULL && is_src)
    gst_pad_unlink (pad, peer);
  else if (peer != NULL)
    gst_pad_unlink (peer, pad);
  gst_object_unref (pad);
}

/* Another sink in the middle of the stream. */
static char *
do_relink (Rig *rig, const PlanOp *op)
{
  char *wrong = drain (rig);

  if (oracle_has_failed (rig->oracle))
    return wrong;
  remove_pad (rig->sink, FALSE);
  new_sink (rig);
  return wrong;
}

/* So much that a window begins with it. */
static char *
do_fail (Rig *rig, const PlanOp *op)
{
  gboolean s16 = is_s16 (rig);

  if (rig->plan->config.device[0] == 'C')
    return NULL;
  if (s16) {
    rig->other_format = FALSE;
    send_caps (rig);
  }
  push (rig, op, 2 * rig->plan->config.length, 0, 0);
  return NULL;
}

static const Operation operations[] = {
  [PLAN_BUFFER] = do_buffer,
  [PLAN_GAP] = do_gap,
  [PLAN_SEGMENT] = do_segment,
  [PLAN_FLUSH] = do_flush,
  [PLAN_FLUSH_DURING] = do_flush_during,
  [PLAN_SEEK] = do_seek,
  [PLAN_CAPS] = do_caps,
  [PLAN_STATE] = do_state,
  [PLAN_STATE_DURING] = do_state_during,
  [PLAN_PAUSE] = do_pause,
  [PLAN_CUSTOM] = do_custom,
  [PLAN_TAG] = do_tag,
  [PLAN_QUERY] = do_query,
  [PLAN_RESET] = do_reset,
  [PLAN_EOS] = do_eos,
  [PLAN_STREAM_START] = do_stream_start,
  [PLAN_SAVE_RESTORE] = do_save_restore,
  [PLAN_SWAP] = do_swap,
  [PLAN_RELINK] = do_relink,
  [PLAN_FAIL] = do_fail,
};
G_STATIC_ASSERT (G_N_ELEMENTS (operations) == PLAN_N_OPS);

/* The error, then EOS, after all that was right; then as new. */
static char *
recover (Rig *rig)
{
  char *wrong;

  /* A batch may wait for ever if nothing makes it end. */
  if (rig->plan->config.batch_size > 1)
    drain (rig);
  wrong = await_eos (rig);
  if (wrong == NULL)
    wrong = check_messages (rig, TRUE);
  if (wrong != NULL)
    return wrong;
  gst_element_set_state (rig->filter, GST_STATE_READY);
  return again (rig);
}

/* --- life --- */

static char *
model_path (const PlanConfig *c)
{
  g_autofree char *shape = NULL;
  guint rate = c->kind <= PLAN_DYNAMIC ? c->rate : 0;

  if (c->kind == PLAN_TENSORS)
    shape = g_strdup ("1,3");
  else if (c->kind == PLAN_DYNAMIC)
    shape = g_strdup ("1,?");
  else
    shape =
        g_strdup_printf (c->kind == PLAN_ROWS ? "1,%u,2" : "1,%u", c->length);
  return test_model_path (shape, c->stateful, rate, c->multiple);
}

static void
rig_start (Rig *rig)
{
  const PlanConfig *c = &rig->plan->config;
  g_autofree char *path = model_path (c);
  FakeSettings *fake = fake_reset ();
  g_autoptr (GstPad) peer = NULL;

  fake->delay_us[INFER_STAGE_START] = c->delay_us;
  fake->jitter_us = c->jitter_us;
  fake->fail_value = ORACLE_FAIL_VALUE;
  g_mutex_init (&rig->lock);
  g_cond_init (&rig->cond);
  rig->seen = g_ptr_array_new_with_free_func ((GDestroyNotify) log_entry_free);
  rig->oracle = oracle_new (c);
  rig->bus = gst_bus_new ();
  rig->filter = g_object_ref_sink (
      g_object_new (GST_TYPE_INFER_FILTER, "model", path, "device", c->device,
          "nireq", c->nireq, "window", c->window_ms, "hop", c->hop_ms, "tail",
          c->tail, "state-reset", c->reset, "max-gap", c->max_gap, "batch-size",
          c->batch_size, "batch-timeout", c->batch_size % 2 ? 1 : -1, NULL));
  gst_element_set_bus (rig->filter, rig->bus);
  rig->src = gst_pad_new ("src", GST_PAD_SRC);
  gst_pad_set_event_function (rig->src, src_event);
  gst_pad_set_element_private (rig->src, rig);
  gst_pad_set_active (rig->src, TRUE);
  peer = gst_element_get_static_pad (rig->filter, "sink");
  gst_pad_link (rig->src, peer);
  new_sink (rig);
}

static char *
rig_stop (Rig *rig)
{
  gpointer gone = rig->filter;

  gst_element_set_state (rig->filter, GST_STATE_NULL);
  remove_pad (rig->src, TRUE);
  remove_pad (rig->sink, FALSE);
  gst_bus_set_flushing (rig->bus, TRUE);
  gst_object_unref (rig->bus);
  g_object_add_weak_pointer (G_OBJECT (rig->filter), &gone);
  gst_object_unref (rig->filter);
  oracle_free (rig->oracle);
  g_ptr_array_unref (rig->seen);
  g_mutex_clear (&rig->lock);
  g_cond_clear (&rig->cond);
  if (gone != NULL)
    return g_strdup ("the element leaks");
  if (fake_n_objects () != 0)
    return g_strdup_printf ("%d objects of the device leak", fake_n_objects ());
  return NULL;
}

static char *
run_operations (Rig *rig)
{
  const Plan *plan = rig->plan;
  char *wrong = NULL;
  guint i;

  begin (rig);
  for (i = 0; i < plan->n_ops && wrong == NULL; i++) {
    wrong = operations[plan->ops[i].kind](rig, &plan->ops[i]);
    if (wrong == NULL && oracle_has_failed (rig->oracle))
      wrong = recover (rig);
  }
  if (wrong == NULL) {
    gst_pad_push_event (rig->src, gst_event_new_eos ());
    oracle_eos (rig->oracle);
    wrong = await_eos (rig);
    if (wrong == NULL && !oracle_has_failed (rig->oracle))
      wrong = check_messages (rig, FALSE);
    i++;
  }
  if (wrong != NULL) {
    g_autofree char *inner = wrong;

    wrong = g_strdup_printf ("operation %u: %s", i, inner);
  }
  return wrong;
}

char *
rig_run (const Plan *plan)
{
  Rig rig = { .plan = plan };
  char *wrong = NULL, *leak;

  rig_start (&rig);
  if (gst_element_set_state (rig.filter, GST_STATE_PLAYING)
      == GST_STATE_CHANGE_SUCCESS) {
    wrong = run_operations (&rig);
  } else {
    g_autofree char *why = check_messages (&rig, FALSE);

    wrong = g_strdup_printf ("does not start: %s", why);
  }
  leak = rig_stop (&rig);
  if (wrong == NULL)
    return leak;
  g_free (leak);
  return wrong;
}

void
rig_init (void)
{
  infer_backend_add (&fake_cpu);
  infer_backend_add (&fake_device);
  fake_reset ();
}

void
rig_deinit (void)
{
  test_models_remove ();
}
