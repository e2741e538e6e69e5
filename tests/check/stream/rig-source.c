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

void
rig_new_source (Rig *rig)
{
  g_autoptr (GstPad) peer = gst_element_get_static_pad (rig->filter, "sink");

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
  gst_pad_push_event (rig->src, gst_event_new_segment (&rig->segment));
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

void
rig_send_caps (Rig *rig)
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
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  gst_pad_push_event (rig->src, gst_event_new_caps (caps));
  oracle_caps (rig->oracle, text);
}

void
rig_send_stream_start (Rig *rig)
{
  g_autofree char *id = g_strdup_printf ("stream-%u", rig->n_streams++);

  rig->tagged = FALSE; /* tags belong to a stream */
  gst_pad_push_event (rig->src, gst_event_new_stream_start (id));
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

static GstBuffer *
make_buffer (Rig *rig, const float *values, gsize n)
{
  g_autofree gint16 *samples = g_new (gint16, n + 1);

  if (n == 0)
    return gst_buffer_new ();
  if (!rig_is_s16 (rig))
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

GstFlowReturn
rig_push (Rig *rig, const PlanOp *op, gsize rows, guint flags, guint off)
{
  float values[2 * MAX_ROWS];
  GstClockTime pts = displace (rig, off), duration;

  if (rig->plan->config.kind == PLAN_TENSORS)
    rows = 3;
  rows = MIN (rows, MAX_ROWS);
  make_values (rig, values, rows * rig_row_width (rig), op);
  GstBuffer *buffer = make_buffer (rig, values, rows * rig_row_width (rig));
  rig->rows += rows;
  duration = rig_position (rig) - pts;
  if (flags & PLAN_NO_PTS)
    pts = GST_CLOCK_TIME_NONE;
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = duration;
  if (flags & PLAN_DISCONT)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  if (flags & PLAN_RESYNC)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_RESYNC);
  GstFlowReturn flow = gst_pad_push (rig->src, buffer);
  oracle_buffer (rig->oracle, values, rows, pts, duration, flags);
  return flow;
}
