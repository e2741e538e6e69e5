/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The bytes that a client sends to infer-serve's gRPC port after HTTP/2's
 * preface, in pieces whose size the first byte gives.  The server has no
 * models.  Every call ends with its connection. */

#include "tests/fuzz/support/fuzz.h"

#include <sys/socket.h>
#include <unistd.h>

#include "tools/serve/rpc/private.h"

#define PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
#define NO_SETTINGS "\0\0\0\4\0\0\0\0\0"

static const ServeSettings settings = {
  .models = (char[]){ SOURCE_ROOT "/tests/fuzz/seeds-serve-rpc" },
  .device = (char[]){ "CPU" },
  .threads = 1,
  .batch = 1,
  .max_message_mb = 1,
  .max_waiting = 64,
  .token = (char[]){ "t" },
};

static ServeRpc *
make_front (void)
{
  static ServeServer server = { .settings = &settings, .ready = 1 };
  g_autoptr (GError) error = NULL;

  server.repository = serve_repository_new (&settings, &error);
  g_assert_no_error (error);
  ServeRpc *rpc = rpc_front_new (&server, &error);
  g_assert_no_error (error);
  return rpc;
}

/* Lets the server do all it can, and drops what it sends. */
static void
settle (RpcLane *lane, int peer)
{
  guint8 space[4096];

  while (g_main_context_iteration (lane->context, FALSE))
    while (recv (peer, space, sizeof space, MSG_DONTWAIT) > 0)
      ;
}

static void
count (gpointer connection, gpointer n)
{
  ++*(guint *) n;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static ServeRpc *rpc;
  g_autoptr (GError) error = NULL;
  int ends[2];
  guint n = 0;

  if (size < 1)
    return 0;
  if (rpc == NULL)
    rpc = make_front ();
  RpcLane *lane = &rpc->lanes[0];
  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM, 0, ends), ==, 0);
  g_autoptr (GSocket) socket = g_socket_new_from_fd (ends[0], &error);
  g_assert_no_error (error);
  g_socket_set_blocking (socket, FALSE);
  rpc_connection_open (lane, socket, NULL);
  send (ends[1], PREFACE NO_SETTINGS, sizeof PREFACE NO_SETTINGS - 1,
      MSG_NOSIGNAL);
  const gsize step = data[0] == 0 ? size : data[0];
  for (gsize at = 1; at < size; at += step) {
    send (
        ends[1], data + at, MIN (step, size - at), MSG_NOSIGNAL | MSG_DONTWAIT);
    settle (lane, ends[1]);
  }
  settle (lane, ends[1]);
  close (ends[1]);
  /* Slow methods end on their own thread. */
  do {
    while (g_main_context_iteration (lane->context, FALSE))
      ;
    n = 0;
    serve_lane_foreach (lane->lane, count, &n);
  } while (n > 0 || g_atomic_int_get (&rpc->open) > 0);
  g_assert_cmpint (g_atomic_int_get (&rpc->unsent), ==, 0);
  return 0;
}
