/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/chain/twin.h"

#include "tests/check/stream/rig-private.h"

struct _Twin
{
  Plan plan;
  Rig rig; /* without an oracle */
};

Twin *
twin_new (const PlanConfig *config)
{
  Twin *twin = g_new0 (Twin, 1);
  PlanConfig *c = &twin->plan.config;

  *c = *config;
  c->nireq = c->batch_size = 1;
  c->sink_us = 0;
  rig_open (&twin->rig, &twin->plan, 0);
  g_assert_true (rig_set_state (&twin->rig, GST_STATE_PLAYING));
  return twin;
}

void
twin_free (Twin *twin)
{
  if (twin == NULL)
    return;
  rig_close (&twin->rig);
  if (twin->rig.wrong != NULL)
    g_error ("the calm elements: %s", twin->rig.wrong);
  g_free (twin);
}

void
twin_event (Twin *twin, GstEvent *event)
{
  gboolean eos = GST_EVENT_TYPE (event) == GST_EVENT_EOS;

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    gst_event_copy_segment (event, &twin->rig.segment);
  gst_pad_push_event (twin->rig.src, event);
  if (eos)
    rig_wait_for_eos (&twin->rig);
}

void
twin_caps (Twin *twin, const char *text)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);

  twin_event (twin, gst_event_new_caps (caps));
}

/* Caps decide, not what the plan is at now. */
static gboolean
takes_s16 (Rig *rig)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (rig->src);
  const char *format =
      gst_structure_get_string (gst_caps_get_structure (caps, 0), "format");

  return g_strcmp0 (format, "S16LE") == 0;
}

static void
push_part (Twin *twin, const float *values, gsize rows, GstClockTime pts,
    GstClockTime duration, guint flags)
{
  GstBuffer *buffer = rig_make_buffer (values, rows, takes_s16 (&twin->rig));

  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = duration;
  rig_set_flags (buffer, flags);
  gst_pad_push (twin->rig.src, buffer);
}

void
twin_buffer (Twin *twin, const float *values, gsize rows, GstClockTime pts,
    GstClockTime duration, guint flags)
{
  const guint rate = twin->plan.config.rate;
  /* Whole nanoseconds: rounding could decide whether a time is too far off. */
  const gsize whole =
      rate / (guint) gst_util_greatest_common_divisor ((int) rate, GST_SECOND);
  const gsize first = rows * 2 / 3 / whole * whole;
  const GstClockTime until = gst_util_uint64_scale (first, GST_SECOND, rate);

  /* In reverse, how buffers are cut decides what is computed together. */
  if (first == 0 || first == rows || twin->rig.segment.rate < 0) {
    push_part (twin, values, rows, pts, duration, flags);
    return;
  }
  push_part (twin, values, first, pts, until, flags);
  push_part (twin, values + first, rows - first,
      pts == GST_CLOCK_TIME_NONE ? pts : pts + until, duration - until,
      flags & ~(guint) (PLAN_DISCONT | PLAN_RESYNC));
}

void
twin_drain (Twin *twin)
{
  g_autoptr (GstQuery) query = gst_query_new_drain ();

  gst_pad_peer_query (twin->rig.src, query);
}

void
twin_allocation (Twin *twin)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (twin->rig.src);
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);

  gst_pad_peer_query (twin->rig.src, query);
}

void
twin_swap (Twin *twin)
{
  rig_forget_progress (&twin->rig);
  rig_set_model_again (&twin->rig);
  g_autofree char *wrong = rig_await_loaded (&twin->rig);
  g_assert_cmpstr (wrong, ==, NULL);
}

void
twin_cut (Twin *twin, gboolean fresh)
{
  if (fresh) {
    rig_set_state (&twin->rig, GST_STATE_READY);
    g_assert_true (rig_set_state (&twin->rig, GST_STATE_PLAYING));
  } else {
    twin_event (twin, gst_event_new_flush_start ());
    twin_event (twin, gst_event_new_flush_stop (TRUE));
  }
  g_ptr_array_unref (twin_take (twin));
}

GPtrArray *
twin_take (Twin *twin)
{
  Rig *rig = &twin->rig;

  g_mutex_lock (&rig->lock);
  GPtrArray *seen = rig->seen;
  rig->seen = g_ptr_array_new_with_free_func ((GDestroyNotify) log_entry_free);
  g_mutex_unlock (&rig->lock);
  return seen;
}
