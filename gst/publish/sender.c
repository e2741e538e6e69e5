/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/publish/sender.h"

/* Between two looks for confirmations while there is nothing to send. */
#define SETTLE_MS 10

typedef struct
{
  GString *text;
  char *key; /* ref string */
} Line;

struct _GstInferSender
{
  const GstInferPublishMethod *method;
  gpointer target;
  guint size;
  GstInferSenderCalls calls;
  gpointer owner;
  GThread *thread;
  gboolean works; /* sender's thread */

  GMutex lock; /* guards the members below */
  GCond changed;
  GQueue lines;  /* (element-type Line) */
  Line *current; /* the one that is being sent */
  guint unconfirmed, most;
  gboolean flushing, quit;
};

static void
free_line (gpointer data)
{
  Line *line = data;

  g_string_free (line->text, TRUE);
  g_ref_string_release (line->key);
  g_free (line);
}

/* Lines in here; with the lock held. */
static guint
depth (const GstInferSender *self)
{
  return self->lines.length + (self->current != NULL) + self->unconfirmed;
}

static void
stop_working (GstInferSender *self, const GError *error)
{
  self->works = FALSE;
  self->calls.failed (self->owner, error);
}

static GstInferPublishResult
send_line (GstInferSender *self, const Line *from)
{
  const GstInferPublishLine line = { from->text->str, from->text->len,
    from->key };
  g_autoptr (GError) error = NULL;
  GstInferPublishResult result =
      self->method->send (self->target, &line, &error);

  if (result == GST_INFER_PUBLISH_FAILED)
    stop_working (self, error);
  else if (result == GST_INFER_PUBLISH_SENT)
    self->calls.counted (self->owner, 1, 0, NULL);
  else if (result == GST_INFER_PUBLISH_DROPPED)
    self->calls.counted (self->owner, 0, 1, NULL);
  return result;
}

/* Returns how many lines are confirmed or lost now. */
static guint
settle (GstInferSender *self, guint wait)
{
  GstInferPublishNews news = { 0 };
  g_autoptr (GError) error = NULL;

  if (!self->method->settle (self->target, wait, &news, &error))
    stop_working (self, error);
  if (news.sent + news.lost > 0)
    self->calls.counted (self->owner, news.sent, news.lost, news.reason);
  return news.sent + news.lost;
}

/* Sends self->current, if there is one, and looks for confirmations.  With the
 * lock held, which is released meanwhile. */
static void
work (GstInferSender *self)
{
  GstInferPublishResult result = GST_INFER_PUBLISH_BUSY;
  guint settled = 0, unconfirmed = self->unconfirmed;

  g_mutex_unlock (&self->lock);
  if (self->current != NULL && self->works)
    result = send_line (self, self->current);
  unconfirmed += result == GST_INFER_PUBLISH_QUEUED;
  if (unconfirmed > 0 && self->works)
    settled = settle (self, result == GST_INFER_PUBLISH_BUSY ? SETTLE_MS : 0);
  else if (self->current != NULL && result == GST_INFER_PUBLISH_BUSY)
    g_usleep (SETTLE_MS * 1000);
  unconfirmed -= settled;
  if (!self->works) {
    self->calls.counted (
        self->owner, 0, unconfirmed + (self->current != NULL), NULL);
    unconfirmed = 0;
  }
  g_mutex_lock (&self->lock);
  self->unconfirmed = unconfirmed;
  if (result != GST_INFER_PUBLISH_BUSY || !self->works)
    g_clear_pointer (&self->current, free_line);
  g_cond_broadcast (&self->changed);
}

static gpointer
run (gpointer data)
{
  GstInferSender *self = data;

  g_mutex_lock (&self->lock);
  while (!self->quit) {
    if (self->current == NULL)
      self->current = g_queue_pop_head (&self->lines);
    if (self->current != NULL || self->unconfirmed > 0)
      work (self);
    else
      g_cond_wait (&self->changed, &self->lock);
  }
  g_mutex_unlock (&self->lock);
  return NULL;
}

GstInferSender *
gst_infer_sender_new (const GstInferPublishMethod *method, gpointer target,
    guint size, const GstInferSenderCalls *calls, gpointer owner,
    GError **error)
{
  GstInferSender *self = g_new0 (GstInferSender, 1);

  self->method = method;
  self->target = target;
  self->size = size;
  self->calls = *calls;
  self->owner = owner;
  self->works = TRUE;
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
gst_infer_sender_push (
    GstInferSender *self, GString *text, char *key, gboolean wait)
{
  Line *line = g_new (Line, 1);

  *line = (Line){ text, g_ref_string_acquire (key) };
  g_mutex_lock (&self->lock);
  while (depth (self) >= self->size && wait && !self->flushing)
    g_cond_wait (&self->changed, &self->lock);
  gboolean room = depth (self) < self->size;
  if (room)
    g_queue_push_tail (&self->lines, line);
  else
    free_line (line);
  self->most = MAX (self->most, depth (self));
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  return room;
}

GstInferSenderDepth
gst_infer_sender_get_depth (GstInferSender *self)
{
  g_mutex_lock (&self->lock);
  GstInferSenderDepth d = { depth (self) - self->unconfirmed, self->unconfirmed,
    self->most };
  g_mutex_unlock (&self->lock);
  return d;
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
  while (depth (self) > 0
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
    if (self->unconfirmed > 0)
      self->unconfirmed -= settle (self, 0);
  }
  guint lost = depth (self) + self->method->close (self->target);
  g_queue_clear_full (&self->lines, free_line);
  g_clear_pointer (&self->current, free_line);
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
  g_free (self);
  return lost;
}
