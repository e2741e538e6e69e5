/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "remote/servers.h"

#include <gio/gio.h>
#include <string.h>

#include "remote/module.h"
#include "remote/watch.h"

/* For an answer of a server that is down. */
#define PROBE_TIMEOUT_US (G_USEC_PER_SEC / 2)

/* --- one server --- */

/* @place: nullable, where @host is. */
static RemoteServer *
server_new (
    RemoteServers *servers, const char *host, const char *place, GError **error)
{
  RemoteTarget target = servers->address->target;
  RemoteServer *self = g_new0 (RemoteServer, 1);

  g_atomic_ref_count_init (&self->refs);
  self->protocol = servers->protocol;
  self->host = g_strdup (host);
  self->name = g_strdup (place != NULL ? place : host);
  target.host = self->host;
  target.place = place != NULL ? self->name : NULL;
  self->client = servers->protocol->open (&target, error);
  if (self->client != NULL)
    return self;
  g_prefix_error (error, "%s: ", servers->address->text);
  remote_server_unref (self);
  return NULL;
}

RemoteServer *
remote_server_ref (RemoteServer *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
remote_server_unref (RemoteServer *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->refs))
    return;
  if (self->client != NULL)
    self->protocol->close (self->client);
  g_free (self->name);
  g_free (self->host);
  g_free (self);
}

static void
unref_server (gpointer server)
{
  remote_server_unref (server);
}

/* --- names --- */

/* The part before the port, without brackets.  (transfer full) */
static char *
name_of (const char *host, const char **port)
{
  const char *colon = strrchr (host, ':');

  *port = colon + 1;
  if (host[0] == '[')
    return g_strndup (host + 1, (gsize) (colon - host) - 2);
  return g_strndup (host, (gsize) (colon - host));
}

static gboolean
is_name (const char *host)
{
  const char *port;
  g_autofree char *name = name_of (host, &port);

  return !g_hostname_is_ip_address (name)
         && g_ascii_strcasecmp (name, "localhost") != 0;
}

gboolean
remote_servers_have_names (const RemoteServers *self)
{
  for (guint i = 0; self->address->hosts[i] != NULL; i++)
    if (is_name (self->address->hosts[i]))
      return TRUE;
  return FALSE;
}

/* The addresses of @host with its port: all of IPv4, or all of IPv6 if there
 * are none.  A name of one address is left to the protocol's library. NULL: so
 * is this one, or it cannot be looked up.  (transfer full) (element-type utf8)
 */
static GPtrArray *
look_up (const char *host, GError **error)
{
  g_autoptr (GResolver) resolver = g_resolver_get_default ();
  GPtrArray *places[2] = { g_ptr_array_new_with_free_func (g_free),
    g_ptr_array_new_with_free_func (g_free) };
  const char *port;
  g_autofree char *name = name_of (host, &port);
  GList *addresses = g_resolver_lookup_by_name (resolver, name, NULL, error);

  for (const GList *at = addresses; at != NULL; at = at->next) {
    g_autofree char *text = g_inet_address_to_string (at->data);
    const gboolean v6 =
        g_inet_address_get_family (at->data) == G_SOCKET_FAMILY_IPV6;

    g_ptr_array_add (
        places[v6], g_strdup_printf (v6 ? "[%s]:%s" : "%s:%s", text, port));
  }
  g_resolver_free_addresses (addresses);
  const guint wanted = places[0]->len > 0 ? 0 : 1;
  GPtrArray *found = g_steal_pointer (&places[wanted]);
  g_ptr_array_unref (places[1 - wanted]);
  if (found->len > 1)
    return found;
  g_ptr_array_unref (found);
  return NULL;
}

/* --- the list --- */

static RemoteServer *
find (const GPtrArray *list, const char *host, const char *place)
{
  for (guint i = 0; i < list->len; i++) {
    RemoteServer *server = list->pdata[i];

    if (g_str_equal (server->host, host)
        && g_str_equal (server->name, place != NULL ? place : host))
      return server;
  }
  return NULL;
}

/* Adds the server at @place to @list: the one that there is, or a new one. */
static gboolean
add_place (RemoteServers *self, GPtrArray *list, const char *host,
    const char *place, GError **error)
{
  RemoteServer *known = find (self->list, host, place);

  if (find (list, host, place) != NULL) /* named twice */
    return TRUE;
  known = known != NULL ? remote_server_ref (known)
                        : server_new (self, host, place, error);
  if (known == NULL)
    return FALSE;
  g_ptr_array_add (list, known);
  return TRUE;
}

/* A name that cannot be looked up keeps the servers that it had, if any. */
static gboolean
add_host (
    RemoteServers *self, GPtrArray *list, const char *host, GError **error)
{
  g_autoptr (GError) unknown = NULL;
  g_autoptr (GPtrArray) places =
      is_name (host) ? look_up (host, &unknown) : NULL;
  gboolean ok = TRUE, kept = FALSE;

  for (guint i = 0; places != NULL && i < places->len && ok; i++)
    ok = add_place (self, list, host, places->pdata[i], error);
  for (guint i = 0; unknown != NULL && i < self->list->len; i++) {
    RemoteServer *server = self->list->pdata[i];

    if (!g_str_equal (server->host, host))
      continue;
    kept = TRUE;
    g_ptr_array_add (list, remote_server_ref (server));
  }
  return places != NULL || kept ? ok
                                : add_place (self, list, host, NULL, error);
}

/* Only one thread changes the list: that which opens, then that which watches.
 */
static gboolean
make_list (RemoteServers *self, GError **error)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (unref_server);
  gboolean changed = FALSE;

  for (guint i = 0; self->address->hosts[i] != NULL; i++)
    if (!add_host (self, list, self->address->hosts[i], error))
      return FALSE;
  for (guint i = 0; i < list->len; i++) {
    const RemoteServer *server = list->pdata[i];
    changed |= find (self->list, server->host, server->name) == NULL;
  }
  for (guint i = 0; i < self->list->len; i++) {
    RemoteServer *server = self->list->pdata[i];
    const gboolean gone = find (list, server->host, server->name) == NULL;

    g_atomic_int_set (&server->gone, gone);
    changed |= gone;
  }
  if (!changed)
    return TRUE;
  g_mutex_lock (&self->lock);
  GPtrArray *old = self->list;
  self->list = g_steal_pointer (&list);
  g_mutex_unlock (&self->lock);
  g_ptr_array_unref (old);
  g_atomic_int_inc (&self->epoch);
  return TRUE;
}

void
remote_servers_resolve (RemoteServers *self)
{
  g_autoptr (GError) error = NULL;

  if (!make_list (self, &error))
    g_warning ("%s", error->message);
}

/* --- lifetime --- */

RemoteServers *
remote_servers_open (const char *url, GError **error)
{
  RemoteAddress *address = remote_address_parse (url, error);

  if (address == NULL)
    return NULL;
  g_autoptr (RemoteServers) self = g_new0 (RemoteServers, 1);
  g_atomic_ref_count_init (&self->users);
  g_atomic_ref_count_init (&self->refs);
  g_mutex_init (&self->lock);
  self->address = address;
  self->list = g_ptr_array_new_with_free_func (unref_server);
  self->protocol = remote_module_load (address->module, error);
  if (self->protocol == NULL) {
    g_prefix_error (error, "%s: ", address->text);
    return NULL;
  }
  if (!make_list (self, error))
    return NULL;
  return (self->list->len < 2 && !remote_servers_have_names (self))
                 || remote_watch_add (self, error)
             ? g_steal_pointer (&self)
             : NULL;
}

RemoteServers *
remote_servers_ref (RemoteServers *self)
{
  g_atomic_ref_count_inc (&self->users);
  return self;
}

/* The last user may be the thread that ends calls, on which no other one may
 * wait: who watches has its own reference. */
void
remote_servers_unref (RemoteServers *self)
{
  if (!g_atomic_ref_count_dec (&self->users))
    return;
  remote_watch_remove (self);
  remote_servers_release (self);
}

gpointer
remote_servers_hold (RemoteServers *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
remote_servers_release (gpointer data)
{
  RemoteServers *self = data;

  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_ptr_array_unref (self->list);
  remote_address_free (self->address);
  g_mutex_clear (&self->lock);
  g_free (self);
}

/* --- choosing --- */

guint
remote_servers_count (RemoteServers *self)
{
  g_mutex_lock (&self->lock);
  const guint n = self->list->len;
  g_mutex_unlock (&self->lock);
  return n;
}

guint
remote_servers_epoch (RemoteServers *self)
{
  return (guint) g_atomic_int_get (&self->epoch);
}

/* Lower is better. */
static int
trouble_of (RemoteServer *server, const RemoteServer *avoid)
{
  if (g_atomic_int_get (&server->down))
    return 2;
  return server == avoid || g_atomic_int_get (&server->draining);
}

RemoteServer *
remote_servers_choose (RemoteServers *self, const RemoteServer *avoid)
{
  g_mutex_lock (&self->lock);
  RemoteServer *best = self->list->pdata[0];
  for (guint i = 1; i < self->list->len; i++) {
    RemoteServer *server = self->list->pdata[i];
    const int worse = trouble_of (best, avoid) - trouble_of (server, avoid);

    if (worse != 0 ? worse > 0
                   : g_atomic_int_get (&server->running)
                         < g_atomic_int_get (&best->running))
      best = server;
  }
  remote_server_ref (best);
  g_mutex_unlock (&self->lock);
  return best;
}

/* FNV-1a over the name, then mixed with the key. */
static guint64
rank_of (const char *name, guint64 key)
{
  guint64 h = 0xcbf29ce484222325u;

  for (; *name != '\0'; name++)
    h = (h ^ (guint8) *name) * 0x100000001b3u;
  h ^= key;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

RemoteServer *
remote_servers_choose_for (
    RemoteServers *self, guint64 key, const RemoteServer *avoid)
{
  g_mutex_lock (&self->lock);
  RemoteServer *best = self->list->pdata[0];
  for (guint i = 1; i < self->list->len; i++) {
    RemoteServer *server = self->list->pdata[i];
    const int worse = trouble_of (best, avoid) - trouble_of (server, avoid);

    if (worse != 0 ? worse > 0
                   : rank_of (server->name, key) > rank_of (best->name, key))
      best = server;
  }
  remote_server_ref (best);
  g_mutex_unlock (&self->lock);
  return best;
}

/* --- up and down --- */

void
remote_servers_mark_down (RemoteServers *self, RemoteServer *server)
{
  g_atomic_int_set (&server->draining, FALSE);
  if (!g_atomic_int_compare_and_exchange (&server->down, FALSE, TRUE))
    return;
  g_atomic_int_inc (&self->epoch);
  remote_watch_wake ();
}

void
remote_servers_mark_up (RemoteServers *self, RemoteServer *server)
{
  if (G_UNLIKELY (g_atomic_int_get (&server->down))
      && g_atomic_int_compare_and_exchange (&server->down, TRUE, FALSE))
    g_atomic_int_inc (&self->epoch);
}

void
remote_servers_mark_draining (RemoteServers *self, RemoteServer *server)
{
  if (!g_atomic_int_compare_and_exchange (&server->draining, FALSE, TRUE))
    return;
  g_atomic_int_inc (&self->epoch);
  remote_watch_wake ();
}

/* The servers of now.  (transfer full) */
static GPtrArray *
copy_list (RemoteServers *self)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func (unref_server);

  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->list->len; i++)
    g_ptr_array_add (copy, remote_server_ref (self->list->pdata[i]));
  g_mutex_unlock (&self->lock);
  return copy;
}

gboolean
remote_servers_probe (RemoteServers *self)
{
  g_autoptr (GPtrArray) list = copy_list (self);
  const RemoteAddress *address = self->address;
  gboolean up = TRUE;

  for (guint i = 0; i < list->len; i++) {
    RemoteServer *server = list->pdata[i];
    const gboolean draining = g_atomic_int_get (&server->draining);

    if (!draining && !g_atomic_int_get (&server->down))
      continue;
    if (!self->protocol->is_ready (server->client, address->model,
            address->version, PROBE_TIMEOUT_US)) {
      up = FALSE;
      continue;
    }
    g_atomic_int_set (&server->draining, FALSE);
    g_atomic_int_set (&server->down, FALSE);
    g_atomic_int_inc (&self->epoch);
  }
  return up;
}

/* --- questions --- */

ProtocolMetadata *
remote_servers_describe (RemoteServers *self, GError **error)
{
  const RemoteAddress *address = self->address;
  g_autoptr (GPtrArray) list = copy_list (self);

  for (guint i = 0; i < list->len; i++) {
    RemoteServer *server = list->pdata[i];
    RemoteFailure failure = REMOTE_ANSWERED;
    g_autoptr (GError) cause = NULL;
    ProtocolMetadata *metadata =
        self->protocol->describe (server->client, address->model,
            address->version, address->timeout_us, &failure, &cause);

    if (metadata != NULL)
      return metadata;
    if (failure != REMOTE_ANSWERED && i + 1 < list->len) {
      remote_servers_mark_down (self, server);
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
  g_autoptr (GPtrArray) list = copy_list (self);

  for (guint i = 0; i < list->len; i++) {
    RemoteServer *server = list->pdata[i];

    if (!g_atomic_int_get (&server->down)
        && self->protocol->has_extension (
            server->client, extension, self->address->timeout_us))
      return TRUE;
  }
  return FALSE;
}
