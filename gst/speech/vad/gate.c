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

/* Of metas that GStreamer copies to a part of a buffer as they are: a level is
 * that of the whole; a reference timestamp that of its beginning, which is
 * @before earlier. */
static gboolean
fit_meta (GstBuffer *part, GstMeta **meta, gpointer before)
{
  if ((*meta)->info->api == GST_AUDIO_LEVEL_META_API_TYPE
      || (*meta)->info->api == GST_AUDIO_CLIPPING_META_API_TYPE) {
    *meta = NULL;
  } else if ((*meta)->info->api == GST_REFERENCE_TIMESTAMP_META_API_TYPE) {
    GstReferenceTimestampMeta *time = (GstReferenceTimestampMeta *) *meta;

    time->timestamp += *(const GstClockTime *) before;
    if (GST_CLOCK_TIME_IS_VALID (time->duration))
      time->duration = GST_BUFFER_DURATION (part);
  }
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
  gst_buffer_foreach_meta (part, fit_meta, &before);
  return part;
}

/* Takes @buffer, the next that leaves. */
static GstBuffer *
mark_discont (GstInferVadGate *self, GstBuffer *buffer)
{
  if (!self->discont)
    return buffer;
  self->discont = FALSE;
  buffer = gst_buffer_make_writable (buffer);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  return buffer;
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
  if (from == 0 && !speech
      && GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT))
    self->discont = TRUE;
  if (!speech)
    object = make_gap (buffer, info, from, to);
  else if (from == 0 && self->given == held->end)
    object = mark_discont (self, gst_buffer_ref (buffer));
  else
    object = mark_discont (self, take_part (buffer, info, from, to));
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
gst_infer_vad_gate_take_sticky (GstInferVadGate *self, gboolean flushed)
{
  GPtrArray *kept =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_event_unref);

  for (GList *link = self->held.head; link != NULL; link = link->next) {
    const Held *held = link->data;

    if (!GST_IS_EVENT (held->object))
      continue;
    GstEvent *event = GST_EVENT (held->object);
    if (flushed ? gst_infer_survives_flush (event)
                : GST_EVENT_IS_STICKY (event)
                      && GST_EVENT_TYPE (event) != GST_EVENT_EOS)
      g_ptr_array_add (kept, gst_event_ref (event));
  }
  return kept;
}

void
gst_infer_vad_gate_reset (GstInferVadGate *self)
{
  g_queue_clear_full (&self->held, held_free);
  self->taken = self->given = 0;
}
