/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "remote/watch.h"

/* Between two questions to a server that is down. */
#define PROBE_US (G_USEC_PER_SEC / 2)
/* Between two look-ups of a name. */
#define RESOLVE_US (5 * G_USEC_PER_SEC)

static GMutex lock; /* guards what follows */
static GCond woken;
static GThread *thread;
static GPtrArray *watched; /* RemoteServers, not referenced */
static gboolean trouble;   /* some server may be down */

/* (transfer full) (element-type RemoteServers) */
static GPtrArray *
copy_list (void)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func (remote_servers_release);

  g_mutex_lock (&lock);
  trouble = FALSE;
  for (guint i = 0; i < watched->len; i++)
    g_ptr_array_add (copy, remote_servers_hold (watched->pdata[i]));
  g_mutex_unlock (&lock);
  return copy;
}

/* TRUE: all servers are up. */
static gboolean
visit_all (gboolean resolve, gboolean *names)
{
  g_autoptr (GPtrArray) list = copy_list ();
  gboolean up = TRUE;

  *names = FALSE;
  for (guint i = 0; i < list->len; i++) {
    const gboolean has_names = remote_servers_have_names (list->pdata[i]);

    *names |= has_names;
    if (resolve && has_names)
      remote_servers_resolve (list->pdata[i]);
    up &= remote_servers_probe (list->pdata[i]);
  }
  return up;
}

/* While all is well nothing wakes the thread but names. */
static void
rest (gboolean up, gboolean names)
{
  if (!up) {
    g_usleep (PROBE_US);
    return;
  }
  const gint64 end = g_get_monotonic_time () + RESOLVE_US;
  g_mutex_lock (&lock);
  while (!trouble)
    if (!names)
      g_cond_wait (&woken, &lock);
    else if (!g_cond_wait_until (&woken, &lock, end))
      break;
  g_mutex_unlock (&lock);
}

static gpointer
watch (gpointer unused)
{
  gint64 resolved = g_get_monotonic_time ();

  for (;;) {
    const gint64 now = g_get_monotonic_time ();
    const gboolean resolve = now - resolved >= RESOLVE_US;
    gboolean names;
    const gboolean up = visit_all (resolve, &names);

    if (resolve)
      resolved = now;
    rest (up, names);
  }
  return NULL;
}

gboolean
remote_watch_add (RemoteServers *servers, GError **error)
{
  g_autoptr (GError) failure = NULL;

  g_mutex_lock (&lock);
  if (watched == NULL)
    watched = g_ptr_array_new ();
  g_ptr_array_add (watched, servers);
  if (thread == NULL)
    thread = g_thread_try_new ("infer-servers", watch, NULL, &failure);
  g_mutex_unlock (&lock);
  remote_watch_wake ();
  return failure == NULL
         || infer_fail (error, INFER_ERROR_NO_MEMORY,
             "no thread that watches servers can be started: %s",
             failure->message);
}

void
remote_watch_remove (RemoteServers *servers)
{
  g_mutex_lock (&lock);
  if (watched != NULL)
    g_ptr_array_remove (watched, servers);
  g_mutex_unlock (&lock);
}

void
remote_watch_wake (void)
{
  g_mutex_lock (&lock);
  trouble = TRUE;
  g_cond_broadcast (&woken);
  g_mutex_unlock (&lock);
}
