/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Pictures of all memory layouts against their definition, pixel by pixel, with
 * random sizes, regions and ways to resize. */

#include <math.h>
#include <string.h>

#include "infer/preprocess.h"

enum
{
  I420,
  NV12,
  YUYV,
  BGRX,
  RGB,
  GREY,
  PLANAR_F32,
  BOTTOM_UP,
  I420_10,
  N_KINDS
};

typedef struct
{
  InferImage image;
  guint8 *memory;
} Picture;

static InferPlane
plane_at (
    const Picture *p, gint64 offset, gint64 row, gint64 step, guint h, guint v)
{
  return (InferPlane){ p->memory + offset, row, step, h, v };
}

/* Exactly as large as its last sample needs, for the sanitizers. */
static void
picture_init (Picture *p, int kind, gint64 w, gint64 h)
{
  gint64 cw = (w + 1) / 2, ch = (h + 1) / 2, row = w + 3, n;
  InferPlane *planes = p->image.planes;

  p->image = (InferImage){ INFER_TYPE_U8, 1, w, h, 3, { { 0 } },
    kind <= YUYV || kind == I420_10, kind == NV12,
    kind == I420 ? 0.299 : 0.2126, kind == I420 ? 0.114 : 0.0722 };
  n = kind == PLANAR_F32 ? 3 * w * h * 4 : 6 * (w + 3) * (h + 1);
  p->memory = g_malloc ((gsize) n);
  for (gint64 i = 0; i < n; i++)
    p->memory[i] = (guint8) g_test_rand_int ();
  switch (kind) {
    case I420:
      planes[0] = plane_at (p, 0, row, 1, 0, 0);
      planes[1] = plane_at (p, row * h, cw, 1, 1, 1);
      planes[2] = plane_at (p, row * h + cw * ch, cw, 1, 1, 1);
      break;
    case NV12:
      planes[0] = plane_at (p, 0, row, 1, 0, 0);
      planes[1] = plane_at (p, row * h, 2 * cw, 2, 1, 1);
      planes[2] = plane_at (p, row * h + 1, 2 * cw, 2, 1, 1);
      break;
    case YUYV:
      planes[0] = plane_at (p, 0, 4 * cw, 2, 0, 0);
      planes[1] = plane_at (p, 1, 4 * cw, 4, 1, 0);
      planes[2] = plane_at (p, 3, 4 * cw, 4, 1, 0);
      break;
    case BGRX:
      for (guint c = 0; c < 3; c++)
        planes[c] = plane_at (p, 2 - c, 4 * w + 4, 4, 0, 0);
      break;
    case RGB:
    case BOTTOM_UP:
      for (guint c = 0; c < 3; c++)
        planes[c] = kind == RGB
                        ? plane_at (p, c, 3 * w, 3, 0, 0)
                        : plane_at (p, (h - 1) * 3 * w + c, -3 * w, 3, 0, 0);
      break;
    case I420_10:
      p->image.type = INFER_TYPE_U16;
      p->image.unit = 0.25f;
      for (gint64 i = 0; i < n / 2; i++)
        ((guint16 *) (gpointer) p->memory)[i] =
            (guint16) g_test_rand_int_range (0, 1024);
      planes[0] = plane_at (p, 0, 2 * w, 2, 0, 0);
      planes[1] = plane_at (p, 2 * w * h, 2 * cw, 2, 1, 1);
      planes[2] = plane_at (p, 2 * w * h + 2 * cw * ch, 2 * cw, 2, 1, 1);
      break;
    case GREY:
      p->image.n = 1;
      planes[0] = plane_at (p, 0, row, 1, 0, 0);
      break;
    default:
      p->image.type = INFER_TYPE_F32;
      for (gint64 i = 0; i < 3 * w * h; i++)
        ((float *) (gpointer) p->memory)[i] =
            (float) g_test_rand_int_range (0, 256);
      for (guint c = 0; c < 3; c++)
        planes[c] = plane_at (p, c * w * h * 4, w * 4, 4, 0, 0);
      break;
  }
}

static double
sample (const Picture *p, guint c, gint64 x, gint64 y)
{
  const InferPlane *plane = &p->image.planes[c];
  const char *at =
      (const char *) plane->data + y * plane->row + x * plane->step;

  if (p->image.type == INFER_TYPE_U16)
    return *(const guint16 *) (gconstpointer) at * 0.25;
  return p->image.type == INFER_TYPE_U8
             ? *(const guint8 *) at
             : (double) *(const float *) (gconstpointer) at;
}

/* Interpolates the samples of a plane nearest to pixel position (x, y), all
 * inside the box. */
static double
value_at (const Picture *p, guint c, const InferBox *box, double x, double y)
{
  guint h = p->image.planes[c].h_shift, v = p->image.planes[c].v_shift;
  gint64 left = box->x >> h, top = box->y >> v;
  gint64 right = (box->x + box->width + (1 << h) - 1) >> h;
  gint64 bottom = (box->y + box->height + (1 << v) - 1) >> v;
  double px = CLAMP (x / (1 << h) - 0.5, (double) left, (double) right - 1);
  double py = CLAMP (y / (1 << v) - 0.5, (double) top, (double) bottom - 1);
  gint64 x0 = (gint64) px, y0 = (gint64) py;
  gint64 x1 = MIN (x0 + 1, right - 1), y1 = MIN (y0 + 1, bottom - 1);
  double fx = px - (double) x0, fy = py - (double) y0;

  return (1 - fy)
             * ((1 - fx) * sample (p, c, x0, y0) + fx * sample (p, c, x1, y0))
         + fy * ((1 - fx) * sample (p, c, x0, y1) + fx * sample (p, c, x1, y1));
}

/* Red, green, blue. */
static void
colour_at (
    const Picture *p, const InferBox *box, double x, double y, double *rgb)
{
  double v[3], kr = p->image.kr, kb = p->image.kb, luma, blue, red;

  for (guint c = 0; c < 3; c++)
    v[c] = value_at (p, p->image.n == 1 ? 0 : c, box, x, y);
  memcpy (rgb, v, sizeof v);
  if (!p->image.yuv)
    return;
  luma = p->image.full_range ? v[0] : (v[0] - 16) * 255 / 219;
  blue = (v[1] - 128) * (p->image.full_range ? 1 : 255.0 / 224);
  red = (v[2] - 128) * (p->image.full_range ? 1 : 255.0 / 224);
  rgb[0] = luma + 2 * (1 - kr) * red;
  rgb[2] = luma + 2 * (1 - kb) * blue;
  rgb[1] = (luma - kr * rgb[0] - kb * rgb[2]) / (1 - kr - kb);
  for (guint c = 0; c < 3; c++)
    rgb[c] = CLAMP (rgb[c], 0, 255);
}

static float
read_value (gconstpointer data, InferType type, gsize i)
{
  float value;

  infer_convert (&value, INFER_TYPE_F32,
      (const char *) data + i * infer_type_size (type), type, 1);
  return value;
}

/* Clips @box to the picture. */
static void
clip (InferBox *box, const InferImage *image)
{
  gint64 right = MIN (box->x + box->width, image->width);
  gint64 bottom = MIN (box->y + box->height, image->height);

  box->x = MAX (box->x, 0);
  box->y = MAX (box->y, 0);
  box->width = right - box->x;
  box->height = bottom - box->y;
}

/* Rounding may go either way here. */
static gboolean
is_edge (double at, gint64 edge)
{
  return fabs (at - (double) edge) < 1e-6;
}

static void
check (const Picture *p, const InferBox *region, const InferPreprocess *s,
    const InferDesc *desc, gconstpointer got, const InferPreprocessor *self)
{
  gboolean planar = s->model == INFER_IMAGE_NCHW;
  gint64 n = desc->shape.dims[planar ? 1 : 3];
  gint64 h = desc->shape.dims[planar ? 2 : 1];
  gint64 w = desc->shape.dims[planar ? 3 : 2];
  InferPlacement map = infer_preprocessor_place (self, region, &desc->shape);
  InferBox box = *region;
  double tolerance = desc->type == INFER_TYPE_F32   ? 1e-3
                     : desc->type == INFER_TYPE_F16 ? 0.1
                                                    : 0.501;

  if (s->resize == INFER_RESIZE_CROP) { /* only the visible part matters */
    box.x = (gint64) lround (map.x);
    box.y = (gint64) lround (map.y);
    box.width = (gint64) lround (map.scale_x * (double) w);
    box.height = (gint64) lround (map.scale_y * (double) h);
  }
  clip (&box, &p->image);
  for (gint64 y = 0; y < h; y++)
    for (gint64 x = 0; x < w; x++)
      for (gint64 c = 0; c < n; c++) {
        gint64 at = planar ? (c * h + y) * w + x : (y * w + x) * n + c;
        double fx = ((double) x + 0.5) * map.scale_x + map.x;
        double fy = ((double) y + 0.5) * map.scale_y + map.y;
        double rgb[3] = { s->pad, s->pad, s->pad };

        if (is_edge (fx, box.x) || is_edge (fx, box.x + box.width)
            || is_edge (fy, box.y) || is_edge (fy, box.y + box.height))
          continue;
        if (fx >= (double) box.x && fx <= (double) (box.x + box.width)
            && fy >= (double) box.y && fy <= (double) (box.y + box.height))
          colour_at (p, &box, fx, fy, rgb);
        g_assert_cmpfloat_with_epsilon (
            read_value (got, desc->type, (gsize) at),
            (float) ((rgb[s->reverse ? 2 - c : c] - (double) s->mean[c])
                     / (double) s->scale[c]),
            (float) tolerance);
      }
}

static void
test_pictures (gconstpointer data)
{
  static const InferType types[] = { INFER_TYPE_F32, INFER_TYPE_F32,
    INFER_TYPE_F16, INFER_TYPE_U8 };
  int kind = GPOINTER_TO_INT (data);

  for (int round = 0; round < 300; round++) {
    int most = round % 3 == 0 ? 200 : 24;
    gint64 w = g_test_rand_int_range (1, most);
    gint64 h = g_test_rand_int_range (1, 24);
    gint64 to_w = g_test_rand_int_range (1, 24);
    gint64 to_h = g_test_rand_int_range (1, 24);
    gboolean planar = g_test_rand_bit ();
    InferDesc desc = { types[round % 4],
      planar ? infer_shape_make (4, (gint64) 1, (gint64) 3, to_h, to_w)
             : infer_shape_make (4, (gint64) 1, to_h, to_w, (gint64) 3) };
    InferPreprocess s = { .model = planar ? INFER_IMAGE_NCHW : INFER_IMAGE_NHWC,
      .resize = (InferResize) g_test_rand_int_range (0, 4),
      .reverse = g_test_rand_bit (),
      .pad = 7,
      .scale = { 1, 1, 1, 1 } };
    InferBox region = { 0, 0, w, h };
    Picture p;

    if (desc.type == INFER_TYPE_F32)
      for (guint c = 0; c < 3; c++) {
        s.mean[c] = (float) c * 50;
        s.scale[c] = (float) (c + 1) * 2;
      }
    if (g_test_rand_bit ()) {
      region.x = g_test_rand_int_range (0, (int) w);
      region.y = g_test_rand_int_range (0, (int) h);
      region.width = g_test_rand_int_range (1, (int) (w - region.x) + 1);
      region.height = g_test_rand_int_range (1, (int) (h - region.y) + 1);
    } else if (g_test_rand_bit ()) { /* beyond the picture */
      gint64 left = g_test_rand_int_range (0, (int) w + 4);
      gint64 above = g_test_rand_int_range (0, (int) h + 4);

      region = (InferBox){ -left, -above,
        left + g_test_rand_int_range (1, (int) (2 * w) + 1),
        above + g_test_rand_int_range (1, (int) (2 * h) + 1) };
    }
    picture_init (&p, kind, w, h);
    InferPreprocessor *self = infer_preprocessor_new (&s, &desc, NULL);
    g_autofree char *out =
        g_malloc ((gsize) (3 * to_w * to_h) * infer_type_size (desc.type));
    infer_preprocessor_run_image (self, &p.image, &region, desc.type, out);
    check (&p, &region, &s, &desc, out, self);
    infer_preprocessor_free (self);
    g_free (p.memory);
  }
}

/* One picture after another, larger and smaller, through one preprocessor. */
static void
test_reuse (void)
{
  InferDesc desc = { INFER_TYPE_F32,
    infer_shape_make (4, (gint64) 1, (gint64) 3, (gint64) 9, (gint64) 7) };
  InferPreprocess s = { .model = INFER_IMAGE_NCHW,
    .resize = INFER_RESIZE_LETTERBOX,
    .scale = { 1, 1, 1, 1 } };
  InferPreprocessor *self = infer_preprocessor_new (&s, &desc, NULL);
  float out[3 * 9 * 7];

  for (int i = 0; i < 200; i++) {
    gint64 w = g_test_rand_int_range (1, 100);
    gint64 h = g_test_rand_int_range (1, 100);
    InferBox region = { 0, 0, w, h };
    Picture p;

    picture_init (&p, g_test_rand_int_range (0, N_KINDS), w, h);
    infer_preprocessor_run_image (self, &p.image, NULL, INFER_TYPE_F32, out);
    check (&p, &region, &s, &desc, out, self);
    g_free (p.memory);
  }
  infer_preprocessor_free (self);
}

/* A picture of ten bits gives the same as one of eight bits, for every
 * sampling. */
static void
test_deep (void)
{
  InferDesc desc = { INFER_TYPE_F32,
    infer_shape_make (4, (gint64) 1, (gint64) 3, (gint64) 9, (gint64) 7) };
  float flat[3 * 9 * 7], deep[3 * 9 * 7];

  for (int i = 0; i < 100; i++) {
    InferPreprocess s = { .model = INFER_IMAGE_NCHW,
      .scale = { 1, 1, 1, 1 },
      .interpolate = (InferSampling) (i % 4) };
    InferPreprocessor *self = infer_preprocessor_new (&s, &desc, NULL);
    gint64 w = g_test_rand_int_range (1, 60);
    gint64 h = g_test_rand_int_range (1, 60);
    gsize n = (gsize) (6 * (w + 3) * (h + 1));
    g_autofree guint16 *wide = g_new (guint16, n);
    Picture p;

    picture_init (&p, i % 8 < 4 ? NV12 : RGB, w, h);
    for (gsize k = 0; k < n; k++)
      wide[k] = (guint16) (p.memory[k] * 4);
    InferImage image = p.image;
    image.type = INFER_TYPE_U16;
    image.unit = 0.25f;
    for (guint c = 0; c < image.n; c++) {
      image.planes[c].data =
          wide + ((const guint8 *) p.image.planes[c].data - p.memory);
      image.planes[c].row *= 2;
      image.planes[c].step *= 2;
    }
    infer_preprocessor_run_image (self, &p.image, NULL, INFER_TYPE_F32, flat);
    infer_preprocessor_run_image (self, &image, NULL, INFER_TYPE_F32, deep);
    for (guint k = 0; k < G_N_ELEMENTS (flat); k++)
      g_assert_cmpfloat_with_epsilon (flat[k], deep[k], 1e-3f);
    infer_preprocessor_free (self);
    g_free (p.memory);
  }
}

/* A grey model reads only Y. */
static void
test_grey_model (void)
{
  InferDesc desc = { INFER_TYPE_U8,
    infer_shape_make (4, (gint64) 1, (gint64) 1, (gint64) 1, (gint64) 3) };
  InferPreprocess s = { .model = INFER_IMAGE_NCHW, .scale = { 1, 1, 1, 1 } };
  static const guint8 y[] = { 16, 125, 250 };
  InferImage image = { .type = INFER_TYPE_U8,
    .width = 3,
    .height = 1,
    .n = 3,
    .planes = { { y, 3, 1, 0, 0 } },
    .yuv = TRUE,
    .kr = 0.299,
    .kb = 0.114 };
  InferPreprocessor *self = infer_preprocessor_new (&s, &desc, NULL);
  guint8 out[3];

  infer_preprocessor_run_image (self, &image, NULL, INFER_TYPE_U8, out);
  g_assert_cmpuint (out[0], ==, 0);
  g_assert_cmpuint (out[1], ==, 127);
  g_assert_cmpuint (out[2], ==, 255);
  infer_preprocessor_free (self);
}

static void
test_rounding (void)
{
  InferDesc desc = { INFER_TYPE_I8,
    infer_shape_make (4, (gint64) 1, (gint64) 1, (gint64) 1, (gint64) 4) };
  InferPreprocess s = {
    .model = INFER_IMAGE_NCHW, .mean = { 128 }, .scale = { 0.8f, 1, 1, 1 }
  };
  static const guint8 y[] = { 0, 127, 130, 255 };
  InferImage image = { .type = INFER_TYPE_U8,
    .width = 4,
    .height = 1,
    .n = 1,
    .planes = { { y, 4, 1, 0, 0 } } };
  InferPreprocessor *self = infer_preprocessor_new (&s, &desc, NULL);
  gint8 out[4];

  infer_preprocessor_run_image (self, &image, NULL, INFER_TYPE_I8, out);
  g_assert_cmpint (out[0], ==, -128);
  g_assert_cmpint (out[1], ==, -1);
  g_assert_cmpint (out[2], ==, 3);
  g_assert_cmpint (out[3], ==, 127);
  infer_preprocessor_free (self);
}

int
main (int argc, char **argv)
{
  static const char *const names[] = { "i420", "nv12", "yuyv", "bgrx", "rgb",
    "grey", "planar-f32", "bottom-up", "i420-10" };

  g_test_init (&argc, &argv, NULL);
  for (int kind = 0; kind < N_KINDS; kind++) {
    g_autofree char *path = g_strconcat ("/image/", names[kind], NULL);
    g_test_add_data_func (path, GINT_TO_POINTER (kind), test_pictures);
  }
  g_test_add_func ("/image/reuse", test_reuse);
  g_test_add_func ("/image/deep", test_deep);
  g_test_add_func ("/image/grey-model", test_grey_model);
  g_test_add_func ("/image/rounding", test_rounding);
  return g_test_run ();
}
