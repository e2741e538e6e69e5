/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define _GNU_SOURCE /* struct ucred */
#include "tools/top/source.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MOST_LINE ((gsize) 16 << 20)
#define PATIENCE_US (G_USEC_PER_SEC / 2)

TopSource *
top_source_new (long pid)
{
  TopSource *source = g_new0 (TopSource, 1);

  source->pid = pid;
  source->fd = -1;
  source->line = g_string_new (NULL);
  return source;
}

void
top_source_free (TopSource *source)
{
  if (source == NULL)
    return;
  if (source->fd >= 0)
    close (source->fd);
  g_string_free (source->line, TRUE);
  infer_json_free (source->before);
  infer_json_free (source->now);
  g_free (source);
}

static char *
folder_path (void)
{
  return g_build_filename (g_get_user_runtime_dir (), "infer-top", NULL);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  glong x = *(const glong *) a, y = *(const glong *) b;

  return x < y ? -1 : x > y;
}

GArray *
top_list_processes (void)
{
  GArray *pids = g_array_new (FALSE, FALSE, sizeof (glong));
  g_autofree char *folder = folder_path ();
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  for (const char *name;
       dir != NULL && (name = g_dir_read_name (dir)) != NULL;) {
    char *end;
    glong pid = strtol (name, &end, 10);

    if (pid <= 0 || *end != '\0')
      continue;
    if (kill ((pid_t) pid, 0) < 0 && errno == ESRCH) {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      g_unlink (path);
      continue;
    }
    g_array_append_val (pids, pid);
  }
  g_array_sort (pids, compare);
  return pids;
}

/* --- the connection --- */

static gboolean
fail (const TopSource *source, InferErrorCode code, const char *why,
    GError **error)
{
  return infer_fail (error, code, "process %ld: %s", source->pid, why);
}

static gboolean
is_own_user (int fd)
{
  struct ucred peer;
  socklen_t size = sizeof peer;

  return getsockopt (fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
         && (peer.uid == geteuid () || geteuid () == 0);
}

static gboolean
open_connection (TopSource *source, GError **error)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  g_autofree char *folder = folder_path ();
  g_autofree char *path = g_strdup_printf ("%s/%ld", folder, source->pid);

  if (g_strlcpy (address.sun_path, path, sizeof address.sun_path)
      >= sizeof address.sun_path)
    return fail (source, INFER_ERROR_FAILED,
        "the path of its socket is too long: set XDG_RUNTIME_DIR", error);
  source->fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (source->fd < 0
      || connect (source->fd, (struct sockaddr *) &address, sizeof address) < 0)
    return fail (source, INFER_ERROR_NOT_FOUND,
        "it has ended, or was started without GST_TRACERS=infertop", error);
  if (!is_own_user (source->fd))
    return fail (source, INFER_ERROR_FAILED,
        "its socket belongs to another user", error);
  return TRUE;
}

/* FALSE: nothing came until @deadline, or the process has ended. */
static gboolean
receive (TopSource *source, gint64 deadline, GError **error)
{
  struct pollfd fd = { .fd = source->fd, .events = POLLIN };
  char buffer[16384];

  while (source->line->len <= MOST_LINE) {
    gint64 left = deadline - g_get_monotonic_time ();
    if (left <= 0)
      return fail (source, INFER_ERROR_FAILED, "it does not answer", error);
    if (poll (&fd, 1, (int) (left / 1000) + 1) <= 0)
      continue;
    gssize n = recv (source->fd, buffer, sizeof buffer, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
      continue;
    if (n <= 0)
      return fail (source, INFER_ERROR_NOT_FOUND, "it has ended", error);
    g_string_append_len (source->line, buffer, n);
    if (buffer[n - 1] == '\n')
      return TRUE;
  }
  return fail (source, INFER_ERROR_FAILED, "its answer does not end", error);
}

static gboolean
ask (TopSource *source, GError **error)
{
  if (source->fd < 0 && !open_connection (source, error))
    return FALSE;
  g_string_truncate (source->line, 0);
  if (send (source->fd, "\n", 1, MSG_NOSIGNAL) != 1)
    return fail (source, INFER_ERROR_NOT_FOUND, "it has ended", error);
  return receive (source, g_get_monotonic_time () + PATIENCE_US, error);
}

static InferJson *
read_line (TopSource *source, GError **error)
{
  g_autofree char *name = g_strdup_printf ("process %ld", source->pid);
  g_autoptr (InferJson) json =
      infer_json_parse (name, source->line->str, source->line->len, error);

  if (json == NULL)
    return NULL;
  if (top_number (infer_json_root (json), "version", 0) != 1) {
    fail (source, INFER_ERROR_UNSUPPORTED,
        "it is of another version of inferfilter than this infer-top", error);
    return NULL;
  }
  return g_steal_pointer (&json);
}

gboolean
top_source_sample (TopSource *source, GError **error)
{
  InferJson *json = ask (source, error) ? read_line (source, error) : NULL;

  if (json == NULL) {
    if (source->fd >= 0)
      close (source->fd);
    source->fd = -1;
    return FALSE;
  }
  infer_json_free (source->before);
  source->before = source->now;
  source->now = json;
  return TRUE;
}

/* --- values --- */

double
top_number (InferJsonValue object, const char *key, double absent)
{
  double number = absent;
  InferJsonValue value = infer_json_find (object, key);

  if (infer_json_type (value) != INFER_JSON_NUMBER
      || !infer_json_to_number (value, &number, NULL))
    return absent;
  return number;
}

const char *
top_string (InferJsonValue object, const char *key)
{
  const char *string = NULL;
  InferJsonValue value = infer_json_find (object, key);

  if (infer_json_type (value) != INFER_JSON_STRING
      || !infer_json_to_string (value, &string, NULL, NULL))
    return NULL;
  return string;
}
