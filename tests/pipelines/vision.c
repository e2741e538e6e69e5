/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The models of ../shared/models on their sample pictures, through the runtime
 * and inferdecoder: results equal the references (made by
 * data/make-video-references from the reference outputs), boxes with an IoU of
 * at least 0.95.
 *
 * Arguments: the folder of models, the table.  Exit status 77 without the
 * folder. */

#include <gst/check/gstharness.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gst/infer/keypoints-meta.h"
#include "gst/infer/mask-meta.h"
#include "inference/base/npy.h"
#include "infer/request.h"
#include "tests/check/support/frame.h"

#define WIDTH 1280
#define HEIGHT 720
#define CAPS "video/x-raw, format=I420, width=1280, height=720, framerate=0/1"

typedef struct
{
  const char *model, *input[2], *decoder;
  guint width, height; /* of the first input */
} Case;

static const Case cases[] = {
  { "ulfg_face_rfb320", { "input_0", "input_1" }, "threshold=0.7", 320, 240 },
  { "mp_face_detection_short", { "input_0", "input_1" }, "", 128, 128 },
  { "mp_face_detection_full_sparse", { "input_1" }, "", 192, 192 },
  { "mp_face_landmark", { "input_1" }, "", 192, 192 },
  { "mobilenet_v2_int8", { "input_0", "input_1" }, "labels-file=%s/labels.txt",
      224, 224 },
  { "deeplabv3_dm05_int8", { "MobilenetV2_MobilenetV2_input" }, "", 513, 513 },
  { "mp_selfie_segmentation", { "input_1_0", "input_1_1" }, "", 256, 256 },
  { "ppocr_v4_rec", { "x_0", "x_1" }, "mode=ctc labels-file=%s/characters.txt",
      320, 48 },
  { "ppocr_v4_det", { "x_0", "x_1" }, "mode=text-detection", 320, 320 },
};

typedef struct
{
  char thing[32], label[64];
  double score, box[4];
} Row;

static const char *folder;
static GArray *rows; /* (element-type Row) of the current case */
static guint failures, compared;

static void
fail (const Case *c, guint sample, const Row *row, const char *why, double got)
{
  g_printerr ("%s, sample %u, %s '%s' (%g): %s: %g\n", c->model, sample,
      row->thing, row->label, row->score, why, got);
  failures++;
}

static void
read_rows (const char *table, const Case *c, guint sample)
{
  g_auto (GStrv) lines = g_strsplit (table, "\n", -1);
  g_autofree char *start = g_strdup_printf ("%s\t%u\t", c->model, sample);

  g_array_set_size (rows, 0);
  for (guint i = 0; lines[i] != NULL; i++) {
    g_auto (GStrv) parts = g_strsplit (lines[i], "\t", -1);
    Row row = { 0 };

    if (!g_str_has_prefix (lines[i], start) || g_strv_length (parts) < 9)
      continue;
    g_strlcpy (row.thing, parts[2], sizeof row.thing);
    g_strlcpy (row.label, parts[3], sizeof row.label);
    row.score = g_ascii_strtod (parts[4], NULL);
    for (guint k = 0; k < 4; k++)
      row.box[k] = g_ascii_strtod (parts[5 + k], NULL);
    g_array_append_val (rows, row);
  }
}

/* --- results --- */

static float
intersection_over_union (const Row *row, GstInferBox got)
{
  float x0 = (float) row->box[0] * WIDTH, y0 = (float) row->box[1] * HEIGHT;
  float x1 = (float) row->box[2] * WIDTH, y1 = (float) row->box[3] * HEIGHT;
  float w = MIN (x1, got.x1) - MAX (x0, got.x0);
  float h = MIN (y1, got.y1) - MAX (y0, got.y0);
  float areas = (x1 - x0) * (y1 - y0) + (got.x1 - got.x0) * (got.y1 - got.y0);

  return w > 0 && h > 0 ? w * h / (areas - w * h) : 0;
}

static void
check_box (const Case *c, guint sample, GstBuffer *frame, const Row *row)
{
  float best = 0, score = 0;

  for (guint i = 0; i < test_count_regions (frame); i++) {
    GstVideoRegionOfInterestMeta *roi = test_region (frame, i);
    float iou = intersection_over_union (
        row, gst_infer_object_box (roi, WIDTH, HEIGHT));

    if (iou > best) {
      best = iou;
      score = (float) gst_infer_object_label (roi).confidence;
    }
  }
  if (best < 0.95)
    fail (c, sample, row, "IoU", best);
  else if (!g_str_equal (c->model, "ppocr_v4_det")
           && fabs (score - row->score) > 0.01)
    fail (c, sample, row, "score", score);
}

static void
check_point (const Case *c, guint sample, GstBuffer *frame, const Row *row)
{
  double x = row->box[0] * WIDTH, y = row->box[1] * HEIGHT, best = INFINITY;
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              frame, &state, GST_INFER_KEYPOINTS_META_API_TYPE))) {
    const GstInferKeypointsMeta *points = (GstInferKeypointsMeta *) meta;
    guint first = 0, last = points->n;

    if (row->thing[5] != '\0') { /* "point13": only this point */
      first = (guint) atoi (row->thing + 5);
      last = MIN (first + 1, points->n);
    }
    for (guint i = first; i < last; i++)
      best =
          MIN (best, hypot (points->points[i].x - x, points->points[i].y - y));
  }
  if (best > 1)
    fail (c, sample, row, "pixels off", best);
}

static void
check_label (const Case *c, guint sample, GstBuffer *frame, const Row *row)
{
  GstCustomMeta *meta =
      gst_buffer_get_custom_meta (frame, GST_INFER_LABEL_META);
  GstInferLabel got = { 0 };

  if (meta != NULL)
    got = gst_infer_read_label (gst_custom_meta_get_structure (meta));
  if (g_strcmp0 (got.label, row->label) != 0) {
    g_printerr ("  got '%s'\n", got.label);
    fail (c, sample, row, "label", got.label_id);
  } else if (fabs (got.confidence - row->score) > 0.05) {
    fail (c, sample, row, "confidence", got.confidence);
  }
}

/* "mean" of a soft mask, or "pixelsN": the share of class N. */
static void
check_mask (const Case *c, guint sample, GstBuffer *frame, const Row *row)
{
  GstInferMaskMeta *mask = (GstInferMaskMeta *) gst_buffer_get_meta (
      frame, GST_INFER_MASK_META_API_TYPE);
  const guint8 *data = g_bytes_get_data (mask->data, NULL);
  gboolean mean = g_str_equal (row->thing, "mean");
  int label = mean ? 0 : atoi (row->thing + strlen ("pixels"));
  gsize n = (gsize) mask->width * mask->height;
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += mean ? data[i] / 255.0 : data[i] == label;
  /* Integer kernels differ by this much at object borders. */
  if (fabs (sum / (double) n - row->score) > 0.01)
    fail (c, sample, row, "share", sum / (double) n);
}

static void
check (const Case *c, guint sample, GstBuffer *frame)
{
  guint boxes = 0;

  for (guint i = 0; i < rows->len; i++) {
    const Row *row = &g_array_index (rows, Row, i);

    if (g_str_equal (row->thing, "box"))
      check_box (c, sample, frame, row);
    else if (g_str_has_prefix (row->thing, "point"))
      check_point (c, sample, frame, row);
    else if (g_str_equal (row->thing, "class")
             || g_str_equal (row->thing, "text"))
      check_label (c, sample, frame, row);
    else
      check_mask (c, sample, frame, row);
    boxes += g_str_equal (row->thing, "box");
    compared++;
  }
  if (boxes > 0 && !g_str_equal (c->model, "ppocr_v4_det")
      && test_count_regions (frame) != boxes) {
    g_printerr ("%s, sample %u: %u boxes instead of %u\n", c->model, sample,
        test_count_regions (frame), boxes);
    failures++;
  }
}

/* --- running --- */

static GstBuffer *
make_frame (const Case *c, InferRequest *request, InferModel *model)
{
  guint n = infer_model_n_outputs (model);
  g_autofree InferTensor **tensors = g_new (InferTensor *, n);
  g_autoptr (GString) names = g_string_new ("outputs=");
  GstVideoInfo video;

  for (guint i = 0; i < n; i++) {
    g_string_append_printf (
        names, "%s%s", i > 0 ? "," : "", infer_model_output_name (model, i));
    tensors[i] = infer_tensor_ref (infer_request_get_output (request, i, NULL));
  }
  g_autofree char *named =
      g_strdup_printf ("model=%s", infer_model_get_path (model));
  gst_video_info_set_format (&video, GST_VIDEO_FORMAT_I420, WIDTH, HEIGHT);
  GstBuffer *frame = test_frame (&video);
  test_add_tensors (frame, &video, c->width, c->height,
      test_model_info (named, names->str, NULL), n, tensors);
  return frame;
}

static gboolean
run_sample (const Case *c, guint sample, InferExecutable *executable,
    GstHarness *h, GError **error)
{
  g_autofree char *path = g_strdup_printf (
      "%s/%s/inputs/%s.npy", folder, c->model, c->input[sample]);
  g_autoptr (InferTensor) input = infer_npy_read (path, error);
  g_autoptr (InferRequest) request =
      input != NULL ? infer_request_new (executable, error) : NULL;

  if (request == NULL || !infer_request_set_input (request, 0, input, error)
      || !infer_request_infer (request, error))
    return FALSE;
  GstBuffer *frame =
      make_frame (c, request, infer_executable_get_model (executable));
  if (gst_harness_push (h, frame) != GST_FLOW_OK)
    return infer_fail (error, INFER_ERROR_FAILED, "inferdecoder refused it");
  frame = gst_harness_pull (h);
  check (c, sample, frame);
  gst_buffer_unref (frame);
  return TRUE;
}

static gboolean
run_case (const Case *c, const char *table, GError **error)
{
  g_autofree char *path = g_strdup_printf ("%s/%s/model.xml", folder, c->model);
  g_autofree char *own = g_strdup_printf ("%s/%s", folder, c->model);
  g_autoptr (GString) settings = g_string_new (c->decoder);
  g_autoptr (InferModel) model = infer_model_load (path, NULL, error);
  g_autoptr (InferRuntime) runtime =
      model != NULL ? infer_runtime_new (NULL, NULL, error) : NULL;
  g_autoptr (InferExecutable) executable =
      runtime != NULL ? infer_executable_new (model, runtime, error) : NULL;
  gboolean ok = TRUE;

  if (executable == NULL)
    return FALSE;
  g_string_replace (settings, "%s", own, 0);
  g_autofree char *element = g_strdup_printf ("inferdecoder %s", settings->str);
  GstHarness *h = gst_harness_new_parse (element);
  gst_harness_set_src_caps_str (h, CAPS);
  for (guint sample = 0; sample < 2 && c->input[sample] != NULL && ok;
       sample++) {
    guint before = compared;

    read_rows (table, c, sample);
    ok = run_sample (c, sample, executable, h, error);
    g_print (
        "%s, sample %u: %u compared\n", c->model, sample, compared - before);
  }
  gst_harness_teardown (h);
  return ok;
}

int
main (int argc, char **argv)
{
  g_autofree char *table = NULL;

  gst_init (&argc, &argv);
  if (argc < 3)
    return 2;
  folder = argv[1];
  if (!g_file_test (folder, G_FILE_TEST_IS_DIR)) {
    g_print ("no %s: skipped\n", folder);
    return 77;
  }
  if (!g_file_get_contents (argv[2], &table, NULL, NULL))
    return 2;
  rows = g_array_new (FALSE, FALSE, sizeof (Row));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GError) error = NULL;

    if (!run_case (&cases[i], table, &error)) {
      g_printerr ("%s: %s\n", cases[i].model,
          error != NULL ? error->message : "inferdecoder failed");
      failures++;
    }
  }
  g_array_unref (rows);
  g_print ("%u compared, %u wrong\n", compared, failures);
  return failures == 0 && compared > 0 ? 0 : 1;
}
