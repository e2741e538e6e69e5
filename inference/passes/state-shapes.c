/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The shapes of states before the first step. */

#include "inference/passes/tie-private.h"

/* The dims of the probe: they do not occur by chance. */
#define PROBE(axis) (10007 + 2 * (axis))

/* --- by the names of dims --- */

/* The names of the dims of a port ("?": none); NULL: not known. */
static GStrv
dim_names (const InferModel *model, const char *kind, const char *port)
{
  g_autofree char *key = g_strconcat (kind, "/", port, NULL);
  const char *text = infer_model_get_rt_info (model, key);

  return text != NULL ? g_strsplit (text, ",", -1) : NULL;
}

static void
use_names (const InferModel *model, InferStatePair *pair)
{
  g_auto (GStrv) in = dim_names (model, INFER_INFO_INPUT_DIMS,
      infer_model_input_name (model, pair->input));
  g_auto (GStrv) out = dim_names (model, INFER_INFO_OUTPUT_DIMS,
      infer_model_output_name (model, pair->output));
  const guint rank = (guint) MAX (pair->initial.rank, 0);

  if (in == NULL || out == NULL || g_strv_length (in) != rank
      || g_strv_length (out) != rank)
    return;
  for (guint d = 0; d < rank; d++)
    if (pair->initial.dims[d] < 0 && !g_str_equal (in[d], "?")
        && !g_str_equal (out[d], "?"))
      pair->initial.dims[d] = g_str_equal (in[d], out[d]) ? 1 : 0;
}

/* --- by a probe --- */

static InferShape
number_dims (InferShape shape)
{
  for (int d = 0; d < shape.rank; d++)
    if (shape.dims[d] < 0)
      shape.dims[d] = PROBE (d);
  return shape;
}

/* The model with numbers for the open dims of all inputs, or of those of
 * @pairs.  NULL: they do not fit each other. */
static InferModel *
probe (
    const InferModel *model, gboolean all, const InferStatePair *pairs, guint n)
{
  const guint count = all ? infer_model_n_inputs (model) : n;
  g_autofree guint *inputs = g_new0 (guint, count);
  g_autofree InferShape *shapes = g_new0 (InferShape, count);

  for (guint i = 0; i < count; i++) {
    inputs[i] = all ? i : pairs[i].input;
    shapes[i] = number_dims (infer_model_input_desc (model, inputs[i])->shape);
  }
  return infer_model_reshape (model, count, inputs, shapes, NULL);
}

static void
use_probe (const InferModel *probed, InferStatePair *pair)
{
  const InferShape *shape =
      &infer_model_output_desc (probed, pair->output)->shape;

  for (int d = 0; d < pair->initial.rank && d < shape->rank; d++)
    if (pair->initial.dims[d] < 0 && shape->dims[d] >= 0)
      pair->initial.dims[d] = shape->dims[d] == PROBE (d) ? 1 : 0;
}

static gboolean
is_open (const InferStatePair *pair)
{
  return pair->initial.rank >= 0 && !infer_shape_is_static (&pair->initial);
}

/* The open pairs of @pairs.  (transfer full) */
static GArray *
find_open (const GArray *pairs)
{
  GArray *open = g_array_new (FALSE, FALSE, sizeof (InferStatePair));

  for (guint i = 0; i < pairs->len; i++)
    if (is_open (&g_array_index (pairs, InferStatePair, i)))
      g_array_append_vals (open, &g_array_index (pairs, InferStatePair, i), 1);
  return open;
}

static void
use_probe_of (const InferModel *model, gboolean all, GArray *pairs)
{
  g_autoptr (GArray) open = find_open (pairs);
  g_autoptr (InferModel) probed =
      open->len > 0 ? probe (
          model, all, (const InferStatePair *) (gpointer) open->data, open->len)
                    : NULL;

  for (guint i = 0; probed != NULL && i < pairs->len; i++)
    use_probe (probed, &g_array_index (pairs, InferStatePair, i));
}

/* With numbers for all inputs, it is seen what is appended; they may not fit,
 * nor those of several states. */
static void
use_probes (const InferModel *model, GArray *pairs)
{
  use_probe_of (model, TRUE, pairs);
  use_probe_of (model, FALSE, pairs);
  for (guint i = 0; i < pairs->len; i++) {
    InferStatePair *pair = &g_array_index (pairs, InferStatePair, i);
    g_autoptr (InferModel) alone =
        is_open (pair) ? probe (model, FALSE, pair, 1) : NULL;

    if (alone != NULL)
      use_probe (alone, pair);
  }
}

/* --- initial shapes --- */

static int
count_open (const InferStatePair *pair)
{
  int n = 0;

  for (int d = 0; d < pair->initial.rank; d++)
    n += pair->initial.dims[d] < 0 ? 1 : 0;
  return n;
}

/* A state of which nothing is known is broadcast to what the step needs; in
 * others, batches are among the first two dims. */
static void
guess (InferStatePair *pair)
{
  const gboolean all = count_open (pair) == pair->initial.rank;

  for (int d = 0; d < pair->initial.rank; d++)
    if (pair->initial.dims[d] < 0)
      pair->initial.dims[d] = all || d <= 1 ? 1 : 0;
}

void
infer_state_pairs_set_shapes (const InferModel *model, GArray *pairs)
{
  for (guint i = 0; i < pairs->len; i++) {
    InferStatePair *pair = &g_array_index (pairs, InferStatePair, i);
    const InferShape *in = &infer_model_input_desc (model, pair->input)->shape;

    /* Dims that the output gives are the state's. */
    if (!infer_shape_merge (in,
            &infer_model_output_desc (model, pair->output)->shape,
            &pair->initial))
      pair->initial = *in;
    use_names (model, pair);
  }
  use_probes (model, pairs);
  for (guint i = 0; i < pairs->len; i++)
    guess (&g_array_index (pairs, InferStatePair, i));
}
