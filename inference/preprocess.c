/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/preprocess.h"

#include <math.h>
#include <string.h>

#define MAX_CHANNELS INFER_IMAGE_MAX_CHANNELS

typedef struct
{
  gint64 x, y, width, height;
} Box;

/* Where an output pixel comes from along one axis. */
typedef struct
{
  gint64 first, second;
  float weight; /* of the second */
} Tap;

struct _InferPreprocessor
{
  InferPreprocess settings;
  InferDesc input;
  guint channels;                                   /* the model's */
  float factor[MAX_CHANNELS], offset[MAX_CHANNELS]; /* value · f + o */
  Tap *taps;                                        /* of the columns */
  gint64 max_taps;
  float *rows[2]; /* two source rows as the model's channels */
  gint64 row_numbers[2];
  gint64 max_row;
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
        "an input of shape %s is no image", shape);
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
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT, "an image of no size");
    return NULL;
  }
  InferPreprocessor *self = g_new0 (InferPreprocessor, 1);
  self->settings = *settings;
  self->input = *input;
  self->channels = (guint) image.c;
  for (guint i = 0; i < self->channels; i++) {
    self->factor[i] = 1 / settings->scale[i];
    self->offset[i] = -settings->mean[i] / settings->scale[i];
  }
  return self;
}

void
infer_preprocessor_free (InferPreprocessor *self)
{
  if (!self)
    return;
  g_free (self->taps);
  g_free (self->rows[0]);
  g_free (self->rows[1]);
  g_free (self);
}

gboolean
infer_preprocessor_shape (const InferPreprocessor *self,
    const InferTensor *source, InferShape *target, GError **error)
{
  const InferShape *shape = &source->shape;
  gboolean planar = self->settings.model == INFER_IMAGE_NCHW;
  Image image = { 0 };

  if (shape->rank == 4)
    image = image_of (self->settings.source, shape->dims, source->strides);
  if ((source->type != INFER_TYPE_U8 && source->type != INFER_TYPE_F32)
      || shape->rank != 4 || image.h < 1 || image.w < 1
      || (image.c != 1 && image.c != 3 && image.c != 4)
      || (self->channels == 4 && image.c != 4)) {
    g_autofree char *text = infer_shape_to_string (shape);
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "a tensor of %s and shape %s is not an image (%s, u8 or f32) that "
        "gives %u channels",
        infer_type_name (source->type), text,
        self->settings.source == INFER_IMAGE_NCHW ? "NCHW" : "NHWC",
        self->channels);
  }
  int h = planar ? 2 : 1, w = planar ? 3 : 2;
  *target = self->input.shape;
  target->dims[0] = image.n;
  /* A size that the model leaves open is the image's. */
  if (target->dims[h] == INFER_DYNAMIC)
    target->dims[h] = image.h;
  if (target->dims[w] == INFER_DYNAMIC)
    target->dims[w] = image.w;
  return TRUE;
}

/* --- geometry --------------------------------------------------------------
 */

static gint64
scaled (gint64 size, double factor, gint64 most)
{
  return CLAMP ((gint64) lround ((double) size * factor), 1, most);
}

static void
place (const InferPreprocess *settings, const Image *from, const Image *to,
    Box *source, Box *target)
{
  double across = (double) to->w / (double) from->w;
  double down = (double) to->h / (double) from->h;

  *source = (Box){ 0, 0, from->w, from->h };
  *target = (Box){ 0, 0, to->w, to->h };
  switch (settings->resize) {
    case INFER_RESIZE_STRETCH:
      break;
    case INFER_RESIZE_FIT:
    case INFER_RESIZE_LETTERBOX:
      target->width = scaled (from->w, MIN (across, down), to->w);
      target->height = scaled (from->h, MIN (across, down), to->h);
      if (settings->resize == INFER_RESIZE_LETTERBOX) {
        target->x = (to->w - target->width) / 2;
        target->y = (to->h - target->height) / 2;
      }
      break;
    case INFER_RESIZE_CROP:
      source->width = scaled (to->w, 1 / MAX (across, down), from->w);
      source->height = scaled (to->h, 1 / MAX (across, down), from->h);
      source->x = (from->w - source->width) / 2;
      source->y = (from->h - source->height) / 2;
      break;
  }
}

static Tap
tap_at (
    const InferPreprocessor *self, gint64 i, gint64 from, gint64 n, gint64 to)
{
  double centre = ((double) i + 0.5) * (double) n / (double) to;
  Tap tap = { 0 };

  if (self->settings.interpolate == INFER_INTERPOLATE_NEAREST) {
    tap.first = tap.second = from + MIN ((gint64) centre, n - 1);
    return tap;
  }
  double at = CLAMP (centre - 0.5, 0, (double) (n - 1));
  gint64 whole = (gint64) at;
  tap.first = from + whole;
  tap.second = from + MIN (whole + 1, n - 1);
  tap.weight = (float) (at - (double) whole);
  return tap;
}

/* --- pixels ----------------------------------------------------------------
 */

static inline float
load (const char *at, InferType type)
{
  return type == INFER_TYPE_U8 ? (float) *(const guint8 *) at
                               : *(const float *) (gconstpointer) at;
}

/* A pixel as the model's channels. */
static inline void
convert_pixel (const InferPreprocessor *self, const char *pixel,
    const Image *image, InferType type, float *out)
{
  guint n = self->channels;

  if (n == 1 && image->c >= 3) { /* luma of BT.601 */
    float a = load (pixel, type), g = load (pixel + image->sc, type);
    float b = load (pixel + 2 * image->sc, type);
    out[0] = self->settings.reverse ? 0.114f * a + 0.587f * g + 0.299f * b
                                    : 0.299f * a + 0.587f * g + 0.114f * b;
    return;
  }
  for (guint c = 0; c < n; c++) {
    guint from = self->settings.reverse && c < 3 && n >= 3 ? 2 - c : c;
    out[c] = load (pixel + (image->c == 1 ? 0 : from * image->sc), type);
  }
}

/* Source row @y of all columns, read once for all output rows that use it. */
static const float *
get_row (InferPreprocessor *self, const InferTensor *source, const Image *image,
    gint64 n, gint64 y, gint64 keep)
{
  guint slot = self->row_numbers[0] == y   ? 0
               : self->row_numbers[1] == y ? 1
                                           : self->row_numbers[0] == keep;
  float *row = self->rows[slot];

  if (self->row_numbers[slot] == y)
    return row;
  const char *from =
      (const char *) source->data + n * image->sn + y * image->sh;
  for (gint64 x = 0; x < image->w; x++)
    convert_pixel (self, from + x * image->sw, image, source->type,
        row + x * self->channels);
  self->row_numbers[slot] = y;
  return row;
}

static void
fill_padding (const InferPreprocessor *self, float *target, gsize pixels,
    gint64 step, gint64 plane)
{
  for (guint c = 0; c < self->channels; c++) {
    float value = self->settings.pad * self->factor[c] + self->offset[c];
    for (gsize i = 0; i < pixels; i++)
      target[(gint64) i * step + c * plane] = value;
  }
}

static void
write_row (const InferPreprocessor *self, const float *above,
    const float *below, float weight, gint64 width, float *to, gint64 step,
    gint64 plane)
{
  guint channels = self->channels;

  for (gint64 x = 0; x < width; x++) {
    const Tap *tap = &self->taps[x];
    gint64 a = tap->first * channels, b = tap->second * channels;

    for (guint c = 0; c < channels; c++) {
      float up = above[a + c] + tap->weight * (above[b + c] - above[a + c]);
      float low = below[a + c] + tap->weight * (below[b + c] - below[a + c]);
      float value = up + weight * (low - up);
      to[x * step + c * plane] = value * self->factor[c] + self->offset[c];
    }
  }
}

static void
ensure_room (InferPreprocessor *self, gint64 row, gint64 taps)
{
  if (row > self->max_row) {
    for (guint i = 0; i < 2; i++)
      self->rows[i] = g_renew (float, self->rows[i], row * self->channels);
    self->max_row = row;
  }
  if (taps > self->max_taps) {
    self->taps = g_renew (Tap, self->taps, taps);
    self->max_taps = taps;
  }
}

void
infer_preprocessor_run (
    InferPreprocessor *self, const InferTensor *source, float *target)
{
  InferShape shape;
  if (!infer_preprocessor_shape (self, source, &shape, NULL))
    g_return_if_reached ();
  Image from =
      image_of (self->settings.source, source->shape.dims, source->strides);
  Image to = image_of (self->settings.model, shape.dims, NULL);
  gboolean planar = self->settings.model == INFER_IMAGE_NCHW;
  gint64 step = planar ? 1 : self->channels;
  gint64 plane = planar ? to.h * to.w : 1;
  Box in, out;

  place (&self->settings, &from, &to, &in, &out);
  ensure_room (self, from.w, out.width);
  for (gint64 x = 0; x < out.width; x++)
    self->taps[x] = tap_at (self, x, in.x, in.width, out.width);
  for (gint64 n = 0; n < from.n; n++, target += to.h * to.w * self->channels) {
    self->row_numbers[0] = self->row_numbers[1] = -1;
    if (out.width < to.w || out.height < to.h)
      fill_padding (self, target, (gsize) (to.h * to.w), step, plane);
    for (gint64 y = 0; y < out.height; y++) {
      Tap tap = tap_at (self, y, in.y, in.height, out.height);
      const float *above = get_row (self, source, &from, n, tap.first, -1);
      const float *below =
          get_row (self, source, &from, n, tap.second, tap.first);

      write_row (self, above, below, tap.weight, out.width,
          target + ((out.y + y) * to.w + out.x) * step, step, plane);
    }
  }
}
