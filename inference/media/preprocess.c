/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/preprocess.h"

#include "inference/media/image-rows.h"
#include "inference/media/scaler.h"

#include <math.h>
#include <string.h>

#define MAX_SIZE 16384

#define MAX_CHANNELS INFER_IMAGE_MAX_CHANNELS

struct _InferPreprocessor
{
  InferPreprocess settings;
  InferDesc input;
  guint channels;                                   /* the model's */
  float factor[MAX_CHANNELS], offset[MAX_CHANNELS]; /* value · f + o */
  InferScaler *scaler;
  float *row; /* for types other than f32 */
  gsize max_row;
};

/* Dimensions by meaning; strides in bytes. */
typedef struct
{
  gint64 n, c, h, w;
  gint64 sn, sc, sh, sw;
} Image;

static Image
image_of (InferImageLayout layout, const gint64 *dims, const gint64 *strides)
{
  static const gint64 none[4] = { 0 };
  gboolean planar = layout == INFER_IMAGE_NCHW;
  int c = planar ? 1 : 3, h = planar ? 2 : 1, w = planar ? 3 : 2;

  strides = strides ? strides : none;
  return (Image){ .n = dims[0],
    .c = dims[c],
    .h = dims[h],
    .w = dims[w],
    .sn = strides[0],
    .sc = strides[c],
    .sh = strides[h],
    .sw = strides[w] };
}

InferPreprocessor *
infer_preprocessor_new (
    const InferPreprocess *settings, const InferDesc *input, GError **error)
{
  if (input->shape.rank != 4) {
    g_autofree char *shape = infer_shape_to_string (&input->shape);
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "an input of shape %s is not an image", shape);
    return NULL;
  }
  Image image = image_of (settings->model, input->shape.dims, NULL);
  if (image.c != 1 && image.c != 3 && image.c != 4) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "an image has 1, 3 or 4 channels, not %" G_GINT64_FORMAT, image.c);
    return NULL;
  }
  int h = settings->model == INFER_IMAGE_NCHW ? 2 : 1;
  if (input->shape.dims[h] == 0 || input->shape.dims[h + 1] == 0) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT, "the image is empty");
    return NULL;
  }
  if (MAX (input->shape.dims[h], input->shape.dims[h + 1]) > MAX_SIZE) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the image has more than %d pixels on a side", MAX_SIZE);
    return NULL;
  }
  InferPreprocessor *self = g_new0 (InferPreprocessor, 1);
  self->settings = *settings;
  self->input = *input;
  self->channels = (guint) image.c;
  self->scaler = infer_scaler_new ();
  for (guint i = 0; i < self->channels; i++) {
    self->factor[i] = 1 / settings->scale[i];
    self->offset[i] = -settings->mean[i] / settings->scale[i];
  }
  return self;
}

void
infer_preprocessor_free (InferPreprocessor *self)
{
  if (self == NULL)
    return;
  infer_scaler_free (self->scaler);
  g_free (self->row);
  g_free (self);
}

/* Rounds to the nearest multiple of open_multiple. */
static gint64
round_size (const InferPreprocessor *self, gint64 size)
{
  gint64 m = MAX (self->settings.open_multiple, 1);

  return CLAMP ((size + m / 2) / m, 1, MAX (MAX_SIZE / m, 1)) * m;
}

/* A dynamic size becomes the picture's, unless open_height is set. */
static void
fill_size (const InferPreprocessor *self, gint64 width, gint64 height,
    InferShape *target)
{
  int h = self->settings.model == INFER_IMAGE_NCHW ? 2 : 1;
  gint64 wanted = self->settings.open_height;

  if (wanted > 0 && height > 0) {
    width = (width * wanted + height / 2) / height;
    height = wanted;
  }
  if (target->dims[h] == INFER_DYNAMIC)
    target->dims[h] = round_size (self, height);
  if (target->dims[h + 1] == INFER_DYNAMIC)
    target->dims[h + 1] = round_size (self, width);
}

gboolean
infer_preprocessor_shape (const InferPreprocessor *self,
    const InferTensor *source, InferShape *target, GError **error)
{
  const InferShape *shape = &source->shape;
  Image image = { 0 };

  if (shape->rank == 4)
    image = image_of (self->settings.source, shape->dims, source->strides);
  if ((source->type != INFER_TYPE_U8 && source->type != INFER_TYPE_F32)
      || shape->rank != 4 || image.h < 1 || image.w < 1
      || (image.c != 1 && image.c != 3 && image.c != 4)
      || (self->channels == 4 && image.c != 4)
      || ABS (image.sw) > G_MAXINT32 / image.w) {
    g_autofree char *text = infer_shape_to_string (shape);
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "a tensor of %s and shape %s is not an image (%s, u8 or f32) for an "
        "input of %u channels",
        infer_type_name (source->type), text,
        self->settings.source == INFER_IMAGE_NCHW ? "NCHW" : "NHWC",
        self->channels);
  }
  *target = self->input.shape;
  target->dims[0] = image.n;
  fill_size (self, image.w, image.h, target);
  return TRUE;
}

/* Rows are read as arrays of the samples' type. */
static gboolean
check_alignment (const InferImage *image, GError **error)
{
  const gsize size = infer_type_size (image->type);

  for (guint c = 0; c < MIN (image->n, MAX_CHANNELS); c++) {
    const InferPlane *plane = &image->planes[c];

    if (((gsize) plane->data | (gsize) plane->row | (gsize) plane->step) % size
        != 0)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "samples of %s in plane %u of a picture do not lie at multiples of "
          "%" G_GSIZE_FORMAT " bytes",
          infer_type_name (image->type), c, size);
  }
  return TRUE;
}

gboolean
infer_preprocessor_image_shape (const InferPreprocessor *self,
    const InferImage *image, const InferBox *region, InferShape *target,
    GError **error)
{
  if (self->channels == 4 && image->n != 4)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the model needs 4 channels, the picture has %u", image->n);
  if (!check_alignment (image, error))
    return FALSE;
  *target = self->input.shape;
  target->dims[0] = 1;
  fill_size (self, region ? region->width : image->width,
      region ? region->height : image->height, target);
  return TRUE;
}

/* --- geometry --- */

static gint64
scaled (gint64 size, double factor, gint64 most)
{
  return CLAMP ((gint64) lround ((double) size * factor), 1, most);
}

static void
place (const InferPreprocess *settings, const InferBox *from, const Image *to,
    InferBox *source, InferBox *target)
{
  double across = (double) to->w / (double) from->width;
  double down = (double) to->h / (double) from->height;

  *source = *from;
  *target = (InferBox){ 0, 0, to->w, to->h };
  switch (settings->resize) {
    case INFER_RESIZE_STRETCH:
      break;
    case INFER_RESIZE_FIT:
    case INFER_RESIZE_LETTERBOX:
      target->width = scaled (from->width, MIN (across, down), to->w);
      target->height = scaled (from->height, MIN (across, down), to->h);
      if (settings->resize == INFER_RESIZE_LETTERBOX) {
        target->x = (to->w - target->width) / 2;
        target->y = (to->h - target->height) / 2;
      }
      break;
    case INFER_RESIZE_CROP:
      source->width = scaled (to->w, 1 / MAX (across, down), from->width);
      source->height = scaled (to->h, 1 / MAX (across, down), from->height);
      source->x += (from->width - source->width) / 2;
      source->y += (from->height - source->height) / 2;
      break;
  }
}

InferPlacement
infer_preprocessor_place (const InferPreprocessor *self, const InferBox *region,
    const InferShape *target)
{
  Image to = image_of (self->settings.model, target->dims, NULL);
  InferPlacement placement;
  InferBox in, out;

  place (&self->settings, region, &to, &in, &out);
  placement.scale_x = (double) in.width / (double) out.width;
  placement.scale_y = (double) in.height / (double) out.height;
  placement.x = (double) in.x - (double) out.x * placement.scale_x;
  placement.y = (double) in.y - (double) out.y * placement.scale_y;
  return placement;
}

/* --- colours --- */

static InferYuv
yuv_factors (const InferImage *image)
{
  double kr = image->kr, kb = image->kb, kg = 1 - kr - kb;
  double y = image->full_range ? 1 : 255.0 / 219;
  double c = image->full_range ? 1 : 255.0 / 224;
  double black = image->full_range ? 0 : 16 * y;
  double rv = 2 * (1 - kr) * c, bu = 2 * (1 - kb) * c;
  double gu = -bu * kb / kg, gv = -rv * kr / kg;

  return (InferYuv){
    .ky = (float) y,
    .rv = (float) rv,
    .gu = (float) gu,
    .gv = (float) gv,
    .bu = (float) bu,
    .r0 = (float) (-black - 128 * rv),
    .g0 = (float) (-black - 128 * (gu + gv)),
    .b0 = (float) (-black - 128 * bu),
  };
}

/* Returns how many components are needed: of Y, U, V only Y for grey. */
static guint
needed_components (const InferPreprocessor *self, const InferImage *image)
{
  if (self->channels == 1 && image->yuv)
    return 1;
  return self->channels == 4 ? 4 : MIN (image->n, 3);
}

/* Converts rows of components to rows of the model's channels, in place. */
static void
convert_rows (const InferPreprocessor *self, const InferImage *image,
    const InferYuv *yuv, gsize n, float *const *rows, const float **channels)
{
  gboolean swap = self->settings.reverse && self->channels >= 3;

  if (self->channels == 1 && image->yuv) {
    infer_rows_clamp (
        yuv->ky, image->full_range ? 0 : -16 * yuv->ky, n, rows[0]);
  } else if (self->channels == 1 && image->n >= 3) { /* luma of BT.601 */
    gboolean bgr = self->settings.reverse;
    infer_rows_luma (rows[0], rows[1], rows[2], bgr ? 0.114f : 0.299f, 0.587f,
        bgr ? 0.299f : 0.114f, n, rows[0]);
  } else if (image->yuv && image->n >= 3) {
    infer_rows_rgb (yuv, rows[0], rows[1], rows[2], n);
  }
  for (guint c = 0; c < self->channels; c++) {
    guint from = swap && c < 3 ? 2 - c : c;
    channels[c] = rows[image->n == 1 ? 0 : from];
  }
}

/* --- target --- */

/* The model's input. */
typedef struct
{
  InferType type;
  char *data;
  gint64 step, plane; /* values from pixel to pixel, channel to channel */
} Target;

gboolean
infer_preprocessor_takes (InferType type)
{
  return type == INFER_TYPE_F32 || type == INFER_TYPE_F16
         || type == INFER_TYPE_U8 || type == INFER_TYPE_I8;
}

static void
put_values (const float *from, gsize n, InferType type, gpointer to)
{
  if (type == INFER_TYPE_U8)
    infer_rows_round_u8 (from, n, to);
  else if (type == INFER_TYPE_I8)
    infer_rows_round_i8 (from, n, to);
  else
    infer_convert (to, type, from, INFER_TYPE_F32, n);
}

/* Stores @n pixels of the model's channels at pixel @at. */
static void
store_row (InferPreprocessor *self, const float *const *channels, gsize n,
    const Target *target, gint64 at)
{
  gsize size = infer_type_size (target->type);
  gboolean direct = target->type == INFER_TYPE_F32;
  guint step = (guint) target->step;

  for (guint c = 0; c < self->channels; c++) {
    gint64 first = at * target->step + c * target->plane;
    float *to = direct ? (float *) (gpointer) target->data + first
                       : self->row + (step > 1 ? c : 0);

    infer_rows_store (
        channels[c], self->factor[c], self->offset[c], n, step, to);
    if (!direct && step == 1)
      put_values (
          self->row, n, target->type, target->data + (gsize) first * size);
  }
  if (!direct && step > 1)
    put_values (self->row, n * step, target->type,
        target->data + (gsize) at * step * size);
}

/* Stores @n pixels of padding at pixel @at. */
static void
store_padding (
    InferPreprocessor *self, gint64 n, const Target *target, gint64 at)
{
  const float *channels[MAX_CHANNELS];
  float *pad = self->row + self->max_row - (gsize) n;

  if (n == 0)
    return;
  for (gint64 i = 0; i < n; i++)
    pad[i] = self->settings.pad;
  for (guint c = 0; c < self->channels; c++)
    channels[c] = pad;
  store_row (self, channels, (gsize) n, target, at);
}

/* @n pixels of the input cover [from, from + size) of the picture.  Gets those
 * whose centres are in [0, limit): [*first, *last). */
static void
inside (gint64 from, gint64 size, gint64 limit, gint64 n, gint64 *first,
    gint64 *last)
{
  double step = (double) size / (double) n;
  double begin = ceil ((double) -from / step - 0.5);
  double end = ceil ((double) (limit - from) / step - 0.5);

  *first = (gint64) CLAMP (begin, 0, (double) n);
  *last = (gint64) CLAMP (end, (double) *first, (double) n);
}

static void
run (InferPreprocessor *self, const InferImage *image, const InferBox *region,
    const Image *to, const Target *target)
{
  InferYuv yuv = { 0 };
  InferBox in, out;
  gint64 left, right, top, bottom;

  place (&self->settings, region, to, &in, &out);
  inside (in.x, in.width, image->width, out.width, &left, &right);
  inside (in.y, in.height, image->height, out.height, &top, &bottom);
  if (image->yuv)
    yuv = yuv_factors (image);
  /* A row of all channels, and one of padding. */
  if ((gsize) to->w * (self->channels + 1) > self->max_row) {
    self->max_row = (gsize) to->w * (self->channels + 1);
    self->row = g_renew (float, self->row, self->max_row);
  }
  infer_scaler_begin (self->scaler, image, &in, needed_components (self, image),
      out.width, out.height, self->settings.interpolate);
  for (gint64 y = 0; y < to->h; y++) {
    const float *channels[MAX_CHANNELS];
    gint64 at = y * to->w;

    if (y < out.y + top || y >= out.y + bottom) {
      store_padding (self, to->w, target, at);
      continue;
    }
    convert_rows (self, image, &yuv, (gsize) out.width,
        infer_scaler_row (self->scaler, y - out.y), channels);
    for (guint c = 0; c < self->channels; c++)
      channels[c] += left;
    store_padding (self, out.x + left, target, at);
    store_row (
        self, channels, (gsize) (right - left), target, at + out.x + left);
    store_padding (self, to->w - out.x - right, target, at + out.x + right);
  }
}

static Target
target_of (const InferPreprocessor *self, const Image *to, InferType type,
    gpointer data)
{
  gboolean planar = self->settings.model == INFER_IMAGE_NCHW;

  return (Target){ .type = type,
    .data = data,
    .step = planar ? 1 : self->channels,
    .plane = planar ? to->h * to->w : 1 };
}

void
infer_preprocessor_run_image (InferPreprocessor *self, const InferImage *image,
    const InferBox *region, InferType type, gpointer data)
{
  InferBox whole = { 0, 0, image->width, image->height };
  InferShape shape;

  if (!infer_preprocessor_image_shape (self, image, region, &shape, NULL)
      || !infer_preprocessor_takes (type))
    g_return_if_reached ();
  Image to = image_of (self->settings.model, shape.dims, NULL);
  Target target = target_of (self, &to, type, data);
  run (self, image, region ? region : &whole, &to, &target);
}

void
infer_preprocessor_run (
    InferPreprocessor *self, const InferTensor *source, float *data)
{
  InferShape shape;
  if (!infer_preprocessor_shape (self, source, &shape, NULL))
    g_return_if_reached ();
  Image from =
      image_of (self->settings.source, source->shape.dims, source->strides);
  Image to = image_of (self->settings.model, shape.dims, NULL);
  Target target = target_of (self, &to, INFER_TYPE_F32, data);
  InferBox whole = { 0, 0, from.w, from.h };
  InferImage image = {
    .type = source->type, .width = from.w, .height = from.h, .n = (guint) from.c
  };

  for (gint64 n = 0; n < from.n; n++) {
    for (guint c = 0; c < image.n; c++)
      image.planes[c] = (InferPlane){
        .data = (const char *) source->data + n * from.sn + c * from.sc,
        .row = from.sh,
        .step = from.sw,
      };
    run (self, &image, &whole, &to, &target);
    target.data += to.h * to.w * self->channels * (gint64) sizeof (float);
  }
}
