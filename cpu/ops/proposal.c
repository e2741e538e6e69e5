/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Proposal, GenerateProposals and
 * ExperimentalDetectronGenerateProposalsSingleImage. */

#include "inference/graph/ops/proposal.h"

#include "cpu/ops/detections.h"
#include "cpu/base/widen.h"

#include <math.h>
#include <string.h>

/* One image: a map of height × width points with some anchors each. */
typedef struct
{
  gsize anchors, height, width;
  const float *deltas, *scores; /* [anchors, 4, points], [anchors, points] */
  const float *boxes_at;        /* [points, anchors, 4]; NULL: a grid */
  const float *base;            /* anchors of the grid, [anchors, 4] */
  float stride;
  gboolean transposed;  /* the grid: x grows with the row */
  gboolean clip_anchor; /* anchors to the image */
  gboolean clip;        /* proposals to the image */
  gboolean drop_small;  /* else the score is 0 */
  float size[2], smallest[2];
  float divisor[4];  /* of deltas */
  float most_growth; /* logarithm */
  float pixel;       /* 1: boxes of n pixels end at n - 1 */
  float end;         /* the same for the resulting proposals */
  float overlap_pixel, threshold, eta;
  gsize pre_nms, post_nms;
  float (*boxes)[4];   /* memory for all proposals */
  CpuDetection *found; /* the same */
  const CpuStep *step;
} Image;

static gsize
count_all (const Image *image)
{
  return image->anchors * image->height * image->width;
}

static float
clamp (float x, float high)
{
  return MAX (0.0f, MIN (x, high));
}

static void
anchor_at (const Image *image, gsize h, gsize w, gsize a, float *box)
{
  float at[2] = { image->stride * (float) (image->transposed ? h : w),
    image->stride * (float) (image->transposed ? w : h) };

  if (image->boxes_at != NULL) {
    memcpy (box,
        image->boxes_at + ((h * image->width + w) * image->anchors + a) * 4,
        4 * sizeof (float));
    return;
  }
  for (int i = 0; i < 4; i++) {
    box[i] = image->base[4 * a + (gsize) i] + at[i % 2];
    if (image->clip_anchor)
      box[i] = clamp (box[i], image->size[i % 2]);
  }
}

/* Applies the deltas to @box; FALSE: it becomes too small. */
static gboolean
refine (const Image *image, const float *delta, float *box)
{
  gboolean fits = TRUE;

  for (int i = 0; i < 2; i++) {
    float length = box[2 + i] - box[i] + image->pixel;
    float center =
        delta[i] / image->divisor[i] * length + (box[i] + 0.5f * length);

    length *=
        expf (MIN (delta[2 + i] / image->divisor[2 + i], image->most_growth));
    box[i] = center - 0.5f * length;
    box[2 + i] = center + 0.5f * length - image->end;
    if (image->clip) {
      box[i] = clamp (box[i], image->size[i] - image->pixel);
      box[2 + i] = clamp (box[2 + i], image->size[i] - image->pixel);
    }
    fits &= box[2 + i] - box[i] + image->pixel >= image->smallest[i];
  }
  return fits;
}

static void
enumerate (const Image *image)
{
  gsize points = image->height * image->width, n = 0;

  for (gsize h = 0; h < image->height; h++)
    for (gsize w = 0; w < image->width; w++)
      for (gsize a = 0; a < image->anchors; a++, n++) {
        gsize point = h * image->width + w;
        float delta[4];

        for (gsize i = 0; i < 4; i++)
          delta[i] = image->deltas[(4 * a + i) * points + point];
        anchor_at (image, h, w, a, image->boxes[n]);
        gboolean fits = refine (image, delta, image->boxes[n]);
        image->found[n] = (CpuDetection){ .index = (gint64) n, .label = fits };
        if (fits || image->drop_small)
          image->found[n].score = image->scores[a * points + point];
      }
}

/* Moves the best proposals to the beginning of image->found. */
static gsize
propose (const Image *image)
{
  CpuDetection *found = image->found;
  float threshold = image->threshold;
  gsize n = count_all (image), kept = 0;

  enumerate (image);
  n = cpu_detections_take (
      found, n, MIN (n, image->pre_nms), cpu_detection_by_score);
  for (gsize i = 0;
       i < n && kept < image->post_nms && !cpu_step_is_cancelled (image->step);
       i++) {
    gboolean keep = found[i].label || !image->drop_small;

    for (gsize k = 0; keep && k < kept; k++)
      keep = !(cpu_box_overlap (image->boxes[found[i].index],
                   image->boxes[found[k].index], image->overlap_pixel)
               > threshold);
    if (!keep)
      continue;
    if (image->eta < 1 && threshold > 0.5f)
      threshold *= image->eta;
    found[kept++] = found[i];
  }
  return kept;
}

/* --- Proposal --- */

typedef struct
{
  CpuWiden widen;
  gsize found_at, anchors_at; /* behind the widened values */
} Plan;

/* Memory for the @n boxes of one image and for @anchors. */
static gboolean
prepare_boxes (CpuStep *step, gsize n, gsize anchors, GError **error)
{
  Plan *plan = g_new0 (Plan, 1);

  step->priv = plan;
  step->kernel = "ref_f32";
  plan->found_at = cpu_scratch_add (0, n, 4 * sizeof (float));
  plan->anchors_at = cpu_scratch_add (plan->found_at, n, sizeof (CpuDetection));
  gsize size = cpu_scratch_add (plan->anchors_at, anchors, 4 * sizeof (float));
  return cpu_widen_prepare (&plan->widen, step, INFER_TYPE_F32, 0, size, error);
}

static gboolean
proposal_prepare (CpuStep *step, GError **error)
{
  const InferProposal *attrs = step->op->attrs;
  const gint64 *dims = cpu_in_shape (step, 0)->dims;
  gsize anchors = (gsize) attrs->ratios->len * attrs->scales->len;

  return prepare_boxes (
      step, (gsize) (dims[1] / 2 * dims[2] * dims[3]), anchors, error);
}

static void
make_anchors (const InferProposal *attrs, float *to)
{
  float pixel = attrs->tensorflow ? 0 : 1, size = (float) attrs->base_size;
  /* TensorFlow's anchors are centred at the point, Caffe's begin there. */
  float center = 0.5f * (size - pixel) - (attrs->tensorflow ? 0.5f * size : 0);

  for (guint r = 0; r < attrs->ratios->len; r++) {
    float ratio = (float) g_array_index (attrs->ratios, double, r);
    float width = sqrtf (size * size / ratio), height;

    if (!attrs->tensorflow)
      width = roundf (width);
    height = width * ratio;
    if (!attrs->tensorflow)
      height = roundf (height);
    for (guint s = 0; s < attrs->scales->len; s++, to += 4) {
      float scale = (float) g_array_index (attrs->scales, double, s);
      float half[2] = { 0.5f * (width * scale - pixel),
        0.5f * (height * scale - pixel) };

      for (int i = 0; i < 4; i++)
        to[i] = i < 2 ? center - half[i] : center + half[i - 2];
    }
  }
}

/* From height, width and one or two scales. */
static gboolean
read_image (Image *image, const InferProposal *attrs, const float *info,
    gsize n, GError **error)
{
  float scale_h = info[2], scale_w = info[n == 4 ? 3 : 2];

  if (!(info[0] > 0) || !(info[1] > 0) || !isfinite (info[0])
      || !isfinite (info[1]) || !(scale_h >= 0) || !(scale_w >= 0))
    return infer_fail (error, INFER_ERROR_INVALID_DATA,
        "an image of %g by %g, scaled by %g and %g", (double) info[1],
        (double) info[0], (double) scale_w, (double) scale_h);
  image->size[0] = info[attrs->tensorflow ? 0 : 1];
  image->size[1] = info[attrs->tensorflow ? 1 : 0];
  image->smallest[0] = (float) attrs->min_size * scale_w;
  image->smallest[1] = (float) attrs->min_size * scale_h;
  return TRUE;
}

static void
write_roi (const InferProposal *attrs, const Image *image, const float *box,
    gsize n, float *to)
{
  to[0] = (float) n;
  for (int i = 0; i < 4; i++) {
    to[1 + i] = attrs->clip_after ? clamp (box[i], image->size[i % 2]) : box[i];
    if (attrs->normalize)
      to[1 + i] /= image->size[i % 2];
  }
}

static void
propose_all (const InferProposal *attrs, Image *image, gsize images,
    float *rois, float *scores)
{
  gsize n_all = count_all (image), post = image->post_nms;

  if (n_all > 0)
    image->scores += n_all; /* of the foreground */
  for (gsize n = 0; n < images; n++, rois += 5 * post) {
    gsize kept = propose (image);

    memset (rois, 0, post * 5 * sizeof (float));
    for (gsize i = 0; i < kept; i++)
      write_roi (
          attrs, image, image->boxes[image->found[i].index], n, rois + 5 * i);
    if (kept < post)
      rois[5 * kept] = -1;
    for (gsize i = 0; scores != NULL && i < post; i++)
      *scores++ = i < kept ? (float) image->found[i].score : 0;
    if (n_all == 0)
      continue;
    image->scores += 2 * n_all;
    image->deltas += 4 * n_all;
  }
}

static gboolean
proposal_run (CpuStep *step, GError **error)
{
  const InferProposal *attrs = step->op->attrs;
  const Plan *plan = step->priv;
  const CpuWiden *widen = &plan->widen;
  const gint64 *dims = cpu_in_shape (step, 0)->dims;
  char *more = cpu_widen_more (widen, step);
  float coordinate = (float) attrs->coordinate_scale;
  float size = (float) attrs->size_scale;
  Image image = { .step = step,
    .anchors = (gsize) dims[1] / 2,
    .height = (gsize) dims[2],
    .width = (gsize) dims[3],
    .stride = (float) attrs->feat_stride,
    .transposed = attrs->tensorflow,
    .clip_anchor = attrs->tensorflow,
    .clip = attrs->clip_before,
    .divisor = { coordinate, coordinate, size, size },
    .most_growth = INFINITY,
    .pixel = attrs->tensorflow ? 0 : 1,
    .overlap_pixel = attrs->tensorflow ? 0 : 1,
    .threshold = (float) attrs->nms_threshold,
    .eta = 1,
    .pre_nms = (gsize) attrs->pre_nms,
    .post_nms = (gsize) attrs->post_nms };

  if (step->out[0]->n == 0)
    return TRUE;
  if (!read_image (
          &image, attrs, cpu_widen_in (widen, step, 2), step->in[2]->n, error))
    return FALSE;
  image.scores = cpu_widen_in (widen, step, 0);
  image.deltas = cpu_widen_in (widen, step, 1);
  image.boxes = (gpointer) more;
  image.found = (gpointer) (more + plan->found_at);
  image.base = (gpointer) (more + plan->anchors_at);
  make_anchors (attrs, (gpointer) (more + plan->anchors_at));
  propose_all (attrs, &image, (gsize) dims[0], cpu_widen_out (widen, step, 0),
      step->n_out > 1 ? cpu_widen_out (widen, step, 1) : NULL);
  cpu_widen_finish (widen, step);
  return TRUE;
}

const CpuOp cpu_op_proposal = {
  .prepare = proposal_prepare,
  .run = proposal_run,
};

/* --- anchors as an input --- */

/* @dims: anchors, height, width. */
static Image
image_of_anchors (const InferProposal *attrs, const gint64 *dims)
{
  return (Image){ .anchors = (gsize) dims[0],
    .height = (gsize) dims[1],
    .width = (gsize) dims[2],
    .clip = TRUE,
    .divisor = { 1, 1, 1, 1 },
    .most_growth = logf (1000.0f / 16),
    .pixel = 1,
    .end = 1,
    .threshold = (float) attrs->nms_threshold,
    .eta = (float) attrs->eta,
    .pre_nms = (gsize) attrs->pre_nms,
    .post_nms = (gsize) attrs->post_nms };
}

static void
append (const Image *image, gsize kept, GArray *boxes, GArray *scores)
{
  for (gsize i = 0; i < kept; i++) {
    const CpuDetection *d = &image->found[i];
    float score = (float) d->score;

    g_array_append_vals (boxes, image->boxes[d->index], 4);
    g_array_append_val (scores, score);
  }
}

static gboolean
store (CpuStep *step, guint output, const InferShape *shape,
    const GArray *values, GError **error)
{
  if (!cpu_step_alloc_output (step, output, shape, error))
    return FALSE;
  infer_convert (step->out[output]->data, step->out[output]->desc.type,
      values->data, INFER_TYPE_F32, values->len);
  return TRUE;
}

static gboolean
generate_prepare (CpuStep *step, GError **error)
{
  (void) error;
  step->kernel = "ref_f32";
  return TRUE;
}

static gboolean
generate_run (CpuStep *step, GError **error)
{
  const InferProposal *attrs = step->op->attrs;
  const gint64 *dims = cpu_in_shape (step, 3)->dims;
  gsize images = (gsize) dims[0], n_info = 0, n_all;
  Image image = image_of_anchors (attrs, dims + 1);
  g_autofree float *info = cpu_value_floats (step->in[0]);
  g_autofree float *anchors = cpu_value_floats (step->in[1]);
  g_autofree float *deltas = cpu_value_floats (step->in[2]);
  g_autofree float *scores = cpu_value_floats (step->in[3]);
  g_autoptr (GArray) out_boxes = g_array_new (FALSE, FALSE, sizeof (float));
  g_autoptr (GArray) out_scores = g_array_new (FALSE, FALSE, sizeof (float));
  InferShape shape = { .rank = 2 };

  image.step = step;
  n_all = count_all (&image);
  g_autofree gpointer boxes = g_try_malloc_n (n_all + 1, 4 * sizeof (float));
  g_autofree CpuDetection *found = g_try_new (CpuDetection, n_all + 1);
  if (info == NULL || anchors == NULL || deltas == NULL || scores == NULL
      || boxes == NULL || found == NULL)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "no memory for %" G_GSIZE_FORMAT " anchors", n_all);
  n_info = (gsize) cpu_in_shape (step, 0)->dims[1];
  image.drop_small = TRUE;
  image.boxes_at = anchors;
  image.boxes = boxes;
  image.found = found;
  image.pixel = image.end = image.overlap_pixel = attrs->normalized ? 0 : 1;
  for (gsize n = 0; n < images; n++) {
    image.deltas = deltas + 4 * n * n_all;
    image.scores = scores + n * n_all;
    if (!read_image (&image, attrs, info + n * n_info, n_info, error))
      return FALSE;
    gint64 kept = (gint64) propose (&image);
    append (&image, (gsize) kept, out_boxes, out_scores);
    infer_convert (
        (char *) step->out[2]->data + n * infer_type_size (attrs->count_type),
        attrs->count_type, &kept, INFER_TYPE_I64, 1);
  }
  shape.dims[0] = out_scores->len;
  shape.dims[1] = 4;
  if (!store (step, 0, &shape, out_boxes, error))
    return FALSE;
  shape.rank = 1;
  return store (step, 1, &shape, out_scores, error);
}

const CpuOp cpu_op_generate_proposals = {
  .prepare = generate_prepare,
  .run = generate_run,
};

static gboolean
single_prepare (CpuStep *step, GError **error)
{
  return prepare_boxes (step, step->in[3]->n, 0, error);
}

static gboolean
single_run (CpuStep *step, GError **error)
{
  const InferProposal *attrs = step->op->attrs;
  const Plan *plan = step->priv;
  const CpuWiden *widen = &plan->widen;
  char *more = cpu_widen_more (widen, step);
  Image image = image_of_anchors (attrs, cpu_in_shape (step, 3)->dims);
  float *boxes, *scores;
  gsize kept = 0;

  image.step = step;
  (void) error;
  if (step->out[1]->n == 0)
    return TRUE;
  const float *info = cpu_widen_in (widen, step, 0);
  boxes = cpu_widen_out (widen, step, 0);
  scores = cpu_widen_out (widen, step, 1);
  image.size[0] = info[1];
  image.size[1] = info[0];
  image.smallest[0] = image.smallest[1] = (float) attrs->min_size;
  image.boxes = (gpointer) more;
  image.found = (gpointer) (more + plan->found_at);
  if (count_all (&image) > 0) {
    image.boxes_at = cpu_widen_in (widen, step, 1);
    image.deltas = cpu_widen_in (widen, step, 2);
    image.scores = cpu_widen_in (widen, step, 3);
    kept = propose (&image);
  }
  memset (boxes, 0, (gsize) attrs->post_nms * 4 * sizeof (float));
  memset (scores, 0, (gsize) attrs->post_nms * sizeof (float));
  for (gsize i = 0; i < kept; i++) {
    memcpy (
        boxes + 4 * i, image.boxes[image.found[i].index], 4 * sizeof (float));
    scores[i] = (float) image.found[i].score;
  }
  cpu_widen_finish (widen, step);
  return TRUE;
}

const CpuOp cpu_op_detectron_proposals = {
  .prepare = single_prepare,
  .run = single_run,
};
