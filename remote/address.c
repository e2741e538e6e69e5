/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "remote/address.h"

#include <string.h>

static const struct
{
  const char *scheme, *module;
  gboolean tls;
  guint port;
} schemes[] = {
  { "grpc://", "grpc", FALSE, 8001 },
  { "grpcs://", "grpc", TRUE, 8001 },
  { "http://", "http", FALSE, 8000 },
  { "https://", "http", TRUE, 8000 },
};

void
remote_address_free (RemoteAddress *address)
{
  if (address == NULL)
    return;
  g_free (address->text);
  g_strfreev (address->hosts);
  g_free (address->model);
  g_free (address->version);
  g_free (address->target.ca);
  g_free (address->target.certificate);
  g_free (address->target.key);
  g_free (address->target.token_file);
  g_free (address->target.authority);
  g_free (address);
}

/* --- keys --- */

static gboolean
parse_choice (const char *key, const char *value, const char *const *names,
    int *choice, GError **error)
{
  for (int i = 0; names[i] != NULL; i++)
    if (g_str_equal (names[i], value)) {
      *choice = i;
      return TRUE;
    }
  g_autofree char *known = g_strjoinv (", ", (char **) (gsize) names);
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "'%s=%.100s': one of %s was expected", key, value, known);
}

/* The keys whose value is text. */
static char **
find_text (RemoteAddress *a, const char *key)
{
  const struct
  {
    const char *key;
    char **value;
  } texts[] = { { "ca", &a->target.ca }, { "cert", &a->target.certificate },
    { "key", &a->target.key }, { "token-file", &a->target.token_file },
    { "authority", &a->target.authority } };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    if (g_str_equal (texts[i].key, key))
      return texts[i].value;
  return NULL;
}

/* The keys whose value is a number. */
static gboolean
set_number (RemoteAddress *a, const char *key, const char *value,
    gboolean *known, GError **error)
{
  const struct
  {
    const char *key;
    gint64 least, most, scale;
    gint64 *value;
  } numbers[] = {
    { "timeout", 1, 3600 * 1000, 1000, &a->timeout_us },
    { "retries", 0, 100, 1, &a->retries },
    { "checkpoint", 0, 1000000, 1, &a->checkpoint },
    { "checkpoint-time", 0, 3600 * 1000, 1000, &a->checkpoint_us },
    { "replay", 1, 16384, 1 << 20, &a->replay_bytes },
  };

  *known = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    gint64 n;

    if (!g_str_equal (numbers[i].key, key))
      continue;
    *known = TRUE;
    if (!g_ascii_string_to_signed (
            value, 10, numbers[i].least, numbers[i].most, &n, NULL))
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "'%s=%.100s': a number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
          " was expected",
          key, value, numbers[i].least, numbers[i].most);
    *numbers[i].value = n * numbers[i].scale;
  }
  return TRUE;
}

/* The keys whose value is one of some words, by number. */
static gboolean
set_choice (RemoteAddress *a, const char *key, const char *value,
    gboolean *known, GError **error)
{
  static const char *const kinds[] = { "auto", "no", "yes", NULL };
  static const char *const ids[] = { "number", "text", NULL };
  static const char *const losses[] = { "error", "restart", NULL };
  int kind = (int) a->sequence;
  const struct
  {
    const char *key;
    const char *const *names;
    int *choice;
  } choices[] = { { "sequence", kinds, &kind },
    { "sequence-id", ids, &a->text_ids }, { "loss", losses, &a->restart },
    { "stream", kinds, &a->stream }, { "binary", kinds, &a->binary } };

  *known = FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (choices); i++) {
    if (!g_str_equal (choices[i].key, key))
      continue;
    *known = TRUE;
    if (!parse_choice (key, value, choices[i].names, choices[i].choice, error))
      return FALSE;
  }
  a->sequence = (RemoteUse) kind;
  return TRUE;
}

static gboolean
set_key (RemoteAddress *a, const char *key, const char *value, GError **error)
{
  char **text = find_text (a, key);
  gboolean known;

  if (text != NULL) {
    g_free (*text);
    *text = g_strdup (value);
    return TRUE;
  }
  if (!set_number (a, key, value, &known, error)
      || (!known && !set_choice (a, key, value, &known, error)))
    return FALSE;
  return known
         || infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
             "unknown key '%.100s'; there are: authority, binary, ca, "
             "cert, checkpoint, checkpoint-time, key, loss, replay, retries, "
             "sequence, sequence-id, stream, timeout, token-file",
             key);
}

static gboolean
parse_keys (RemoteAddress *a, const char *query, GError **error)
{
  g_auto (GStrv) keys = g_strsplit (query, "&", -1);

  for (guint i = 0; keys[i] != NULL; i++) {
    char *equals = strchr (keys[i], '=');

    if (equals == NULL)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "'%.100s': KEY=VALUE was expected behind '?'", keys[i]);
    *equals = '\0';
    g_autofree char *value = g_uri_unescape_string (equals + 1, NULL);
    if (value == NULL)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "'%.100s': a wrong escape", equals + 1);
    if (!set_key (a, keys[i], value, error))
      return FALSE;
  }
  return TRUE;
}

/* --- hosts and path --- */

/* "host" → "host:8001"; an IPv6 address is in brackets. */
static gboolean
parse_hosts (RemoteAddress *a, const char *text, guint port, GError **error)
{
  g_auto (GStrv) hosts = g_strsplit (text, ",", -1);
  GPtrArray *list = g_ptr_array_new ();

  for (guint i = 0; hosts[i] != NULL; i++) {
    const char *host = g_strstrip (hosts[i]);
    const char *bracket = strrchr (host, ']');
    const char *colon = strrchr (bracket != NULL ? bracket : host, ':');
    guint64 given;

    if (*host == '\0' || host == colon || strpbrk (host, "@ \t\"") != NULL
        || (colon != NULL
            && !g_ascii_string_to_unsigned (
                colon + 1, 10, 1, 65535, &given, NULL)))
      break;
    g_ptr_array_add (list, colon != NULL
                               ? g_strdup (host)
                               : g_strdup_printf ("%s:%u", host, port));
  }
  const guint wanted = g_strv_length (hosts);
  const gboolean ok = list->len == wanted;
  g_ptr_array_add (list, NULL);
  a->hosts = (GStrv) g_ptr_array_free (list, FALSE);
  return ok
         || infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
             "'%.100s': HOST or HOST:PORT was expected, or several with commas",
             text);
}

static gboolean
parse_path (RemoteAddress *a, const char *path, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (path, "/", -1);
  const guint n = g_strv_length (parts);

  if (n >= 1 && n <= 2 && *parts[0] != '\0') {
    a->model = g_uri_unescape_string (parts[0], "/");
    a->version = g_uri_unescape_string (n == 2 ? parts[1] : "", "/");
  }
  return (a->model != NULL && a->version != NULL)
         || infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
             "'/%.200s': /MODEL or /MODEL/VERSION was expected", path);
}

static gboolean
parse_parts (RemoteAddress *a, const char *rest, guint port, GError **error)
{
  const char *question = strchr (rest, '?');
  g_autofree char *place =
      g_strndup (rest, question ? (gsize) (question - rest) : strlen (rest));
  char *slash = strchr (place, '/');

  if (slash == NULL)
    return infer_fail (
        error, INFER_ERROR_INVALID_ARGUMENT, "the model is missing: …/MODEL");
  *slash = '\0';
  return parse_hosts (a, place, port, error) && parse_path (a, slash + 1, error)
         && (question == NULL || parse_keys (a, question + 1, error));
}

static gboolean
check_stream (const RemoteAddress *a, GError **error)
{
  return a->stream != REMOTE_USE_YES || g_str_equal (a->module, "grpc")
         || infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
             "stream=yes: only gRPC has streams, use grpc:// or grpcs://");
}

RemoteAddress *
remote_address_parse (const char *url, GError **error)
{
  g_autoptr (RemoteAddress) a = g_new0 (RemoteAddress, 1);
  const char *rest = strstr (url, "://");

  a->text = g_strndup (url, strcspn (url, "?"));
  a->timeout_us = 10 * G_USEC_PER_SEC;
  a->retries = 3;
  a->checkpoint = 16;
  a->replay_bytes = 256 << 20;
  for (guint i = 0; rest != NULL && i < G_N_ELEMENTS (schemes); i++) {
    if (!g_str_has_prefix (url, schemes[i].scheme))
      continue;
    a->module = schemes[i].module;
    a->target.tls = schemes[i].tls;
    if (parse_parts (a, rest + 3, schemes[i].port, error)
        && check_stream (a, error))
      return g_steal_pointer (&a);
    g_prefix_error (error, "%.300s: ", a->text);
    return NULL;
  }
  infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "%.300s: the URL of a model begins with grpc://, grpcs://, http:// or "
      "https://",
      a->text);
  return NULL;
}
