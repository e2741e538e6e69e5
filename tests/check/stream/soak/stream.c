/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/soak/stream.h"

#include "gst/filter/gstinferfilter.h"
#include "tests/check/stream/models.h"

#define LEVEL 0.5f /* of each sample: exact in S16 and in sums */
#define JITTER GST_MSECOND
#define PATIENCE_US (30 * G_USEC_PER_SEC)

/* Rows without interruption: their windows, and states that count from 0. */
typedef struct
{
  GstClockTime base;
  guint64 rows;
  gboolean ended;
  GArray *silent; /* (element-type guint64) begins and ends of gaps */
} Sequence;

static Sequence *
sequence_new (GstClockTime base)
{
  Sequence *s = g_new0 (Sequence, 1);

  s->base = base;
  s->silent = g_array_new (FALSE, FALSE, sizeof (guint64));
  return s;
}

static void
sequence_free (Sequence *s)
{
  g_array_unref (s->silent);
  g_free (s);
}

static GstClockTime
time_of (const Sequence *s, guint64 row)
{
  return s->base + gst_util_uint64_scale (row, GST_SECOND, SOAK_RATE);
}

static float
level_of (const Sequence *s, guint64 row)
{
  for (guint i = 0; i + 1 < s->silent->len; i += 2)
    if (row >= g_array_index (s->silent, guint64, i)
        && row < g_array_index (s->silent, guint64, i + 1))
      return 0;
  return LEVEL;
}

static guint64
count_windows (const Sequence *s, gboolean tail)
{
  return (s->rows + (s->ended && tail ? SOAK_WINDOW - 1 : 0)) / SOAK_WINDOW;
}

/* --- output --- */

/* Locked: removes the sequences whose windows have all left. */
static Sequence *
current_sequence (SoakStream *stream)
{
  Sequence *s;

  while ((s = g_queue_peek_head (&stream->sequences)) != NULL && s->ended
         && stream->taken == count_windows (s, stream->tail)) {
    sequence_free (g_queue_pop_head (&stream->sequences));
    stream->taken = 0;
    stream->first = stream->last = 0;
  }
  return s;
}

/* Locked. */
static void
fail (SoakStream *stream, char *wrong)
{
  if (stream->wrong == NULL)
    stream->wrong =
        g_strdup_printf ("stream %u, window %" G_GUINT64_FORMAT ": %s",
            stream->number, stream->windows, wrong);
  g_free (wrong);
}

/* Locked. */
static void
check_window (SoakStream *stream, const Sequence *s, GstBuffer *buffer)
{
  guint64 begin = stream->taken * SOAK_WINDOW;
  guint64 end = MIN (begin + SOAK_WINDOW, s->rows);
  gboolean whole = end - begin == SOAK_WINDOW;
  GstClockTime pts = time_of (s, begin), duration = time_of (s, end) - pts;
  float values[SOAK_WINDOW];

  stream->first += level_of (s, begin);
  stream->last += whole ? level_of (s, end - 1) : 0;
  gsize size = gst_buffer_extract (buffer, 0, values, sizeof values);
  if (size != sizeof values || (double) values[0] != stream->first
      || (double) values[SOAK_WINDOW - 1] != stream->last)
    fail (stream,
        g_strdup_printf ("values should be %g … %g but are %g … %g",
            stream->first, stream->last, values[0], values[SOAK_WINDOW - 1]));
  if (GST_BUFFER_PTS (buffer) != pts || GST_BUFFER_DURATION (buffer) != duration
      || GST_BUFFER_OFFSET (buffer) != begin)
    fail (stream, g_strdup_printf (
                      "should be at %" GST_TIME_FORMAT " for %" GST_TIME_FORMAT
                      " but is at %" GST_TIME_FORMAT " for %" GST_TIME_FORMAT,
                      GST_TIME_ARGS (pts), GST_TIME_ARGS (duration),
                      GST_TIME_ARGS (GST_BUFFER_PTS (buffer)),
                      GST_TIME_ARGS (GST_BUFFER_DURATION (buffer))));
}

static GstFlowReturn
take (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  SoakStream *stream = gst_pad_get_element_private (pad);

  g_mutex_lock (&stream->lock);
  const Sequence *s = current_sequence (stream);
  if (s == NULL || stream->taken >= count_windows (s, stream->tail))
    fail (stream, g_strdup ("is one too many"));
  else
    check_window (stream, s, buffer);
  stream->taken++;
  stream->windows++;
  gboolean ok = stream->wrong == NULL;
  g_mutex_unlock (&stream->lock);
  gst_buffer_unref (buffer);
  return ok ? GST_FLOW_OK : GST_FLOW_ERROR;
}

static GstBusSyncReply
note_message (GstBus *bus, GstMessage *message, gpointer data)
{
  SoakStream *stream = data;
  GstProgressType type;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    g_atomic_int_inc (&stream->errors);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_PROGRESS) {
    gst_message_parse_progress (message, &type, NULL, NULL);
    if (type == GST_PROGRESS_TYPE_COMPLETE)
      g_atomic_int_inc (&stream->loaded);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

/* --- sequences --- */

/* The rows that follow are of another sequence. */
static void
begin_sequence (SoakStream *stream)
{
  g_mutex_lock (&stream->lock);
  Sequence *s = g_queue_peek_tail (&stream->sequences);
  if (s != NULL)
    s->ended = TRUE;
  g_queue_push_tail (&stream->sequences, sequence_new (stream->time));
  g_mutex_unlock (&stream->lock);
}

/* After a flush: what has not left yet never will. */
static void
forget_sequences (SoakStream *stream)
{
  g_mutex_lock (&stream->lock);
  g_queue_clear_full (&stream->sequences, (GDestroyNotify) sequence_free);
  stream->taken = 0;
  stream->first = stream->last = 0;
  g_mutex_unlock (&stream->lock);
}

/* Counts @rows before they are pushed. */
static void
add_rows (SoakStream *stream, guint64 rows, gboolean silent)
{
  g_mutex_lock (&stream->lock);
  Sequence *s = g_queue_peek_tail (&stream->sequences);
  guint64 end = s->rows + rows;
  if (silent) {
    g_array_append_val (s->silent, s->rows);
    g_array_append_val (s->silent, end);
  }
  s->rows = end;
  stream->time = time_of (s, s->rows);
  g_mutex_unlock (&stream->lock);
}

static void
send (SoakStream *stream, GstEvent *event)
{
  gst_pad_push_event (stream->pads.src, event);
}

static void
send_segment (SoakStream *stream)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.start = segment.time = stream->time;
  send (stream, gst_event_new_segment (&segment));
}

static void
send_caps (SoakStream *stream)
{
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("audio/x-raw", "format",
      G_TYPE_STRING, stream->s16 ? "S16LE" : "F32LE", "layout", G_TYPE_STRING,
      "interleaved", "rate", G_TYPE_INT, SOAK_RATE, "channels", G_TYPE_INT, 1,
      NULL);

  send (stream, gst_event_new_caps (caps));
}

static void
send_beginning (SoakStream *stream)
{
  g_autofree char *id = g_strdup_printf ("soak-%u", stream->n_begun++);

  send (stream, gst_event_new_stream_start (id));
  send_caps (stream);
  send_segment (stream);
}

void
soak_stream_drain (SoakStream *stream)
{
  g_autoptr (GstQuery) query = gst_query_new_drain ();

  gst_pad_peer_query (stream->pads.src, query);
  g_mutex_lock (&stream->lock);
  const Sequence *s = current_sequence (stream);
  if (s != NULL && stream->taken != count_windows (s, stream->tail))
    fail (stream, g_strdup_printf ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                                   " windows of the sequence have left",
                      stream->taken, count_windows (s, stream->tail)));
  if (g_atomic_int_get (&stream->errors) > 0)
    fail (stream, g_strdup ("an error was posted"));
  g_mutex_unlock (&stream->lock);
}

/* --- events --- */

static guint
pick (SoakStream *stream, guint n)
{
  return (guint) g_rand_int_range (stream->random, 0, (gint32) n);
}

static void
jump (SoakStream *stream)
{
  stream->time += (2 + pick (stream, 8)) * GST_SECOND;
  begin_sequence (stream);
}

static void
short_gap (SoakStream *stream)
{
  GstClockTime duration = (1 + pick (stream, 1000)) * GST_MSECOND;
  GstClockTime pts = stream->time;

  add_rows (stream, (duration * SOAK_RATE + GST_SECOND / 2) / GST_SECOND, TRUE);
  send (stream, gst_event_new_gap (pts, duration));
}

static void
long_gap (SoakStream *stream)
{
  GstClockTime duration = (2 + pick (stream, 20)) * GST_SECOND;
  GstClockTime pts = stream->time;

  stream->time += duration;
  begin_sequence (stream);
  send (stream, gst_event_new_gap (pts, duration));
}

static void
seek (SoakStream *stream)
{
  send (stream, gst_event_new_flush_start ());
  send (stream, gst_event_new_flush_stop (TRUE));
  forget_sequences (stream);
  stream->time = pick (stream, 100000) * GST_SECOND;
  begin_sequence (stream);
  send_segment (stream);
}

static void
other_segment (SoakStream *stream)
{
  stream->time = pick (stream, 100000) * GST_SECOND + pick (stream, 1000);
  begin_sequence (stream);
  send_segment (stream);
}

static void
other_caps (SoakStream *stream)
{
  stream->s16 = !stream->s16;
  begin_sequence (stream);
  send_caps (stream);
}

static void
pause_and_play (SoakStream *stream)
{
  gst_element_set_state (stream->pads.element, GST_STATE_PAUSED);
  gst_element_set_state (stream->pads.element, GST_STATE_PLAYING);
}

static char *
model_path (gboolean other)
{
  g_autofree char *shape = g_strdup_printf ("1,%d", SOAK_WINDOW);

  return test_model_path (shape, TRUE, SOAK_RATE, other ? 1 : SOAK_WINDOW, 0);
}

/* The other of two files; it takes over at the next buffer. */
static void
swap_model (SoakStream *stream)
{
  g_autofree char *path = model_path (stream->events[SOAK_SWAP] % 2 == 1);
  gint before = g_atomic_int_get (&stream->loaded);
  gint64 until = g_get_monotonic_time () + PATIENCE_US;

  g_object_set (stream->pads.element, "model", path, NULL);
  while (g_atomic_int_get (&stream->loaded) == before
         && g_get_monotonic_time () < until)
    g_usleep (100);
  begin_sequence (stream);
}

static void
end_of_stream (SoakStream *stream)
{
  begin_sequence (stream);
  send (stream, gst_event_new_eos ());
  soak_stream_drain (stream);
  send_beginning (stream);
}

static void
restart (SoakStream *stream)
{
  GstElement *element = stream->pads.element;

  gst_element_set_state (
      element, pick (stream, 2) ? GST_STATE_READY : GST_STATE_NULL);
  gst_element_set_state (element, GST_STATE_PLAYING);
  forget_sequences (stream);
  begin_sequence (stream);
  send_beginning (stream);
}

static void
act (SoakStream *stream)
{
  static const guint weights[SOAK_N_EVENTS] = { 20, 10, 20, 10, 20, 10, 5, 5, 4,
    3, 2 };
  guint at = pick (stream, 109), event = 0;

  while (at >= weights[event])
    at -= weights[event++];
  stream->events[event]++;
  switch ((SoakEvent) event) {
    case SOAK_DISCONT:
    case SOAK_LOST:
      jump (stream);
      stream->discont = event == SOAK_DISCONT;
      break;
    case SOAK_SHORT_GAP:
      short_gap (stream);
      break;
    case SOAK_LONG_GAP:
      long_gap (stream);
      break;
    case SOAK_SEEK:
      seek (stream);
      break;
    case SOAK_SEGMENT:
      other_segment (stream);
      break;
    case SOAK_CAPS:
      other_caps (stream);
      break;
    case SOAK_PAUSE:
      pause_and_play (stream);
      break;
    case SOAK_SWAP:
      swap_model (stream);
      break;
    case SOAK_EOS:
      end_of_stream (stream);
      break;
    case SOAK_RESTART:
    default:
      restart (stream);
      break;
  }
}

/* --- buffers --- */

static GstBuffer *
make_buffer (SoakStream *stream, guint rows)
{
  float floats[SOAK_WINDOW];
  gint16 shorts[SOAK_WINDOW];

  for (guint i = 0; i < rows; i++) {
    floats[i] = LEVEL;
    shorts[i] = (gint16) (LEVEL * 32768);
  }
  return stream->s16 ? gst_buffer_new_memdup (shorts, rows * sizeof (gint16))
                     : gst_buffer_new_memdup (floats, rows * sizeof (float));
}

static gboolean
is_fresh (SoakStream *stream)
{
  g_mutex_lock (&stream->lock);
  const Sequence *s = g_queue_peek_tail (&stream->sequences);
  gboolean fresh = s->rows == 0;
  g_mutex_unlock (&stream->lock);
  return fresh;
}

static GstFlowReturn
push (SoakStream *stream, guint rows)
{
  GstBuffer *buffer = make_buffer (stream, rows);
  GstClockTime jitter = is_fresh (stream) ? 0 : pick (stream, JITTER);

  GST_BUFFER_PTS (buffer) = stream->time + jitter;
  if (stream->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  stream->discont = FALSE;
  add_rows (stream, rows, FALSE);
  stream->rows += rows;
  return gst_pad_push (stream->pads.src, buffer);
}

void
soak_stream_push (SoakStream *stream, guint64 rows)
{
  guint64 until = stream->rows + rows;
  GstFlowReturn flow = GST_FLOW_OK;

  while (flow == GST_FLOW_OK && stream->rows < until) {
    guint n = 1 + pick (stream, SOAK_WINDOW);

    if (pick (stream, stream->every_s * SOAK_RATE) < n)
      act (stream);
    flow = push (stream, n);
  }
  g_mutex_lock (&stream->lock);
  if (flow != GST_FLOW_OK)
    fail (stream, g_strdup_printf ("push: %s", gst_flow_get_name (flow)));
  g_mutex_unlock (&stream->lock);
}

/* --- begin and end --- */

void
soak_stream_begin (SoakStream *stream, guint number, guint every_s)
{
  g_autofree char *path = model_path (FALSE);
  g_autoptr (GstBus) bus = gst_bus_new ();
  GstElement *element = g_object_new (
      GST_TYPE_INFER_FILTER, "model", path, "device", "CPU", NULL);

  *stream = (SoakStream){ .number = number,
    .every_s = every_s,
    .tail = number % 2 == 0,
    .random = g_rand_new_with_seed (number) };
  g_mutex_init (&stream->lock);
  g_queue_init (&stream->sequences);
  gst_util_set_object_arg (
      G_OBJECT (element), "tail", stream->tail ? "pad" : "drop");
  gst_util_set_object_arg (G_OBJECT (element), "output", "tensors");
  gst_bus_set_sync_handler (bus, note_message, stream, NULL);
  gst_element_set_bus (element, bus);
  begin_sequence (stream);
  if (!test_pads_begin (&stream->pads, element, take, stream))
    fail (stream, g_strdup ("does not start"));
  send_beginning (stream);
}

void
soak_stream_end (SoakStream *stream)
{
  if (stream->wrong == NULL) {
    begin_sequence (stream);
    send (stream, gst_event_new_eos ());
    soak_stream_drain (stream);
  }
  test_pads_end (&stream->pads);
  forget_sequences (stream);
  g_mutex_clear (&stream->lock);
  g_rand_free (stream->random);
}
