/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "infer/image.h"

#include <string.h>

#include "infer/error.h"

/* Products of sizes fit into 63 bits. */
#define MAX_SIDE (G_GINT64_CONSTANT (1) << 30)

/* Packed: bytes of a pixel, and the offsets of red, green, blue (or grey). */
typedef struct
{
  const char *name;
  guint n, step, places[3];
} Packed;

static const Packed packed[] = {
  { "RGB", 3, 3, { 0, 1, 2 } },
  { "BGR", 3, 3, { 2, 1, 0 } },
  { "RGBx", 3, 4, { 0, 1, 2 } },
  { "BGRx", 3, 4, { 2, 1, 0 } },
  { "xRGB", 3, 4, { 1, 2, 3 } },
  { "xBGR", 3, 4, { 3, 2, 1 } },
  { "GRAY8", 1, 1, { 0, 0, 0 } },
};

static gint64
set_packed (InferImage *image, const Packed *kind, const char *data, gint64 row)
{
  image->n = kind->n;
  for (guint c = 0; c < kind->n; c++)
    image->planes[c] = (InferPlane){
      .data = data + kind->places[c], .row = row, .step = kind->step
    };
  return row * (image->height - 1) + image->width * kind->step;
}

/* Y, then U and V of half the size: interleaved (@mixed), or one after the
 * other with half the row. */
static gint64
set_planar (InferImage *image, gboolean mixed, const char *data, gint64 row)
{
  gint64 half = (image->height + 1) / 2, columns = (image->width + 1) / 2;
  const char *chroma = data + row * image->height;
  gint64 chroma_row = mixed ? row : row / 2;
  gint64 step = mixed ? 2 : 1;

  image->n = 3;
  image->yuv = TRUE;
  image->kr = 0.299;
  image->kb = 0.114;
  image->planes[0] = (InferPlane){ data, row, 1, 0, 0 };
  image->planes[1] = (InferPlane){ chroma, chroma_row, step, 1, 1 };
  image->planes[2] =
      (InferPlane){ mixed ? chroma + 1 : chroma + chroma_row * half, chroma_row,
        step, 1, 1 };
  return row * image->height
         + (mixed ? chroma_row * (half - 1) + 2 * columns
                  : chroma_row * (2 * half - 1) + columns);
}

static gint64
least_row (const Packed *kind, gint64 width)
{
  return kind ? width * kind->step : width + width % 2;
}

gboolean
infer_image_init (InferImage *image, const char *format, gconstpointer data,
    gsize size, gint64 width, gint64 height, gint64 row, GError **error)
{
  gboolean mixed = strcmp (format, "NV12") == 0;
  const Packed *kind = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (packed); i++)
    if (strcmp (packed[i].name, format) == 0)
      kind = &packed[i];
  if (!kind && !mixed && strcmp (format, "I420") != 0)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "format '%.20s' is none of RGB, BGR, RGBx, BGRx, xRGB, xBGR, GRAY8, NV12, "
        "I420",
        format);
  if (width < 1 || height < 1 || width > MAX_SIDE || height > MAX_SIDE
      || row < least_row (kind, width) || row > 8 * MAX_SIDE)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "a picture of %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT
        " pixels cannot have rows of %" G_GINT64_FORMAT " bytes",
        width, height, row);
  *image =
      (InferImage){ .type = INFER_TYPE_U8, .width = width, .height = height };
  gint64 needed = kind ? set_packed (image, kind, data, row)
                       : set_planar (image, mixed, data, row);
  return size >= (guint64) needed
         || infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
             "%" G_GSIZE_FORMAT
             " bytes are too few for a picture of %" G_GINT64_FORMAT
             " x %" G_GINT64_FORMAT " %s",
             size, width, height, format);
}
