/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What element tests share: samples in, tensors or text out. */

#pragma once

#include <gst/check/gstharness.h>

#define TEST_RATE 16000
#define TEST_AUDIO_CAPS                                                        \
  "audio/x-raw, format=F32LE, layout=interleaved, rate=16000, channels=1"

/* Path below the source root.  (transfer full) */
char *test_path (const char *path);

/* An inferfilter with tests/data/@model and @more properties.  (transfer full)
 */
char *test_filter (const char *model, const char *more);

/* A harness around @description with a bus (transfer none) to read messages
 * from. */
GstHarness *test_harness (const char *description);
GstBus *test_bus (GstHarness *harness);
/* The end of one: messages that nobody has read would keep the element. */
void test_teardown (GstHarness *harness);
/* The next error's text, NULL: none.  (transfer full) */
char *test_pop_error (GstHarness *harness);

/* @description does not start, for one reason that has @part. */
void test_start_fails (const char *description, const char *part);

/* One of GStreamer's own, which tests do not look for; FALSE: it is without it.
 */
gboolean test_load_plugin (const char *name);

/* Samples of pipelines/recordings/@name, or any absolute path. */
float *test_load_wav (const char *name, gsize *n);

/* Buffers of @part samples, timestamped from @start; the first has DISCONT. */
GstFlowReturn test_push_samples (GstHarness *harness, const float *samples,
    gsize n, gsize part, GstClockTime start);

float test_first_value (GstBuffer *buffer);

/* EOS, and everything up to it: floats of all buffers, one after the other. */
GArray *test_finish_floats (GstHarness *harness);
/* The same as text. */
char *test_finish_text (GstHarness *harness);
/* Waits until EOS has come through. */
void test_wait_eos (GstHarness *harness);
/* FLUSH_START, FLUSH_STOP, SEGMENT; buffers and events so far are dropped. */
void test_flush (GstHarness *harness);
