/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* PriorBox and PriorBoxClustered. */

#include "inference/graph/ops/prior-box.h"

#include "cpu/ops/detections.h"
#include "cpu/base/widen.h"

typedef struct
{
  gint64 height, width; /* of the grid */
  float image_height, image_width;
  float step_x, step_y, offset;
} Grid;

static Grid
read_grid (const CpuStep *step)
{
  return (Grid){
    .height = cpu_integer_at (step->in[0], 0),
    .width = cpu_integer_at (step->in[0], 1),
    .image_height = (float) cpu_integer_at (step->in[1], 0),
    .image_width = (float) cpu_integer_at (step->in[1], 1),
  };
}

static void
write_box (const Grid *grid, float x, float y, const InferPrior *box, float *to)
{
  to[0] = (x + box->x - box->half_width) / grid->image_width;
  to[1] = (y + box->y - box->half_height) / grid->image_height;
  to[2] = (x + box->x + box->half_width) / grid->image_width;
  to[3] = (y + box->y + box->half_height) / grid->image_height;
  for (int i = 0; box->clip && i < 4; i++)
    to[i] = i < 2 ? MAX (to[i], 0.0f) : MIN (to[i], 1.0f);
}

/* The boxes of all points, then as many variances. */
static void
write_all (const InferPriorBox *attrs, const Grid *grid, const InferPrior *list,
    float *to, gsize n)
{
  float *end = to + n;

  for (gint64 h = 0; h < grid->height; h++)
    for (gint64 w = 0; w < grid->width; w++)
      for (gint64 i = 0; i < attrs->count; i++, to += 4) {
        write_box (grid, ((float) w + grid->offset) * grid->step_x,
            ((float) h + grid->offset) * grid->step_y, &list[i], to);
        for (int k = 0; attrs->clip && k < 4; k++)
          to[k] = MAX (0.0f, MIN (1.0f, to[k]));
      }
  for (gsize i = 0; i < n; i++)
    end[i] = (float) g_array_index (
        attrs->variance, double, i % attrs->variance->len);
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  const InferPriorBox *attrs = step->op->attrs;
  gsize size = cpu_scratch_add (0, (gsize) attrs->count, sizeof (InferPrior));

  step->kernel = "ref_f32";
  if (size == G_MAXSIZE)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "%" G_GINT64_FORMAT " boxes at each point", attrs->count);
  cpu_step_need_scratch (step, size);
  return TRUE;
}

static gboolean
prior_box_run (CpuStep *step, GError **error)
{
  const InferPriorBox *attrs = step->op->attrs;
  Grid grid = read_grid (step);
  float distance = (float) attrs->step, scale = 1;

  (void) error;
  if (step->out[0]->n == 0)
    return TRUE;
  if (!attrs->scale_all_sizes) {
    scale = grid.image_height; /* sizes and step are fractions of the image */
    distance = distance == -1 ? grid.image_height / (float) grid.height
                              : distance * grid.image_height;
  }
  grid.step_x = grid.step_y = distance;
  grid.offset = (float) attrs->offset;
  if (distance == 0) {
    grid.step_x = grid.image_width / (float) grid.width;
    grid.step_y = grid.image_height / (float) grid.height;
    grid.offset = 0.5f;
  }
  infer_prior_box_list (attrs, scale, step->scratch);
  write_all (
      attrs, &grid, step->scratch, step->out[0]->data, step->out[0]->n / 2);
  return TRUE;
}

static gboolean
clustered_run (CpuStep *step, GError **error)
{
  const InferPriorBox *attrs = step->op->attrs;
  InferPrior *list = step->scratch;
  Grid grid = read_grid (step);

  (void) error;
  if (step->out[0]->n == 0)
    return TRUE;
  grid.step_x =
      (float) (attrs->step_width != 0 ? attrs->step_width : attrs->step);
  grid.step_y =
      (float) (attrs->step_height != 0 ? attrs->step_height : attrs->step);
  if (grid.step_x == 0 && grid.step_y == 0) {
    grid.step_x = grid.image_width / (float) grid.width;
    grid.step_y = grid.image_height / (float) grid.height;
  }
  grid.offset = (float) attrs->offset;
  for (guint i = 0; i < attrs->widths->len; i++)
    list[i] = (InferPrior){
      .half_width = (float) g_array_index (attrs->widths, double, i) / 2,
      .half_height = (float) g_array_index (attrs->heights, double, i) / 2,
    };
  write_all (attrs, &grid, list, step->out[0]->data, step->out[0]->n / 2);
  return TRUE;
}

const CpuOp cpu_op_prior_box = {
  .prepare = prepare,
  .run = prior_box_run,
};

const CpuOp cpu_op_prior_box_clustered = {
  .prepare = prepare,
  .run = clustered_run,
};
