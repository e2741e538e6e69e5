/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Prints the faces in a video: reads the results of inferdecoder and infertrack
 * from each buffer.  Needs only GStreamer to build:
 *
 *   cc faces.c -o faces $(pkg-config --cflags --libs gstreamer-video-1.0)
 *   ../video/get-model mp_face_detection_full_sparse
 *   ./faces MODEL.xml [FILE]             (without a file: a test picture) */

#include <gst/gst.h>
#include <gst/video/gstvideometa.h>

/* One line for each region of interest. */
static void
print_region (GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi)
{
  GstStructure *found =
      gst_video_region_of_interest_meta_get_param (roi, "detection");
  GstStructure *track =
      gst_video_region_of_interest_meta_get_param (roi, "object_id");
  double confidence = 0;
  int id = 0;

  if (found != NULL)
    gst_structure_get_double (found, "confidence", &confidence);
  if (track != NULL)
    gst_structure_get_int (track, "id", &id);
  g_print ("%.2f s: %s %d at %u,%u %ux%u (%.2f)\n",
      (double) GST_BUFFER_PTS (buffer) / GST_SECOND,
      g_quark_to_string (roi->roi_type), id, roi->x, roi->y, roi->w, roi->h,
      confidence);
}

static GstPadProbeReturn
on_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)))
    print_region (buffer, (GstVideoRegionOfInterestMeta *) (gpointer) meta);
  return GST_PAD_PROBE_OK;
}

static gboolean
run (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GError) error = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    g_printerr ("%s\n", error->message);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return error == NULL;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;

  gst_init (&argc, &argv);
  if (argc < 2) {
    g_printerr ("usage: %s MODEL.xml [FILE]\n", argv[0]);
    return 2;
  }
  const char *source = argc > 2 ? "filesrc name=file ! decodebin"
                                : "videotestsrc num-buffers=25";
  g_autofree char *description = g_strdup_printf (
      "%s ! videoconvert ! inferfilter name=filter output=media-with-meta ! "
      "inferdecoder threshold=0.6 ! infertrack ! fakesink name=sink",
      source);
  g_autoptr (GstElement) pipeline = gst_parse_launch (description, &error);
  if (pipeline == NULL) {
    g_printerr ("%s\n", error->message);
    return 1;
  }
  if (argc > 2) {
    g_autoptr (GstElement) file =
        gst_bin_get_by_name (GST_BIN (pipeline), "file");
    g_object_set (file, "location", argv[2], NULL);
  }
  g_autoptr (GstElement) filter =
      gst_bin_get_by_name (GST_BIN (pipeline), "filter");
  g_object_set (filter, "model", argv[1], NULL);
  g_autoptr (GstElement) sink =
      gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, NULL, NULL);
  return run (pipeline) ? 0 : 1;
}
