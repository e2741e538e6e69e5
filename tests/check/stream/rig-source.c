/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/rig-private.h"

#define MAX_ROWS 400

static gboolean
src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  Rig *rig = gst_pad_get_element_private (pad);

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK)
    rig->n_seeks++;
  gst_event_unref (event);
  return TRUE;
}

gboolean
rig_send (Rig *rig, GstEvent *event)
{
  rig->n_events++;
  return gst_pad_push_event (rig->src, event);
}

void
rig_new_source (Rig *rig)
{
  g_autoptr (GstPad) peer =
      gst_element_get_static_pad (rig->elements[0], "sink");

  rig->src = gst_pad_new ("src", GST_PAD_SRC);
  gst_pad_set_event_function (rig->src, src_event);
  gst_pad_set_element_private (rig->src, rig);
  gst_pad_set_active (rig->src, TRUE);
  gst_pad_link (rig->src, peer);
}

void
rig_remove_pad (GstPad *pad, gboolean is_src)
{
  g_autoptr (GstPad) peer = gst_pad_get_peer (pad);

  gst_pad_set_active (pad, FALSE);
  if (peer != NULL && is_src)
    gst_pad_unlink (pad, peer);
  else if (peer != NULL)
    gst_pad_unlink (peer, pad);
  gst_object_unref (pad);
}

static GstClockTime
time_of_row (const Rig *rig, guint64 row)
{
  return rig->base
         + gst_util_uint64_scale (row, GST_SECOND, rig->plan->config.rate);
}

GstClockTime
rig_position (const Rig *rig)
{
  return time_of_row (rig, rig->rows);
}

void
rig_move_to (Rig *rig, GstClockTime time)
{
  rig->base = time;
  rig->rows = 0;
}

void
rig_send_segment (Rig *rig)
{
  rig_send (rig, gst_event_new_segment (&rig->segment));
  oracle_segment (rig->oracle, &rig->segment);
}

void
rig_new_segment (Rig *rig, GstClockTime start)
{
  gst_segment_init (&rig->segment, GST_FORMAT_TIME);
  rig->segment.start = rig->segment.time = start;
  rig_move_to (rig, start);
  rig_send_segment (rig);
}

static GstCaps *
make_caps (const Rig *rig)
{
  const PlanConfig *c = &rig->plan->config;
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
  return gst_caps_from_string (text);
}

void
rig_send_caps (Rig *rig)
{
  g_autoptr (GstCaps) caps = make_caps (rig);
  g_autofree char *text = gst_caps_to_string (caps);

  rig_send (rig, gst_event_new_caps (caps));
  oracle_caps (rig->oracle, text);
}

void
rig_resend_caps (Rig *rig)
{
  g_autoptr (GstCaps) wanted = make_caps (rig);
  g_autoptr (GstCaps) sent = gst_pad_get_current_caps (rig->src);

  if (sent == NULL || !gst_caps_is_equal (sent, wanted))
    rig_send_caps (rig);
}

GstEvent *
rig_custom_event (guint number, gboolean resets)
{
  return gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM,
      gst_structure_new (resets ? "inferfilter/reset-state" : "test/mark",
          "number", G_TYPE_UINT, number, NULL));
}

void
rig_send_custom (Rig *rig, gboolean resets)
{
  guint number = rig->n_customs++;

  rig_send (rig, rig_custom_event (number, resets));
  oracle_custom (rig->oracle, number, resets);
}

void
rig_limit_states (Rig *rig)
{
  if (oracle_has_too_many_states (rig->oracle))
    rig_send_custom (rig, TRUE);
}

void
rig_send_stream_start (Rig *rig)
{
  g_autofree char *id = g_strdup_printf ("stream-%u", rig->n_streams++);

  rig->tagged = FALSE; /* tags belong to a stream */
  rig_send (rig, gst_event_new_stream_start (id));
  oracle_stream_start (rig->oracle);
}

void
rig_begin (Rig *rig)
{
  rig_send_stream_start (rig);
  rig_send_caps (rig);
  rig_new_segment (rig, 0);
}

gboolean
rig_is_s16 (const Rig *rig)
{
  return rig->other_format && rig->plan->config.kind < PLAN_ROWS;
}

guint
rig_row_width (const Rig *rig)
{
  return rig->plan->config.kind == PLAN_ROWS ? 2 : 1;
}

/* Integers, so that sums are exact. */
static void
make_values (Rig *rig, float *values, gsize n, const PlanOp *op)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (op->seed);

  for (gsize i = 0; i < n; i++)
    values[i] = op->kind == PLAN_FAIL
                    ? ORACLE_FAIL_VALUE
                    : (float) g_rand_int_range (random, -50, 50)
                          / (rig_is_s16 (rig) ? 32768.f : 1.f);
}

GstBuffer *
rig_make_buffer (const float *values, gsize n, gboolean s16)
{
  g_autofree gint16 *samples = g_new (gint16, n + 1);

  if (n == 0)
    return gst_buffer_new ();
  if (!s16)
    return gst_buffer_new_memdup (values, n * sizeof (float));
  for (gsize i = 0; i < n; i++)
    samples[i] = (gint16) (values[i] * 32768.f);
  return gst_buffer_new_memdup (samples, n * sizeof (gint16));
}

static GstClockTime
displace (Rig *rig, guint how)
{
  GstClockTime time = rig_position (rig);

  switch (how) {
    case 1:
      return time + 10 * GST_MSECOND;
    case 2:
      rig_move_to (rig, time + 2 * GST_SECOND);
      break;
    case 3:
      rig_move_to (rig, time > GST_SECOND ? time - GST_SECOND : 0);
      break;
    case 4:
      rig_move_to (rig, time + 45 * GST_MSECOND);
      break;
    default:
      break;
  }
  return rig_position (rig);
}

/* A buffer, and what the oracle is told of it. */
typedef struct
{
  GstBuffer *buffer;
  float values[2 * MAX_ROWS];
  gsize rows;
  GstClockTime pts, duration;
  guint flags;
} Prepared;

void
rig_set_flags (GstBuffer *buffer, guint flags)
{
  static const GstBufferFlags names[PLAN_N_FLAGS] = { GST_BUFFER_FLAG_DISCONT,
    GST_BUFFER_FLAG_RESYNC, 0, GST_BUFFER_FLAG_GAP, GST_BUFFER_FLAG_DROPPABLE,
    GST_BUFFER_FLAG_CORRUPTED };

  for (guint i = 0; i < PLAN_N_FLAGS; i++)
    if ((flags & 1u << i) != 0)
      GST_BUFFER_FLAG_SET (buffer, names[i]);
}

/* Backwards where the segment runs backwards. */
static void
place (Rig *rig, Prepared *p, guint off)
{
  GstClockTime pts = displace (rig, off);
  gboolean back = rig->segment.rate < 0;

  if (back) {
    GstClockTime length =
        gst_util_uint64_scale (p->rows, GST_SECOND, rig->plan->config.rate);
    pts = pts > length ? pts - length : 0;
    rig_move_to (rig, pts);
  }
  rig->rows += p->rows;
  p->pts = pts;
  p->duration = rig_position (rig) - pts;
  if (back)
    rig_move_to (rig, pts);
}

static void
prepare (
    Rig *rig, const PlanOp *op, gsize rows, guint flags, guint off, Prepared *p)
{
  guint width = rig_row_width (rig);

  if (rig->plan->config.kind == PLAN_TENSORS)
    rows = 3;
  p->rows = MIN (rows, MAX_ROWS);
  p->flags = flags;
  make_values (rig, p->values, p->rows * width, op);
  p->buffer = rig_make_buffer (p->values, p->rows * width, rig_is_s16 (rig));
  place (rig, p, off);
  if (flags & PLAN_NO_PTS)
    p->pts = GST_CLOCK_TIME_NONE;
  GST_BUFFER_PTS (p->buffer) = p->pts;
  GST_BUFFER_DURATION (p->buffer) = p->duration;
  rig_set_flags (p->buffer, flags);
  rig->n_events++;
}

static void
tell (Rig *rig, const Prepared *p)
{
  oracle_buffer (
      rig->oracle, p->values, p->rows, p->pts, p->duration, p->flags);
}

GstFlowReturn
rig_push (Rig *rig, const PlanOp *op, gsize rows, guint flags, guint off)
{
  Prepared p;

  prepare (rig, op, rows, flags, off, &p);
  GstFlowReturn flow = gst_pad_push (rig->src, p.buffer);
  if (flow == GST_FLOW_FLUSHING)
    oracle_refused (rig->oracle);
  tell (rig, &p);
  return flow;
}

GstFlowReturn
rig_push_list (Rig *rig, const PlanOp *op, guint n)
{
  g_autofree Prepared *prepared = g_new (Prepared, n);
  GstBufferList *list = gst_buffer_list_new ();
  PlanOp part = *op;

  for (guint i = 0; i < n; i++) {
    part.seed++;
    prepare (rig, &part, part.seed % (2 * rig->plan->config.length), 0, 0,
        &prepared[i]);
    gst_buffer_list_add (list, prepared[i].buffer);
  }
  GstFlowReturn flow = gst_pad_push_list (rig->src, list);
  for (guint i = 0; i < n; i++)
    tell (rig, &prepared[i]);
  return flow;
}
