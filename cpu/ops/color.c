/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* NV12 and I420 to RGB and BGR, and back: ITU-R BT.601, limited range. */

#include "inference/graph/ops/color.h"

#include "cpu/base/step.h"

#include <math.h>
#include <string.h>

typedef struct
{
  InferType type;
  gsize size; /* bytes of an element */
  gboolean bgr, nv12;
  const char *y, *u, *v; /* of one image */
  gsize chroma_step;     /* elements from one chroma sample to the next */
} Picture;

static float
get (const char *plane, InferType type, gsize i)
{
  float x;

  if (type == INFER_TYPE_U8)
    return (float) ((const guint8 *) plane)[i];
  infer_convert (
      &x, INFER_TYPE_F32, plane + i * infer_type_size (type), type, 1);
  return x;
}

/* Bytes are rounded to nearest, halves to even, as OpenVINO does. */
static void
put (char *plane, InferType type, gsize i, float x)
{
  x = CLAMP (x, 0.0f, 255.0f);
  if (type == INFER_TYPE_U8)
    ((guint8 *) plane)[i] = (guint8) lrintf (x);
  else
    infer_convert (
        plane + i * infer_type_size (type), type, &x, INFER_TYPE_F32, 1);
}

static void
to_rgb (const Picture *p, char *dst, gsize height, gsize width)
{
  for (gsize row = 0; row < height; row++)
    for (gsize col = 0; col < width; col++) {
      gsize chroma = (row / 2 * (width / 2) + col / 2) * p->chroma_step;
      gsize at = row * width + col;
      float y = 1.164f * (get (p->y, p->type, at) - 16.0f);
      float u = get (p->u, p->type, chroma) - 128.0f;
      float v = get (p->v, p->type, chroma) - 128.0f;

      put (dst, p->type, 3 * at + (p->bgr ? 2 : 0), y + 1.596f * v);
      put (dst, p->type, 3 * at + 1, y - 0.391f * u - 0.813f * v);
      put (dst, p->type, 3 * at + (p->bgr ? 0 : 2), y + 2.018f * u);
    }
}

static gboolean
to_rgb_run (CpuStep *step, GError **error)
{
  const char *name = step->op->klass->type;
  const InferShape *out = cpu_out_shape (step, 0);
  gsize height = (gsize) out->dims[1], width = (gsize) out->dims[2];
  gsize luma = height * width, chroma = luma / 4;
  Picture p = { .type = step->in[0]->desc.type };

  p.size = infer_type_size (p.type);
  p.bgr = strstr (name, "BGR") != NULL;
  p.nv12 = strncmp (name, "NV12", 4) == 0;
  p.chroma_step = p.nv12 ? 2 : 1;
  for (gsize b = 0; b < (gsize) out->dims[0]; b++) {
    gsize whole = step->n_in == 1 ? luma + 2 * chroma : luma;

    p.y = (const char *) step->in[0]->data + b * whole * p.size;
    p.u = step->n_in == 1 ? p.y + luma * p.size
                          : (const char *) step->in[1]->data
                                + b * chroma * p.chroma_step * p.size;
    p.v = p.nv12 ? p.u + p.size
          : step->n_in == 1
              ? p.u + chroma * p.size
              : (const char *) step->in[2]->data + b * chroma * p.size;
    to_rgb (
        &p, (char *) step->out[0]->data + b * 3 * luma * p.size, height, width);
  }
  return TRUE;
}

typedef struct
{
  float r, g, b;
} Pixel;

static Pixel
pixel (const Picture *p, gsize i)
{
  Pixel x = { get (p->y, p->type, 3 * i + (p->bgr ? 2 : 0)),
    get (p->y, p->type, 3 * i + 1),
    get (p->y, p->type, 3 * i + (p->bgr ? 0 : 2)) };

  return x;
}

/* Chroma is the mean of four pixels. */
static void
to_nv12 (const Picture *p, char *luma, char *chroma, gsize height, gsize width)
{
  for (gsize i = 0; i < height * width; i++) {
    Pixel x = pixel (p, i);

    put (luma, p->type, i, 0.257f * x.r + 0.504f * x.g + 0.098f * x.b + 16.0f);
  }
  for (gsize row = 0; row < height; row += 2)
    for (gsize col = 0; col < width; col += 2) {
      gsize at = row * width + col, to = row / 2 * width + col;
      Pixel s = { 0, 0, 0 };

      for (gsize k = 0; k < 4; k++) {
        Pixel x = pixel (p, at + k / 2 * width + k % 2);

        s.r += x.r / 4.0f;
        s.g += x.g / 4.0f;
        s.b += x.b / 4.0f;
      }
      put (chroma, p->type, to,
          -0.148f * s.r - 0.291f * s.g + 0.439f * s.b + 128.0f);
      put (chroma, p->type, to + 1,
          0.439f * s.r - 0.368f * s.g - 0.071f * s.b + 128.0f);
    }
}

static gboolean
to_nv12_run (CpuStep *step, GError **error)
{
  const InferShape *in = cpu_in_shape (step, 0);
  gsize height = (gsize) in->dims[1], width = (gsize) in->dims[2];
  gsize pixels = height * width;
  Picture p = { .type = step->in[0]->desc.type };

  p.size = infer_type_size (p.type);
  p.bgr = strncmp (step->op->klass->type, "BGR", 3) == 0;
  for (gsize b = 0; b < (gsize) in->dims[0]; b++) {
    gboolean single = step->n_out == 1;
    char *luma = (char *) step->out[0]->data
                 + b * (single ? pixels / 2 * 3 : pixels) * p.size;
    char *chroma = single
                       ? luma + pixels * p.size
                       : (char *) step->out[1]->data + b * pixels / 2 * p.size;

    p.y = (const char *) step->in[0]->data + b * 3 * pixels * p.size;
    to_nv12 (&p, luma, chroma, height, width);
  }
  return TRUE;
}

#define COLOR(name, run_)                                                      \
  const CpuOp cpu_op_##name = {                                                \
    .run = run_,                                                               \
  };

/* clang-format off */
COLOR (bgr_to_nv12, to_nv12_run)
COLOR (i420_to_bgr, to_rgb_run)
COLOR (i420_to_rgb, to_rgb_run)
COLOR (nv12_to_bgr, to_rgb_run)
COLOR (nv12_to_rgb, to_rgb_run)
COLOR (rgb_to_nv12, to_nv12_run)
/* clang-format on */
