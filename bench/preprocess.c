/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Conversion of a video frame to a model's input: our single pass, compared
 * with GstVideoConverter (as in videoconvertscale; one thread, bilinear) plus a
 * pass that normalises its RGB to planar floats.  Interleaved, medians. */

#include <gst/video/video.h>
#include <stdio.h>
#include <stdlib.h>

#include "gst/filter/input/video-image.h"
#include "infer/preprocess.h"

#define ROUNDS 400
#define MEAN 127.5f
#define SCALE 128.0f

typedef struct
{
  GstVideoFormat format;
  int width, height, to_width, to_height;
} Case;

static const Case cases[] = {
  { GST_VIDEO_FORMAT_I420, 640, 480, 320, 240 },
  { GST_VIDEO_FORMAT_NV12, 640, 480, 320, 240 },
  { GST_VIDEO_FORMAT_RGB, 640, 480, 320, 240 },
  { GST_VIDEO_FORMAT_BGRx, 640, 480, 320, 240 },
  { GST_VIDEO_FORMAT_I420, 1920, 1080, 320, 240 },
  { GST_VIDEO_FORMAT_I420, 1280, 720, 640, 640 },
};

typedef struct
{
  GstVideoFrame from, rgb;
  GstVideoConverter *converter;
  InferPreprocessor *ours;
  float *planar, *theirs;
} Work;

static GstVideoFrame
new_frame (GstVideoFormat format, int width, int height)
{
  GstVideoFrame frame;
  GstVideoInfo info;

  gst_video_info_set_format (&info, format, (guint) width, (guint) height);
  g_autoptr (GstBuffer) buffer =
      gst_buffer_new_allocate (NULL, info.size, NULL);
  if (!gst_video_frame_map (&frame, &info, buffer, GST_MAP_READWRITE))
    abort ();
  return frame;
}

static void
begin (Work *work, const Case *c)
{
  InferDesc desc = { INFER_TYPE_F32,
    infer_shape_make (4, (gint64) 1, (gint64) 3, (gint64) c->to_height,
        (gint64) c->to_width) };
  gsize n = (gsize) 3 * (gsize) c->to_width * (gsize) c->to_height;
  InferPreprocess settings;

  work->from = new_frame (c->format, c->width, c->height);
  for (gsize i = 0; i < work->from.info.size; i++)
    ((guint8 *) work->from.map[0].data)[i] =
        (guint8) (64 + i % 640 / 5 + (guint) rand () % 16);
  work->rgb = new_frame (GST_VIDEO_FORMAT_RGB, c->to_width, c->to_height);
  work->converter = gst_video_converter_new (&work->from.info, &work->rgb.info,
      gst_structure_new ("options", GST_VIDEO_CONVERTER_OPT_RESAMPLER_METHOD,
          GST_TYPE_VIDEO_RESAMPLER_METHOD, GST_VIDEO_RESAMPLER_METHOD_LINEAR,
          GST_VIDEO_CONVERTER_OPT_THREADS, G_TYPE_UINT, 1, NULL));
  infer_preprocess_defaults (&settings, &desc);
  for (guint i = 0; i < 3; i++) {
    settings.mean[i] = MEAN;
    settings.scale[i] = SCALE;
  }
  work->ours = infer_preprocessor_new (&settings, &desc, NULL);
  work->planar = g_new0 (float, n);
  work->theirs = g_new0 (float, n);
}

static void
end (Work *work)
{
  gst_video_converter_free (work->converter);
  gst_video_frame_unmap (&work->from);
  gst_video_frame_unmap (&work->rgb);
  infer_preprocessor_free (work->ours);
  g_free (work->planar);
  g_free (work->theirs);
}

static void
normalise (const GstVideoFrame *frame, float *to)
{
  int width = GST_VIDEO_FRAME_WIDTH (frame);
  int height = GST_VIDEO_FRAME_HEIGHT (frame);
  gsize plane = (gsize) width * (gsize) height;

  for (int y = 0; y < height; y++) {
    const guint8 *row = (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, 0)
                        + y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);
    float *out = to + (gsize) y * (gsize) width;

    for (int x = 0; x < width; x++)
      for (int c = 0; c < 3; c++)
        out[(gsize) c * plane + (gsize) x] =
            ((float) row[3 * x + c] - MEAN) * (1 / SCALE);
  }
}

static void
run_theirs (Work *work)
{
  gst_video_converter_frame (work->converter, &work->from, &work->rgb);
  normalise (&work->rgb, work->theirs);
}

static void
run_ours (Work *work)
{
  InferImage image;

  gst_infer_image_from_frame (&image, &work->from);
  infer_preprocessor_run_image (
      work->ours, &image, NULL, INFER_TYPE_F32, work->planar);
}

static double
time_of (void (*run) (Work *), Work *work)
{
  gint64 before = g_get_monotonic_time ();

  for (int i = 0; i < 4; i++)
    run (work);
  return (double) (g_get_monotonic_time () - before) / 4;
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

static void
run_case (const Case *c)
{
  static double theirs[ROUNDS / 4], ours[ROUNDS / 4];
  guint n = ROUNDS / 4;
  Work work;

  begin (&work, c);
  for (guint i = 0; i < n; i++) {
    theirs[i] = time_of (run_theirs, &work);
    ours[i] = time_of (run_ours, &work);
  }
  qsort (theirs, n, sizeof *theirs, compare);
  qsort (ours, n, sizeof *ours, compare);
  printf ("%-5s %4dx%-4d → %dx%d f32 planar: GStreamer %7.1f us, ours %7.1f "
          "us, ratio %.2f\n",
      gst_video_format_to_string (c->format), c->width, c->height, c->to_width,
      c->to_height, theirs[n / 2], ours[n / 2], theirs[n / 2] / ours[n / 2]);
  end (&work);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    run_case (&cases[i]);
  return 0;
}
