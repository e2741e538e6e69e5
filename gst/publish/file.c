/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines to a file, to standard output or to a FIFO.
 *
 * If a FIFO has no reader or is full, a line waits for it at most for the
 * timeout; from then on lines are dropped at once until it accepts one again. A
 * line is written whole or not at all: one that was begun is finished first.
 * Links are followed, but for those of other users than this process's and
 * root. */

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gst/common/json-text.h"
#include "gst/publish/publish.h"

typedef struct
{
  char *path;
  int fd; /* -1: a FIFO without a reader */
  gboolean own, fifo, stuck;
  gint64 timeout_us;
  GString *rest; /* of a line that was begun: … */
  gsize written; /* … so much of it has left */
} File;

static guint
file_close (gpointer data)
{
  File *self = data;
  guint lost = self->rest->len > 0;

  if (self->own && self->fd >= 0)
    close (self->fd);
  g_string_free (self->rest, TRUE);
  g_free (self->path);
  g_free (self);
  return lost;
}

static gboolean
is_pipe (int fd)
{
  struct stat st;

  return fstat (fd, &st) == 0
         && (S_ISFIFO (st.st_mode) || S_ISSOCK (st.st_mode));
}

/* A link of another user, as somebody may put it into /tmp, would choose which
 * of our files is overwritten. */
static gboolean
is_foreign_link (const char *path)
{
  struct stat st;

  return lstat (path, &st) == 0 && S_ISLNK (st.st_mode)
         && st.st_uid != geteuid () && st.st_uid != 0;
}

/* Does not wait: a FIFO may have no reader yet. */
static gboolean
open_path (File *self, GError **error)
{
  struct stat st;

  if (is_foreign_link (self->path))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "Cannot write %s: it is a link that belongs to another user",
        self->path);
  self->fifo = stat (self->path, &st) == 0 && S_ISFIFO (st.st_mode);
  self->fd = g_open (self->path,
      self->fifo ? O_WRONLY | O_NONBLOCK | O_CLOEXEC
                 : O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
      0666);
  if (self->fd >= 0 || (self->fifo && errno == ENXIO))
    return TRUE;
  return infer_fail (error, INFER_ERROR_NOT_FOUND, "Cannot write %s: %s",
      self->path, g_strerror (errno));
}

static gpointer
file_open (const GstInferPublishConfig *config, GError **error)
{
  File *self = g_new0 (File, 1);

  self->rest = g_string_new (NULL);
  self->timeout_us = (gint64) config->timeout * 1000;
  self->path = g_strdup (config->file_path);
  if (g_strcmp0 (config->file_path, "-") == 0) {
    self->fd = STDOUT_FILENO;
    self->fifo = is_pipe (self->fd);
    return self;
  }
  self->own = TRUE;
  if (open_path (self, error))
    return self;
  self->fd = -1;
  file_close (self);
  return NULL;
}

/* Without SIGPIPE, which would end the process when the reader has gone. */
static gssize
write_without_signal (int fd, const char *data, gsize size)
{
  sigset_t pipe_set, old, pending;
  const struct timespec now = { 0, 0 };

  sigemptyset (&pipe_set);
  sigaddset (&pipe_set, SIGPIPE);
  sigpending (&pending);
  pthread_sigmask (SIG_BLOCK, &pipe_set, &old);
  gssize n = write (fd, data, size);
  int code = errno;
  if (n < 0 && code == EPIPE && !sigismember (&pending, SIGPIPE))
    sigtimedwait (&pipe_set, NULL, &now);
  pthread_sigmask (SIG_SETMASK, &old, NULL);
  errno = code;
  return n;
}

/* Waits until a pipe accepts PIPE_BUF bytes, at most until @deadline. */
static gboolean
wait_writable (const File *self, gint64 deadline)
{
  struct pollfd p = { .fd = self->fd, .events = POLLOUT };
  gint64 left = MAX (deadline - g_get_monotonic_time (), 0);

  return poll (&p, 1, (int) (left / 1000)) > 0;
}

static void
forget_rest (File *self)
{
  g_string_truncate (self->rest, 0);
  self->written = 0;
}

/* Writes self->rest.  DROPPED: some of it is left. */
static GstInferPublishResult
write_rest (File *self, gint64 deadline, GError **error)
{
  while (self->rest->len > self->written) {
    gsize left = self->rest->len - self->written;
    gsize size = self->fifo ? MIN (left, PIPE_BUF) : left;

    if (self->fifo && !wait_writable (self, deadline))
      return GST_INFER_PUBLISH_DROPPED;
    gssize n =
        write_without_signal (self->fd, self->rest->str + self->written, size);
    if (n > 0) {
      self->written += (gsize) n;
    } else if (n < 0 && errno == EPIPE && self->own) {
      /* The reader has gone; another may come. */
      close (self->fd);
      self->fd = -1;
      forget_rest (self);
      return GST_INFER_PUBLISH_DROPPED;
    } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
      infer_fail (error, INFER_ERROR_FAILED, "Cannot write %s: %s", self->path,
          g_strerror (errno));
      return GST_INFER_PUBLISH_FAILED;
    }
  }
  forget_rest (self);
  return GST_INFER_PUBLISH_SENT;
}

/* With room for it, self->rest is the line. */
static gboolean
begin_line (File *self, const GstInferPublishLine *line, GError **error)
{
  if (!gst_infer_json_reserve (self->rest, line->size + 1))
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "no memory for a line of %" G_GSIZE_FORMAT " bytes for %s", line->size,
        self->path);
  g_string_append_len (self->rest, line->text, (gssize) line->size);
  g_string_append_c (self->rest, '\n');
  return TRUE;
}

/* Waits for a reader of the FIFO, at most until @deadline. */
static gboolean
wait_reader (File *self, gint64 deadline, GError **error)
{
  while (open_path (self, error)) {
    if (self->fd >= 0)
      return TRUE;
    if (g_get_monotonic_time () >= deadline)
      return FALSE;
    g_usleep (5000);
  }
  return FALSE;
}

static GstInferPublishResult
file_send (gpointer data, const GstInferPublishLine *line, GError **error)
{
  File *self = data;
  GError *why = NULL;
  gint64 deadline =
      g_get_monotonic_time () + (self->stuck ? 0 : self->timeout_us);
  GstInferPublishResult result = GST_INFER_PUBLISH_DROPPED;

  if (self->fd >= 0 || wait_reader (self, deadline, &why))
    result = write_rest (self, deadline, &why);
  if (result == GST_INFER_PUBLISH_SENT && begin_line (self, line, &why)) {
    result = write_rest (self, deadline, &why);
    /* Not begun: drop it. */
    if (result == GST_INFER_PUBLISH_DROPPED && self->written == 0)
      forget_rest (self);
    else if (result == GST_INFER_PUBLISH_DROPPED && self->rest->len > 0)
      result = GST_INFER_PUBLISH_SENT;
  }
  self->stuck = result == GST_INFER_PUBLISH_DROPPED || self->rest->len > 0;
  if (why == NULL)
    return result;
  g_propagate_error (error, why);
  return GST_INFER_PUBLISH_FAILED;
}

const GstInferPublishMethod gst_infer_publish_file = {
  .name = "file",
  .description = "To a file, a FIFO, or standard output",
  .open = file_open,
  .send = file_send,
  .close = file_close,
};
