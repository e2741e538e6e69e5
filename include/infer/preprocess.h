/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Preprocessing of images: converts an image of any size to the model's input.
 * The steps, in this order: region, colour, size, padding, mean and scale,
 * layout, element type. */

#pragma once

#include "infer/api.h"
#include "infer/error.h"
#include "infer/image.h"
#include "infer/model.h"

G_BEGIN_DECLS

typedef enum
{
  INFER_IMAGE_NHWC,
  INFER_IMAGE_NCHW,
} InferImageLayout;

typedef enum
{
  INFER_RESIZE_STRETCH,   /* "standard": to the model's width and height */
  INFER_RESIZE_FIT,       /* "fit_to_window": top left, padded */
  INFER_RESIZE_LETTERBOX, /* "fit_to_window_letterbox": centred, padded */
  INFER_RESIZE_CROP, /* "crop": fills the input, cropped equally at both sides
                      */
} InferResize;

typedef struct
{
  InferImageLayout source; /* of the images */
  InferImageLayout model;
  InferResize resize;
  InferSampling interpolate;
  gboolean reverse; /* RGB ↔ BGR */
  float pad;        /* value of padding, before mean and scale */
  /* For dynamic sizes of the input.  Height: the width follows by the picture's
   * aspect ratio; 0: both are the picture's.  Both are rounded to a multiple of
   * open_multiple. */
  guint open_height, open_multiple;
  /* (value − mean) / scale, by channel of the model. */
  float mean[INFER_IMAGE_MAX_CHANNELS];
  float scale[INFER_IMAGE_MAX_CHANNELS];
} InferPreprocess;

/* Sets: stretch, linear, from NHWC to the layout that the input's shape
 * suggests, values unchanged. */
INFER_API void infer_preprocess_defaults (
    InferPreprocess *settings, const InferDesc *input);

/* Sets the defaults, then the values of the model's rt_info model_info:
 * resize_type, mean_values, scale_values, reverse_input_channels, pad_value,
 * layout, interpolation, as OpenVINO's Model API defines them, and our
 * input_height and size_multiple. */
INFER_API gboolean infer_preprocess_from_model (InferPreprocess *settings,
    const InferModel *model, guint input, GError **error);

/* --- for requests --- */

typedef struct _InferPreprocessor InferPreprocessor;

/* For one input, which must be an image: rank 4, channels known.  One thread at
 * a time.  (transfer full) */
INFER_API InferPreprocessor *infer_preprocessor_new (
    const InferPreprocess *settings, const InferDesc *input, GError **error);
INFER_API void infer_preprocessor_free (InferPreprocessor *self);

/* The same for a picture, or @region (nullable, not empty) of it, padded beyond
 * the picture.  The shape is that of one picture; @target is dense, of @type:
 * f32, f16, or u8 and i8, which are rounded and saturated. */
INFER_API gboolean infer_preprocessor_image_shape (
    const InferPreprocessor *self, const InferImage *image,
    const InferBox *region, InferShape *target, GError **error);
/* Whether @target may have @type. */
INFER_API gboolean infer_preprocessor_takes (InferType type);
INFER_API void infer_preprocessor_run_image (InferPreprocessor *self,
    const InferImage *image, const InferBox *region, InferType type,
    gpointer target);

/* From pixels of the input to pixels of the picture: input · scale + (x, y). */
typedef struct
{
  double x, y, scale_x, scale_y;
} InferPlacement;
INFER_API InferPlacement infer_preprocessor_place (
    const InferPreprocessor *self, const InferBox *region,
    const InferShape *target);

G_END_DECLS
