/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/draw/stencil.h"

#include "inference/media/image-rows.h"

#define COLORS 256

/* A row of a plane of the frame, byte by byte. */
typedef struct
{
  guint8 *alpha, *ink;
  gsize size, from, to; /* bytes: in all, first and last set */
} Row;

struct _GstInferStencil
{
  GstInferCanvas *canvas;
  Row rows[4];            /* of planes */
  guint8 inks[COLORS][4]; /* of components */
  gboolean has_ink[COLORS];
};

static gsize
samples_of (int pixels, int shift)
{
  return (gsize) (pixels + (1 << shift) - 1) >> shift;
}

GstInferStencil *
gst_infer_stencil_new (GstInferCanvas *canvas)
{
  GstInferStencil *self = g_new0 (GstInferStencil, 1);

  self->canvas = canvas;
  for (guint c = 0; c < canvas->n; c++) {
    Row *row = &self->rows[canvas->components[c].plane];
    gsize n = samples_of (canvas->width, canvas->components[c].x_shift);

    row->size = MAX (row->size, n * (gsize) canvas->components[c].step);
  }
  for (guint i = 0; i < 4; i++) {
    self->rows[i].alpha = g_malloc0 (self->rows[i].size);
    self->rows[i].ink = g_malloc0 (self->rows[i].size);
  }
  return self;
}

void
gst_infer_stencil_free (GstInferStencil *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < 4; i++) {
    g_free (self->rows[i].alpha);
    g_free (self->rows[i].ink);
  }
  g_free (self);
}

static void
find_inks (GstInferStencil *self, const guint8 *colors, int n)
{
  for (int i = 0; i < n; i++) {
    if (self->has_ink[colors[i]])
      continue;
    gst_infer_canvas_set_color (self->canvas, gst_infer_palette (colors[i]));
    for (guint c = 0; c < 4; c++)
      self->inks[colors[i]][c] = self->canvas->ink[c];
    self->has_ink[colors[i]] = TRUE;
  }
}

/* If pixels share a sample, the first of them sets it. */
void
gst_infer_stencil_set (GstInferStencil *self, int x0, int x1,
    const guint8 *alphas, const guint8 *colors)
{
  find_inks (self, colors, x1 - x0);
  for (guint c = 0; c < self->canvas->n; c++) {
    Row *row = &self->rows[self->canvas->components[c].plane];
    int shift = self->canvas->components[c].x_shift;
    gsize step = (gsize) self->canvas->components[c].step;
    gsize begin = samples_of (x0, shift), end = samples_of (x1, shift);
    guint8 *alpha = row->alpha + self->canvas->components[c].offset;
    guint8 *ink = row->ink + self->canvas->components[c].offset;

    row->from = begin * step;
    row->to = MIN (end * step, row->size);
    for (gsize s = begin; s < end; s++) {
      int x = (int) (s << shift) - x0;

      alpha[s * step] = alphas[x];
      ink[s * step] = self->inks[colors[x]][c];
    }
  }
}

void
gst_infer_stencil_draw (const GstInferStencil *self, int y)
{
  guint done = 0; /* a bit for each plane */

  for (guint c = 0; c < self->canvas->n; c++) {
    int plane = self->canvas->components[c].plane;
    int shift = self->canvas->components[c].y_shift;
    const Row *row = &self->rows[plane];
    guint8 *to = self->canvas->components[c].data
                 - self->canvas->components[c].offset
                 + (gssize) (y >> shift) * self->canvas->components[c].stride;

    if ((done & 1u << plane) || (y & ((1 << shift) - 1)) != 0)
      continue;
    done |= 1u << plane;
    infer_rows_mix_u8 (row->ink + row->from, row->alpha + row->from,
        row->to > row->from ? row->to - row->from : 0, to + row->from);
  }
}
