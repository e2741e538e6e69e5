/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define _GNU_SOURCE /* struct ucred */
#include "gst/tracer/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define MOST_CLIENTS 8

typedef struct
{
  int fd;       /* -1: no client */
  GString *out; /* nullable: a line under way */
  gsize sent;
} Client;

struct _GstInferFeed
{
  GstInferFeedFunc func;
  gpointer data;
  int listener, wake[2];
  Client clients[MOST_CLIENTS];
  GThread *thread;
};

/* For the end of the process; a fork leaves its parent's socket alone. */
static char *socket_path;
static pid_t socket_owner;

static void
remove_socket (void)
{
  if (socket_path != NULL && socket_owner == getpid ())
    g_unlink (socket_path);
}

static gboolean
fail (GError **error, const char *what, const char *path)
{
  int code = errno;

  g_set_error (error, G_IO_ERROR, (gint) g_io_error_from_errno (code),
      "%s %s: %s", what, path, g_strerror (code));
  return FALSE;
}

/* --- the socket --- */

/* Nobody else may have made it or may look into it. */
static gboolean
make_folder (const char *folder, GError **error)
{
  GStatBuf info;

  if (g_mkdir_with_parents (folder, 0700) < 0 || g_lstat (folder, &info) < 0)
    return fail (error, "cannot make the folder", folder);
  if (S_ISDIR (info.st_mode) && info.st_uid == geteuid ()
      && (info.st_mode & 077) == 0)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED,
      "%s is not a folder that only this user can read: remove it", folder);
  return FALSE;
}

static gboolean
bind_socket (GstInferFeed *feed, const char *path, GError **error)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };

  if (g_strlcpy (address.sun_path, path, sizeof address.sun_path)
      >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return fail (error, "cannot bind", path);
  }
  g_unlink (path); /* of an earlier process with this number */
  feed->listener =
      socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (feed->listener < 0
      || bind (feed->listener, (struct sockaddr *) &address, sizeof address) < 0
      || g_chmod (path, 0600) < 0 || listen (feed->listener, MOST_CLIENTS) < 0)
    return fail (error, "cannot bind", path);
  return TRUE;
}

static gboolean
open_socket (GstInferFeed *feed, GError **error)
{
  g_autofree char *folder =
      g_build_filename (g_get_user_runtime_dir (), "infer-top", NULL);
  g_autofree char *name = g_strdup_printf ("%ld", (long) getpid ());
  g_autofree char *path = g_build_filename (folder, name, NULL);

  if (!make_folder (folder, error) || !bind_socket (feed, path, error))
    return FALSE;
  if (socket_path == NULL)
    atexit (remove_socket);
  g_free (socket_path);
  socket_path = g_steal_pointer (&path);
  socket_owner = getpid ();
  return TRUE;
}

/* --- clients --- */

static void
hang_up (Client *client)
{
  if (client->fd >= 0)
    close (client->fd);
  client->fd = -1;
  if (client->out != NULL)
    g_string_free (client->out, TRUE);
  client->out = NULL;
}

static gboolean
is_own_user (int fd)
{
  struct ucred peer;
  socklen_t size = sizeof peer;

  return getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
         && (peer.uid == geteuid () || peer.uid == 0);
}

static void
accept_client (GstInferFeed *feed)
{
  int fd = accept4 (feed->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

  if (fd < 0)
    return;
  for (guint i = 0; i < MOST_CLIENTS && is_own_user (fd); i++)
    if (feed->clients[i].fd < 0) {
      feed->clients[i] = (Client){ .fd = fd };
      return;
    }
  close (fd);
}

/* FALSE: it has gone. */
static gboolean
send_line (Client *client)
{
  gssize n = send (client->fd, client->out->str + client->sent,
      client->out->len - client->sent, MSG_NOSIGNAL);

  if (n < 0)
    return errno == EAGAIN || errno == EINTR;
  client->sent += (gsize) n;
  if (client->sent < client->out->len)
    return TRUE;
  g_string_free (client->out, TRUE);
  client->out = NULL;
  return TRUE;
}

static gboolean
answer (GstInferFeed *feed, Client *client)
{
  char request;
  gssize n = recv (client->fd, &request, 1, 0);

  if (n < 0)
    return errno == EAGAIN || errno == EINTR;
  if (n == 0 || request != '\n')
    return FALSE;
  g_autofree char *line = feed->func (feed->data);
  client->out = g_string_new (line);
  g_string_append_c (client->out, '\n');
  client->sent = 0;
  return send_line (client);
}

static void
serve (GstInferFeed *feed, Client *client, short events)
{
  gboolean ok = TRUE;

  if (client->fd < 0 || events == 0)
    return;
  if (client->out != NULL)
    ok = (events & (POLLERR | POLLHUP)) == 0 && send_line (client);
  else
    ok = answer (feed, client);
  if (!ok)
    hang_up (client);
}

static gpointer
run (gpointer data)
{
  GstInferFeed *feed = data;
  struct pollfd fds[2 + MOST_CLIENTS];

  while (TRUE) {
    fds[0] = (struct pollfd){ .fd = feed->wake[0], .events = POLLIN };
    fds[1] = (struct pollfd){ .fd = feed->listener, .events = POLLIN };
    for (guint i = 0; i < MOST_CLIENTS; i++)
      fds[2 + i] = (struct pollfd){ .fd = feed->clients[i].fd,
        .events = feed->clients[i].out != NULL ? POLLOUT : POLLIN };
    if (poll (fds, G_N_ELEMENTS (fds), -1) < 0 && errno != EINTR)
      return NULL;
    if (fds[0].revents != 0)
      return NULL;
    for (guint i = 0; i < MOST_CLIENTS; i++)
      serve (feed, &feed->clients[i], fds[2 + i].revents);
    if (fds[1].revents != 0)
      accept_client (feed);
  }
}

/* --- all --- */

GstInferFeed *
gst_infer_feed_new (GstInferFeedFunc func, gpointer data, GError **error)
{
  GstInferFeed *feed = g_new0 (GstInferFeed, 1);

  feed->func = func;
  feed->data = data;
  feed->listener = feed->wake[0] = feed->wake[1] = -1;
  for (guint i = 0; i < MOST_CLIENTS; i++)
    feed->clients[i].fd = -1;
  gboolean ok = open_socket (feed, error);
  if (ok && pipe2 (feed->wake, O_CLOEXEC) < 0)
    ok = fail (error, "cannot make", "a pipe");
  if (ok)
    feed->thread = g_thread_try_new ("infertop", run, feed, error);
  if (feed->thread == NULL)
    g_clear_pointer (&feed, gst_infer_feed_free);
  return feed;
}

void
gst_infer_feed_free (GstInferFeed *feed)
{
  if (feed == NULL)
    return;
  if (feed->thread != NULL && write (feed->wake[1], "", 1) == 1)
    g_thread_join (feed->thread);
  for (guint i = 0; i < MOST_CLIENTS; i++)
    hang_up (&feed->clients[i]);
  for (guint i = 0; i < G_N_ELEMENTS (feed->wake); i++)
    if (feed->wake[i] >= 0)
      close (feed->wake[i]);
  if (feed->listener >= 0)
    close (feed->listener);
  remove_socket ();
  g_free (feed);
}
