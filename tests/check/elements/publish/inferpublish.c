/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <fcntl.h>
#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gst/infer/keypoints-meta.h"
#include "gst/infer/mask-meta.h"
#include "tests/check/support/folder.h"
#include "tests/check/support/frame.h"
#include "tests/check/elements/publish/publish.h"
#include "tests/check/support/stream.h"

static char *folder;

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
  GstHarness *h = test_publisher (element);
  GstBuffer *buffer = test_found_frame (1, TRUE);
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
    GstHarness *h = test_publisher (element);
    GstBuffer *buffer = test_found_frame (0, FALSE);

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
  g_autoptr (TestHarness) h = test_publisher (element);
  for (guint i = 0; i < 100; i++)
    gst_buffer_unref (
        gst_harness_push_and_pull (h, test_found_frame (i, TRUE)));
  test_publish_wait (h, 100);
  fail_unless_equals_int64 (test_publish_counter (h, "dropped"), 100);
  /* A reader that does not read: 64 KiB fit. */
  int fd = g_open (path, O_RDONLY | O_NONBLOCK, 0);
  for (guint i = 0; i < 1000; i++)
    gst_buffer_unref (
        gst_harness_push_and_pull (h, test_found_frame (i, TRUE)));
  test_publish_wait (h, 1100);
  fail_unless (test_publish_counter (h, "sent") > 100);
  fail_unless (test_publish_counter (h, "dropped") > 200);
  fail_unless (g_get_monotonic_time () - begin < 5 * G_USEC_PER_SEC);
  while ((n = read (fd, part, sizeof part)) > 0)
    g_string_append_len (got, part, n);
  gst_buffer_unref (
      gst_harness_push_and_pull (h, test_found_frame (7777, TRUE)));
  test_publish_wait (h, 1101);
  while ((n = read (fd, part, sizeof part)) > 0)
    g_string_append_len (got, part, n);
  fail_unless (g_str_has_suffix (got->str, "}\n"));
  lines = g_strsplit (got->str, "\n", -1);
  for (guint i = 0; lines[i][0] != '\0'; i++)
    fail_unless (g_str_has_prefix (lines[i], "{\"timestamp\":")
                     && g_str_has_suffix (lines[i], "\"roi_type\":\"cat\"}]}"),
        "line %u: %s", i, lines[i]);
  fail_unless_equals_int64 (
      g_strv_length (lines) - 1, test_publish_counter (h, "sent"));
  /* A reader that closes the FIFO does not end the process. */
  close (fd);
  gst_buffer_unref (gst_harness_push_and_pull (h, test_found_frame (0, TRUE)));
}
GST_END_TEST

/* Pushes @n frames.  Returns the longest push, in µs. */
static gint64
push_frames (GstHarness *h, guint n)
{
  gint64 longest = 0;

  for (guint i = 0; i < n; i++) {
    gint64 begin = g_get_monotonic_time ();

    gst_buffer_unref (
        gst_harness_push_and_pull (h, test_found_frame (i, TRUE)));
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
    const guint timeout = live ? 3000 : 700; /* ms, from the first line on */
    g_autofree char *element =
        g_strdup_printf ("inferpublish timeout=%u file-path=%s", timeout, path);

    fail_unless (mkfifo (path, 0600) == 0);
    g_autoptr (TestHarness) h = test_publisher (element);
    gst_harness_set_live (h, live);
    gint64 begin = g_get_monotonic_time ();
    gint64 longest = push_frames (h, 1200);
    gint64 all = g_get_monotonic_time () - begin;
    if (live)
      fail_unless (longest < timeout * 700, "%" G_GINT64_FORMAT, longest);
    else
      fail_unless (all > timeout * 900, "%" G_GINT64_FORMAT, all);
    test_publish_wait (h, 1200);
    fail_unless_equals_int64 (test_publish_counter (h, "sent"), 0);
  }
}
GST_END_TEST

static gpointer
push_many (gpointer data)
{
  GstHarness *h = data;

  while (gst_harness_push (h, test_found_frame (0, TRUE)) == GST_FLOW_OK)
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
    g_autoptr (TestHarness) h = test_publisher (element);
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
  g_autoptr (TestHarness) h = test_publisher (element);

  gst_harness_set_live (h, FALSE);
  push_frames (h, 3000);
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless_equals_int64 (test_publish_counter (h, "sent"), 3000);
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

typedef struct
{
  GstElement *element;
  char *paths[2];
  int stop; /* atomic */
} Changer;

static gboolean
exist (char *const *paths)
{
  return g_file_test (paths[0], G_FILE_TEST_EXISTS)
         && g_file_test (paths[1], G_FILE_TEST_EXISTS);
}

static gpointer
keep_changing (gpointer data)
{
  Changer *changer = data;

  for (guint n = 0; !g_atomic_int_get (&changer->stop); n++) {
    const guint i = n % 2;
    g_autofree char *name = g_strdup_printf ("%u", n);

    g_object_set (changer->element, "file-path", changer->paths[i], "source",
        name, "key", name, "tags", i == 0 ? "{\"a\":1}" : NULL, "address", name,
        "topic", name, "timeout", 1000 + i, NULL);
  }
  return NULL;
}

/* Settings may change while what they name is being opened: a start takes all
 * of them at once.  Run it under ThreadSanitizer, too. */
GST_START_TEST (test_change_while_starting)
{
  g_autoptr (GstElement) element =
      gst_object_ref_sink (gst_element_factory_make ("inferpublish", NULL));
  Changer changer = { .element = element };

  changer.paths[0] = path_in_folder ("one.jsonl");
  changer.paths[1] = path_in_folder ("other.jsonl");
  g_object_set (element, "file-path", changer.paths[0], NULL);
  GThread *thread = g_thread_new ("changer", keep_changing, &changer);
  for (guint i = 0; i < 300 || !exist (changer.paths); i++) {
    fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED),
        GST_STATE_CHANGE_SUCCESS);
    gst_element_set_state (element, GST_STATE_NULL);
  }
  g_atomic_int_set (&changer.stop, TRUE);
  g_thread_join (thread);
  g_free (changer.paths[0]);
  g_free (changer.paths[1]);
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
  g_autoptr (TestHarness) h = test_publisher (element);
  gst_harness_push (h, test_found_frame (0, TRUE));
  gst_harness_push_event (h, gst_event_new_eos ());
  g_autofree char *got = read_all (target);
  fail_unless (g_str_has_prefix (got, "{\"timestamp\":0"), "%s", got);
}
GST_END_TEST

static void
make_folder (void)
{
  folder = g_dir_make_tmp ("inferpublish-XXXXXX", NULL);
}

static void
remove_folder (void)
{
  test_remove_folder (folder);
  g_free (folder);
}

static Suite *
inferpublish_suite (void)
{
  return test_suite ("inferpublish", make_folder, remove_folder, test_line,
      test_empty, test_text, test_json, test_fifo, test_slow_receiver,
      test_flush_while_waiting, test_end, test_refused, test_links,
      test_change_while_starting, NULL);
}

GST_CHECK_MAIN (inferpublish)
