/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Slice, StridedSlice and SliceScatter. */

#include "inference/graph/ops/slice.h"

/* Elements from @begin in steps until @end, both already within [-1, length].
 */
static gint64
count_steps (gint64 begin, gint64 end, gint64 step)
{
  if (step > 0)
    return end > begin ? (end - begin - 1) / step + 1 : 0;
  return begin > end ? (begin - end - 1) / -step + 1 : 0;
}

static gint64
clamp_index (gint64 index, gint64 length, gint64 low, gint64 high)
{
  if (index < 0)
    index = index < -length ? low : index + length;
  return CLAMP (index, low, high);
}

static void
resolve_axis (InferSlicing *slicing, int axis, gint64 length, gint64 begin,
    gint64 end, gint64 step)
{
  slicing->step[axis] = step;
  if (length == INFER_DYNAMIC) {
    slicing->count[axis] = INFER_DYNAMIC;
    return;
  }
  /* A longer step leaves the axis, too; shorter ones can be multiplied. */
  step = CLAMP (step, -MAX (length, 1), MAX (length, 1));
  slicing->step[axis] = step;
  if (step > 0) {
    begin = clamp_index (begin, length, 0, length);
    end = clamp_index (end, length, 0, length);
  } else {
    begin = clamp_index (begin, length, -1, length - 1);
    end = clamp_index (end, length, -1, length - 1);
  }
  slicing->begin[axis] = begin;
  slicing->count[axis] = count_steps (begin, end, step);
}

static void
take_all (InferSlicing *slicing, const InferShape *in)
{
  slicing->rank = in->rank;
  slicing->out = *in;
  for (int d = 0; d < in->rank; d++) {
    slicing->begin[d] = 0;
    slicing->step[d] = 1;
    slicing->count[d] = in->dims[d];
  }
}

static gint64
at (const GArray *values, guint i, gint64 otherwise)
{
  return values != NULL && i < values->len ? g_array_index (values, gint64, i)
                                           : otherwise;
}

gboolean
infer_slice_resolve (const InferShape *in, const GArray *start,
    const GArray *stop, const GArray *step, const GArray *axes,
    InferSlicing *slicing, GError **error)
{
  guint n = start != NULL ? start->len : stop != NULL ? stop->len : 0;
  guint32 seen = 0;

  take_all (slicing, in);
  if ((stop != NULL && stop->len != n) || (step != NULL && step->len != n)
      || (axes != NULL && axes->len != n) || (int) n > in->rank)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "start, stop, step and axes differ in length or exceed rank %d",
        in->rank);
  for (guint i = 0; i < n; i++) {
    gint64 axis = at (axes, i, i), stride = at (step, i, 1);

    if (!infer_shape_normalize_axis (in, &axis, error))
      return FALSE;
    if (stride == 0 || (seen >> axis & 1) != 0)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "axis %" G_GINT64_FORMAT ": %s", axis,
          stride == 0 ? "a step of 0" : "named twice");
    seen |= 1u << axis;
    if (start == NULL || stop == NULL)
      slicing->count[axis] = INFER_DYNAMIC;
    else
      resolve_axis (slicing, (int) axis, in->dims[axis], at (start, i, 0),
          at (stop, i, 0), stride);
    slicing->out.dims[axis] = slicing->count[axis];
  }
  return TRUE;
}

static gboolean
known (const InferShapeContext *context, guint input, GArray **ints,
    gboolean *all, GError **error)
{
  if (input >= context->n_inputs)
    return TRUE;
  if (!infer_input_list (context, input, ints, error))
    return FALSE;
  *all = *all && *ints != NULL;
  return TRUE;
}

/* Reads start, stop, step and axes from input @first on.  Only out is set, to
 * dynamic dims, if they are not known. */
static gboolean
read_slicing (const InferShapeContext *context, guint first,
    InferSlicing *slicing, GError **error)
{
  const InferShape *in = &context->inputs[0].shape;
  g_autoptr (GArray) start = NULL, stop = NULL, step = NULL, axes = NULL;
  gboolean fixed = TRUE, bounds = TRUE;

  if (!known (context, first, &start, &bounds, error)
      || !known (context, first + 1, &stop, &bounds, error)
      || !known (context, first + 2, &step, &fixed, error)
      || !known (context, first + 3, &axes, &fixed, error))
    return FALSE;
  slicing->out = infer_shape_dynamic ();
  if (in->rank < 0)
    return TRUE;
  if (in->rank == 0)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "a scalar cannot be sliced");
  slicing->out = infer_shape_of_rank (in->rank);
  return !fixed || (start == NULL && stop == NULL)
         || infer_slice_resolve (in, start, stop, step, axes, slicing, error);
}

static gboolean
infer_slice (InferShapeContext *context, GError **error)
{
  InferSlicing slicing;

  context->outputs[0].type = context->inputs[0].type;
  if (!read_slicing (context, 1, &slicing, error))
    return FALSE;
  context->outputs[0].shape = slicing.out;
  return TRUE;
}

const InferOpClass infer_op_slice = {
  .type = "Slice",
  .versions = "8",
  .min_inputs = 4,
  .max_inputs = 5,
  .value_inputs = 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4,
  .infer_shapes = infer_slice,
};

/* The updates have the shape of what would be sliced. */
static gboolean
infer_slice_scatter (InferShapeContext *context, GError **error)
{
  InferSlicing slicing;
  InferShape merged;

  context->outputs[0] = context->inputs[0];
  if (!infer_merge_types (context, 0, 2, &context->outputs[0].type, error)
      || !read_slicing (context, 2, &slicing, error))
    return FALSE;
  if (!infer_shape_merge (&slicing.out, &context->inputs[1].shape, &merged)) {
    g_autofree char *want = infer_shape_to_string (&slicing.out);
    g_autofree char *is = infer_shape_to_string (&context->inputs[1].shape);

    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "updates of shape %s for a slice of shape %s", is, want);
  }
  return TRUE;
}

const InferOpClass infer_op_slice_scatter = {
  .type = "SliceScatter",
  .versions = "15",
  .min_inputs = 5,
  .max_inputs = 6,
  .value_inputs = 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5,
  .infer_shapes = infer_slice_scatter,
};

/* --- StridedSlice --- */

static const char *const mask_names[] = { "begin_mask", "end_mask",
  "new_axis_mask", "shrink_axis_mask", "ellipsis_mask" };

static gboolean
parse (InferOperation *op, const InferAttributes *from, GError **error)
{
  InferStridedSlice *attrs = op->attrs;

  if (!infer_attr_require (from, error, "begin_mask", "end_mask", NULL))
    return FALSE;
  for (guint m = 0; m < G_N_ELEMENTS (mask_names); m++)
    if (!infer_attr_small_ints (from, mask_names[m], attrs->masks[m],
            INFER_MAX_RANK, &attrs->n_masks[m], error))
      return FALSE;
  return TRUE;
}

static gboolean
mask (const InferStridedSlice *attrs, InferSliceMask which, guint i)
{
  return i < attrs->n_masks[which] && attrs->masks[which][i] != 0;
}

typedef struct
{
  const InferShape *in;
  const InferStridedSlice *attrs;
  const GArray *begin, *end, *strides;
  InferSlicing *slicing;
  guint n; /* entries */
} Strided;

static gboolean
add_out (Strided *s, gint64 dim, GError **error)
{
  InferShape *out = &s->slicing->out;

  if (out->rank == INFER_MAX_RANK)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "the output has too many axes");
  out->dims[out->rank++] = dim;
  return TRUE;
}

static gboolean
shrink (Strided *s, guint i, int axis, GError **error)
{
  gint64 length = s->in->dims[axis], index = at (s->begin, i, 0);

  s->slicing->step[axis] = 1;
  s->slicing->count[axis] = 1;
  if (length < 0 || s->begin == NULL)
    return TRUE;
  if (mask (s->attrs, INFER_SLICE_BEGIN_MASK, i))
    index = 0;
  if (index < -length || index >= length)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "index %" G_GINT64_FORMAT " is beyond axis %d of %" G_GINT64_FORMAT,
        index, axis, length);
  s->slicing->begin[axis] = index < 0 ? index + length : index;
  return TRUE;
}

static gboolean
slice_one (Strided *s, guint i, int axis, GError **error)
{
  gint64 length = s->in->dims[axis], step = at (s->strides, i, 1);
  gint64 begin, end;

  if (step == 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL, "stride %u is 0", i);
  if (mask (s->attrs, INFER_SLICE_SHRINK_AXIS_MASK, i))
    return shrink (s, i, axis, error);
  begin = mask (s->attrs, INFER_SLICE_BEGIN_MASK, i)
              ? (step > 0 ? 0 : G_MAXINT64)
              : at (s->begin, i, 0);
  end = mask (s->attrs, INFER_SLICE_END_MASK, i)
            ? (step > 0 ? G_MAXINT64 : G_MININT64)
            : at (s->end, i, 0);
  if ((s->begin == NULL && !mask (s->attrs, INFER_SLICE_BEGIN_MASK, i))
      || (s->end == NULL && !mask (s->attrs, INFER_SLICE_END_MASK, i)))
    length = INFER_DYNAMIC;
  resolve_axis (s->slicing, axis, length, begin, end, step);
  return add_out (s, s->slicing->count[axis], error);
}

/* The number of input axes that entries from @i on refer to. */
static int
axes_named (const Strided *s, guint i)
{
  int n = 0;

  for (; i < s->n; i++)
    n += !mask (s->attrs, INFER_SLICE_NEW_AXIS_MASK, i)
         && !mask (s->attrs, INFER_SLICE_ELLIPSIS_MASK, i);
  return n;
}

static gboolean
keep_axes (Strided *s, int from, int to, GError **error)
{
  for (int axis = from; axis < to; axis++)
    if (!add_out (s, s->in->dims[axis], error))
      return FALSE;
  return TRUE;
}

gboolean
infer_strided_slice_resolve (const InferShape *in,
    const InferStridedSlice *attrs, const GArray *begin, const GArray *end,
    const GArray *strides, InferSlicing *slicing, GError **error)
{
  Strided s = { in, attrs, begin, end, strides, slicing, 0 };
  const GArray *any = begin != NULL ? begin : end != NULL ? end : strides;
  gboolean had_ellipsis = FALSE;
  int axis = 0;

  take_all (slicing, in);
  slicing->out = infer_shape_scalar ();
  s.n = any != NULL ? any->len : 0;
  if ((begin != NULL && begin->len != s.n) || (end != NULL && end->len != s.n)
      || (strides != NULL && strides->len != s.n))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "begin, end and strides differ in length");
  for (guint i = 0; i < s.n; i++) {
    if (mask (attrs, INFER_SLICE_ELLIPSIS_MASK, i)) {
      int to = in->rank - axes_named (&s, i + 1);

      if (had_ellipsis)
        return infer_fail (error, INFER_ERROR_INVALID_MODEL, "two ellipses");
      had_ellipsis = TRUE;
      if (!keep_axes (&s, axis, to, error))
        return FALSE;
      axis = MAX (axis, to);
    } else if (mask (attrs, INFER_SLICE_NEW_AXIS_MASK, i)) {
      if (!add_out (&s, 1, error))
        return FALSE;
    } else if (axis >= in->rank) {
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "more slices than the %d axes of the input", in->rank);
    } else if (!slice_one (&s, i, axis++, error)) {
      return FALSE;
    }
  }
  return keep_axes (&s, axis, in->rank, error);
}

static gboolean
infer_strided_slice (InferShapeContext *context, GError **error)
{
  const InferShape *in = &context->inputs[0].shape;
  g_autoptr (GArray) begin = NULL, end = NULL, strides = NULL;
  gboolean bounds = TRUE, fixed = TRUE;
  InferSlicing slicing;

  context->outputs[0].type = context->inputs[0].type;
  if (!known (context, 1, &begin, &bounds, error)
      || !known (context, 2, &end, &bounds, error)
      || !known (context, 3, &strides, &fixed, error))
    return FALSE;
  if (in->rank < 0 || !fixed
      || (begin == NULL && end == NULL && strides == NULL))
    return TRUE;
  if (!infer_strided_slice_resolve (
          in, context->op->attrs, begin, end, strides, &slicing, error))
    return FALSE;
  context->outputs[0].shape = slicing.out;
  return TRUE;
}

const InferOpClass infer_op_strided_slice = {
  .type = "StridedSlice",
  .versions = "1",
  .min_inputs = 3,
  .max_inputs = 4,
  .value_inputs = 1 << 1 | 1 << 2 | 1 << 3,
  .attrs_size = sizeof (InferStridedSlice),
  .parse = parse,
  .infer_shapes = infer_strided_slice,
};
