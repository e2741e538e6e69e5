/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Live streams of digits through models on three servers, one of which is
 * killed, drains or comes while they run: logits, texts and times are those of
 * the model here, bit for bit, nothing is missing and nothing comes twice.
 * Prints the longest pause between two results of a stream.
 *
 * Usage: test-live INFER_SERVE MODELS_DIR RECORDINGS [ROUNDS [STREAMS [PAUSE_MS
 * [kill|drain|add]]]]
 *
 * ROUNDS of each kind; MODELS_DIR/digits/model.xml is the model. */

#include <gio/gio.h>
#include <gst/gst.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/remote/infer-serve.h"

#define SERVERS 3

static const char *program, *models;
static guint n_streams = 64, pause_ms = 5000;

/* --- servers --- */

typedef struct
{
  GPid pid; /* 0: does not run */
  guint port;
} Server;

static Server servers[SERVERS];

static void
server_start (Server *server)
{
  g_autofree char *number = g_strdup_printf ("%u", server->port);
  const char *argv[] = { program, "--grpc-port", number, "--http-port", "0",
    "--metrics-port", "0", "--drain", "10", models, NULL };

  server->pid = start_infer_serve (argv, server->port);
}

/* SIGTERM drains, and must end well. */
static void
server_end (Server *server, int signal_number)
{
  int status;

  kill (server->pid, signal_number);
  g_assert_cmpint (waitpid (server->pid, &status, 0), ==, server->pid);
  if (signal_number == SIGTERM)
    g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 0);
  server->pid = 0;
}

/* --- streams --- */

typedef struct
{
  GstElement *pipeline;
  GByteArray *results;  /* of inferfilter: times and values */
  GString *text;        /* of inferdecoder */
  gint64 last, longest; /* µs: the last result; between two */
  guint n;
} Stream;

static GstPadProbeReturn
on_result (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Stream *stream = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  const gint64 now = g_get_monotonic_time ();
  const guint64 times[] = { GST_BUFFER_PTS (buffer),
    GST_BUFFER_DURATION (buffer), gst_buffer_get_size (buffer) };
  GstMapInfo map;

  if (stream->n++ > 0)
    stream->longest = MAX (stream->longest, now - stream->last);
  stream->last = now;
  g_byte_array_append (stream->results, (const guint8 *) times, sizeof times);
  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_byte_array_append (stream->results, map.data, (guint) map.size);
  gst_buffer_unmap (buffer, &map);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
on_text (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Stream *stream = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstMapInfo map;

  g_assert_true (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_string_append_printf (stream->text, "%" G_GUINT64_FORMAT " %.*s\n",
      GST_BUFFER_PTS (buffer), (int) map.size, (const char *) map.data);
  gst_buffer_unmap (buffer, &map);
  return GST_PAD_PROBE_OK;
}

static void
add_probe (Stream *stream, const char *element, const char *name,
    GstPadProbeCallback callback)
{
  g_autoptr (GstElement) e =
      gst_bin_get_by_name (GST_BIN (stream->pipeline), element);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (e, name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, stream, NULL);
}

static void
stream_begin (
    Stream *stream, const char *recording, const char *settings, gboolean live)
{
  g_autofree char *text = g_strdup_printf (
      "filesrc location=\"%s\" ! wavparse ! audioconvert ! audioresample ! "
      "identity sync=%d ! inferfilter name=f %s ! inferdecoder ! "
      "fakesink name=s",
      recording, live, settings);
  g_autoptr (GError) error = NULL;

  stream->pipeline = gst_parse_launch (text, &error);
  g_assert_no_error (error);
  stream->results = g_byte_array_new ();
  stream->text = g_string_new (NULL);
  add_probe (stream, "f", "src", on_result);
  add_probe (stream, "s", "sink", on_text);
  gst_element_set_state (stream->pipeline, GST_STATE_PLAYING);
}

static void
stream_join (Stream *stream)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (stream->pipeline);
  g_autoptr (GstMessage) message =
      gst_bus_timed_pop_filtered (bus, 120 * GST_SECOND,
          GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);

  g_assert_nonnull (message);
  if (GST_MESSAGE_TYPE (message) != GST_MESSAGE_EOS) {
    g_autofree char *said =
        gst_structure_to_string (gst_message_get_structure (message));
    g_error ("%s", said);
  }
  gst_element_set_state (stream->pipeline, GST_STATE_NULL);
  gst_clear_object (&stream->pipeline);
}

static void
stream_clear (Stream *stream)
{
  g_byte_array_unref (stream->results);
  g_string_free (stream->text, TRUE);
}

/* --- rounds --- */

typedef struct
{
  GPtrArray *paths;   /* of recordings */
  Stream *references; /* what they are here */
} Corpus;

static Corpus corpus;

static void
make_references (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autofree char *settings =
      g_strdup_printf ("model=\"%s/digits/model.xml\"", models);
  const char *name;

  corpus.paths = g_ptr_array_new_with_free_func (g_free);
  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".wav"))
      g_ptr_array_add (corpus.paths, g_build_filename (folder, name, NULL));
  g_assert_cmpuint (corpus.paths->len, >, 1);
  corpus.references = g_new0 (Stream, corpus.paths->len);
  for (guint i = 0; i < corpus.paths->len; i++) {
    stream_begin (
        &corpus.references[i], corpus.paths->pdata[i], settings, FALSE);
    stream_join (&corpus.references[i]);
    g_assert_cmpuint (corpus.references[i].n, >, 10);
  }
}

static void
compare (const Stream *stream, const Stream *reference)
{
  g_assert_cmpuint (stream->n, ==, reference->n);
  g_assert_cmpmem (stream->results->data, stream->results->len,
      reference->results->data, reference->results->len);
  g_assert_cmpstr (stream->text->str, ==, reference->text->str);
}

/* Kills, drains or adds @server while streams run. */
static void
disturb (Server *server, const char *kind)
{
  g_usleep (g_random_int_range (300, 1200) * 1000);
  if (g_str_equal (kind, "kill"))
    server_end (server, SIGKILL);
  else if (g_str_equal (kind, "drain"))
    server_end (server, SIGTERM);
  else
    server_start (server);
}

/* The longest pause of a stream, ms. */
static guint
run_round (const char *kind, guint round)
{
  g_autofree Stream *streams = g_new0 (Stream, n_streams);
  Server *server = &servers[round % SERVERS];
  g_autofree char *settings = g_strdup_printf (
      "device=REMOTE nireq=2 "
      "model=grpc://127.0.0.1:%u,127.0.0.1:%u,127.0.0.1:%u/digits",
      servers[0].port, servers[1].port, servers[2].port);
  gint64 longest = 0;

  for (guint s = 0; s < SERVERS; s++)
    if (servers[s].pid == 0
        && !(g_str_equal (kind, "add") && &servers[s] == server))
      server_start (&servers[s]);
  if (g_str_equal (kind, "add") && server->pid != 0)
    server_end (server, SIGKILL);
  for (guint s = 0; s < n_streams; s++)
    stream_begin (&streams[s], corpus.paths->pdata[s % corpus.paths->len],
        settings, TRUE);
  disturb (server, kind);
  for (guint s = 0; s < n_streams; s++) {
    stream_join (&streams[s]);
    compare (&streams[s], &corpus.references[s % corpus.paths->len]);
    longest = MAX (longest, streams[s].longest);
    stream_clear (&streams[s]);
  }
  return (guint) (longest / 1000);
}

static void
run_rounds (const char *kind, guint rounds)
{
  guint worst = 0, above = 0;

  for (guint round = 0; round < rounds; round++) {
    const guint longest = run_round (kind, round);

    worst = MAX (worst, longest);
    above += longest > 1000;
    g_assert_cmpuint (longest, <=, pause_ms);
  }
  g_print ("%s: %u rounds of %u streams bit for bit; longest pause %u ms, in "
           "%u rounds above 1000\n",
      kind, rounds, n_streams, worst, above);
}

static guint
number_of (int argc, char **argv, int index, guint otherwise)
{
  return argc > index ? (guint) g_ascii_strtoull (argv[index], NULL, 10)
                      : otherwise;
}

int
main (int argc, char **argv)
{
  static const char *const kinds[] = { "kill", "drain", "add" };

  gst_init (&argc, &argv);
  if (argc < 4)
    return 2;
  program = argv[1];
  models = argv[2];
  const guint rounds = number_of (argc, argv, 4, 1);
  n_streams = number_of (argc, argv, 5, n_streams);
  pause_ms = number_of (argc, argv, 6, pause_ms);
  /* Below the ports that connections take, and those of the tests beside. */
  for (guint s = 0; s < SERVERS; s++)
    servers[s].port = 26000 + (guint) (getpid () % 1300) * 4 + s;
  make_references (argv[3]);
  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    if (argc <= 7 || g_str_equal (argv[7], kinds[k]))
      run_rounds (kinds[k], rounds);
  for (guint s = 0; s < SERVERS; s++)
    if (servers[s].pid != 0)
      server_end (&servers[s], SIGKILL);
  return 0;
}
