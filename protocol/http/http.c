/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define _GNU_SOURCE /* memmem */
#include "protocol/http/http.h"

#include <string.h>

#define FIRST_SPACE 4096
/* Memory for a body grows with what comes, not with what is announced. */
#define FIRST_BODY ((gsize) 1 << 20)
#define MOST_CHUNK_LINE 256

typedef enum
{
  IN_HEAD,
  IN_BODY, /* of a known length */
  IN_CHUNK_SIZE,
  IN_CHUNK,
  IN_CHUNK_END,
  IN_TRAILER,
  UNTIL_END,
  IS_DONE,
  HAS_FAILED,
} State;

typedef struct
{
  const char *name, *value;
} Header;

struct _ProtocolHttp
{
  gboolean requests;
  gsize most_body;
  State state;

  guint8 *in; /* heads, chunks, and what comes behind a message */
  gsize in_space, in_filled, in_used, scanned;

  char *text; /* of the head, with a NUL behind each piece */
  GArray *headers;
  const char *method, *path, *version;
  guint status;
  gboolean stays;

  guint8 *body;
  gsize body_space, body_filled;
  gsize left; /* of the body, or of its chunk */
};

ProtocolHttp *
protocol_http_new (gboolean requests, gsize most_body)
{
  ProtocolHttp *http = g_new0 (ProtocolHttp, 1);

  http->requests = requests;
  http->most_body = most_body;
  http->in_space = FIRST_SPACE;
  http->in = g_malloc (http->in_space);
  http->headers = g_array_new (FALSE, FALSE, sizeof (Header));
  return http;
}

void
protocol_http_free (ProtocolHttp *http)
{
  if (http == NULL)
    return;
  g_free (http->in);
  g_free (http->text);
  g_free (http->body);
  g_array_unref (http->headers);
  g_free (http);
}

static ProtocolHttpProgress
fail (ProtocolHttp *http, guint status, GError **error, const char *text)
{
  http->state = HAS_FAILED;
  http->status = status;
  http->stays = FALSE;
  infer_fail (error, INFER_ERROR_INVALID_ARGUMENT, "HTTP: %s", text);
  return PROTOCOL_HTTP_FAILED;
}

/* --- memory --- */

static void
reserve_body (ProtocolHttp *http, gsize more)
{
  const gsize needed = http->body_filled + more;

  if (needed <= http->body_space)
    return;
  http->body_space = MAX (needed, 2 * http->body_space);
  http->body = g_realloc (http->body, http->body_space);
}

guint8 *
protocol_http_space (ProtocolHttp *http, gsize *size)
{
  if (http->state == IN_BODY || http->state == UNTIL_END) {
    if (http->body_filled == http->body_space)
      reserve_body (http, http->state == UNTIL_END
                              ? FIRST_SPACE
                              : MIN (http->left, FIRST_BODY));
    *size = http->body_space - http->body_filled;
    if (http->state == IN_BODY)
      *size = MIN (*size, http->left);
    return http->body + http->body_filled;
  }
  if (http->in_used > 0) {
    memmove (
        http->in, http->in + http->in_used, http->in_filled - http->in_used);
    http->in_filled -= http->in_used;
    http->scanned -= MIN (http->scanned, http->in_used);
    http->in_used = 0;
  }
  if (http->in_filled == http->in_space) {
    http->in_space *= 2;
    http->in = g_realloc (http->in, http->in_space);
  }
  *size = http->in_space - http->in_filled;
  return http->in + http->in_filled;
}

/* --- heads --- */

static gboolean
is_token (const char *text)
{
  if (*text == '\0')
    return FALSE;
  for (; *text != '\0'; text++)
    if (!g_ascii_isalnum (*text) && strchr ("!#$%&'*+-.^_`|~", *text) == NULL)
      return FALSE;
  return TRUE;
}

const char *
protocol_http_header (const ProtocolHttp *http, const char *name)
{
  for (guint i = 0; i < http->headers->len; i++) {
    const Header *header = &g_array_index (http->headers, Header, i);

    if (g_ascii_strcasecmp (header->name, name) == 0)
      return header->value;
  }
  return NULL;
}

static guint
count_headers (const ProtocolHttp *http, const char *name)
{
  guint n = 0;

  for (guint i = 0; i < http->headers->len; i++)
    n +=
        g_ascii_strcasecmp (g_array_index (http->headers, Header, i).name, name)
        == 0;
  return n;
}

gboolean
protocol_http_header_size (
    const ProtocolHttp *http, const char *name, gint64 *size)
{
  const char *text = protocol_http_header (http, name);
  guint64 value;

  *size = -1;
  if (text == NULL)
    return TRUE;
  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT64, &value, NULL))
    return FALSE;
  *size = (gint64) value;
  return TRUE;
}

/* "NAME: VALUE" */
static gboolean
read_header (ProtocolHttp *http, char *line)
{
  char *colon = strchr (line, ':');

  if (colon == NULL)
    return FALSE;
  *colon = '\0';
  const Header header = { line, g_strstrip (colon + 1) };
  g_array_append_val (http->headers, header);
  return is_token (line);
}

/* "http://host/path?query" or "/path?query" */
static void
set_path (ProtocolHttp *http, char *target)
{
  char *scheme = strstr (target, "://");

  if (target[0] != '/' && scheme != NULL) {
    char *slash = strchr (scheme + 3, '/');
    target = slash != NULL ? slash : strchr (target, '\0');
  }
  target[strcspn (target, "?#")] = '\0';
  http->path = target;
}

static gboolean
read_request_line (ProtocolHttp *http, char *line)
{
  char *target = strchr (line, ' ');
  char *version = target != NULL ? strchr (target + 1, ' ') : NULL;

  if (version == NULL)
    return FALSE;
  *target++ = '\0';
  *version++ = '\0';
  http->method = line;
  http->version = version;
  set_path (http, target);
  return is_token (line);
}

static gboolean
read_status_line (ProtocolHttp *http, char *line)
{
  char *status = strchr (line, ' ');
  guint64 value;

  if (status == NULL)
    return FALSE;
  *status++ = '\0';
  status[strcspn (status, " ")] = '\0';
  http->version = line;
  if (!g_ascii_string_to_unsigned (status, 10, 100, 999, &value, NULL))
    return FALSE;
  http->status = (guint) value;
  return TRUE;
}

static gboolean
has_word (const char *list, const char *word)
{
  g_auto (GStrv) words = g_strsplit (list != NULL ? list : "", ",", -1);

  for (guint i = 0; words[i] != NULL; i++)
    if (g_ascii_strcasecmp (g_strstrip (words[i]), word) == 0)
      return TRUE;
  return FALSE;
}

/* How the body ends. */
static ProtocolHttpProgress
frame_body (ProtocolHttp *http, GError **error)
{
  const char *encoding = protocol_http_header (http, "Transfer-Encoding");
  const gboolean bodiless =
      !http->requests && (http->status == 204 || http->status == 304);
  gint64 length;

  if (count_headers (http, "Content-Length") > 1
      || count_headers (http, "Transfer-Encoding") > 1
      || !protocol_http_header_size (http, "Content-Length", &length)
      || (encoding != NULL && length >= 0))
    return fail (http, 400, error, "the length of the body is not clear");
  if (encoding != NULL && g_ascii_strcasecmp (encoding, "chunked") != 0)
    return fail (http, 501, error,
        "'Transfer-Encoding' must be 'chunked' if it is given");
  if (length > 0 && (guint64) length > http->most_body)
    return fail (http, 413, error, "the body is too large");
  http->left = length > 0 ? (gsize) length : 0;
  http->state = bodiless                        ? IS_DONE
                : encoding != NULL              ? IN_CHUNK_SIZE
                : length < 0 && !http->requests ? UNTIL_END
                : http->left == 0               ? IS_DONE
                                                : IN_BODY;
  if (http->state == UNTIL_END)
    http->stays = FALSE;
  return PROTOCOL_HTTP_HEAD;
}

static ProtocolHttpProgress
parse_head (ProtocolHttp *http, gsize size, GError **error)
{
  const char *bytes = (const char *) http->in + http->in_used;

  g_free (http->text);
  http->text = g_strndup (bytes, size);
  g_array_set_size (http->headers, 0);
  if (strlen (http->text) != size)
    return fail (http, 400, error, "the head contains a NUL");
  char *line = http->text;
  for (gboolean first = TRUE; line != NULL; first = FALSE) {
    char *end = strstr (line, "\r\n");

    if (end != NULL)
      *end = '\0';
    if (line[strcspn (line, "\r\n")] != '\0'
        || !(!first           ? read_header (http, line)
             : http->requests ? read_request_line (http, line)
                              : read_status_line (http, line)))
      return fail (http, 400, error,
          first ? "the first line is none of HTTP"
                : "a line of the head is no header");
    line = end != NULL ? end + 2 : NULL;
  }
  if (!g_str_has_prefix (http->version, "HTTP/1.")
      || strlen (http->version) != strlen ("HTTP/1.1"))
    return fail (http, 505, error, "the version is not 1.0 or 1.1");
  const char *connection = protocol_http_header (http, "Connection");
  http->stays = g_str_equal (http->version, "HTTP/1.0")
                    ? has_word (connection, "keep-alive")
                    : !has_word (connection, "close");
  return frame_body (http, error);
}

/* --- what has come --- */

/* The line at the beginning, without its end; -1: not all of it is there. */
static gssize
find_line (const ProtocolHttp *http)
{
  const guint8 *begin = http->in + http->in_used;
  const guint8 *end =
      memmem (begin, http->in_filled - http->in_used, "\r\n", 2);

  return end != NULL ? end - begin : -1;
}

static ProtocolHttpProgress
read_head (ProtocolHttp *http, GError **error)
{
  /* Empty lines before a head are allowed. */
  while (http->in_filled - http->in_used >= 2
         && memcmp (http->in + http->in_used, "\r\n", 2) == 0)
    http->in_used += 2;
  const gsize from = MAX (http->scanned, http->in_used);
  const guint8 *end =
      memmem (http->in + from, http->in_filled - from, "\r\n\r\n", 4);
  if (end == NULL) {
    http->scanned = http->in_filled - MIN (http->in_filled, 3);
    if (http->in_filled - http->in_used > PROTOCOL_HTTP_MOST_HEAD)
      return fail (http, 431, error, "the head is too large");
    return PROTOCOL_HTTP_MORE;
  }
  const gsize size = (gsize) (end - (http->in + http->in_used));
  const ProtocolHttpProgress progress = parse_head (http, size, error);
  http->in_used += size + 4;
  http->scanned = http->in_used;
  /* An interim response, such as 100 Continue: the real one follows. */
  if (progress != PROTOCOL_HTTP_FAILED && !http->requests
      && http->status < 200) {
    http->state = IN_HEAD;
    return read_head (http, error);
  }
  return progress;
}

/* Moves up to @most bytes that have come into the body. */
static gsize
move_to_body (ProtocolHttp *http, gsize most)
{
  const gsize n = MIN (most, http->in_filled - http->in_used);

  if (n == 0)
    return 0;
  reserve_body (http, n);
  memcpy (http->body + http->body_filled, http->in + http->in_used, n);
  http->body_filled += n;
  http->in_used += n;
  return n;
}

static ProtocolHttpProgress
read_chunk_size (ProtocolHttp *http, GError **error)
{
  const gssize length = find_line (http);
  gsize size = 0;
  gssize digits = 0;

  if (length > MOST_CHUNK_LINE
      || (length < 0 && http->in_filled - http->in_used > MOST_CHUNK_LINE))
    return fail (http, 400, error, "the size of a chunk is too long");
  if (length < 0)
    return PROTOCOL_HTTP_MORE;
  const char *line = (const char *) http->in + http->in_used;
  for (; digits < length && g_ascii_isxdigit (line[digits]); digits++)
    size = size << 4 | (gsize) g_ascii_xdigit_value (line[digits]);
  if (digits == 0 || digits > 12
      || (digits < length && line[digits] != ';' && line[digits] != ' '))
    return fail (http, 400, error, "the size of a chunk is none");
  if (size > http->most_body || http->body_filled > http->most_body - size)
    return fail (http, 413, error, "the body is too large");
  http->in_used += (gsize) length + 2;
  http->left = size;
  http->state = size > 0 ? IN_CHUNK : IN_TRAILER;
  return PROTOCOL_HTTP_HEAD; /* go on */
}

static ProtocolHttpProgress
read_chunk_end (ProtocolHttp *http, GError **error)
{
  const guint8 *at = http->in + http->in_used;

  if (http->in_filled - http->in_used < 2)
    return PROTOCOL_HTTP_MORE;
  if (at[0] != '\r' || at[1] != '\n')
    return fail (http, 400, error, "a chunk is longer than its size");
  http->in_used += 2;
  http->state = IN_CHUNK_SIZE;
  return PROTOCOL_HTTP_HEAD; /* go on */
}

static ProtocolHttpProgress
read_trailer (ProtocolHttp *http, GError **error)
{
  const gssize length = find_line (http);

  if (length < 0)
    return http->in_filled - http->in_used > PROTOCOL_HTTP_MOST_HEAD
               ? fail (http, 431, error, "the trailer is too large")
               : PROTOCOL_HTTP_MORE;
  http->in_used += (gsize) length + 2;
  if (length > 0)
    return PROTOCOL_HTTP_HEAD; /* go on */
  http->state = IS_DONE;
  return PROTOCOL_HTTP_DONE;
}

/* One step; HEAD: the state has changed, go on. */
static ProtocolHttpProgress
read_on (ProtocolHttp *http, GError **error)
{
  switch (http->state) {
    case IN_BODY:
      http->left -= move_to_body (http, http->left);
      if (http->left > 0)
        return PROTOCOL_HTTP_MORE;
      http->state = IS_DONE;
      return PROTOCOL_HTTP_DONE;
    case IN_CHUNK:
      http->left -= move_to_body (http, http->left);
      if (http->left > 0)
        return PROTOCOL_HTTP_MORE;
      http->state = IN_CHUNK_END;
      return PROTOCOL_HTTP_HEAD;
    case UNTIL_END:
      move_to_body (http, G_MAXSIZE);
      return http->body_filled > http->most_body
                 ? fail (http, 413, error, "the body is too large")
                 : PROTOCOL_HTTP_MORE;
    case IN_CHUNK_SIZE:
      return read_chunk_size (http, error);
    case IN_CHUNK_END:
      return read_chunk_end (http, error);
    case IN_TRAILER:
      return read_trailer (http, error);
    case IS_DONE:
      return PROTOCOL_HTTP_DONE;
    default:
      return PROTOCOL_HTTP_FAILED;
  }
}

ProtocolHttpProgress
protocol_http_add (ProtocolHttp *http, gsize n, GError **error)
{
  ProtocolHttpProgress progress;

  if (http->state == IN_BODY || http->state == UNTIL_END) {
    http->body_filled += n;
    http->left -= http->state == IN_BODY ? n : 0;
  } else {
    http->in_filled += n;
  }
  if (http->state == IN_HEAD)
    return read_head (http, error);
  do
    progress = read_on (http, error);
  while (progress == PROTOCOL_HTTP_HEAD);
  return progress;
}

ProtocolHttpProgress
protocol_http_end (ProtocolHttp *http, GError **error)
{
  http->stays = FALSE;
  if (http->state == UNTIL_END)
    http->state = IS_DONE;
  if (http->state == IS_DONE)
    return PROTOCOL_HTTP_DONE;
  if (protocol_http_is_empty (http))
    return PROTOCOL_HTTP_MORE;
  return fail (http, 400, error, "the connection ends inside a message");
}

void
protocol_http_next (ProtocolHttp *http)
{
  g_clear_pointer (&http->body, g_free);
  http->body_space = http->body_filled = 0;
  http->state = IN_HEAD;
}

gboolean
protocol_http_is_empty (const ProtocolHttp *http)
{
  return http->state == IN_HEAD && http->in_filled == http->in_used;
}

/* --- what it says --- */

const char *
protocol_http_method (const ProtocolHttp *http)
{
  return http->method;
}

const char *
protocol_http_path (const ProtocolHttp *http)
{
  return http->path;
}

guint
protocol_http_status (const ProtocolHttp *http)
{
  return http->status;
}

gboolean
protocol_http_stays (const ProtocolHttp *http)
{
  return http->stays;
}

GBytes *
protocol_http_take_body (ProtocolHttp *http)
{
  const gsize size = http->body_filled;

  http->body_space = http->body_filled = 0;
  return g_bytes_new_take (g_steal_pointer (&http->body), size);
}
