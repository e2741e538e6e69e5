/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/reversed.h"

/* Many containers round timestamps to milliseconds. */
#define ROUNDING GST_MSECOND

/* --- input --- */

static gboolean
meet (GstClockTime end, GstClockTime start)
{
  return GST_CLOCK_TIME_IS_VALID (end) && GST_CLOCK_TIME_IS_VALID (start)
         && ABS (GST_CLOCK_DIFF (end, start)) <= (GstClockTimeDiff) ROUNDING;
}

gboolean
gst_infer_unit_add (
    GstInferUnit *unit, GstBuffer *buffer, GstClockTime duration)
{
  GstClockTime start = GST_BUFFER_PTS (buffer);
  GstClockTime end =
      GST_CLOCK_TIME_IS_VALID (start) && GST_CLOCK_TIME_IS_VALID (duration)
          ? start + duration
          : GST_CLOCK_TIME_NONE;
  gboolean begins = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT)
                    || GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_RESYNC);

  if (g_queue_is_empty (&unit->buffers)) {
    unit->start = start;
    unit->end = end;
    unit->forward = FALSE;
    g_queue_push_tail (&unit->buffers, gst_buffer_ref (buffer));
    return TRUE;
  }
  if (!begins && !unit->forward && meet (end, unit->start)) {
    unit->start = start;
    g_queue_push_head (&unit->buffers, gst_buffer_ref (buffer));
    return TRUE;
  }
  if (!begins && meet (unit->end, start)
      && (unit->forward || unit->buffers.length == 1)) {
    unit->end = end;
    unit->forward = TRUE;
    g_queue_push_tail (&unit->buffers, gst_buffer_ref (buffer));
    return TRUE;
  }
  return FALSE;
}

gboolean
gst_infer_unit_is_full (const GstInferUnit *unit, GstClockTime enough)
{
  return !unit->forward && GST_CLOCK_TIME_IS_VALID (unit->end)
         && unit->end - unit->start >= enough;
}

GstBuffer *
gst_infer_unit_pop (GstInferUnit *unit)
{
  return g_queue_pop_head (&unit->buffers);
}

void
gst_infer_unit_clear (GstInferUnit *unit)
{
  g_queue_clear_full (&unit->buffers, (GDestroyNotify) gst_buffer_unref);
}

/* --- results --- */

typedef struct
{
  GstMiniObject *object;
  GstCaps *caps; /* nullable */
} Entry;

static void
entry_free (gpointer data)
{
  Entry *entry = data;

  gst_clear_mini_object (&entry->object);
  gst_clear_caps (&entry->caps);
  g_free (entry);
}

void
gst_infer_reversed_hold (
    GstInferReversed *unit, GstMiniObject *object, GstCaps *caps, GstCaps *sent)
{
  Entry *entry = g_new0 (Entry, 1);
  const Entry *before = g_queue_peek_tail (&unit->entries);

  if (before == NULL) {
    gst_caps_replace (&unit->sent, sent);
    unit->begun = FALSE;
  }
  if (caps == NULL)
    caps = before != NULL ? before->caps : sent;
  entry->object = object;
  gst_caps_replace (&entry->caps, caps);
  g_queue_push_tail (&unit->entries, entry);
}

static GstMiniObject *
mark (GstInferReversed *unit, GstMiniObject *object)
{
  if (!GST_IS_BUFFER (object))
    return object;
  GstBuffer *buffer = gst_buffer_make_writable (GST_BUFFER (object));
  if (unit->begun)
    GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_DISCONT);
  else
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  unit->begun = TRUE;
  return GST_MINI_OBJECT (buffer);
}

GstMiniObject *
gst_infer_reversed_next (GstInferReversed *unit)
{
  Entry *entry = g_queue_peek_tail (&unit->entries);

  if (entry == NULL) {
    gst_clear_caps (&unit->sent);
    return NULL;
  }
  if (entry->caps != NULL
      && (unit->sent == NULL || !gst_caps_is_equal (entry->caps, unit->sent))) {
    gst_caps_replace (&unit->sent, entry->caps);
    return GST_MINI_OBJECT (gst_event_new_caps (entry->caps));
  }
  GstMiniObject *object = g_steal_pointer (&entry->object);
  entry_free (g_queue_pop_tail (&unit->entries));
  return mark (unit, object);
}

void
gst_infer_reversed_clear (GstInferReversed *unit)
{
  g_queue_clear_full (&unit->entries, entry_free);
  gst_clear_caps (&unit->sent);
}

/* --- both --- */

static GstFlowReturn
push_results (GstInferReversed *results, GstPad *srcpad)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GstMiniObject *object;

  while (flow == GST_FLOW_OK
         && (object = gst_infer_reversed_next (results)) != NULL) {
    if (GST_IS_EVENT (object))
      gst_pad_push_event (srcpad, GST_EVENT (object));
    else
      flow = gst_pad_push (srcpad, GST_BUFFER (object));
  }
  gst_infer_reversed_clear (results);
  return flow;
}

GstFlowReturn
gst_infer_reversal_run (GstInferReversal *reversal,
    const GstInferReversalFuncs *funcs, GstElement *element, GstPad *srcpad)
{
  GstBuffer *buffer;

  if (g_queue_is_empty (&reversal->unit.buffers))
    return GST_FLOW_OK;
  GstFlowReturn flow = funcs->finish (element);
  reversal->in_unit = TRUE;
  while (flow == GST_FLOW_OK
         && (buffer = gst_infer_unit_pop (&reversal->unit)) != NULL) {
    flow = funcs->take (element, buffer);
    gst_buffer_unref (buffer);
  }
  if (flow == GST_FLOW_OK)
    flow = funcs->finish (element);
  reversal->in_unit = FALSE;
  gst_infer_unit_clear (&reversal->unit);
  GstFlowReturn pushed = push_results (&reversal->reversed, srcpad);
  return flow != GST_FLOW_OK ? flow : pushed;
}

GstFlowReturn
gst_infer_reversal_collect (GstInferReversal *reversal,
    const GstInferReversalFuncs *funcs, GstElement *element, GstPad *srcpad,
    GstBuffer *buffer, GstClockTime duration)
{
  GstInferUnit *unit = &reversal->unit;
  GstFlowReturn flow = GST_FLOW_OK;

  if (!gst_infer_unit_add (unit, buffer, duration)) {
    flow = gst_infer_reversal_run (reversal, funcs, element, srcpad);
    gst_infer_unit_add (unit, buffer, duration);
  }
  if (flow == GST_FLOW_OK && gst_infer_unit_is_full (unit, funcs->enough))
    flow = gst_infer_reversal_run (reversal, funcs, element, srcpad);
  return flow;
}
