/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/input/video-input.h"

#include "gst/filter/input/video-image.h"

#define VIDEO_CAPS                                                             \
  "video/x-raw, format = (string) %s, width = (int) [ 1, " G_STRINGIFY (       \
      GST_INFER_MAX_SIZE) " ], "                                               \
                          "height = (int) [ 1, " G_STRINGIFY (                 \
                              GST_INFER_MAX_SIZE) " ]"

static gboolean
is_channels (gint64 dim)
{
  return dim == 1 || dim == 3 || dim == 4;
}

static gboolean
takes_video (const InferModel *model)
{
  if (infer_model_n_inputs (model) != 1)
    return FALSE;
  const InferDesc *desc = infer_model_input_desc (model, 0);
  return desc->shape.rank == 4 && infer_preprocessor_takes (desc->type)
         && (desc->shape.dims[0] == 1 || desc->shape.dims[0] == INFER_DYNAMIC)
         && (is_channels (desc->shape.dims[1])
             || is_channels (desc->shape.dims[3]));
}

static gboolean
is_true (const InferModel *model, const char *key)
{
  const char *value = infer_model_get_info (model, key);

  return value != NULL
         && (g_ascii_strcasecmp (value, "true") == 0
             || g_ascii_strcasecmp (value, "yes") == 0);
}

/* OpenVINO's Model API has images in the order blue, green, red, and the key
 * says whether the model wants the reverse; without the key it is red first.
 * With embedded_processing all of it is part of the model. */
static gboolean
read_settings (
    InferPreprocess *settings, const InferModel *model, GError **error)
{
  const InferDesc *desc = infer_model_input_desc (model, 0);
  const char *reverse = infer_model_get_info (model, "reverse_input_channels");
  gboolean embedded = is_true (model, "embedded_processing");

  if (!infer_preprocess_from_model (settings, model, 0, error))
    return FALSE;
  if (embedded) {
    InferImageLayout layout = settings->model;

    infer_preprocess_defaults (settings, desc);
    settings->model = layout;
  }
  gint64 channels =
      desc->shape.dims[settings->model == INFER_IMAGE_NCHW ? 1 : 3];
  settings->reverse =
      channels >= 3
      && (embedded
          || (reverse != NULL && *reverse != '\0' && !settings->reverse));
  return TRUE;
}

int
gst_infer_video_channel_axis (const InferModel *model)
{
  InferPreprocess settings;

  if (!takes_video (model) || !read_settings (&settings, model, NULL))
    return -1;
  return settings.model == INFER_IMAGE_NCHW ? 1 : 3;
}

/* The same in other memories. */
static void
append_memories (GstCaps *caps)
{
  static const char *const memories[] = GST_INFER_VIDEO_MEMORIES;
  guint n = gst_caps_get_size (caps);

  for (guint m = 0; m < G_N_ELEMENTS (memories); m++)
    gst_caps_append_structure_full (caps,
        gst_structure_copy (gst_caps_get_structure (caps, n - 1)),
        gst_caps_features_new (memories[m], NULL));
}

GstCaps *
gst_infer_video_caps (const InferModel *model, gboolean native)
{
  InferPreprocess settings;
  const char *formats = GST_INFER_VIDEO_FORMATS;
  GstCaps *first, *sized;

  if (!takes_video (model) || !read_settings (&settings, model, NULL))
    return gst_caps_new_empty ();
  InferShape shape = infer_model_input_desc (model, 0)->shape;
  gint64 channels = shape.dims[settings.model == INFER_IMAGE_NCHW ? 1 : 3];
  if (channels == 4)
    formats = GST_INFER_VIDEO_ALPHA_FORMATS;
  g_autofree char *text = g_strdup_printf (VIDEO_CAPS, formats);
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  append_memories (caps);
  int h = settings.model == INFER_IMAGE_NCHW ? 2 : 1;
  if (!native || settings.resize != INFER_RESIZE_STRETCH || shape.dims[h] < 1
      || shape.dims[h + 1] < 1 || shape.dims[h] > GST_INFER_MAX_SIZE
      || shape.dims[h + 1] > GST_INFER_MAX_SIZE)
    return g_steal_pointer (&caps);
  sized = gst_caps_copy_nth (caps, 0);
  gst_caps_set_simple (sized, "height", G_TYPE_INT, (int) shape.dims[h],
      "width", G_TYPE_INT, (int) shape.dims[h + 1], NULL);
  first = gst_caps_copy (sized);
  gst_caps_set_simple (first, "format", G_TYPE_STRING,
      channels == 1      ? "GRAY8"
      : settings.reverse ? channels == 4 ? "BGRA" : "BGR"
      : channels == 4    ? "RGBA"
                         : "RGB",
      NULL);
  gst_caps_append (first, sized);
  gst_caps_append (first, g_steal_pointer (&caps));
  return first;
}

/* @box: the frame; becomes the part of it that @crop names. */
static gboolean
read_crop (InferBox *box, const char *crop, GError **error)
{
  g_auto (GStrv) parts = NULL;
  gint64 values[4];

  if (crop == NULL || *crop == '\0')
    return TRUE;
  parts = g_strsplit (crop, ",", -1);
  for (guint i = 0; i < 4; i++)
    if (g_strv_length (parts) != 4
        || !g_ascii_string_to_signed (g_strstrip (parts[i]), 10, i < 2 ? 0 : 1,
            GST_INFER_MAX_SIZE, &values[i], NULL))
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "crop=%s is not X,Y,WIDTH,HEIGHT", crop);
  if (values[0] + values[2] > box->width || values[1] + values[3] > box->height)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "crop=%s does not lie in a frame of %" G_GINT64_FORMAT
        " × %" G_GINT64_FORMAT,
        crop, box->width, box->height);
  *box = (InferBox){ values[0], values[1], values[2], values[3] };
  return TRUE;
}

gboolean
gst_infer_video_negotiate (GstInferVideo *video, const InferModel *model,
    const GstCaps *caps, const char *crop, GError **error)
{
  InferImage image = { .type = INFER_TYPE_U8 };

  if (!takes_video (model)) {
    g_autofree char *shape =
        infer_shape_to_string (&infer_model_input_desc (model, 0)->shape);
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the model has no image as its only input: %u inputs, the first is %s "
        "of %s",
        infer_model_n_inputs (model),
        infer_type_name (infer_model_input_desc (model, 0)->type), shape);
  }
  if (!read_settings (&video->settings, model, error))
    return FALSE;
  g_autoptr (GstCaps) known = gst_infer_video_caps (model, FALSE);
  if (!gst_caps_is_subset (caps, known)
      || !gst_video_info_from_caps (&video->info, caps))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "video must be of 8 to 16 bits a component%s, in system memory, DMABuf or "
        "GLMemory: put videoconvert before it",
        gst_caps_is_empty (known) ? "" : ", of a format that is offered");
  InferPreprocessor *preprocessor = infer_preprocessor_new (
      &video->settings, infer_model_input_desc (model, 0), error);
  if (preprocessor == NULL)
    return FALSE;
  image.width = GST_VIDEO_INFO_WIDTH (&video->info);
  image.height = GST_VIDEO_INFO_HEIGHT (&video->info);
  image.n = GST_VIDEO_INFO_N_COMPONENTS (&video->info);
  video->box = (InferBox){ 0, 0, image.width, image.height };
  gboolean ok = read_crop (&video->box, crop, error)
                && infer_preprocessor_image_shape (
                    preprocessor, &image, &video->box, &video->shape, error);
  infer_preprocessor_free (preprocessor);
  return ok;
}

void
gst_infer_video_input_size (const GstInferVideo *video, const InferShape *shape,
    guint *width, guint *height)
{
  int h = video->settings.model == INFER_IMAGE_NCHW ? 2 : 1;

  *height = (guint) shape->dims[h];
  *width = (guint) shape->dims[h + 1];
}
