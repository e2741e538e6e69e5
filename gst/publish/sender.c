/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/publish/sender.h"

/* Some seconds of video; a line is about 1 kB. */
#define MOST_LINES 1000

struct _GstInferSender
{
  const GstInferPublishMethod *method;
  gpointer target;
  GstInferSenderCalls calls;
  gpointer owner;
  GThread *thread;

  GMutex lock; /* guards the members below */
  GCond changed;
  GQueue lines; /* (element-type GString) */
  gboolean busy, flushing, quit;
};

static void
free_line (gpointer line)
{
  g_string_free (line, TRUE);
}

/* Sends @line (transfer full).  Returns FALSE if nothing more can be sent. */
static gboolean
send_line (GstInferSender *self, GString *line)
{
  g_autoptr (GError) error = NULL;
  GstInferPublishResult result =
      self->method->send (self->target, line->str, line->len, &error);

  g_string_free (line, TRUE);
  if (result == GST_INFER_PUBLISH_FAILED)
    self->calls.failed (self->owner, error);
  else
    self->calls.counted (self->owner, result == GST_INFER_PUBLISH_SENT,
        result == GST_INFER_PUBLISH_DROPPED);
  return result != GST_INFER_PUBLISH_FAILED;
}

static gpointer
run (gpointer data)
{
  GstInferSender *self = data;
  gboolean works = TRUE;

  g_mutex_lock (&self->lock);
  while (!self->quit) {
    GString *line = g_queue_pop_head (&self->lines);

    self->busy = line != NULL;
    g_cond_broadcast (&self->changed);
    if (line == NULL) {
      g_cond_wait (&self->changed, &self->lock);
      continue;
    }
    g_mutex_unlock (&self->lock);
    if (works)
      works = send_line (self, line);
    else
      free_line (line);
    g_mutex_lock (&self->lock);
  }
  self->busy = FALSE;
  g_mutex_unlock (&self->lock);
  return NULL;
}

GstInferSender *
gst_infer_sender_new (const GstInferPublishMethod *method, gpointer target,
    const GstInferSenderCalls *calls, gpointer owner, GError **error)
{
  GstInferSender *self = g_new0 (GstInferSender, 1);

  self->method = method;
  self->target = target;
  self->calls = *calls;
  self->owner = owner;
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  g_queue_init (&self->lines);
  self->thread = g_thread_try_new ("inferpublish", run, self, error);
  if (self->thread != NULL)
    return self;
  g_prefix_error (error, "Cannot start the thread of inferpublish: ");
  gst_infer_sender_close (self, 0);
  return NULL;
}

gboolean
gst_infer_sender_push (GstInferSender *self, GString *line, gboolean wait)
{
  g_mutex_lock (&self->lock);
  while (self->lines.length >= MOST_LINES && wait && !self->flushing)
    g_cond_wait (&self->changed, &self->lock);
  gboolean room = self->lines.length < MOST_LINES;
  if (room)
    g_queue_push_tail (&self->lines, line);
  else
    free_line (line);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  return room;
}

void
gst_infer_sender_set_flushing (GstInferSender *self, gboolean flushing)
{
  g_mutex_lock (&self->lock);
  self->flushing = flushing;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

void
gst_infer_sender_drain (GstInferSender *self, guint timeout)
{
  gint64 deadline = g_get_monotonic_time () + (gint64) timeout * 1000;

  g_mutex_lock (&self->lock);
  while ((self->lines.length > 0 || self->busy)
         && g_cond_wait_until (&self->changed, &self->lock, deadline))
    continue;
  g_mutex_unlock (&self->lock);
}

guint
gst_infer_sender_close (GstInferSender *self, guint timeout)
{
  if (self->thread != NULL) {
    gst_infer_sender_drain (self, timeout);
    g_mutex_lock (&self->lock);
    self->quit = TRUE;
    g_cond_broadcast (&self->changed);
    g_mutex_unlock (&self->lock);
    g_thread_join (self->thread);
  }
  guint lost = self->lines.length + self->method->close (self->target);
  g_queue_clear_full (&self->lines, free_line);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
  return lost;
}
