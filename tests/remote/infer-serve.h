/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infer-serve as a process. */

#pragma once

#include <gio/gio.h>
#include <signal.h>
#include <sys/prctl.h>

static inline void
die_with_parent (gpointer data)
{
  prctl (PR_SET_PDEATHSIG, SIGKILL);
}

static inline gboolean
is_listening (guint port)
{
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  g_autoptr (GSocketConnection) connection = g_socket_client_connect_to_host (
      client, "127.0.0.1", (guint16) port, NULL, NULL);

  return connection != NULL;
}

/* Runs @argv, which listens on @port once this returns; ends with this process.
 */
static inline GPid
start_infer_serve (const char *const *argv, guint port)
{
  const gint64 deadline = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;
  g_autoptr (GError) error = NULL;
  GPid pid;

  g_spawn_async (NULL, (char **) (gsize) argv, NULL,
      G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL, die_with_parent,
      NULL, &pid, &error);
  g_assert_no_error (error);
  while (!is_listening (port)) {
    g_assert_cmpint (g_get_monotonic_time (), <, deadline);
    g_usleep (10000);
  }
  return pid;
}
