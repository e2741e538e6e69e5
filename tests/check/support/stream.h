/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For element tests: samples in, tensors or text out. */

#pragma once

#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>

#define TEST_RATE 16000
#define TEST_AUDIO_CAPS                                                        \
  "audio/x-raw, format=F32LE, layout=interleaved, rate=16000, channels=1"

/* The tests @first … NULL, with @set_up and @tear_down (nullable) around each.
 */
Suite *test_suite (const char *name, SFun set_up, SFun tear_down, TFun first,
    ...) G_GNUC_NULL_TERMINATED;

/* Calls @check with each element of the plugin, and adds up what it returns,
 * which must be more than 0 for three elements. */
guint test_each_element (guint (*check) (GstElement *element));

/* @path below the source root.  (transfer full) */
char *test_path (const char *path);

/* A model that @element takes: @model of tests/data, but infertranscriber one
 * of speech.  (transfer full) */
char *test_model_for (gpointer element, const char *model);

/* An inferfilter with tests/data/@model and the properties @more.  (transfer
 * full) */
char *test_filter (const char *model, const char *more);

/* A harness around @description, and its bus (transfer none). */
GstHarness *test_harness (const char *description);
GstBus *test_bus (GstHarness *harness);
/* Ends a harness, and drops unread messages, which would keep the element
 * alive. */
void test_teardown (GstHarness *harness);
typedef GstHarness TestHarness;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TestHarness, test_teardown)
/* Text of the next error, or NULL.  (transfer full) */
char *test_pop_error (GstHarness *harness);

/* Unread messages of @type. */
guint test_count_messages (GstHarness *harness, GstMessageType type);

/* @description must fail to start, with one error that contains @part. */
void test_start_fails (const char *description, const char *part);

/* A plugin of GStreamer's, outside the tests' plugin path; FALSE if missing. */
gboolean test_load_plugin (const char *name);

/* Samples of pipelines/recordings/@name, or of an absolute path. */
float *test_load_wav (const char *name, gsize *n);

/* Pushes buffers of @part samples with timestamps from @start; the first has
 * DISCONT. */
GstFlowReturn test_push_samples (GstHarness *harness, const float *samples,
    gsize n, gsize part, GstClockTime start);

/* Input of summator.xml; @rate: a literal. */
#define TEST_SUMMATOR_CAPS(rate)                                               \
  "other/tensors, format=static, num_tensors=1, types=(string)float32, "       \
  "dimensions=(string)3:1, framerate=(fraction)" rate "/1"
/* A harness around an inferfilter with this model and the properties @more,
 * which has got caps of 10 buffers a second.  (transfer full) */
GstHarness *test_summator (const char *more);
/* Pushes three ones that last 100 ms. */
GstFlowReturn test_push_ones (GstHarness *harness, GstClockTime pts);

/* 1, 2, … @n.  (transfer full) */
float *test_ramp (gsize n);

float test_first_value (GstBuffer *buffer);

/* Sends EOS and returns the floats of all buffers up to it. */
GArray *test_finish_floats (GstHarness *harness);
/* The same for text. */
char *test_finish_text (GstHarness *harness);
/* Waits until EOS has arrived. */
void test_wait_eos (GstHarness *harness);
/* FLUSH_START, FLUSH_STOP, SEGMENT; drops all buffers and events so far. */
void test_flush (GstHarness *harness);
