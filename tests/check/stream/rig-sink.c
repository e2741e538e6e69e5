/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/rig-private.h"

#define TIMEOUT_US (5 * G_USEC_PER_SEC)

static GstStaticPadTemplate any_sink = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

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
  if (caps == NULL)
    return;
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  entry->dimensions =
      g_strdup (gst_structure_get_string (structure, "dimensions"));
  if (entry->dimensions == NULL)
    entry->dimensions = gst_caps_to_string (caps);
  gst_structure_get_fraction (
      structure, "framerate", &entry->fps_n, &entry->fps_d);
}

void
rig_block (Rig *rig, gboolean blocked)
{
  g_mutex_lock (&rig->lock);
  rig->blocked = blocked;
  g_cond_broadcast (&rig->cond);
  g_mutex_unlock (&rig->lock);
}

static void
wait_while_blocked (Rig *rig)
{
  g_mutex_lock (&rig->lock);
  while (rig->blocked)
    g_cond_wait (&rig->cond, &rig->lock);
  g_mutex_unlock (&rig->lock);
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
  wait_while_blocked (rig);
  if (rig->plan->config.sink_us > 0)
    g_usleep (rig->plan->config.sink_us);
  return GST_FLOW_OK;
}

static void
note_custom (Rig *rig, GstEvent *event)
{
  const GstStructure *s = gst_event_get_structure (event);
  guint number;

  if (!gst_structure_get_uint (s, "number", &number))
    return;
  LogEntry *entry = log_entry_new (LOG_CUSTOM);
  entry->offset = number;
  note (rig, entry);
}

static void
note_segment_done (Rig *rig, GstEvent *event)
{
  LogEntry *entry = log_entry_new (LOG_SEGMENT_DONE);
  gint64 position;

  gst_event_parse_segment_done (event, NULL, &position);
  entry->pts = (GstClockTime) position;
  note (rig, entry);
}

static void
set_caps_seen (Rig *rig, gboolean seen)
{
  g_mutex_lock (&rig->lock);
  rig->has_caps = seen;
  g_mutex_unlock (&rig->lock);
}

void
rig_forget_caps (Rig *rig)
{
  set_caps_seen (rig, FALSE);
  rig->had_caps = FALSE;
}

/* Whether caps came before the GAP events of what was seen.  Elements that
 * could send none until EOS do so then, and drop the GAP events that they kept.
 */
static gboolean
had_caps_in_time (const Rig *rig)
{
  const LogEntry *first = rig->seen->len > 0 ? rig->seen->pdata[0] : NULL;

  return rig->has_caps
         && (rig->had_caps || first == NULL || first->kind != LOG_EOS);
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
    case GST_EVENT_CAPS:
      set_caps_seen (rig, TRUE);
      break;
    case GST_EVENT_FLUSH_START:
      rig_block (rig, FALSE);
      break;
    case GST_EVENT_SEGMENT_DONE:
      note_segment_done (rig, event);
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

GstPad *
rig_last_pad (Rig *rig)
{
  return gst_element_get_static_pad (rig->elements[rig->n_elements - 1], "src");
}

void
rig_new_sink (Rig *rig)
{
  g_autoptr (GstPad) peer = rig_last_pad (rig);

  rig->sink = gst_pad_new_from_static_template (&any_sink, "sink");
  gst_pad_set_chain_function (rig->sink, sink_chain);
  gst_pad_set_event_function (rig->sink, sink_event);
  gst_pad_set_element_private (rig->sink, rig);
  gst_pad_set_active (rig->sink, TRUE);
  gst_pad_link (peer, rig->sink);
}

/* --- checking --- */

static gboolean
has_caps (Rig *rig)
{
  g_mutex_lock (&rig->lock);
  gboolean caps = rig->has_caps;
  g_mutex_unlock (&rig->lock);
  return caps;
}

char *
rig_check_seen (Rig *rig, gboolean prefix)
{
  g_mutex_lock (&rig->lock);
  char *wrong =
      oracle_check (rig->oracle, rig->seen, prefix, had_caps_in_time (rig));
  rig->had_caps = rig->has_caps;
  g_ptr_array_set_size (rig->seen, 0);
  g_mutex_unlock (&rig->lock);
  return wrong;
}

/* inferdecoder keeps events between caps and the first result, inferfilter
 * until it has caps, which may be as late. */
static gboolean
may_hold_events (Rig *rig)
{
  const PlanConfig *c = &rig->plan->config;

  return c->chained && (chain_holds_events (c->chain) || !has_caps (rig));
}

static char *
check_tags (Rig *rig)
{
  g_autoptr (GstEvent) event =
      gst_pad_get_sticky_event (rig->sink, GST_EVENT_TAG, 0);
  g_autofree char *title = NULL;
  g_autofree char *want = g_strdup_printf ("%u", rig->n_tags);
  GstTagList *tags;

  if (!rig->tagged || may_hold_events (rig) || !has_caps (rig))
    return NULL;
  if (event != NULL) {
    gst_event_parse_tag (event, &tags);
    gst_tag_list_get_string (tags, GST_TAG_TITLE, &title);
  }
  if (g_strcmp0 (title, want) == 0)
    return NULL;
  return g_strdup_printf (
      "tags should be '%s' but are '%s'", want, title != NULL ? title : "none");
}

gboolean
rig_wait_for_eos (Rig *rig)
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
  return eos;
}

char *
rig_await_eos (Rig *rig)
{
  if (!rig_wait_for_eos (rig))
    return g_strdup ("EOS never came");
  return rig_check_seen (rig, FALSE);
}

char *
rig_drain (Rig *rig)
{
  g_autoptr (GstQuery) query = gst_query_new_drain ();

  rig->n_events++;
  gst_pad_peer_query (rig->src, query);
  oracle_drain (rig->oracle);
  /* Events that may be held are compared at the next flush or EOS. */
  if (oracle_has_failed (rig->oracle) || may_hold_events (rig))
    return NULL;
  char *wrong = rig_check_seen (rig, FALSE);
  return wrong != NULL ? wrong : check_tags (rig);
}

/* The mark is for inferfilter; a flush is for all elements. */
static void
flush_all (Rig *rig)
{
  rig_send (rig, gst_event_new_flush_start ());
  rig_send (rig, gst_event_new_flush_stop (TRUE));
  oracle_cut (rig->oracle, FALSE);
  rig_send_segment (rig);
}

char *
rig_resync (Rig *rig)
{
  guint mark = rig->n_customs;

  rig_send_custom (rig, TRUE);
  g_autoptr (GstQuery) query = gst_query_new_drain ();
  gst_pad_peer_query (rig->src, query);
  g_mutex_lock (&rig->lock);
  const LogEntry *last =
      rig->seen->len > 0 ? rig->seen->pdata[rig->seen->len - 1] : NULL;
  gboolean arrived =
      last != NULL && last->kind == LOG_CUSTOM && last->offset == mark;
  g_ptr_array_set_size (rig->seen, 0);
  g_mutex_unlock (&rig->lock);
  oracle_resync (rig->oracle);
  if (rig->plan->config.chained) {
    arrived |= may_hold_events (rig);
    flush_all (rig);
  }
  return arrived ? check_tags (rig)
                 : g_strdup ("a serialised event did not arrive");
}

char *
rig_check_messages (Rig *rig, gboolean expected)
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
