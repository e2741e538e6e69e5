/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/scaler.h"

#include "inference/media/image-rows.h"
#include "inference/media/taps.h"

#define MAX_COMPONENTS INFER_IMAGE_MAX_CHANNELS
/* Up to this step, in values, samples are read as one line. */
#define MAX_STEP 4

/* The two samples that an output is mixed from, along one axis. */
typedef struct
{
  gint64 first, second;
  float weight; /* of the second */
} Tap;

typedef enum
{
  COLUMNS_COPY,
  COLUMNS_PICK,
  COLUMNS_HALVE,
  COLUMNS_MIX,
} ColumnsKind;

/* All columns, in samples of a plane from `begin`. */
typedef struct
{
  guint shift;
  gint64 begin, span;
  ColumnsKind kind;
  gint32 *first, *second;
  float *weight;
} Columns;

typedef struct
{
  const char *data; /* column `begin` of row 0 */
  gint64 row;
  guint v_shift;
  guint columns;   /* index */
  gint64 step;     /* bytes from sample to sample */
  guint line_step; /* values, in the line */
  gboolean gather; /* sample by sample: few, or far apart */
  gsize extent;    /* values of the line */
  gint64 height;   /* samples of the plane */
  /* The columns, in bytes if `gather`, else in values of the line. */
  const gint32 *first, *second;
} Group;

typedef struct
{
  guint group;
  gsize offset; /* bytes from the group's first */
} Component;

struct _InferScaler
{
  InferType type;
  float unit;
  gsize value; /* bytes */
  InferBox box;
  gint64 width, height;
  gboolean nearest;

  guint n_columns, n_groups, n_components;
  Columns columns[MAX_COMPONENTS];
  Group groups[MAX_COMPONENTS];
  Component components[MAX_COMPONENTS];

  gint64 max_width;
  gint32 *indices; /* of the columns, then of the groups: 2 rows each */
  float *weights;
  float *rows[MAX_COMPONENTS];
  gsize max_line;
  float *line;

  /* Cubic and area: weighted sums of several samples. */
  gboolean sums;
  const InferImage *image;
  InferTaps across[MAX_COMPONENTS], down[MAX_COMPONENTS];
};

InferScaler *
infer_scaler_new (void)
{
  return g_new0 (InferScaler, 1);
}

void
infer_scaler_free (InferScaler *self)
{
  if (self == NULL)
    return;
  g_free (self->indices);
  g_free (self->weights);
  g_free (self->rows[0]);
  g_free (self->line);
  for (guint c = 0; c < MAX_COMPONENTS; c++) {
    infer_taps_clear (&self->across[c]);
    infer_taps_clear (&self->down[c]);
  }
  g_free (self);
}

static gint64
samples_of (gint64 pixels, guint shift)
{
  return (pixels + (1 << shift) - 1) >> shift;
}

/* @from, @n: pixels of the box along the axis; @to: of the output. */
static Tap
tap_at (gint64 i, gint64 from, gint64 n, gint64 to, guint shift, gint64 size,
    gboolean nearest)
{
  double unit = (double) (1 << shift);
  double centre =
      ((double) from + ((double) i + 0.5) * (double) n / (double) to) / unit;
  gint64 low = CLAMP (from >> shift, 0, size - 1);
  gint64 high = CLAMP (samples_of (from + n, shift) - 1, low, size - 1);
  double at = CLAMP (centre - 0.5, (double) low, (double) high);
  Tap tap;

  if (nearest) {
    tap.first = tap.second = CLAMP ((gint64) centre, low, high);
    tap.weight = 0;
    return tap;
  }
  tap.first = (gint64) at;
  tap.second = MIN (tap.first + 1, high);
  tap.weight = (float) (at - (double) tap.first);
  return tap;
}

static ColumnsKind
kind_of (const Columns *c, gint64 width)
{
  gboolean picks = TRUE, copies = TRUE, halves = TRUE;

  for (gint64 x = 0; x < width; x++) {
    picks = picks && c->weight[x] == 0;
    copies = copies && c->first[x] == x;
    halves = halves && c->weight[x] == 0.5f && c->first[x] == 2 * x;
  }
  return picks    ? copies ? COLUMNS_COPY : COLUMNS_PICK
         : halves ? COLUMNS_HALVE
                  : COLUMNS_MIX;
}

/* Returns the index of the columns for planes with @shift. */
static guint
columns_for (InferScaler *self, const InferImage *image, guint shift)
{
  gint64 size = samples_of (image->width, shift), width = self->width;
  Columns *c = &self->columns[self->n_columns];

  for (guint i = 0; i < self->n_columns; i++)
    if (self->columns[i].shift == shift)
      return i;
  c->shift = shift;
  c->first = self->indices + self->n_columns * 2 * width;
  c->second = c->first + width;
  c->weight = self->weights + self->n_columns * width;
  c->begin = tap_at (
      0, self->box.x, self->box.width, width, shift, size, self->nearest)
                 .first;
  for (gint64 x = 0; x < width; x++) {
    Tap tap = tap_at (
        x, self->box.x, self->box.width, width, shift, size, self->nearest);

    c->first[x] = (gint32) (tap.first - c->begin);
    c->second[x] = (gint32) (tap.second - c->begin);
    c->weight[x] = tap.weight;
    c->span = tap.second - c->begin + 1;
  }
  c->kind = kind_of (c, width);
  return self->n_columns++;
}

static gboolean
lie_together (const InferPlane *a, const InferPlane *b)
{
  gint64 apart = (const char *) b->data - (const char *) a->data;

  return a->row == b->row && a->step == b->step && a->h_shift == b->h_shift
         && a->v_shift == b->v_shift && ABS (apart) < ABS (a->step);
}

/* Adds component @c to a group whose samples it is interleaved with.  FALSE:
 * there is none. */
static gboolean
join_group (InferScaler *self, const InferImage *image, guint c)
{
  for (guint i = 0; i < c; i++) {
    if (!lie_together (&image->planes[i], &image->planes[c]))
      continue;
    self->components[c].group = self->components[i].group;
    return TRUE;
  }
  self->components[c].group = self->n_groups;
  return FALSE;
}

static void
scale_indices (InferScaler *self, Group *group, guint g)
{
  const Columns *columns = &self->columns[group->columns];
  gint64 by = group->gather ? group->step : group->line_step;
  gint64 n = self->width;
  gint32 *to = self->indices + (2 * MAX_COMPONENTS + 2 * g) * n;

  group->first = columns->first;
  group->second = columns->second;
  if (by == 1)
    return;
  for (gint64 x = 0; x < n; x++) {
    to[x] = (gint32) (columns->first[x] * by);
    to[n + x] = (gint32) (columns->second[x] * by);
  }
  group->first = to;
  group->second = to + n;
}

static void
settle_group (InferScaler *self, const InferImage *image, guint g)
{
  Group *group = &self->groups[g];
  const Columns *columns = &self->columns[group->columns];
  const char *base = NULL, *last = NULL;
  gint64 value = (gint64) self->value;

  for (guint c = 0; c < self->n_components; c++) {
    const char *at = image->planes[c].data;

    if (self->components[c].group != g)
      continue;
    base = base == NULL || at < base ? at : base;
    last = last == NULL || at > last ? at : last;
  }
  for (guint c = 0; c < self->n_components; c++)
    if (self->components[c].group == g)
      self->components[c].offset =
          (gsize) ((const char *) image->planes[c].data - base);
  gboolean line = group->step > 0 && group->step % value == 0
                  && group->step <= MAX_STEP * value
                  && (last - base) % value == 0;
  /* A line does not pay if less than every third sample is used. */
  group->gather = !line || columns->span > 3 * self->width;
  group->line_step = line ? (guint) (group->step / value) : 1;
  group->data = base + columns->begin * group->step;
  group->extent = (gsize) (columns->span - 1) * group->line_step
                  + (gsize) (last - base) / self->value + 1;
  scale_indices (self, group, g);
}

static void
make_line (InferScaler *self)
{
  gsize line = 0;

  for (guint g = 0; g < self->n_groups; g++)
    if (!self->groups[g].gather)
      line = MAX (line, self->groups[g].extent);
  if (line <= self->max_line)
    return;
  self->line = g_renew (float, self->line, line);
  self->max_line = line;
}

static void
make_rows (InferScaler *self, gint64 width)
{
  if (width > self->max_width) {
    gsize n = (gsize) width * MAX_COMPONENTS;

    self->indices = g_renew (gint32, self->indices, 4 * n);
    self->weights = g_renew (float, self->weights, n);
    self->rows[0] = g_renew (float, self->rows[0], n);
    self->max_width = width;
  }
  for (guint c = 1; c < MAX_COMPONENTS; c++)
    self->rows[c] = self->rows[0] + c * width;
}

/* --- sums of several samples --- */

static void
begin_sums (InferScaler *self, const InferImage *image, InferSampling sampling)
{
  gsize line = 0;

  self->image = image;
  for (guint c = 0; c < self->n_components; c++) {
    const InferPlane *plane = &image->planes[c];
    InferTaps *across = &self->across[c];

    infer_taps_set (across, sampling, self->box.x, self->box.width, self->width,
        plane->h_shift, samples_of (image->width, plane->h_shift));
    infer_taps_set (&self->down[c], sampling, self->box.y, self->box.height,
        self->height, plane->v_shift,
        samples_of (image->height, plane->v_shift));
    line = MAX (line, (gsize) (across->end - across->begin));
  }
  if (line > self->max_line) {
    self->line = g_renew (float, self->line, line);
    self->max_line = line;
  }
}

/* line += weight · samples */
static void
add_samples (const InferScaler *self, const char *from, gint64 step,
    float weight, gsize n)
{
  float *line = self->line;

  if (self->type == INFER_TYPE_U8)
    for (gsize x = 0; x < n; x++, from += step)
      line[x] += weight * (float) *(const guint8 *) from;
  else if (self->type == INFER_TYPE_U16)
    for (gsize x = 0; x < n; x++, from += step)
      line[x] += weight * (float) *(const guint16 *) (gconstpointer) from;
  else
    for (gsize x = 0; x < n; x++, from += step)
      line[x] += weight * *(const float *) (gconstpointer) from;
}

static void
sum_row (InferScaler *self, guint c, gint64 y)
{
  const InferPlane *plane = &self->image->planes[c];
  const InferTaps *across = &self->across[c], *down = &self->down[c];
  const char *from = (const char *) plane->data + down->first[y] * plane->row
                     + across->begin * plane->step;
  gsize n = (gsize) (across->end - across->begin);

  for (gsize x = 0; x < n; x++)
    self->line[x] = 0;
  for (guint k = 0; k < down->n[y]; k++, from += plane->row)
    add_samples (
        self, from, plane->step, down->weights[(gsize) y * down->most + k], n);
  for (gint64 x = 0; x < self->width; x++) {
    const float *weights = across->weights + (gsize) x * across->most;
    const float *line = self->line + (across->first[x] - across->begin);
    float sum = 0;

    for (guint k = 0; k < across->n[x]; k++)
      sum += weights[k] * line[k];
    self->rows[c][x] = sum;
  }
}

void
infer_scaler_begin (InferScaler *self, const InferImage *image,
    const InferBox *box, guint n, gint64 width, gint64 height,
    InferSampling sampling)
{
  self->type = image->type;
  self->unit = image->type == INFER_TYPE_U16 ? image->unit : 1;
  self->value = infer_type_size (image->type);
  self->box = *box;
  self->width = width;
  self->height = height;
  self->nearest = sampling == INFER_SAMPLING_NEAREST;
  self->sums =
      sampling == INFER_SAMPLING_CUBIC || sampling == INFER_SAMPLING_AREA;
  self->n_columns = self->n_groups = 0;
  self->n_components = n;
  make_rows (self, width);
  if (self->sums) {
    begin_sums (self, image, sampling);
    return;
  }
  for (guint c = 0; c < n; c++) {
    const InferPlane *plane = &image->planes[c];

    if (!join_group (self, image, c))
      self->groups[self->n_groups++] = (Group){
        .row = plane->row,
        .v_shift = plane->v_shift,
        .step = plane->step,
        .height = samples_of (image->height, plane->v_shift),
        .columns = columns_for (self, image, plane->h_shift),
      };
  }
  for (guint g = 0; g < self->n_groups; g++)
    settle_group (self, image, g);
  make_line (self);
}

/* Mixes the group's rows @above and @below. */
typedef struct
{
  const char *above, *below;
  float down;
} Rows;

static void
blend (const InferScaler *self, const Group *group, Rows rows, float *to)
{
  gconstpointer above = rows.above, below = rows.below;

  if (self->type == INFER_TYPE_U8)
    infer_rows_blend_u8 (above, below, rows.down, group->extent, to);
  else if (self->type == INFER_TYPE_U16)
    infer_rows_blend_u16 (above, below, rows.down, group->extent, to);
  else
    infer_rows_blend_f32 (above, below, rows.down, group->extent, to);
}

static void
gather (
    InferScaler *self, const Group *group, gsize offset, Rows rows, float *to)
{
  const float *weight = self->columns[group->columns].weight;
  const char *above = rows.above + offset, *below = rows.below + offset;
  gsize n = (gsize) self->width;

  (self->type == INFER_TYPE_U8       ? infer_rows_gather_u8
      : self->type == INFER_TYPE_U16 ? infer_rows_gather_u16
                                     : infer_rows_gather_f32) (
      above, below, rows.down, group->first, group->second, weight, n, to);
}

static void
pick_columns (
    const InferScaler *self, const Group *group, const float *line, float *to)
{
  const Columns *columns = &self->columns[group->columns];
  gsize n = (gsize) self->width;

  if (columns->kind == COLUMNS_COPY)
    infer_rows_take (line, group->line_step, n, to);
  else if (columns->kind == COLUMNS_PICK)
    infer_rows_pick (line, group->first, n, to);
  else if (columns->kind == COLUMNS_HALVE && group->line_step == 1)
    infer_rows_halve (line, n, to);
  else
    infer_rows_mix (line, group->first, group->second, columns->weight, n, to);
}

static void
run_group (InferScaler *self, guint g, gint64 y)
{
  const Group *group = &self->groups[g];
  Tap tap = tap_at (y, self->box.y, self->box.height, self->height,
      group->v_shift, group->height, self->nearest);
  Rows rows = { group->data + tap.first * group->row,
    group->data + tap.second * group->row, tap.weight };
  gboolean alone = group->line_step == 1
                   && self->columns[group->columns].kind == COLUMNS_COPY;

  if (!group->gather && !alone)
    blend (self, group, rows, self->line);
  for (guint c = 0; c < self->n_components; c++) {
    const Component *component = &self->components[c];

    if (component->group != g)
      continue;
    if (group->gather)
      gather (self, group, component->offset, rows, self->rows[c]);
    else if (alone)
      blend (self, group, rows, self->rows[c]);
    else
      pick_columns (self, group, self->line + component->offset / self->value,
          self->rows[c]);
  }
}

float *const *
infer_scaler_row (InferScaler *self, gint64 y)
{
  for (guint c = 0; self->sums && c < self->n_components; c++)
    sum_row (self, c, y);
  for (guint g = 0; g < self->n_groups; g++)
    run_group (self, g, y);
  for (guint c = 0; self->unit != 1 && c < self->n_components; c++)
    infer_rows_scale (self->unit, (gsize) self->width, self->rows[c]);
  return self->rows;
}
