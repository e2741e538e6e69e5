/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/source-task.h"

#include "gst/common/continuity.h"
#include "gst/common/model-info.h"

#define UNIT_END "inferfilter/unit-end"

void
gst_infer_source_task_init (GstInferSourceTask *task, GstPad *pad)
{
  task->pad = pad;
  g_queue_init (&task->held);
  gst_infer_frame_results_init (&task->results);
  gst_infer_allocation_init (&task->allocation);
}

void
gst_infer_source_task_start (GstInferSourceTask *task)
{
  task->caps_sent = task->eos = task->lost = FALSE;
  g_atomic_int_set (&task->marks, FALSE);
  task->sent = (GstInferTensors){ .fps_n = 0, .fps_d = 1 };
}

void
gst_infer_source_task_stop (GstInferSourceTask *task)
{
  g_queue_clear_full (&task->held, (GDestroyNotify) gst_event_unref);
  gst_infer_allocation_stop (&task->allocation);
  gst_infer_reversed_clear (&task->reversed);
}

GstEvent *
gst_infer_source_task_unit_end (void)
{
  return gst_event_new_custom (
      GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty (UNIT_END));
}

gboolean
gst_infer_source_task_is_unit_end (GstEvent *event)
{
  return gst_event_has_name (event, UNIT_END);
}

static void
push_held (GstInferSourceTask *task)
{
  GstEvent *event;

  while ((event = g_queue_pop_head (&task->held)) != NULL)
    gst_pad_push_event (task->pad, event);
}

static void
note_caps (GstInferSourceTask *task, GstEvent *event)
{
  GstCaps *caps;

  gst_event_parse_caps (event, &caps);
  gst_infer_tensors_from_caps (caps, &task->sent, NULL);
  task->caps_sent = TRUE;
  gst_infer_allocation_renew (&task->allocation);
}

/* The pad has these caps, or this model info, already: downstream gets them
 * again by itself where it is linked anew. */
static gboolean
says_nothing_new (GstPad *pad, GstEvent *event)
{
  const GstStructure *info = gst_infer_model_info_parse (event);
  const GstEventType type = GST_EVENT_TYPE (event);
  GstCaps *caps;

  if (type == GST_EVENT_CAPS) {
    g_autoptr (GstCaps) sent = gst_pad_get_current_caps (pad);

    gst_event_parse_caps (event, &caps);
    return sent != NULL && gst_caps_is_strictly_equal (caps, sent);
  }
  for (guint i = 0; info != NULL; i++) {
    g_autoptr (GstEvent) old = gst_pad_get_sticky_event (pad, type, i);

    if (old == NULL)
      return FALSE;
    if (gst_infer_model_info_parse (old) != NULL)
      return gst_infer_model_info_equal (
          gst_infer_model_info_parse (old), info);
  }
  return FALSE;
}

/* Takes @event. */
static void
push_news (GstInferSourceTask *task, GstEvent *event)
{
  if (says_nothing_new (task->pad, event))
    gst_event_unref (event);
  else
    gst_pad_push_event (task->pad, event);
}

void
gst_infer_source_task_push_event (GstInferSourceTask *task, GstEvent *event)
{
  GstEventType type = GST_EVENT_TYPE (event);

  if (type == GST_EVENT_CAPS) {
    note_caps (task, event);
    push_news (task, event);
    push_held (task);
    return;
  }
  /* A segment must not leave before the caps, nor anything that follows it. */
  if (!task->caps_sent && type != GST_EVENT_STREAM_START
      && type != GST_EVENT_EOS && type != GST_EVENT_STREAM_GROUP_DONE) {
    g_queue_push_tail (&task->held, event);
    return;
  }
  if (type == GST_EVENT_EOS)
    gst_infer_push_before_eos (task->pad, &task->held);
  push_news (task, event);
}

/* They were collected as if their caps had left. */
void
gst_infer_source_task_drop_unit (GstInferSourceTask *task)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (task->pad);

  gst_infer_reversed_clear (&task->reversed);
  if (caps != NULL)
    gst_infer_tensors_from_caps (caps, &task->sent, NULL);
}

/* Takes @event. */
static void
restore (GstInferSourceTask *task, GstEvent *event)
{
  GstEventType type = GST_EVENT_TYPE (event);

  if (!gst_infer_survives_flush (event)) {
    gst_event_unref (event);
    return;
  }
  if (type == GST_EVENT_CAPS) {
    note_caps (task, event);
  } else if (type != GST_EVENT_STREAM_START && !task->caps_sent) {
    g_queue_push_tail (&task->held, event);
    return;
  }
  gst_pad_store_sticky_event (task->pad, event);
  gst_event_unref (event);
}

static void
restore_all (GstInferSourceTask *task, GQueue *events)
{
  GstEvent *event;

  while ((event = g_queue_pop_head (events)) != NULL)
    restore (task, event);
}

void
gst_infer_source_task_flush (GstInferSourceTask *task, GQueue *events)
{
  GQueue held = task->held;

  gst_infer_source_task_drop_unit (task);
  g_queue_init (&task->held);
  restore_all (task, &held);
  restore_all (task, events);
  if (task->caps_sent) {
    held = task->held;
    g_queue_init (&task->held);
    restore_all (task, &held);
  }
  gst_infer_frame_results_reset (&task->results);
  task->eos = task->lost = FALSE;
}
