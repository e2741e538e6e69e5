/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages of HTTP, whole and byte by byte. */

#include <string.h>

#include "protocol/http/http.h"

#define MOST 1000

/* Gives @http up to @step bytes of @text, at most what it has space for. */
static ProtocolHttpProgress
give (ProtocolHttp *http, const char **text, gsize step, GError **error)
{
  gsize size;
  guint8 *space = protocol_http_space (http, &size);
  const gsize n = MIN (MIN (size, step), strlen (*text));

  memcpy (space, *text, n);
  *text += n;
  return protocol_http_add (http, n, error);
}

/* Reads one message, and leaves what follows it. */
static ProtocolHttpProgress
read_one (ProtocolHttp *http, const char **text, gsize step, GError **error)
{
  ProtocolHttpProgress progress = protocol_http_add (http, 0, error);

  while (progress == PROTOCOL_HTTP_HEAD
         || (progress == PROTOCOL_HTTP_MORE && **text != '\0'))
    progress = progress == PROTOCOL_HTTP_HEAD
                   ? protocol_http_add (http, 0, error)
                   : give (http, text, step, error);
  return progress;
}

static void
assert_body (ProtocolHttp *http, const char *expected)
{
  g_autoptr (GBytes) body = protocol_http_take_body (http);

  g_assert_cmpmem (g_bytes_get_data (body, NULL), g_bytes_get_size (body),
      expected, strlen (expected));
}

static void
test_requests (void)
{
  static const char requests[] =
      "\r\nPOST http://host:1/v2/models/a%2Fb/infer?x=y HTTP/1.1\r\n"
      "Host: host\r\ncontent-length:   5  \r\nX-Size: 77\r\n\r\nhello"
      "GET /v2 HTTP/1.1\r\nConnection: Keep-Alive, close\r\n\r\n"
      "POST / HTTP/1.0\r\nTransfer-Encoding: Chunked\r\n\r\n"
      "3;name=value\r\nabc\r\n00A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n"
      "GET /last HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";

  for (gsize step = 1; step < sizeof requests; step++) {
    g_autoptr (ProtocolHttp) http = protocol_http_new (TRUE, MOST);
    g_autoptr (GError) error = NULL;
    const char *text = requests;
    gint64 size;

    g_assert_cmpint (
        read_one (http, &text, step, &error), ==, PROTOCOL_HTTP_DONE);
    g_assert_cmpstr (protocol_http_method (http), ==, "POST");
    g_assert_cmpstr (protocol_http_path (http), ==, "/v2/models/a%2Fb/infer");
    g_assert_cmpstr (protocol_http_header (http, "HOST"), ==, "host");
    g_assert_true (protocol_http_header_size (http, "x-size", &size));
    g_assert_cmpint (size, ==, 77);
    g_assert_false (protocol_http_header_size (http, "host", &size));
    g_assert_true (protocol_http_stays (http));
    assert_body (http, "hello");
    protocol_http_next (http);
    g_assert_cmpint (
        read_one (http, &text, step, &error), ==, PROTOCOL_HTTP_DONE);
    g_assert_cmpstr (protocol_http_path (http), ==, "/v2");
    g_assert_false (protocol_http_stays (http));
    assert_body (http, "");
    protocol_http_next (http);
    g_assert_cmpint (
        read_one (http, &text, step, &error), ==, PROTOCOL_HTTP_DONE);
    g_assert_false (protocol_http_stays (http));
    assert_body (http, "abc0123456789");
    protocol_http_next (http);
    g_assert_cmpint (
        read_one (http, &text, step, &error), ==, PROTOCOL_HTTP_DONE);
    g_assert_true (protocol_http_stays (http));
    protocol_http_next (http);
    g_assert_no_error (error);
    g_assert_true (protocol_http_is_empty (http));
    g_assert_cmpint (protocol_http_end (http, &error), ==, PROTOCOL_HTTP_MORE);
  }
}

static void
test_responses (void)
{
  static const char responses[] =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\n"
      "Content-Length: 2\r\n\r\nno"
      "HTTP/1.1 204\r\n\r\nHTTP/1.1 200 OK\r\n\r\nuntil the end";

  for (gsize step = 1; step < sizeof responses; step++) {
    g_autoptr (ProtocolHttp) http = protocol_http_new (FALSE, MOST);
    g_autoptr (GError) error = NULL;
    const char *text = responses;

    g_assert_cmpint (
        read_one (http, &text, step, &error), ==, PROTOCOL_HTTP_DONE);
    g_assert_cmpuint (protocol_http_status (http), ==, 404);
    assert_body (http, "no");
    protocol_http_next (http);
    g_assert_cmpint (
        read_one (http, &text, step, &error), ==, PROTOCOL_HTTP_DONE);
    g_assert_cmpuint (protocol_http_status (http), ==, 204);
    protocol_http_next (http);
    g_assert_cmpint (
        read_one (http, &text, step, &error), ==, PROTOCOL_HTTP_MORE);
    g_assert_cmpint (protocol_http_end (http, &error), ==, PROTOCOL_HTTP_DONE);
    g_assert_false (protocol_http_stays (http));
    assert_body (http, "until the end");
    g_assert_no_error (error);
  }
}

static void
test_malformed (void)
{
  static const struct
  {
    const char *text;
    guint status;
  } cases[] = {
    { "GET /\r\n\r\n", 400 },
    { "GET / HTTP/2.0\r\n\r\n", 505 },
    { "GET / HTTP/1.1 \r\n\r\n", 505 },
    { "G(T / HTTP/1.1\r\n\r\n", 400 },
    { "GET / HTTP/1.1\r\nno header\r\n\r\n", 400 },
    { "GET / HTTP/1.1\r\nname : value\r\n\r\n", 400 },
    { "GET / HTTP/1.1\r\na: b\r\n folded\r\n\r\n", 400 },
    { "GET / HTTP/1.1\r\na: b\nc: d\r\n\r\n", 400 },
    { "POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n", 400 },
    { "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", 400 },
    { "POST / HTTP/1.1\r\nContent-Length: 1001\r\n\r\n", 413 },
    { "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        400 },
    { "POST / HTTP/1.1\r\nContent-Length: 1\r\n"
      "Transfer-Encoding: chunked\r\n\r\n",
        400 },
    { "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 501 },
    { "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400 },
    { "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n",
        400 },
    { "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n", 413 },
    { "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
      "ffffffffffffffff\r\n",
        400 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (gsize step = 1; step < 200; step += 66) {
      g_autoptr (ProtocolHttp) http = protocol_http_new (TRUE, MOST);
      g_autoptr (GError) error = NULL;
      const char *text = cases[i].text;

      g_assert_cmpint (
          read_one (http, &text, step, &error), ==, PROTOCOL_HTTP_FAILED);
      g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
      g_assert_cmpuint (protocol_http_status (http), ==, cases[i].status);
      g_assert_false (protocol_http_stays (http));
    }
}

/* Memory for what is announced, or for lines without an end, is not taken. */
static void
test_sizes (void)
{
  g_autoptr (ProtocolHttp) http = protocol_http_new (TRUE, G_MAXSIZE / 4);
  g_autoptr (GError) error = NULL;
  const char *text = "POST / HTTP/1.1\r\nContent-Length: 1000000000000\r\n\r\n";
  gsize size;

  g_assert_cmpint (
      read_one (http, &text, 1000, &error), ==, PROTOCOL_HTTP_MORE);
  protocol_http_space (http, &size);
  g_assert_cmpuint (size, <=, 1 << 20);
  g_assert_cmpint (protocol_http_end (http, &error), ==, PROTOCOL_HTTP_FAILED);
  g_clear_error (&error);
  g_autoptr (ProtocolHttp) endless = protocol_http_new (TRUE, MOST);
  ProtocolHttpProgress progress = PROTOCOL_HTTP_MORE;
  for (guint i = 0; i < 1000 && progress == PROTOCOL_HTTP_MORE; i++) {
    text = "a line that never ends, or so it seems to be, and so it goes on...";
    progress = give (endless, &text, 100, &error);
  }
  g_assert_cmpint (progress, ==, PROTOCOL_HTTP_FAILED);
  g_assert_cmpuint (protocol_http_status (endless), ==, 431);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/protocol/http/requests", test_requests);
  g_test_add_func ("/protocol/http/responses", test_responses);
  g_test_add_func ("/protocol/http/malformed", test_malformed);
  g_test_add_func ("/protocol/http/sizes", test_sizes);
  return g_test_run ();
}
