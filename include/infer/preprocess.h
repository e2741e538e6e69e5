/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Preprocessing of images, set for an input by the user: an image of any size
 * becomes what the model wants.  In this order: region (what the tensor is a
 * view of), colour, size, padding, mean and scale, layout, element type. */

#pragma once

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
  INFER_RESIZE_STRETCH,   /* "standard": to the model's size, whatever shape */
  INFER_RESIZE_FIT,       /* "fit_to_window": top left, padded */
  INFER_RESIZE_LETTERBOX, /* "fit_to_window_letterbox": centred, padded */
  INFER_RESIZE_CROP,      /* "crop": filled, what is too much cut off evenly */
} InferResize;

typedef struct
{
  InferImageLayout source; /* of the tensors that are set */
  InferImageLayout model;
  InferResize resize;
  InferSampling interpolate;
  gboolean reverse; /* RGB ↔ BGR */
  float pad;        /* of pixels beside the image, before mean and scale */
  /* Of sizes that the model leaves open.  Height: the width then keeps the
   * picture's shape; 0: the picture's.  Both are rounded to whole multiples. */
  guint open_height, open_multiple;
  /* (value − mean) / scale, per channel as the model sees it. */
  float mean[INFER_IMAGE_MAX_CHANNELS];
  float scale[INFER_IMAGE_MAX_CHANNELS];
} InferPreprocess;

/* Stretch, linear, from NHWC to what the shape of the input looks like; values
 * as they are. */
void infer_preprocess_defaults (
    InferPreprocess *settings, const InferDesc *input);

/* What the model says of itself (rt_info model_info: resize_type, mean_values,
 * scale_values, reverse_input_channels, pad_value, layout, interpolation, with
 * the meaning that OpenVINO's Model API gives them; ours: input_height,
 * size_multiple), on top of the defaults. */
gboolean infer_preprocess_from_model (InferPreprocess *settings,
    const InferModel *model, guint input, GError **error);

/* --- for requests --- */

typedef struct _InferPreprocessor InferPreprocessor;

/* Of one input, which must be an image: rank 4, channels known. */
InferPreprocessor *infer_preprocessor_new (
    const InferPreprocess *settings, const InferDesc *input, GError **error);
void infer_preprocessor_free (InferPreprocessor *self);

/* What becomes of @source: u8 or f32, of rank 4 and 1, 3 or 4 channels. */
gboolean infer_preprocessor_shape (const InferPreprocessor *self,
    const InferTensor *source, InferShape *target, GError **error);
/* @target: dense f32, of that shape.  Allocates only for a wider image than
 * before. */
void infer_preprocessor_run (
    InferPreprocessor *self, const InferTensor *source, float *target);

/* The same for a picture, or @region (nullable, not empty) of it: where that
 * reaches beyond the picture there is padding.
 * The shape is that of one picture; @target is dense, of @type: f32, f16, or u8
 * and i8, rounded and saturated. */
gboolean infer_preprocessor_image_shape (const InferPreprocessor *self,
    const InferImage *image, const InferBox *region, InferShape *target,
    GError **error);
gboolean infer_preprocessor_takes (InferType type);
void infer_preprocessor_run_image (InferPreprocessor *self,
    const InferImage *image, const InferBox *region, InferType type,
    gpointer target);

/* Where pixels of the input lie in the picture: input · scale + offset. */
typedef struct
{
  double x, y, scale_x, scale_y;
} InferPlacement;
InferPlacement infer_preprocessor_place (const InferPreprocessor *self,
    const InferBox *region, const InferShape *target);

G_END_DECLS
