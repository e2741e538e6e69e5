/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/motion/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 4 /* of a cell that are looked at */
#define ROW_STEP (GST_INFER_CELL / ROWS)
#define SAMPLES (ROWS * GST_INFER_CELL) /* of a cell */

/* A cell has changed beyond FACTOR times its noise and FLOOR levels. */
#define FACTOR 2.0
#define FLOOR 2.0
#define LEARN 0.05      /* of the noise of a cell, by a picture */
#define MOST_NOISE 12.0 /* levels, that a first comparison can show */

struct _GstInferMotionGrid
{
  guint width, height; /* in samples */
  guint columns, rows; /* in cells */
  guint8 *reference;   /* the rows that are looked at, [columns] cells wide */
  guint8 *lines;       /* those of a row of cells, where they must be copied */
  guint32 *reference_sums;     /* [cells]: of its samples */
  guint32 *sums, *differences; /* [cells]: of this picture; |a - b| */
  gboolean has_reference, has_noise;
  int light;          /* that was added to the reference last */
  float level;        /* of the noise of all cells, in levels */
  float *noise;       /* [cells]: of each */
  guint8 *changed;    /* [cells] */
  guint16 *component; /* [cells]: 0: none */
  guint *stack;       /* [cells] */
};

GstInferMotionGrid *
gst_infer_motion_grid_new (guint width, guint height)
{
  GstInferMotionGrid *self = g_new0 (GstInferMotionGrid, 1);

  self->width = width;
  self->height = height;
  self->columns = MAX (width / GST_INFER_CELL, 1);
  self->rows = MAX (height / GST_INFER_CELL, 1);
  const gsize cells = (gsize) self->columns * self->rows;
  self->reference = g_try_malloc0 (cells * SAMPLES);
  self->lines = g_try_malloc0 ((gsize) self->columns * GST_INFER_CELL * ROWS);
  self->reference_sums = g_try_new0 (guint32, cells);
  self->sums = g_try_new0 (guint32, cells);
  self->differences = g_try_new0 (guint32, cells);
  self->noise = g_try_new0 (float, cells);
  self->changed = g_try_malloc0 (cells);
  self->component = g_try_new0 (guint16, cells);
  self->stack = g_try_new0 (guint, cells);
  if (self->reference != NULL && self->lines != NULL
      && self->reference_sums != NULL && self->sums != NULL
      && self->differences != NULL && self->noise != NULL
      && self->changed != NULL && self->component != NULL
      && self->stack != NULL)
    return self;
  gst_infer_motion_grid_free (self);
  return NULL;
}

void
gst_infer_motion_grid_free (GstInferMotionGrid *self)
{
  if (self == NULL)
    return;
  g_free (self->reference);
  g_free (self->lines);
  g_free (self->reference_sums);
  g_free (self->sums);
  g_free (self->differences);
  g_free (self->noise);
  g_free (self->changed);
  g_free (self->component);
  g_free (self->stack);
  g_free (self);
}

void
gst_infer_motion_grid_forget (GstInferMotionGrid *self)
{
  self->has_reference = FALSE;
}

/* --- the picture --- */

typedef struct
{
  const guint8 *data;
  gsize stride;
  guint step;
} Picture;

/* The rows of the cells @row that are looked at, as wide as all cells. */
static void
rows_of (GstInferMotionGrid *self, const Picture *picture, guint row,
    const guint8 *rows[ROWS])
{
  const guint n = self->columns * GST_INFER_CELL;

  for (guint i = 0; i < ROWS; i++) {
    const guint y = MIN ((row * ROWS + i) * ROW_STEP, self->height - 1);
    const guint8 *from = picture->data + y * picture->stride;
    guint8 *line = self->lines + (gsize) i * n;

    rows[i] = from;
    if (picture->step == 1 && n <= self->width)
      continue;
    for (guint x = 0; x < n; x++)
      line[x] = from[(gsize) MIN (x, self->width - 1) * picture->step];
    rows[i] = line;
  }
}

typedef guint8 Bytes __attribute__ ((vector_size (16)));
typedef guint16 Words __attribute__ ((vector_size (16)));
typedef guint64 Longs __attribute__ ((vector_size (16)));

G_STATIC_ASSERT (sizeof (Bytes) == GST_INFER_CELL);

static inline Bytes
load (const guint8 *from)
{
  Bytes bytes;

  memcpy (&bytes, from, sizeof bytes);
  return bytes;
}

static inline Words
widen (Bytes bytes)
{
  const Words words = (Words) bytes;

  return (words & 0xff) + (words >> 8);
}

/* Of sums of 2 · ROWS bytes, which no sum of four overflows. */
static inline guint32
total (Words words)
{
  const Longs longs = (Longs) words;

  return (guint32) ((longs[0] * G_GUINT64_CONSTANT (0x0001000100010001)) >> 48)
         + (guint32) ((longs[1] * G_GUINT64_CONSTANT (0x0001000100010001))
                      >> 48);
}

/* Up or down, to 255 or 0 at most. */
static inline Bytes
shift (Bytes b, Bytes up, Bytes down)
{
  const Bytes higher = b + up;
  const Bytes full = higher | (Bytes) (higher < b);
  const Bytes lower = full - down;

  return lower & (Bytes) (lower <= full);
}

/* @light is added to the reference. */
static void
compare_rows (const guint8 *const a[ROWS], const guint8 *b, gsize b_stride,
    guint columns, int light, guint32 *differences, guint32 *sums)
{
  const Bytes up = (Bytes){ 0 } + (guint8) CLAMP (light, 0, 255);
  const Bytes down = (Bytes){ 0 } + (guint8) CLAMP (-light, 0, 255);

  for (guint x = 0; x < columns; x++) {
    const gsize at = (gsize) x * GST_INFER_CELL;
    Words difference = { 0 }, sum = { 0 };

    for (guint i = 0; i < ROWS; i++) {
      const Bytes now = load (a[i] + at);
      const Bytes then = shift (load (b + i * b_stride + at), up, down);
      const Bytes more = (Bytes) (now > then);

      difference += widen (((now - then) & more) | ((then - now) & ~more));
      sum += widen (now);
    }
    differences[x] = total (difference);
    sums[x] = total (sum);
  }
}

/* The sums of all cells, and the differences from the reference. */
static void
compare (GstInferMotionGrid *self, const Picture *picture, int light)
{
  const gsize width = (gsize) self->columns * GST_INFER_CELL;
  const guint8 *rows[ROWS];

  for (guint y = 0; y < self->rows; y++) {
    rows_of (self, picture, y, rows);
    compare_rows (rows, self->reference + y * ROWS * width, width,
        self->columns, light, self->differences + (gsize) y * self->columns,
        self->sums + (gsize) y * self->columns);
  }
  self->light = light;
}

void
gst_infer_motion_grid_keep (
    GstInferMotionGrid *self, const guint8 *data, gsize stride, guint step)
{
  const Picture picture = { data, stride, step };
  const gsize width = (gsize) self->columns * GST_INFER_CELL;
  const gsize cells = (gsize) self->columns * self->rows;
  const guint8 *rows[ROWS];

  for (guint y = 0; y < self->rows; y++) {
    rows_of (self, &picture, y, rows);
    for (guint i = 0; i < ROWS; i++)
      memcpy (self->reference + (y * ROWS + i) * width, rows[i], width);
  }
  memcpy (self->reference_sums, self->sums, cells * sizeof *self->sums);
  self->has_reference = TRUE;
  self->light = 0;
}

/* --- differences --- */

static inline float
mean_of (const GstInferMotionGrid *self, guint i)
{
  return (float) ((gint32) self->sums[i] - (gint32) self->reference_sums[i])
         * (1.0f / SAMPLES);
}

static inline float
texture_of (const GstInferMotionGrid *self, guint i)
{
  return (float) self->differences[i] * (1.0f / SAMPLES);
}

/* A middle needs not every cell. */
#define EACH 4

/* Of numbers of cells from -255 to 255, counted by quarters. */
static inline float
middle (const GstInferMotionGrid *self,
    float (*number) (const GstInferMotionGrid *self, guint i))
{
  const guint cells = self->columns * self->rows;
  const guint each = cells > 64 ? EACH : 1;
  guint counts[2048] = { 0 };
  guint sum = 0, at = 0;

  for (guint i = 0; i < cells; i += each)
    counts[(guint) ((number (self, i) + 255) * 4)]++;
  while (at < 2047 && (sum += counts[at]) * 2 * each < cells)
    at++;
  return (float) at / 4 - 255;
}

/* @now: the middle of this picture.  A level that falls is believed at once:
 * most of the picture was moving. */
static void
learn_level (GstInferMotionGrid *self, float now)
{
  const guint cells = self->columns * self->rows;

  if (!self->has_noise)
    self->level = MIN (now, (float) MOST_NOISE);
  self->level = MIN (self->level, now);
  for (guint i = 0; i < cells && !self->has_noise; i++)
    self->noise[i] = self->level;
  self->has_noise = TRUE;
}

/* Updates the noise level from a picture that did not change. */
static void
learn (GstInferMotionGrid *self, float now)
{
  const guint cells = self->columns * self->rows;

  self->level += (float) LEARN * (now - self->level);
  for (guint i = 0; i < cells; i++)
    if (!self->changed[i])
      self->noise[i] += (float) LEARN * (texture_of (self, i) - self->noise[i]);
}

/* Returns how many cells differ. */
static guint
mark_cells (GstInferMotionGrid *self, float light, double sensitivity)
{
  const guint cells = self->columns * self->rows;
  const float lowest = (float) (FLOOR / MAX (sensitivity, 1e-3));
  const float factor = (float) (FACTOR / MAX (sensitivity, 1e-3));
  /* A change of light changes bright cells more than dark ones. */
  const float allowed = lowest + 0.5f * fabsf (light);
  const float least = self->level / 2;
  guint changed = 0;

  for (guint i = 0; i < cells; i++) {
    const float noise = MAX (self->noise[i], least);

    /* A mean is of 64 samples, and has an eighth of their noise. */
    self->changed[i] = texture_of (self, i) > factor * noise + allowed
                       || fabsf (mean_of (self, i) - light) > noise + allowed;
    changed += self->changed[i];
  }
  return changed;
}

/* --- cells that touch --- */

/* Marks the component of cell @first with @number; returns its size. */
static guint
flood (GstInferMotionGrid *self, guint first, guint16 number,
    GstInferMotionBox *box)
{
  guint n = 1, size = 0;

  self->stack[0] = first;
  self->component[first] = number;
  *box = (GstInferMotionBox){ G_MAXUINT, G_MAXUINT, 0, 0 };
  while (n > 0) {
    const guint at = self->stack[--n];
    const guint x = at % self->columns, y = at / self->columns;

    size++;
    box->x0 = MIN (box->x0, x), box->y0 = MIN (box->y0, y);
    box->x1 = MAX (box->x1, x + 1), box->y1 = MAX (box->y1, y + 1);
    for (guint v = y > 0 ? y - 1 : 0; v < MIN (y + 2, self->rows); v++)
      for (guint u = x > 0 ? x - 1 : 0; u < MIN (x + 2, self->columns); u++) {
        const guint next = v * self->columns + u;

        if (!self->changed[next] || self->component[next] != 0)
          continue;
        self->component[next] = number;
        self->stack[n++] = next;
      }
  }
  return size;
}

#define LEAST_CELLS 2

static guint
find_boxes (GstInferMotionGrid *self, GstInferMotionBox *boxes, guint most)
{
  const guint cells = self->columns * self->rows;
  const guint least = MIN (LEAST_CELLS, cells);
  GstInferMotionBox box;
  guint n = 0;

  memset (self->component, 0, cells * sizeof *self->component);
  for (guint i = 0; i < cells && n < most; i++)
    if (self->changed[i] && self->component[i] == 0
        && flood (self, i, (guint16) (n + 1), &box) >= least)
      boxes[n++] = box;
  return n;
}

gboolean
gst_infer_motion_grid_look (GstInferMotionGrid *self, const guint8 *data,
    gsize stride, guint step, double sensitivity)
{
  const Picture picture = { data, stride, step };
  const guint n = self->columns * self->rows;
  GstInferMotionBox box;

  /* Light seldom changes from one picture to the next. */
  compare (self, &picture, self->light);
  if (!self->has_reference) {
    memset (self->changed, 1, n);
    return TRUE;
  }
  const float light = middle (self, mean_of);
  if (abs ((int) lroundf (light) - self->light) > 1)
    compare (self, &picture, (int) lroundf (light));
  const float now = middle (self, texture_of);
  learn_level (self, now);
  const guint changed = mark_cells (self, light, sensitivity);
  if (changed * 8 < n)
    learn (self, now);
  return changed > 0 && find_boxes (self, &box, 1) > 0;
}

guint
gst_infer_motion_grid_boxes (
    GstInferMotionGrid *self, GstInferMotionBox *boxes, guint most)
{
  return find_boxes (self, boxes, most);
}
