/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/rig-private.h"

static char *
do_buffer (Rig *rig, const PlanOp *op)
{
  GstFlowReturn flow = rig_push (rig, op, op->a, op->b, op->c);

  if (flow != GST_FLOW_OK && !oracle_has_failed (rig->oracle))
    return g_strdup_printf ("push: %s", gst_flow_get_name (flow));
  return NULL;
}

static char *
do_gap (Rig *rig, const PlanOp *op)
{
  GstClockTime pts = rig_position (rig);
  GstClockTime duration = op->a < 8    ? GST_CLOCK_TIME_NONE
                          : op->a < 16 ? (op->a - 7) * 500 * GST_MSECOND
                                       : op->a * GST_MSECOND / 3;

  rig_send (rig, gst_event_new_gap (pts, duration));
  oracle_gap (rig->oracle, pts, duration);
  if (duration != GST_CLOCK_TIME_NONE)
    rig_move_to (rig, pts + duration);
  return NULL;
}

static char *
do_segment (Rig *rig, const PlanOp *op)
{
  GstClockTime at = rig_position (rig);
  GstSegment *s = &rig->segment;

  switch (op->a % 4) {
    case 0:
      rig_send_segment (rig);
      break;
    case 1:
      s->base = gst_segment_to_running_time (s, GST_FORMAT_TIME, at);
      s->time = gst_segment_to_stream_time (s, GST_FORMAT_TIME, at);
      s->start = at;
      if (s->base == GST_CLOCK_TIME_NONE)
        rig_new_segment (rig, at);
      else
        rig_send_segment (rig);
      break;
    case 2:
      rig_new_segment (rig, op->b * GST_SECOND);
      break;
    default:
      gst_segment_init (s, GST_FORMAT_TIME);
      s->rate = op->b % 2 ? 2 : -1;
      s->start = s->time = at;
      if (s->rate < 0)
        s->stop = at + GST_SECOND;
      rig_send_segment (rig);
  }
  return NULL;
}

/* Forwards, fast or backwards. */
static void
begin_segment (Rig *rig, GstClockTime start, guint32 how)
{
  static const double rates[] = { 2, -1, -2, 0.5 };
  GstSegment *s = &rig->segment;

  if (how % 8 >= G_N_ELEMENTS (rates)) {
    rig_new_segment (rig, start);
    return;
  }
  gst_segment_init (s, GST_FORMAT_TIME);
  s->rate = rates[how % 8];
  s->start = s->time = start;
  if (s->rate < 0)
    s->stop = start + 2 * GST_SECOND;
  rig_move_to (rig, s->rate < 0 ? s->stop : start);
  rig_send_segment (rig);
}

char *
rig_after_flush (Rig *rig, const PlanOp *op)
{
  rig_send (rig, gst_event_new_flush_stop (op->c % 2));
  char *wrong = rig_check_seen (rig, TRUE);
  oracle_cut (rig->oracle, FALSE);
  begin_segment (rig, op->c % 3 ? 0 : op->c * GST_SECOND, op->seed);
  rig_limit_states (rig);
  return wrong;
}

static char *
do_flush (Rig *rig, const PlanOp *op)
{
  rig_send (rig, gst_event_new_flush_start ());
  return rig_after_flush (rig, op);
}

static char *
do_seek (Rig *rig, const PlanOp *op)
{
  gboolean flush = op->a % 2;
  guint before = rig->n_seeks;
  GstSeekFlags flags = flush ? GST_SEEK_FLAG_FLUSH : GST_SEEK_FLAG_NONE;

  if (op->b % 2)
    flags |= GST_SEEK_FLAG_SEGMENT;
  rig->n_events++;
  gst_pad_push_event (
      rig->sink, gst_event_new_seek (op->b % 3 ? 1.0 : -1.0, GST_FORMAT_TIME,
                     flags, GST_SEEK_TYPE_SET, (gint64) (op->c * GST_SECOND),
                     GST_SEEK_TYPE_NONE, -1));
  if (rig->n_seeks != before + 1)
    return g_strdup ("the seek did not reach upstream");
  if (flush)
    return do_flush (rig, op);
  begin_segment (rig, op->c * GST_SECOND, op->seed);
  return NULL;
}

static char *
do_caps (Rig *rig, const PlanOp *op)
{
  if (op->a % 3 != 0)
    rig->other_format = !rig->other_format;
  rig_send_caps (rig);
  return NULL;
}

char *
rig_again (Rig *rig)
{
  char *wrong = rig_check_seen (rig, TRUE);

  rig->tagged = FALSE;
  rig_forget_caps (rig);
  oracle_cut (rig->oracle, TRUE);
  if (!rig_set_state (rig, GST_STATE_PLAYING))
    return wrong != NULL ? wrong : g_strdup ("did not start again");
  rig_begin (rig);
  return wrong;
}

static char *
do_state (Rig *rig, const PlanOp *op)
{
  rig_set_state (rig, op->c % 2 ? GST_STATE_NULL : GST_STATE_READY);
  return rig_again (rig);
}

static char *
do_pause (Rig *rig, const PlanOp *op)
{
  rig_set_state (rig, GST_STATE_PAUSED);
  rig_set_state (rig, GST_STATE_PLAYING);
  return NULL;
}

static char *
do_custom (Rig *rig, const PlanOp *op)
{
  rig_send_custom (rig, op->a % 4 == 0);
  return NULL;
}

static char *
do_tag (Rig *rig, const PlanOp *op)
{
  g_autofree char *title = g_strdup_printf ("%u", ++rig->n_tags);

  rig->tagged = TRUE;
  gst_pad_push_event (rig->src,
      gst_event_new_tag (gst_tag_list_new (GST_TAG_TITLE, title, NULL)));
  oracle_tag (rig->oracle, title);
  return NULL;
}

/* Queries that change nothing. */
static void
ask (Rig *rig, guint what)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (rig->src);
  g_autoptr (GstQuery) query = what == 0 ? gst_query_new_allocation (caps, TRUE)
                               : what == 1 ? gst_query_new_caps (NULL)
                               : what == 2 ? gst_query_new_accept_caps (caps)
                                           : gst_query_new_latency ();

  rig->n_events++;
  gst_pad_peer_query (what == 3 ? rig->sink : rig->src, query);
  if (GST_QUERY_TYPE (query) == GST_QUERY_ALLOCATION)
    oracle_allocation (rig->oracle);
}

static char *
do_query (Rig *rig, const PlanOp *op)
{
  if (op->a % 3 == 0)
    return rig_drain (rig);
  ask (rig, op->b % 4);
  return NULL;
}

static char *
do_reset (Rig *rig, const PlanOp *op)
{
  GstStructure *s = gst_structure_new_empty ("inferfilter/reset-state");
  gboolean done = FALSE;

  rig->n_events++;
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
  rig_send (rig, gst_event_new_eos ());
  oracle_eos (rig->oracle);
  if (oracle_has_failed (rig->oracle))
    return NULL;
  if (op->a % 4 == 0)
    return do_flush (rig, op);
  char *wrong = rig_await_eos (rig);
  if (wrong != NULL)
    return wrong;
  rig_send_stream_start (rig);
  rig_send_segment (rig);
  return NULL;
}

static char *
do_stream_start (Rig *rig, const PlanOp *op)
{
  rig_send_stream_start (rig);
  rig_send_segment (rig);
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

/* Saves the state, sets another, restores the first. */
static char *
do_save_restore (Rig *rig, const PlanOp *op)
{
  const PlanConfig *c = &rig->plan->config;
  gsize n = c->kind == PLAN_TENSORS ? 3 : c->length * rig_row_width (rig);
  g_autofree char *wrong = rig_drain (rig);
  g_autoptr (GstSample) sample = NULL, other = NULL;
  g_autofree float *values = g_new (float, n);
  GBytes *want;
  gboolean done = FALSE;

  if (wrong != NULL || !c->stateful || c->kind == PLAN_DYNAMIC
      || oracle_has_failed (rig->oracle)
      || oracle_may_have_inferred (rig->oracle)
             != oracle_has_inferred (rig->oracle))
    return g_steal_pointer (&wrong);
  sample = get_state (rig);
  if (sample == NULL)
    return g_strdup ("get-state gave nothing");
  g_autoptr (GBytes) have = sample_bytes (sample);
  if (oracle_get_state (rig->oracle, &want)
      && (want != NULL ? !g_bytes_equal (want, have) : !all_zero (have)))
    return g_strdup ("get-state gave something else");

  for (gsize i = 0; i < n; i++)
    values[i] = (float) ((op->seed + i) % 100);
  GstBuffer *buffer = gst_buffer_new_memdup (values, n * sizeof (float));
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

char *
rig_await_loaded (Rig *rig)
{
  GstProgressType type = GST_PROGRESS_TYPE_CANCELED;

  while (type != GST_PROGRESS_TYPE_COMPLETE) {
    g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
        rig->bus, 5 * GST_SECOND, GST_MESSAGE_PROGRESS);

    if (message == NULL)
      return g_strdup ("the other model is never loaded");
    gst_message_parse_progress (message, &type, NULL, NULL);
  }
  return NULL;
}

void
rig_forget_progress (Rig *rig)
{
  GstMessage *message;

  while (
      (message = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_PROGRESS)) != NULL)
    gst_message_unref (message);
}

void
rig_set_model_again (Rig *rig)
{
  g_autofree char *model = NULL;

  g_object_get (rig->filter, "model", &model, NULL);
  g_object_set (rig->filter, "model", model, NULL);
}

/* Loads the same model again and swaps it in. */
static char *
do_swap (Rig *rig, const PlanOp *op)
{
  rig_forget_progress (rig);
  rig_set_model_again (rig);
  oracle_swap (rig->oracle);
  return rig_await_loaded (rig);
}

typedef struct
{
  Rig *rig;
  guint how;
  gint left; /* atomic: how many messages are acted upon */
} Handler;

/* From the loader's thread. */
static GstBusSyncReply
act_on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  Handler *h = data;
  GstProgressType type;

  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_PROGRESS
      || GST_MESSAGE_SRC (message) != GST_OBJECT (h->rig->filter))
    return GST_BUS_PASS;
  gst_message_parse_progress (message, &type, NULL, NULL);
  if (type != GST_PROGRESS_TYPE_COMPLETE
      || !g_atomic_int_compare_and_exchange (&h->left, 1, 0))
    return GST_BUS_PASS;
  switch (h->how) {
    case 0:
      rig_set_model_again (h->rig);
      break;
    case 1:
      gst_element_set_state (h->rig->filter, GST_STATE_PAUSED);
      gst_element_set_state (h->rig->filter, GST_STATE_PLAYING);
      break;
    default:
      rig_set_state (h->rig, h->how == 2 ? GST_STATE_READY : GST_STATE_NULL);
      break;
  }
  return GST_BUS_PASS;
}

/* A bus sync handler sets `model` or the state while the loader posts. */
static char *
do_handler (Rig *rig, const PlanOp *op)
{
  Handler h = { .rig = rig, .how = op->a % 4, .left = 1 };

  gst_bus_set_sync_handler (rig->bus, act_on_message, &h, NULL);
  rig_forget_progress (rig);
  rig_set_model_again (rig);
  char *wrong = rig_await_loaded (rig);
  if (wrong == NULL && h.how == 0)
    wrong = rig_await_loaded (rig);
  gst_bus_set_sync_handler (rig->bus, NULL, NULL, NULL);
  if (h.how < 2 || wrong != NULL) {
    oracle_swap (rig->oracle);
    return wrong;
  }
  return rig_again (rig);
}

static char *
do_list (Rig *rig, const PlanOp *op)
{
  GstFlowReturn flow = rig_push_list (rig, op, 1 + op->a % 8);

  return flow == GST_FLOW_OK
             ? NULL
             : g_strdup_printf ("push list: %s", gst_flow_get_name (flow));
}

static char *
do_segment_done (Rig *rig, const PlanOp *op)
{
  GstClockTime position = rig_position (rig);

  rig_send (
      rig, gst_event_new_segment_done (GST_FORMAT_TIME, (gint64) position));
  oracle_segment_done (rig->oracle, position);
  return NULL;
}

/* Links another sink in the middle of the stream. */
static char *
do_relink (Rig *rig, const PlanOp *op)
{
  char *wrong = rig_drain (rig);

  if (oracle_has_failed (rig->oracle))
    return wrong;
  rig_remove_pad (rig->sink, FALSE);
  rig_new_sink (rig);
  return wrong;
}

/* Pushes enough rows that a window starts with the failing value. */
static char *
do_fail (Rig *rig, const PlanOp *op)
{
  gboolean s16 = rig_is_s16 (rig);

  if (rig->plan->config.device[0] == 'C')
    return NULL;
  if (s16) {
    rig->other_format = FALSE;
    rig_send_caps (rig);
  }
  rig_push (rig, op, 2 * rig->plan->config.length, 0, 0);
  /* In reverse playback nothing runs before the unit is over. */
  return rig->segment.rate < 0 ? rig_drain (rig) : NULL;
}

static const RigOperation operations[PLAN_N_OPS] = {
  [PLAN_BUFFER] = do_buffer,
  [PLAN_GAP] = do_gap,
  [PLAN_SEGMENT] = do_segment,
  [PLAN_FLUSH] = do_flush,
  [PLAN_SEEK] = do_seek,
  [PLAN_CAPS] = do_caps,
  [PLAN_STATE] = do_state,
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
  [PLAN_LIST] = do_list,
  [PLAN_SEGMENT_DONE] = do_segment_done,
  [PLAN_HANDLER] = do_handler,
};

char *
rig_do (Rig *rig, const PlanOp *op)
{
  RigOperation race = rig_race (op->kind);

  return race != NULL ? race (rig, op) : operations[op->kind](rig, op);
}

/* Expects the error, then EOS, after all correct output; then restarts. */
char *
rig_recover (Rig *rig)
{
  /* A batch without timeout needs something that ends it. */
  if (rig->plan->config.batch_size > 1)
    rig_drain (rig);
  char *wrong = rig_await_eos (rig);
  if (wrong == NULL)
    wrong = rig_check_messages (rig, TRUE);
  if (wrong != NULL)
    return wrong;
  rig_set_state (rig, GST_STATE_READY);
  return rig_again (rig);
}
