/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/speech/vad/gate.h"

#include "gst/common/continuity.h"

typedef struct
{
  GstMiniObject *object;
  guint64 first, end; /* frames; equal: an event */
} Held;

static void
held_free (gpointer data)
{
  Held *held = data;

  gst_clear_mini_object (&held->object);
  g_free (held);
}

static void
add (GstInferVadGate *self, gpointer object, gsize frames)
{
  Held *held = g_new (Held, 1);

  *held = (Held){ object, self->taken, self->taken + frames };
  self->taken = held->end;
  g_queue_push_tail (&self->held, held);
}

void
gst_infer_vad_gate_take (GstInferVadGate *self, GstBuffer *buffer, gsize frames)
{
  add (self, buffer, frames);
}

gboolean
gst_infer_vad_gate_take_event (GstInferVadGate *self, GstEvent *event)
{
  if (g_queue_is_empty (&self->held))
    return FALSE;
  add (self, event, 0);
  return TRUE;
}

/* Frames @from to @to of @buffer, numbered from its own first. */
static GstBuffer *
take_part (GstBuffer *buffer, const GstAudioInfo *info, gsize from, gsize to)
{
  GstBuffer *part = gst_audio_buffer_truncate (
      gst_buffer_ref (buffer), info->bpf, from, to - from);
  GstClockTime before =
      gst_util_uint64_scale (from, GST_SECOND, (guint) info->rate);

  if (GST_BUFFER_PTS_IS_VALID (buffer))
    GST_BUFFER_PTS (part) = GST_BUFFER_PTS (buffer) + before;
  GST_BUFFER_DURATION (part) =
      gst_util_uint64_scale (to, GST_SECOND, (guint) info->rate) - before;
  if (from > 0)
    GST_BUFFER_FLAG_UNSET (part, GST_BUFFER_FLAG_DISCONT);
  return part;
}

/* NULL: the buffer has no timestamp. */
static GstEvent *
make_gap (GstBuffer *buffer, const GstAudioInfo *info, gsize from, gsize to)
{
  GstClockTime begin =
      gst_util_uint64_scale (from, GST_SECOND, (guint) info->rate);
  GstClockTime end = gst_util_uint64_scale (to, GST_SECOND, (guint) info->rate);

  if (!GST_BUFFER_PTS_IS_VALID (buffer))
    return NULL;
  return gst_event_new_gap (GST_BUFFER_PTS (buffer) + begin, end - begin);
}

/* A part of the first buffer, up to frame @until; drops it where nothing is
 * left.  NULL: it cannot be told by a GAP. */
static GstMiniObject *
take_frames (GstInferVadGate *self, const GstAudioInfo *info, guint64 until,
    gboolean speech)
{
  Held *held = g_queue_peek_head (&self->held);
  GstBuffer *buffer = GST_BUFFER (held->object);
  gsize from = (gsize) (self->given - held->first);
  gsize to = (gsize) (MIN (until, held->end) - held->first);
  gpointer object = NULL;

  self->given = held->first + to;
  if (!speech)
    object = make_gap (buffer, info, from, to);
  else if (from == 0 && self->given == held->end)
    object = gst_buffer_ref (buffer);
  else
    object = take_part (buffer, info, from, to);
  if (self->given == held->end)
    held_free (g_queue_pop_head (&self->held));
  return object;
}

GstMiniObject *
gst_infer_vad_gate_next (GstInferVadGate *self, const GstAudioInfo *info,
    guint64 until, gboolean speech)
{
  GstMiniObject *object = NULL;
  Held *held;

  while (object == NULL && (held = g_queue_peek_head (&self->held)) != NULL) {
    if (GST_IS_EVENT (held->object) || held->first == held->end) {
      object = g_steal_pointer (&held->object);
      held_free (g_queue_pop_head (&self->held));
    } else if (self->given < until) {
      object = take_frames (self, info, until, speech);
    } else {
      break;
    }
  }
  return object;
}

GPtrArray *
gst_infer_vad_gate_take_sticky (GstInferVadGate *self)
{
  GPtrArray *kept =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_event_unref);

  for (GList *link = self->held.head; link != NULL; link = link->next) {
    const Held *held = link->data;

    if (GST_IS_EVENT (held->object)
        && gst_infer_survives_flush (GST_EVENT (held->object)))
      g_ptr_array_add (kept, gst_event_ref (GST_EVENT (held->object)));
  }
  return kept;
}

void
gst_infer_vad_gate_reset (GstInferVadGate *self)
{
  g_queue_clear_full (&self->held, held_free);
  self->taken = self->given = 0;
}
