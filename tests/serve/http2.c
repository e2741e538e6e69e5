/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infer-serve's HTTP/2: what clients of gRPC do not show or do not do.
 *
 * Usage: test-http2 INFER_SERVE */

#include "tests/serve/http2.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/remote/infer-serve.h"

#define SERVICE "/inference.GRPCInferenceService/"
#define LIVE SERVICE "ServerLive"
#define STREAM SERVICE "ModelStreamInfer"
#define MOST_MB "2"
#define WINDOW (1 << 20)

static const char *program;

typedef struct
{
  GPid pid;
  guint port;
  char *folder;
} Server;

/* Of no model: its streams answer each request with an error. */
static Server
server_start (void)
{
  const guint port = 14003 + (guint) (getpid () % 1700) * 4;
  g_autofree char *number = g_strdup_printf ("%u", port);
  char *folder = g_dir_make_tmp (NULL, NULL);
  const char *argv[] = { program, "--grpc-port", number, "--http-port", "0",
    "--metrics-port", "0", "--max-message", MOST_MB, "--drain=1", folder,
    NULL };

  return (Server){ start_infer_serve (argv, port), port, folder };
}

/* It ends by itself, as it should. */
static void
server_stop (Server *server)
{
  int status;

  kill (server->pid, SIGTERM);
  g_assert_cmpint (waitpid (server->pid, &status, 0), ==, server->pid);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
  g_rmdir (server->folder);
  g_free (server->folder);
}

/* --- messages --- */

static GByteArray *
add_message (GByteArray *to, guint8 flag, gconstpointer data, gsize n)
{
  const guint8 prefix[] = { flag, (guint8) (n >> 24), (guint8) (n >> 16),
    (guint8) (n >> 8), (guint8) n };

  g_byte_array_append (to, prefix, sizeof prefix);
  return g_byte_array_append (to, data, (guint) n);
}

static GBytes *
compress (GZlibCompressorFormat format, gconstpointer data, gsize n)
{
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr (GConverter) converter =
      G_CONVERTER (g_zlib_compressor_new (format, 9));
  g_autoptr (GOutputStream) stream =
      g_converter_output_stream_new (memory, converter);

  g_assert_true (g_output_stream_write_all (stream, data, n, NULL, NULL, NULL));
  g_assert_true (g_output_stream_close (stream, NULL, NULL));
  return g_memory_output_stream_steal_as_bytes (
      G_MEMORY_OUTPUT_STREAM (memory));
}

/* Messages of what has been received; it is whole. */
static guint
count_messages (const GByteArray *data)
{
  guint n = 0;
  gsize at = 0;

  for (; at + 5 <= data->len; n++) {
    const guint8 *p = data->data + at;

    g_assert_cmpuint (p[0], ==, 0);
    at +=
        5
        + ((gsize) p[1] << 24 | (gsize) p[2] << 16 | (gsize) p[3] << 8 | p[4]);
  }
  g_assert_cmpuint (at, ==, data->len);
  return n;
}

static void
expect (Call *call, const char *code, const char *words)
{
  call_finish (call);
  g_assert_cmpstr (call_header (call, ":status"), ==, "200");
  g_assert_cmpstr (call_header (call, "content-type"), ==, "application/grpc");
  g_assert_cmpstr (call_header (call, "grpc-status"), ==, code);
  if (words != NULL) {
    g_assert_nonnull (call_header (call, "grpc-message"));
    g_assert_nonnull (strstr (call_header (call, "grpc-message"), words));
  }
}

static const guint8 empty[5];

/* --- tests --- */

static void
test_answers (void)
{
  static const guint8 live[] = { 0, 0, 0, 0, 2, 8, 1 };
  Server server = server_start ();
  Client *client = client_new (server.port, WINDOW);

  g_assert_cmpuint (
      client->settings[NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS], ==, 1000);
  g_assert_cmpuint (
      client->settings[NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE], ==, 1 << 20);
  for (guint i = 0; i < 3; i++) {
    Call *call = client_call (client, LIVE, empty, sizeof empty, TRUE, NULL);

    expect (call, "0", NULL);
    g_assert_cmpmem (call->data->data, call->data->len, live, sizeof live);
    g_assert_cmpuint (call->n_blocks, ==, 2);
    g_assert_cmpuint (call->error, ==, NGHTTP2_NO_ERROR);
    g_assert_null (call_header (call, "grpc-message"));
    call_free (call);
  }
  /* A client that goes on sending is answered at the end of the message, and
   * told to stop. */
  Call *call = client_call (client, LIVE, empty, sizeof empty, FALSE, NULL);
  expect (call, "0", NULL);
  g_assert_cmpuint (call->error, ==, NGHTTP2_NO_ERROR);
  call_free (call);
  client_free (client);
  server_stop (&server);
}

static void
test_refused (void)
{
  static const guint8 flagged[5] = { 7 }, compressed[5] = { 1 },
                      large[5] = { 0, 0, 32, 0, 1 };
  const struct
  {
    const char *path, *headers[3];
    gconstpointer body;
    gsize n;
    const char *code, *words;
  } cases[] = {
    { SERVICE "Nothing", { NULL }, empty, 5, "12", "no such method" },
    { "/", { NULL }, empty, 5, "12", "no such method" },
    { LIVE, { NULL }, empty, 0, "3", "no message" },
    { LIVE, { NULL }, empty, 4, "3", "no message" },
    { LIVE, { NULL }, flagged, 5, "13", "the byte 7" },
    { LIVE, { NULL }, compressed, 5, "13", "no grpc-encoding" },
    { LIVE, { "grpc-encoding", "br" }, empty, 5, "12", "compressed" },
    { LIVE, { "grpc-encoding", "gzip" }, compressed, 5, "3", "not compressed" },
    { LIVE, { NULL }, large, 5, "8", "--max-message" },
    { STREAM, { NULL }, large, 5, "8", "--max-message" },
    { STREAM, { NULL }, empty, 3, "3", "cut short" },
    { SERVICE "ModelMetadata", { NULL }, "\0\0\0\0\5\12\3\303\274%", 10, "5",
        "'%C3%BC%25'" },
  };
  Server server = server_start ();
  Client *client = client_new (server.port, WINDOW);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Call *call = client_call (client, cases[i].path, cases[i].body, cases[i].n,
        /* A message that is too large is refused when its size is known. */
        cases[i].body != large, cases[i].headers);

    g_test_message ("case %u", i);
    expect (call, cases[i].code, cases[i].words);
    g_assert_cmpuint (call->data->len, ==, 0);
    if (cases[i].headers[0] != NULL && cases[i].code[1] == '2')
      g_assert_cmpstr (call_header (call, "grpc-accept-encoding"), ==,
          "identity,deflate,gzip");
    call_free (call);
  }
  client_free (client);
  server_stop (&server);
}

static void
test_other_http (void)
{
  const struct
  {
    const char *headers[3], *status;
  } cases[] = {
    { { "content-type", "" }, "415" },
    { { "content-type", "text/plain" }, "415" },
    { { "content-type", "application/grpcx" }, "415" },
    { { ":method", "GET" }, "405" },
    { { "content-type", "application/grpc+proto" }, "200" },
  };
  Server server = server_start ();
  Client *client = client_new (server.port, WINDOW);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Call *call =
        client_call (client, LIVE, empty, sizeof empty, TRUE, cases[i].headers);

    call_finish (call);
    g_assert_cmpstr (call_header (call, ":status"), ==, cases[i].status);
    call_free (call);
  }
  client_free (client);
  server_stop (&server);
}

/* A request for a model that is not there, with @n bytes that it does not need.
 */
static GByteArray *
make_request (gsize n)
{
  GByteArray *request = g_byte_array_new ();
  const guint8 name[] = { 10, 2, 'n', 'o' }, head[] = { 7 << 3 | 2,
    (guint8) (n | 128), (guint8) (n >> 7 | 128), (guint8) (n >> 14) };
  g_autofree guint8 *zeros = g_malloc0 (MAX (n, 1));

  g_byte_array_append (request, name, sizeof name);
  if (n > 0) {
    g_byte_array_append (request, head, sizeof head);
    g_byte_array_append (request, zeros, (guint) n);
  }
  return request;
}

/* Messages in any frames: byte by byte, several in one; and compressed. */
static void
test_pieces (void)
{
  const struct
  {
    const char *encoding;
    GZlibCompressorFormat format;
  } encodings[] = { { "gzip", G_ZLIB_COMPRESSOR_FORMAT_GZIP },
    { "deflate", G_ZLIB_COMPRESSOR_FORMAT_ZLIB } };
  Server server = server_start ();
  Client *client = client_new (server.port, WINDOW);
  g_autoptr (GByteArray) request = make_request (3000);

  for (guint i = 0; i < G_N_ELEMENTS (encodings); i++) {
    const char *headers[] = { "grpc-encoding", encodings[i].encoding, NULL };
    g_autoptr (GBytes) small =
        compress (encodings[i].format, request->data, request->len);
    g_autoptr (GByteArray) body = g_byte_array_new ();

    add_message (body, 0, request->data, request->len);
    add_message (
        body, 1, g_bytes_get_data (small, NULL), g_bytes_get_size (small));
    add_message (body, 0, NULL, 0);
    add_message (
        body, 1, g_bytes_get_data (small, NULL), g_bytes_get_size (small));
    for (guint step = body->len; step > 0; step = step > 1 ? 1 : 0) {
      const gboolean no = FALSE;
      Call *call = client_call (client, STREAM, body->data, 0, FALSE, headers);

      for (guint at = 0; at < body->len; at += step) {
        call_write (call, body->data + at, MIN (step, body->len - at), FALSE);
        client_run (client, &no, 0);
      }
      call_write (call, NULL, 0, TRUE);
      expect (call, "0", NULL);
      g_assert_cmpuint (count_messages (call->data), ==, 4);
      call_free (call);
    }
  }
  client_free (client);
  server_stop (&server);
}

static void
test_bomb (void)
{
  const gsize size = 100 << 20;
  g_autofree guint8 *zeros = g_malloc0 (size);
  g_autoptr (GBytes) small =
      compress (G_ZLIB_COMPRESSOR_FORMAT_GZIP, zeros, size);
  g_autoptr (GByteArray) body = g_byte_array_new ();
  const char *headers[] = { "grpc-encoding", "gzip", NULL };
  Server server = server_start ();
  Client *client = client_new (server.port, WINDOW);

  add_message (
      body, 1, g_bytes_get_data (small, NULL), g_bytes_get_size (small));
  Call *call = client_call (client, LIVE, body->data, body->len, TRUE, headers);
  expect (call, "8", "when decompressed");
  call_free (call);
  client_free (client);
  server_stop (&server);
}

static void
test_deadline (void)
{
  const struct
  {
    const char *text;
    double least, most;
  } cases[] = { { "300m", 0.25, 10 }, { "1n", 0, 10 }, { "99999999H", 99, 0 },
    { "x", 99, 0 }, { "1000u", 0, 10 }, { "1S", 0.9, 20 } };
  Server server = server_start ();
  Client *client = client_new (server.port, WINDOW);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const char *headers[] = { "grpc-timeout", cases[i].text, NULL };
    g_autoptr (GTimer) timer = g_timer_new ();
    Call *call = client_call (client, STREAM, NULL, 0, FALSE, headers);

    if (cases[i].most > 0) {
      expect (call, "4", "deadline");
      g_assert_cmpfloat (g_timer_elapsed (timer, NULL), >, cases[i].least);
      g_assert_cmpfloat (g_timer_elapsed (timer, NULL), <, cases[i].most);
    } else {
      g_assert_false (client_run (client, &call->over, 0.3));
      call_write (call, NULL, 0, TRUE);
      expect (call, "0", NULL);
    }
    call_free (call);
  }
  client_free (client);
  server_stop (&server);
}

static void
test_calm (void)
{
  const gboolean no = FALSE;
  Server server = server_start ();
  Client *client = client_new (server.port, WINDOW);

  /* Three questions are fine, more with answers between them too. */
  for (guint i = 0; i < 5; i++) {
    Call *call;

    for (guint k = 0; k < 3; k++)
      nghttp2_submit_ping (client->session, NGHTTP2_FLAG_NONE, NULL);
    client_run (client, &no, 0.05);
    call = client_call (client, LIVE, empty, sizeof empty, TRUE, NULL);
    expect (call, "0", NULL);
    call_free (call);
  }
  g_assert_cmpuint (client->pongs, ==, 15);
  for (guint k = 0; k < 5; k++)
    nghttp2_submit_ping (client->session, NGHTTP2_FLAG_NONE, NULL);
  g_assert_true (client_run (client, &client->goaway, 10));
  g_assert_cmpuint (client->goaway_error, ==, NGHTTP2_ENHANCE_YOUR_CALM);
  g_assert_cmpstr (client->goaway_text, ==, "too_many_pings");
  g_assert_true (client_run (client, &client->closed, 10));
  client_free (client);

  client = client_new (server.port, WINDOW);
  for (guint i = 0; i < 1200 && !client->goaway; i++) {
    Call *call = client_call (client, STREAM, NULL, 0, FALSE, NULL);

    client_run (client, &no, 0);
    nghttp2_submit_rst_stream (
        client->session, NGHTTP2_FLAG_NONE, call->id, NGHTTP2_CANCEL);
    client_run (client, &no, 0);
    call_free (call);
  }
  g_assert_true (client_run (client, &client->goaway, 10));
  g_assert_cmpuint (client->goaway_error, ==, NGHTTP2_ENHANCE_YOUR_CALM);
  client_free (client);
  server_stop (&server);
}

/* A client that takes no answers can send no more requests than the server
 * holds for it. */
static void
test_back_pressure (void)
{
  const guint n = 300, size = 40000;
  const gboolean no = FALSE;
  Server server = server_start ();
  Client *client = client_new (server.port, 0);
  g_autoptr (GByteArray) request = make_request (size);
  g_autoptr (GByteArray) body = g_byte_array_new ();

  for (guint i = 0; i < n; i++)
    add_message (body, 0, request->data, request->len);
  Call *call = client_call (client, STREAM, body->data, body->len, TRUE, NULL);
  guint taken = 0, before;
  do {
    before = taken;
    client_run (client, &no, 1);
    taken = body->len - call->out->len;
  } while (taken > before);
  g_assert_cmpuint (taken, >, 64 * size);
  g_assert_cmpuint (taken, <, 66 * size + 2 * WINDOW);
  g_assert_cmpuint (call->data->len, ==, 0);
  nghttp2_session_set_local_window_size (
      client->session, NGHTTP2_FLAG_NONE, call->id, WINDOW);
  expect (call, "0", NULL);
  g_assert_cmpuint (count_messages (call->data), ==, n);
  call_free (call);
  client_free (client);
  server_stop (&server);
}

/* At its end a server tells its clients, and what still runs. */
static void
test_end (void)
{
  Server server = server_start ();
  Client *client = client_new (server.port, WINDOW);
  Call *call = client_call (client, STREAM, NULL, 0, FALSE, NULL);
  const gboolean no = FALSE;

  client_run (client, &no, 0.1);
  g_assert_cmpuint (call->n_blocks, ==, 1);
  kill (server.pid, SIGTERM);
  expect (call, "14", "shutting down");
  g_assert_true (client_run (client, &client->closed, 10));
  g_assert_true (client->goaway);
  g_assert_cmpuint (client->goaway_error, ==, NGHTTP2_NO_ERROR);
  call_free (call);
  client_free (client);
  server_stop (&server);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 2);
  program = argv[1];
  g_test_add_func ("/http2/answers", test_answers);
  g_test_add_func ("/http2/refused", test_refused);
  g_test_add_func ("/http2/other-http", test_other_http);
  g_test_add_func ("/http2/pieces", test_pieces);
  g_test_add_func ("/http2/bomb", test_bomb);
  g_test_add_func ("/http2/deadline", test_deadline);
  g_test_add_func ("/http2/calm", test_calm);
  g_test_add_func ("/http2/back-pressure", test_back_pressure);
  g_test_add_func ("/http2/end", test_end);
  return g_test_run ();
}
