/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An application that feeds a model and reads its tensors, states and figures:
 * appsrc → inferfilter → appsink.  docs/guides/embedding.md explains it;
 * embed.py and embed.rs do the same.
 *
 *   cc embed.c -o embed $(pkg-config --cflags --libs gstreamer-infer-1.0 \
 *     gstreamer-app-1.0)
 *   ./embed ../models/digits/digits-wave.xml ../recordings/af_kore-0-clean.wav
 */

#include <gst/app/app.h>
#include <gst/infer/infer.h>

#define WAV_HEADER 44
#define RATE 16000

static void
print_tensor (GstSample *sample)
{
  const GstCaps *caps = gst_sample_get_caps (sample);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferTensor) tensor = gst_infer_buffer_get_tensor (
      gst_sample_get_buffer (sample), caps, 0, &error);

  if (tensor == NULL)
    g_error ("%s", error->message);
  g_autofree char *shape = infer_shape_to_string (&tensor->shape);
  g_print ("tensor %s %s, caps %s\n", infer_type_name (tensor->type), shape,
      gst_structure_get_string (
          gst_caps_get_structure (caps, 0), "dimensions"));
}

/* Saves the states, resets them, and sets what was saved. */
static void
print_states (GstElement *filter)
{
  g_auto (GStrv) names = NULL;

  g_object_get (filter, "state-names", &names, NULL);
  for (guint i = 0; names[i] != NULL; i++) {
    g_autoptr (GstSample) sample = NULL;
    gboolean reset, set;

    g_signal_emit_by_name (filter, "get-state", names[i], &sample);
    g_signal_emit_by_name (filter, "reset-state", &reset);
    g_signal_emit_by_name (filter, "set-state", names[i], sample, &set);
    g_print ("state %s, %" G_GSIZE_FORMAT " bytes, %s\n", names[i],
        gst_buffer_get_size (gst_sample_get_buffer (sample)),
        reset && set ? "set" : "not set");
  }
}

static void
print_stats (GstElement *filter)
{
  g_autoptr (GstStructure) stats = NULL;
  guint64 buffers = 0, inferences = 0;

  g_object_get (filter, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "buffers", &buffers);
  gst_structure_get_uint64 (stats, "inferences", &inferences);
  g_print ("%" G_GUINT64_FORMAT " buffers, %" G_GUINT64_FORMAT " inferences\n",
      buffers, inferences);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *wav = NULL;
  gsize size;

  gst_init (&argc, &argv);
  if (argc != 3 || !g_file_get_contents (argv[2], &wav, &size, &error)) {
    g_printerr ("usage: embed MODEL RECORDING.wav (16 kHz, mono)%s%s\n",
        error != NULL ? ": " : "", error != NULL ? error->message : "");
    return 2;
  }
  g_autoptr (GstElement) pipeline = gst_parse_launch (
      "appsrc name=in format=time caps=audio/x-raw,format=S16LE,rate=16000,"
      "channels=1,layout=interleaved ! audioconvert ! inferfilter name=filter ! "
      "appsink name=out sync=false",
      &error);
  if (pipeline == NULL)
    g_error ("%s", error->message);
  g_autoptr (GstElement) in = gst_bin_get_by_name (GST_BIN (pipeline), "in");
  g_autoptr (GstElement) out = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  g_autoptr (GstElement) filter =
      gst_bin_get_by_name (GST_BIN (pipeline), "filter");
  GstSample *sample;
  guint n = 0;

  g_object_set (filter, "model", argv[1], NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  GstBuffer *buffer =
      gst_buffer_new_memdup (wav + WAV_HEADER, size - WAV_HEADER);
  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_DURATION (buffer) =
      gst_util_uint64_scale ((size - WAV_HEADER) / 2, GST_SECOND, RATE);
  gst_app_src_push_buffer (GST_APP_SRC (in), buffer);
  gst_app_src_end_of_stream (GST_APP_SRC (in));
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (out))) != NULL) {
    if (n++ == 0)
      print_tensor (sample);
    gst_sample_unref (sample);
  }
  g_print ("%u tensors\n", n);
  print_states (filter);
  print_stats (filter);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return n > 0 ? 0 : 1;
}
