/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "remote/servers.h"

#include <string.h>

#include "remote/module.h"

/* After a failure: then it is tried again. */
#define DOWN_US (2 * G_USEC_PER_SEC)

static gboolean
open_clients (RemoteServers *self, GError **error)
{
  RemoteTarget target = self->address->target;

  for (guint i = 0; i < self->n; i++) {
    target.host = self->address->hosts[i];
    self->servers[i].host = target.host;
    self->servers[i].client = self->protocol->open (&target, error);
    if (self->servers[i].client == NULL) {
      g_prefix_error (error, "%s: ", self->address->text);
      return FALSE;
    }
  }
  return TRUE;
}

RemoteServers *
remote_servers_open (const char *url, GError **error)
{
  RemoteAddress *address = remote_address_parse (url, error);

  if (address == NULL)
    return NULL;
  g_autoptr (RemoteServers) self = g_new0 (RemoteServers, 1);
  g_atomic_ref_count_init (&self->refs);
  self->address = address;
  self->n = g_strv_length (address->hosts);
  self->servers = g_new0 (RemoteServer, self->n);
  self->protocol = remote_module_load (address->module, error);
  if (self->protocol == NULL)
    g_prefix_error (error, "%s: ", address->text);
  return self->protocol != NULL && open_clients (self, error)
             ? g_steal_pointer (&self)
             : NULL;
}

RemoteServers *
remote_servers_ref (RemoteServers *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
remote_servers_unref (RemoteServers *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  for (guint i = 0; i < self->n; i++)
    if (self->servers[i].client != NULL)
      self->protocol->close (self->servers[i].client);
  g_free (self->servers);
  remote_address_free (self->address);
  g_free (self);
}

/* --- choosing --- */

static gboolean
is_down (const RemoteServer *server, gint64 now)
{
  return __atomic_load_n (&server->down_until, __ATOMIC_RELAXED) > now;
}

static int
load_of (const RemoteServer *server)
{
  return __atomic_load_n (&server->running, __ATOMIC_RELAXED);
}

guint
remote_servers_choose (RemoteServers *self)
{
  const gint64 now = g_get_monotonic_time ();
  guint best = 0;

  for (guint i = 1; i < self->n; i++) {
    const RemoteServer *a = &self->servers[best], *b = &self->servers[i];
    const gboolean a_down = is_down (a, now), b_down = is_down (b, now);

    if (a_down != b_down ? a_down : load_of (b) < load_of (a))
      best = i;
  }
  return best;
}

/* FNV-1a over the name, then mixed with the id. */
static guint64
rank_of (const char *host, guint64 id)
{
  guint64 h = 0xcbf29ce484222325u;

  for (; *host != '\0'; host++)
    h = (h ^ (guint8) *host) * 0x100000001b3u;
  h ^= id;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

guint
remote_servers_choose_for (RemoteServers *self, guint64 id)
{
  const gint64 now = g_get_monotonic_time ();
  guint best = 0;

  for (guint i = 1; i < self->n; i++) {
    const RemoteServer *a = &self->servers[best], *b = &self->servers[i];
    const gboolean a_down = is_down (a, now), b_down = is_down (b, now);

    if (a_down != b_down ? a_down
                         : rank_of (b->host, id) > rank_of (a->host, id))
      best = i;
  }
  return best;
}

void
remote_servers_mark_down (RemoteServers *self, guint index)
{
  __atomic_store_n (&self->servers[index].down_until,
      g_get_monotonic_time () + DOWN_US, __ATOMIC_RELAXED);
}

void
remote_servers_mark_up (RemoteServers *self, guint index)
{
  gint64 *until = &self->servers[index].down_until;

  if (G_UNLIKELY (__atomic_load_n (until, __ATOMIC_RELAXED) != 0))
    __atomic_store_n (until, 0, __ATOMIC_RELAXED);
}

/* --- questions --- */

ProtocolMetadata *
remote_servers_describe (RemoteServers *self, GError **error)
{
  const RemoteAddress *address = self->address;

  for (guint i = 0; i < self->n; i++) {
    RemoteFailure failure = REMOTE_ANSWERED;
    g_autoptr (GError) cause = NULL;
    ProtocolMetadata *metadata =
        self->protocol->describe (self->servers[i].client, address->model,
            address->version, address->timeout_us, &failure, &cause);

    if (metadata != NULL)
      return metadata;
    if (failure != REMOTE_ANSWERED && i + 1 < self->n) {
      remote_servers_mark_down (self, i);
      continue;
    }
    g_propagate_prefixed_error (
        error, g_steal_pointer (&cause), "%s: ", address->text);
    return NULL;
  }
  g_return_val_if_reached (NULL);
}

gboolean
remote_servers_have_extension (RemoteServers *self, const char *extension)
{
  const gint64 now = g_get_monotonic_time ();

  for (guint i = 0; i < self->n; i++)
    if (!is_down (&self->servers[i], now)
        && self->protocol->has_extension (
            self->servers[i].client, extension, self->address->timeout_us))
      return TRUE;
  return FALSE;
}
