/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GStreamer's own tracers: the latency of the element and leaked objects.  And
 * LATENCY messages when a device becomes slower. */

#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gst/filter/gstinferfilter.h"
#include "inference/runtime/backend.h"
#include "tests/check/stream/models.h"
#include "tests/check/support/tracers/tracers.h"
#include "tests/check/support/fake-backend.h"

#define TENSORS                                                                \
  "other/tensors, format=static, num_tensors=1, types=(string)float32, "       \
  "dimensions=(string)4:1, framerate=(fraction)10/1"
#define AUDIO                                                                  \
  "audio/x-raw, format=F32LE, layout=interleaved, rate=1000, channels=1"
#define DELAY_US 20000
#define LATENCY_TRACER "latency(flags=element)"

/* inferfilter's latency as logged by the tracer, ns. */
static GMutex lock;
static guint n_latencies;
static guint64 latency_sum, latency_max;

static void
read_line (const char *text)
{
  const char *time = strstr (text, "time=(guint64)");

  g_mutex_lock (&lock);
  if (g_str_has_prefix (text, "element-latency,")
      && strstr (text, "element=(string)watched") != NULL && time != NULL) {
    guint64 ns = g_ascii_strtoull (time + strlen ("time=(guint64)"), NULL, 10);

    n_latencies++;
    latency_sum += ns;
    latency_max = MAX (latency_max, ns);
  }
  g_mutex_unlock (&lock);
}

/* A source and a sink around the element: the tracer needs both. */
typedef struct
{
  GstElement *source, *filter, *sink;
  GstPad *src;
  GstBus *bus;
  gint n; /* atomic: number of results */
} Rig;

static GstFlowReturn
take (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Rig *rig = gst_pad_get_element_private (pad);

  gst_buffer_unref (buffer);
  g_atomic_int_inc (&rig->n);
  return GST_FLOW_OK;
}

static gboolean
swallow (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

static gboolean
answer (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_latency (query, TRUE, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

/* Not bins, which the tracer ignores. */
typedef GstElement TestEnd;
typedef GstElementClass TestEndClass;
static GType test_end_get_type (void);
G_DEFINE_TYPE (TestEnd, test_end, GST_TYPE_ELEMENT)

static void
test_end_class_init (TestEndClass *klass)
{
  gst_element_class_set_static_metadata (
      klass, "end", "Test", "end of a pipeline", "inferfilter");
}

static void
test_end_init (TestEnd *self)
{
}

static GstElement *
make_end (const char *name, GstPad *pad, GstElementFlags flag)
{
  GstElement *element =
      g_object_ref_sink (g_object_new (test_end_get_type (), NULL));

  gst_object_set_name (GST_OBJECT (element), name);
  GST_OBJECT_FLAG_SET (element, flag);
  gst_element_add_pad (element, pad);
  gst_pad_set_active (pad, TRUE);
  return element;
}

static GstStaticPadTemplate any_sink = GST_STATIC_PAD_TEMPLATE (
    "sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static void
rig_begin (Rig *rig, const char *shape, guint rate, const char *caps_text)
{
  g_autofree char *path = test_model_path (shape, TRUE, rate, 1, 0);
  g_autoptr (GstCaps) caps = gst_caps_from_string (caps_text);
  GstPad *sink = gst_pad_new_from_static_template (&any_sink, "sink");
  GstSegment segment;

  *rig = (Rig){ .bus = gst_bus_new () };
  rig->src = gst_pad_new ("src", GST_PAD_SRC);
  gst_pad_set_query_function (rig->src, answer);
  gst_pad_set_element_private (sink, rig);
  gst_pad_set_chain_function (sink, take);
  gst_pad_set_event_function (sink, swallow);
  rig->source = make_end ("source", rig->src, GST_ELEMENT_FLAG_SOURCE);
  rig->sink = make_end ("sink", sink, GST_ELEMENT_FLAG_SINK);
  rig->filter = g_object_ref_sink (g_object_new (GST_TYPE_INFER_FILTER, "name",
      "watched", "model", path, "device", "FAKECPU", NULL));
  gst_element_set_bus (rig->filter, rig->bus);
  g_autoptr (GstPad) in = gst_element_get_static_pad (rig->filter, "sink");
  g_autoptr (GstPad) out = gst_element_get_static_pad (rig->filter, "src");
  gst_pad_link (rig->src, in);
  gst_pad_link (out, sink);
  g_assert_true (gst_element_set_state (rig->filter, GST_STATE_PLAYING)
                 == GST_STATE_CHANGE_SUCCESS);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (rig->src, gst_event_new_stream_start ("latency"));
  gst_pad_push_event (rig->src, gst_event_new_caps (caps));
  gst_pad_push_event (rig->src, gst_event_new_segment (&segment));
}

static void
rig_end (Rig *rig)
{
  gst_element_set_state (rig->filter, GST_STATE_NULL);
  gst_bus_set_flushing (rig->bus, TRUE);
  gst_object_unref (rig->filter);
  gst_object_unref (rig->bus);
  gst_object_unref (rig->source);
  gst_object_unref (rig->sink);
}

static void
push (Rig *rig, gsize values, GstClockTime pts)
{
  g_autofree float *zeros = g_new0 (float, values);
  GstBuffer *buffer = gst_buffer_new_memdup (zeros, values * sizeof (float));

  GST_BUFFER_PTS (buffer) = pts;
  g_assert_cmpint (gst_pad_push (rig->src, buffer), ==, GST_FLOW_OK);
}

static GstClockTime
ask (Rig *rig)
{
  g_autoptr (GstPad) out = gst_element_get_static_pad (rig->filter, "src");
  g_autoptr (GstQuery) query = gst_query_new_latency ();
  GstClockTime min = 0;
  gboolean live;

  g_assert_true (gst_pad_query (out, query));
  gst_query_parse_latency (query, &live, &min, NULL);
  g_assert_true (live);
  return min;
}

static void
await (Rig *rig, gint n)
{
  while (g_atomic_int_get (&rig->n) < n)
    g_usleep (100);
}

static gboolean
is_within (guint64 have, guint64 want, double share)
{
  g_test_message (
      "%.2f ms and %.2f ms", (double) have / 1e6, (double) want / 1e6);
  return fabs ((double) have - (double) want) <= share * (double) want;
}

/* Load on the machine may lengthen one measurement. */
#define TRIES 5

static void
forget_latencies (void)
{
  g_mutex_lock (&lock);
  n_latencies = 0;
  latency_sum = latency_max = 0;
  g_mutex_unlock (&lock);
}

/* One inference per buffer: the latency is the time of the inference. */
static gboolean
tensors_agree (void)
{
  FakeSettings *fake = fake_reset ();
  Rig rig;

  fake->delay_us[INFER_STAGE_START] = DELAY_US;
  rig_begin (&rig, "1,4", 0, TENSORS);
  for (gint i = 0; i < 40; i++) {
    push (&rig, 4, (GstClockTime) i * GST_MSECOND);
    await (&rig, i + 1);
    if (i == 9)
      forget_latencies ();
  }
  g_assert_cmpuint (n_latencies, >=, 29);
  gboolean agree = is_within (ask (&rig), latency_sum / n_latencies, 0.1);
  rig_end (&rig);
  return agree;
}

static void
test_tensors (void)
{
  guint tries = 0;

  while (!tensors_agree ())
    g_assert_cmpuint (++tries, <, TRIES);
}

/* Windows of 20 ms, @part rows per buffer.  The tracer does not see the @wait
 * ns for which the first rows of a window wait for the last. */
static gboolean
windows_agree (guint part, GstClockTime wait)
{
  FakeSettings *fake = fake_reset ();
  Rig rig;

  fake->delay_us[INFER_STAGE_START] = DELAY_US / 2;
  rig_begin (&rig, "1,20", 1000, AUDIO);
  forget_latencies ();
  gint64 start = g_get_monotonic_time ();
  for (guint i = 0; i < 800; i += part) {
    while (g_get_monotonic_time () < start + (gint64) i * 1000)
      g_usleep (200);
    push (&rig, part, i * GST_MSECOND);
  }
  await (&rig, 40);
  g_assert_cmpuint (n_latencies, >=, 39);
  gboolean agree =
      is_within (ask (&rig) - wait, latency_sum / n_latencies, 0.1);
  rig_end (&rig);
  return agree;
}

static void
check_windows (guint part, GstClockTime wait)
{
  guint tries = 0;

  while (!windows_agree (part, wait))
    g_assert_cmpuint (++tries, <, TRIES);
}

static void
test_windows (void)
{
  check_windows (20, 0);
  check_windows (1, 19 * GST_MSECOND);
  check_windows (5, 15 * GST_MSECOND);
}

static guint
count_messages (Rig *rig)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_LATENCY))
         != NULL) {
    gst_message_unref (message);
    n++;
  }
  return n;
}

/* Answers a message: one at a time is posted, and the latency is more than
 * before by over a millisecond, or less by over a quarter.  How many there are
 * depends on how long each inference takes beside other load. */
static GstClockTime
answer_message (Rig *rig, guint n, GstClockTime before)
{
  const GstClockTime now = ask (rig);

  g_assert_cmpuint (n, ==, 1);
  if (now <= before + GST_MSECOND)
    g_assert_cmpuint (now + GST_MSECOND, <, before - before / 4);
  return now;
}

/* Three times slower: a message for each step up. */
static void
test_messages (void)
{
  FakeSettings *fake = fake_reset ();
  guint n = 0;
  Rig rig;

  fake->delay_us[INFER_STAGE_START] = 5000;
  rig_begin (&rig, "1,4", 0, TENSORS);
  for (gint i = 0; i < 30; i++) {
    push (&rig, 4, (GstClockTime) i * GST_MSECOND);
    await (&rig, i + 1);
  }
  ask (&rig);
  count_messages (&rig);
  for (gint i = 30; i < 50; i++) { /* the same speed */
    push (&rig, 4, (GstClockTime) i * GST_MSECOND);
    await (&rig, i + 1);
  }
  g_assert_cmpuint (count_messages (&rig), <=, 1);
  GstClockTime latency = ask (&rig);
  fake->delay_us[INFER_STAGE_START] = 15000;
  for (gint i = 50; i < 100; i++) {
    push (&rig, 4, (GstClockTime) i * GST_MSECOND);
    await (&rig, i + 1);
    const guint n_new = count_messages (&rig);
    if (n_new > 0) {
      n++;
      latency = answer_message (&rig, n_new, latency);
    }
  }
  g_assert_cmpuint (n, >=, 1);
  g_assert_cmpuint (ask (&rig), >, 14 * GST_MSECOND);
  g_assert_cmpuint (ask (&rig), <, 30 * GST_MSECOND);
  rig_end (&rig);
}

/* Runs last: ending GStreamer reports the leaks. */
static void
test_leaks (void)
{
  g_assert_cmpuint (test_tracers_end (), ==, 0);
}

/* From GStreamer 1.26 on, pads push sticky events under a lock that the latency
 * tracer takes, too. */
static gboolean
latency_tracer_works (void)
{
  pid_t child = fork ();
  int status = -1;

  if (child == 0) {
    alarm (5);
    test_tracers_begin (LATENCY_TRACER, NULL);
    GstPad *src = gst_pad_new ("src", GST_PAD_SRC);
    GstPad *sink = gst_pad_new ("sink", GST_PAD_SINK);
    gst_pad_set_event_function (sink, swallow);
    make_end ("source", src, GST_ELEMENT_FLAG_SOURCE);
    make_end ("sink", sink, GST_ELEMENT_FLAG_SINK);
    gst_pad_link (src, sink);
    gst_pad_push_event (src, gst_event_new_stream_start ("latency"));
    _exit (0);
  }
  return child > 0 && waitpid (child, &status, 0) == child && status == 0;
}

static void
test_nothing (void)
{
  g_test_skip ("the latency tracer of this GStreamer hangs");
}

int
main (int argc, char **argv)
{
  if (!test_tracers_exist ())
    return 77; /* plugin not installed: skip */
  gboolean latency = latency_tracer_works ();
  test_tracers_begin (latency ? LATENCY_TRACER ";leaks" : "leaks", read_line);
  g_test_init (&argc, &argv, NULL);
  infer_backend_add (&fake_cpu);
  g_test_add_func ("/tracers/tensors", latency ? test_tensors : test_nothing);
  g_test_add_func ("/tracers/windows", latency ? test_windows : test_nothing);
  g_test_add_func ("/tracers/messages", test_messages);
  g_test_add_func ("/tracers/leaks", test_leaks);
  int failed = g_test_run ();
  test_models_remove ();
  return failed;
}
