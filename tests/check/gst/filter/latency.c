/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/stream/latency.h"

/* TRUE: a LATENCY message is due. */
static gboolean
add (GstInferLatency *latency, GstClockTime total)
{
  gboolean changed;

  gst_infer_latency_add (latency, total, &changed);
  return changed;
}

/* A change is worth a message where something live relies on the answer, once
 * until that is asked for again. */
static void
test_messages (void)
{
  GstInferLatency latency = { 0 };

  g_mutex_init (&latency.lock);
  gst_infer_latency_reset (&latency, 0);
  g_assert_false (add (&latency, GST_MSECOND)); /* nobody has asked */
  gst_infer_latency_report (&latency, FALSE);
  g_assert_false (add (&latency, GST_SECOND)); /* nothing is live */
  gst_infer_latency_reset (&latency, 0);
  add (&latency, GST_MSECOND);
  gst_infer_latency_report (&latency, TRUE);
  g_assert_false (add (&latency, GST_MSECOND));
  g_assert_true (add (&latency, GST_SECOND));
  g_assert_false (add (&latency, GST_SECOND));
  g_assert_cmpuint (
      gst_infer_latency_report (&latency, TRUE), >, GST_SECOND / 5);
  g_assert_true (add (&latency, GST_SECOND));
  gst_infer_latency_reset (&latency, 0); /* forgets who asked */
  g_assert_false (add (&latency, GST_SECOND));
  g_mutex_clear (&latency.lock);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  gst_init (&argc, &argv);
  g_test_add_func ("/latency/messages", test_messages);
  return g_test_run ();
}
