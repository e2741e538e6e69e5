/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* device=REMOTE with several servers that come, drain and go: who gets what,
 * and that no result changes. */

#include <gio/gio.h>
#include <string.h>

#include "tests/remote/peer.h"

/* So many that by chance each server gets some: ranks depend on ports. */
#define STREAMS 40

/* --- streams --- */

typedef struct
{
  InferExecutable *executable;
  SumStream streams[STREAMS];
} Fleet;

static void
fleet_open (Fleet *fleet, const char *url)
{
  fleet->executable = remote_open (url);
  for (guint s = 0; s < STREAMS; s++)
    fleet->streams[s] = (SumStream){ remote_request (fleet->executable), 0, 0 };
}

static void
fleet_step (Fleet *fleet)
{
  for (guint s = 0; s < STREAMS; s++)
    sum_stream_step (&fleet->streams[s]);
}

static void
fleet_close (Fleet *fleet)
{
  for (guint s = 0; s < STREAMS; s++)
    infer_request_free (fleet->streams[s].request);
  infer_executable_unref (fleet->executable);
}

/* Steps until @server has the expected number of sequences: any if > 0. */
static void
fleet_step_until (Fleet *fleet, const FakeServer *server, gboolean some)
{
  const gint64 end = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;

  while ((fake_server_ask (server, "sequences") > 0) != some) {
    g_assert_cmpint (g_get_monotonic_time (), <, end);
    fleet_step (fleet);
    g_usleep (20 * 1000);
  }
}

/* --- load --- */

/* As many requests in flight as three servers share evenly. */
static void
test_spread (void)
{
  FakeServer servers[3];
  g_autoptr (GString) url = g_string_new ("grpc://");
  InferAsyncRequest *requests[9];
  g_autoptr (GError) error = NULL;

  for (guint k = 0; k < 3; k++) {
    servers[k] = fake_server_start (NULL, FALSE, 0);
    g_string_append_printf (
        url, "%s127.0.0.1:%u", k > 0 ? "," : "", servers[k].port);
  }
  g_string_append (url, "/pause");
  g_autoptr (InferExecutable) executable = remote_open (url->str);
  for (guint i = 0; i < G_N_ELEMENTS (requests); i++) {
    requests[i] = infer_async_request_new (executable, NULL, &error);
    g_assert_no_error (error);
    remote_set_input (
        infer_async_request_get_request (requests[i]), 1, (float) i);
  }
  for (guint i = 0; i < G_N_ELEMENTS (requests); i++)
    g_assert_true (
        infer_async_request_start (requests[i], INFER_START_DEFAULT, &error));
  for (guint i = 0; i < G_N_ELEMENTS (requests); i++) {
    infer_async_request_wait (requests[i], -1, &error);
    g_assert_no_error (error);
    g_assert_cmpfloat (
        remote_output (infer_async_request_get_request (requests[i]))[0], ==,
        2 * (float) i);
    infer_async_request_free (requests[i]);
  }
  for (guint k = 0; k < 3; k++) {
    g_assert_cmpfloat (fake_server_ask (&servers[k], "count"), ==, 3);
    fake_server_kill (&servers[k]);
  }
}

/* Calls that are safe to repeat are repeated, after pauses that double; refused
 * ones are not. */
static void
test_backoff (void)
{
  FakeServer server = fake_server_start (NULL, FALSE, 0);
  g_autoptr (InferExecutable) executable =
      remote_open_on (&server, "full?retries=4");
  g_autoptr (InferRequest) request = remote_request (executable);
  g_autoptr (GError) error = NULL;
  const gint64 begin = g_get_monotonic_time ();

  remote_set_input (request, 1, 1);
  g_assert_false (infer_request_infer (request, &error));
  g_assert_nonnull (strstr (error->message, "busy"));
  g_assert_cmpint (
      g_get_monotonic_time () - begin, >=, (20 + 40 + 80 + 160) * 1000);
  g_assert_cmpfloat (fake_server_ask (&server, "count"), ==, 5);
  g_clear_error (&error);

  g_autoptr (InferExecutable) invalid = remote_open_on (&server, "invalid");
  g_autoptr (InferRequest) refused = remote_request (invalid);
  remote_set_input (refused, 1, 1);
  g_assert_false (infer_request_infer (refused, &error));
  g_assert_nonnull (strstr (error->message, "was expected"));
  g_assert_cmpfloat (fake_server_ask (&server, "count"), ==, 1);
  fake_server_kill (&server);
}

/* --- servers that drain, come and go --- */

static void
test_drain (void)
{
  FakeServer a = fake_server_start (NULL, TRUE, 0),
             b = fake_server_start (NULL, TRUE, 0);
  g_autofree char *url = g_strdup_printf (
      "grpc://127.0.0.1:%u,127.0.0.1:%u/sum?checkpoint=5", a.port, b.port);
  Fleet fleet;

  fleet_open (&fleet, url);
  for (guint n = 0; n < 7; n++)
    fleet_step (&fleet);
  g_assert_cmpfloat (fake_server_ask (&a, "sequences"), >, 0);
  g_assert_cmpfloat (fake_server_ask (&b, "sequences"), >, 0);
  fake_server_ask (&a, "drain");
  /* The next step tells each stream, the one after that is elsewhere. */
  fleet_step (&fleet);
  fleet_step_until (&fleet, &a, FALSE);
  g_assert_cmpfloat (fake_server_ask (&b, "sequences"), ==, STREAMS);
  fake_server_kill (&a);
  for (guint n = 0; n < 7; n++)
    fleet_step (&fleet);
  /* Its successor at the same address gets its streams back. */
  a = fake_server_start (NULL, TRUE, a.port);
  fleet_step_until (&fleet, &a, TRUE);
  for (guint n = 0; n < 7; n++)
    fleet_step (&fleet);
  fleet_close (&fleet);
  fake_server_kill (&a);
  fake_server_kill (&b);
}

/* A server that was not there when the model was loaded. */
static void
test_added (void)
{
  FakeServer a = fake_server_start (NULL, TRUE, 0),
             b = fake_server_start (NULL, TRUE, 0);
  g_autofree char *url = g_strdup_printf (
      "grpc://127.0.0.1:%u,127.0.0.1:%u/sum?checkpoint=5", a.port, b.port);
  Fleet fleet;

  fake_server_kill (&b);
  fleet_open (&fleet, url);
  for (guint n = 0; n < 7; n++)
    fleet_step (&fleet);
  g_assert_cmpfloat (fake_server_ask (&a, "sequences"), ==, STREAMS);
  b = fake_server_start (NULL, TRUE, b.port);
  fleet_step_until (&fleet, &b, TRUE);
  for (guint n = 0; n < 7; n++)
    fleet_step (&fleet);
  g_assert_cmpfloat (fake_server_ask (&a, "sequences"), <, STREAMS);
  fleet_close (&fleet);
  fake_server_kill (&a);
  fake_server_kill (&b);
}

/* --- names --- */

/* Says that every name is 127.0.0.1 … 127.0.0.N. */
typedef GResolver TestResolver;
typedef GResolverClass TestResolverClass;
static GType test_resolver_get_type (void);
G_DEFINE_TYPE (TestResolver, test_resolver, G_TYPE_RESOLVER)
static gint n_addresses = 1;

static GList *
look_up (GResolver *resolver, const char *name, GCancellable *cancellable,
    GError **error)
{
  GList *list = NULL;

  for (int i = g_atomic_int_get (&n_addresses); i > 0; i--) {
    g_autofree char *text = g_strdup_printf ("127.0.0.%d", i);

    list = g_list_prepend (list, g_inet_address_new_from_string (text));
  }
  return list;
}

static void
test_resolver_class_init (TestResolverClass *klass)
{
  klass->lookup_by_name = look_up;
}

static void
test_resolver_init (TestResolver *self)
{
}

/* A name has two addresses, then three: streams go to all of them. */
static void
test_names (void)
{
  g_autoptr (GResolver) system = g_resolver_get_default ();
  g_autoptr (GResolver) ours = g_object_new (test_resolver_get_type (), NULL);
  FakeServer servers[3];
  Fleet fleet;

  servers[0] = fake_server_start (NULL, TRUE, 0);
  servers[1] = fake_server_start ("127.0.0.2", TRUE, servers[0].port);
  servers[2] = fake_server_start ("127.0.0.3", TRUE, servers[0].port);
  g_resolver_set_default (ours);
  g_atomic_int_set (&n_addresses, 2);
  g_autofree char *url = g_strdup_printf (
      "grpc://models.example:%u/sum?checkpoint=5", servers[0].port);
  g_autofree char *third =
      g_strdup_printf ("grpc://127.0.0.3:%u/sequences", servers[0].port);
  fleet_open (&fleet, url);
  for (guint n = 0; n < 7; n++)
    fleet_step (&fleet);
  const float before = fake_server_ask (&servers[0], "sequences");
  g_assert_cmpfloat (before, >, 0);
  g_assert_cmpfloat (before, <, STREAMS);

  g_atomic_int_set (&n_addresses, 3);
  g_autoptr (InferExecutable) question = remote_open (third);
  g_autoptr (InferRequest) request = remote_request (question);
  const gint64 end = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;
  do {
    g_assert_cmpint (g_get_monotonic_time (), <, end);
    fleet_step (&fleet);
    g_usleep (100 * 1000);
    remote_set_input (request, 1, 0);
    g_assert_true (infer_request_infer (request, NULL));
  } while (remote_output (request)[0] == 0);
  /* An address that is gone, with its server. */
  fake_server_kill (&servers[2]);
  g_atomic_int_set (&n_addresses, 2);
  for (guint n = 0; n < 20; n++)
    fleet_step (&fleet);
  fleet_close (&fleet);
  g_resolver_set_default (system);
  fake_server_kill (&servers[0]);
  fake_server_kill (&servers[1]);
}

/* --- checkpoints --- */

static void
test_checkpoint_time (void)
{
  FakeServer server = fake_server_start (NULL, TRUE, 0);
  g_autofree char *url = g_strdup_printf (
      "grpc://127.0.0.1:%u/sum?checkpoint=1000000&checkpoint-time=100&"
      "retries=20",
      server.port);
  g_autoptr (InferExecutable) executable = remote_open (url);
  SumStream stream = { remote_request (executable), 0, 0 };
  const gint64 begin = g_get_monotonic_time ();

  for (guint n = 0; n < 60; n++) {
    sum_stream_step (&stream);
    g_usleep (10 * 1000);
  }
  const float most =
      (float) ((g_get_monotonic_time () - begin) / (100 * 1000)) + 1;
  const float got = fake_server_ask (&server, "checkpoints");
  g_assert_cmpfloat (got, >=, 2);
  g_assert_cmpfloat (got, <=, most);
  fake_server_kill (&server);
  server = fake_server_start (NULL, TRUE, server.port);
  for (guint n = 0; n < 5; n++)
    sum_stream_step (&stream);
  infer_request_free (stream.request);
  fake_server_kill (&server);
}

/* The inputs that are kept are bounded: then a checkpoint is due. */
static void
test_replay_bound (void)
{
  FakeServer server = fake_server_start (NULL, TRUE, 0);
  g_autoptr (InferExecutable) executable =
      remote_open_on (&server, "sum?checkpoint=1000000&replay=1");
  g_autoptr (InferRequest) request = remote_request (executable);
  g_autoptr (GError) error = NULL;

  for (guint n = 0; n < 30; n++) { /* of 120 kB each */
    remote_set_input (request, 10000, 0);
    infer_request_infer (request, &error);
    g_assert_no_error (error);
  }
  g_assert_cmpfloat (fake_server_ask (&server, "checkpoints"), ==, 3);
  fake_server_kill (&server);
}

/* --- lost states --- */

static void
test_loss_restart (void)
{
  FakeServer server = fake_server_start (NULL, FALSE, 0);
  g_autoptr (InferExecutable) executable =
      remote_open_on (&server, "sum?loss=restart&retries=20");
  SumStream stream = { remote_request (executable), 0, 0 };

  for (guint k = 0; k < 3; k++) {
    for (guint n = 0; n < 5; n++) {
      sum_stream_step (&stream);
      const char *loss = infer_request_get_state_loss (stream.request);
      g_assert_true ((loss != NULL) == (k > 0 && n == 0));
      g_assert_true (loss == NULL || strstr (loss, "it begins again") != NULL);
    }
    fake_server_kill (&server);
    server = fake_server_start (NULL, FALSE, server.port);
    stream.sum = 0;
  }
  infer_request_free (stream.request);
  fake_server_kill (&server);
}

/* A server with one slot for a sequence: the old one ends before the new one
 * begins, also with several requests. */
static void
test_one_slot (void)
{
  FakeServer server = fake_server_start (NULL, FALSE, 0);
  g_autoptr (InferExecutable) executable = remote_open_on (&server, "sum");
  g_autoptr (InferStateSet) states =
      infer_state_set_new (infer_executable_get_model (executable));
  SumStream streams[3] = { 0 };
  float sum = 0;

  for (guint s = 0; s < 3; s++) {
    streams[s].request = remote_request (executable);
    infer_request_bind_states (streams[s].request, states);
  }
  for (guint n = 0; n < 40; n++) {
    SumStream *stream = &streams[n % 3];

    if (n % 5 == 4) {
      infer_state_set_reset (states);
      sum = 0;
    }
    stream->sum = sum;
    sum_stream_step (stream);
    sum = stream->sum;
  }
  for (guint s = 0; s < 3; s++)
    infer_request_free (streams[s].request);
  g_assert_cmpfloat (fake_server_ask (&server, "most"), ==, 1);
  fake_server_kill (&server);
}

static void
test_text_ids (void)
{
  FakeServer server = fake_server_start (NULL, TRUE, 0);
  g_autofree char *url =
      g_strdup_printf ("grpc://127.0.0.1:%u/sum?sequence-id=text", server.port);
  Fleet fleet;

  fleet_open (&fleet, url);
  for (guint n = 0; n < 5; n++)
    fleet_step (&fleet);
  g_assert_cmpfloat (fake_server_ask (&server, "sequences"), ==, STREAMS);
  fleet_close (&fleet);
  fake_server_kill (&server);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/fleet/spread", test_spread);
  g_test_add_func ("/fleet/backoff", test_backoff);
  g_test_add_func ("/fleet/drain", test_drain);
  g_test_add_func ("/fleet/added", test_added);
  g_test_add_func ("/fleet/names", test_names);
  g_test_add_func ("/fleet/checkpoint-time", test_checkpoint_time);
  g_test_add_func ("/fleet/replay-bound", test_replay_bound);
  g_test_add_func ("/fleet/loss-restart", test_loss_restart);
  g_test_add_func ("/fleet/one-slot", test_one_slot);
  g_test_add_func ("/fleet/text-ids", test_text_ids);
  return g_test_run ();
}
