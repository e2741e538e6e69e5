/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For tests of inferpublish. */

#pragma once

#include <gst/check/gstharness.h>

/* A harness around @description, which has got caps of 64 × 32.  (transfer
 * full) */
GstHarness *test_publisher (const char *description);
/* Frame number @n, 40 ms each; @found: with a cat at 16, 8.  (transfer full) */
GstBuffer *test_found_frame (guint n, gboolean found);

guint64 test_publish_counter (GstHarness *harness, const char *property);
/* Waits until @n lines are sent or dropped. */
void test_publish_wait (GstHarness *harness, guint64 n);
