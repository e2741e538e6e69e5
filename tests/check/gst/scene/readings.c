/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Votes over the readings of one object. */

#include "gst/scene/readings.h"

#include <string.h>

static void
settles (const GstInferReadings *readings, GstInferReading how, guint least,
    double share, const char *want, double want_confidence)
{
  double confidence = 0;
  g_autofree char *text =
      gst_infer_readings_settle (readings, how, least, share, &confidence);

  g_assert_cmpstr (text, ==, want);
  if (want != NULL)
    g_assert_cmpfloat_with_epsilon (confidence, want_confidence, 1e-9);
}

static GstInferReadings *
read_all (const char *const *texts, const double *weights)
{
  GstInferReadings *readings = NULL;

  for (guint i = 0; texts[i] != NULL; i++)
    gst_infer_readings_add (&readings, texts[i], weights[i]);
  return readings;
}

/* One sure reading outweighs two doubtful ones. */
static void
test_text (void)
{
  static const char *const texts[] = { "AB 12", "A8 12", "A8 12", NULL };
  static const double weights[] = { 0.9, 0.3, 0.3 };
  GstInferReadings *readings = read_all (texts, weights);

  settles (readings, GST_INFER_READING_TEXT, 1, 0.5, "AB 12", 0.6);
  settles (readings, GST_INFER_READING_TEXT, 1, 0.7, NULL, 0);
  settles (readings, GST_INFER_READING_TEXT, 2, 0.5, NULL, 0);
  settles (NULL, GST_INFER_READING_TEXT, 1, 0.5, NULL, 0);
  gst_infer_readings_free (readings);
}

/* No frame has read it rightly, all of them together have; a text of another
 * length weakens all characters. */
static void
test_characters (void)
{
  static const char *const texts[] = { "XB-12", "ÄX-12", "ÄB-X2", "ÄB-1X", "Ä",
    NULL };
  static const double weights[] = { 0.5, 0.5, 0.5, 0.5, 0.5 };
  GstInferReadings *readings = read_all (texts, weights);

  settles (readings, GST_INFER_READING_CHARACTERS, 5, 0.6, "ÄB-12", 0.6);
  settles (readings, GST_INFER_READING_CHARACTERS, 6, 0.6, NULL, 0);
  settles (readings, GST_INFER_READING_CHARACTERS, 5, 0.7, NULL, 0);
  gst_infer_readings_free (readings);
}

/* Invalid texts do not count; of very many texts those with the largest weight
 * are kept. */
static void
test_many (void)
{
  GstInferReadings *readings = NULL;
  g_autofree char *long_text = g_strnfill (1000, 'x');

  gst_infer_readings_add (&readings, "", 1);
  gst_infer_readings_add (&readings, "\xff", 1);
  gst_infer_readings_add (&readings, long_text, 1);
  gst_infer_readings_add (&readings, "x", g_ascii_strtod ("nan", NULL));
  g_assert_null (readings);
  for (guint i = 0; i < 10000; i++) {
    g_autofree char *noise = g_strdup_printf ("%u", i);

    gst_infer_readings_add (&readings, noise, 0.1);
    if (i % 10 == 0)
      gst_infer_readings_add (&readings, "right", 5); /* counts as 1 */
  }
  settles (readings, GST_INFER_READING_TEXT, 1000, 0.99, "right",
      1000 / (1000 + 15 * 0.1));
  gst_infer_readings_free (readings);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/gst/scene/readings/text", test_text);
  g_test_add_func ("/gst/scene/readings/characters", test_characters);
  g_test_add_func ("/gst/scene/readings/many", test_many);
  return g_test_run ();
}
