/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/transducer/encoder.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "inference/media/features/kind.h"

/* Rows that an encoder of whole utterances needs. */
#define LEAST_ROWS 20

static gboolean
set_input (TransducerEncoder *e, guint rows, GError **error)
{
  const gint64 bands = e->net->bands;
  const InferShape shape =
      e->net->nemo ? infer_shape_make (3, (gint64) 1, bands, (gint64) rows)
                   : infer_shape_make (3, (gint64) 1, (gint64) rows, bands);

  if (e->input == NULL)
    e->input = infer_tensor_new (INFER_TYPE_F32, &shape, error);
  else if (infer_shape_equal (&e->input->shape, &shape))
    return TRUE;
  else if (!infer_tensor_reshape (e->input, INFER_TYPE_F32, &shape, error))
    return FALSE;
  return e->input != NULL
         && infer_request_set_input (e->request, 0, e->input, error);
}

gboolean
transducer_encoder_init (TransducerEncoder *e, const TransducerNetworks *net,
    const InferFeaturesKind *kind, const InferFeaturesConfig *config,
    GError **error)
{
  InferShape count = infer_shape_make (1, (gint64) 1);

  e->net = net;
  e->capacity = net->window;
  e->features = infer_features_new (kind, config, error);
  e->request =
      e->features == NULL ? NULL : infer_request_new (net->encoder, error);
  if (e->request == NULL || !set_input (e, net->window, error))
    return FALSE;
  e->rows = g_new (float, (gsize) net->window * net->bands);
  if (!net->counts)
    return TRUE;
  e->count = infer_tensor_new (INFER_TYPE_I64, &count, error);
  return e->count != NULL
         && infer_request_set_input (e->request, 1, e->count, error);
}

void
transducer_encoder_clear (TransducerEncoder *e)
{
  g_clear_pointer (&e->features, infer_features_free);
  g_clear_pointer (&e->request, infer_request_free);
  g_clear_pointer (&e->input, infer_tensor_unref);
  g_clear_pointer (&e->count, infer_tensor_unref);
  g_clear_pointer (&e->rows, g_free);
  g_clear_pointer (&e->frames, g_free);
}

void
transducer_encoder_reset (TransducerEncoder *e)
{
  infer_features_reset (e->features);
  if (!e->net->whole)
    infer_state_set_reset (infer_request_get_states (e->request));
  e->done = 0;
  e->filled = 0;
}

/* --- rows --- */

static float *
next_row (const TransducerEncoder *e)
{
  return e->rows + (gsize) e->filled * e->net->bands;
}

gsize
transducer_encoder_push (
    TransducerEncoder *e, const float *samples, gsize n, gboolean *full)
{
  gsize taken = 0;

  while (taken < n && e->filled < e->capacity) {
    gboolean complete = FALSE;

    taken += infer_features_push (
        e->features, samples + taken, n - taken, next_row (e), &complete);
    if (complete)
      e->filled++;
  }
  *full = e->filled == e->capacity;
  return taken;
}

gboolean
transducer_encoder_finish (TransducerEncoder *e)
{
  while (e->filled < e->capacity) {
    if (!infer_features_finish (e->features, next_row (e)))
      return FALSE;
    e->filled++;
  }
  return TRUE;
}

/* --- frames --- */

static gboolean
fail_frames (const TransducerEncoder *e, const InferTensor *out, guint rows,
    GError **error)
{
  const InferModel *model = infer_executable_get_model (e->net->encoder);
  g_autofree char *shape = infer_shape_to_string (&out->shape);

  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "%s: it gave %s %s for %u frames of features, instead of frames of %u "
      "values",
      infer_model_get_path (model), infer_type_name (out->type), shape, rows,
      e->net->width);
}

static void
make_space (TransducerEncoder *e, guint n)
{
  if (n > e->most_frames) {
    e->frames = g_renew (float, e->frames, (gsize) n * e->net->width);
    e->most_frames = n;
  }
  e->n_frames = n;
}

/* The first frames of NeMo's output [1, width, frames], as many as its second
 * output says. */
static gboolean
read_columns (
    TransducerEncoder *e, guint rows, const InferTensor *out, GError **error)
{
  const guint width = e->net->width;
  const InferTensor *given = infer_request_get_output (e->request, 1, error);
  gint64 n = 0;

  if (given == NULL)
    return FALSE;
  if (out->shape.rank != 3 || out->shape.dims[1] != (gint64) width
      || out->shape.dims[2] < 1 || out->shape.dims[2] > (gint64) rows
      || out->type != INFER_TYPE_F32 || infer_shape_count (&given->shape) != 1
      || !infer_convert (&n, INFER_TYPE_I64, given->data, given->type, 1))
    return fail_frames (e, out, rows, error);
  const gsize columns = (gsize) out->shape.dims[2];
  make_space (e, (guint) CLAMP (n, 0, (gint64) columns));
  for (gsize i = 0; i < e->n_frames; i++)
    for (gsize w = 0; w < width; w++)
      e->frames[i * width + w] = ((const float *) out->data)[w * columns + i];
  return TRUE;
}

static gboolean
read_frames (TransducerEncoder *e, guint rows, GError **error)
{
  const TransducerNetworks *net = e->net;
  const InferTensor *out = infer_request_get_output (e->request, 0, error);

  if (out == NULL)
    return FALSE;
  gsize count = infer_shape_count (&out->shape);
  guint n = (guint) (count / net->width);
  if (net->nemo)
    return read_columns (e, rows, out, error);
  if (count % net->width == 0 && n > 0 && n <= rows
      && (net->frames == 0 || n == net->frames)) {
    make_space (e, n);
    if (infer_convert (e->frames, INFER_TYPE_F32, out->data, out->type, count))
      return TRUE;
  }
  return fail_frames (e, out, rows, error);
}

/* Kaldi's features, with silence behind them. */
static void
write_rows (const TransducerEncoder *e, guint rows)
{
  const gsize bands = e->net->bands;
  float *to = e->input->data;

  memcpy (to, e->rows, e->filled * bands * sizeof (float));
  for (gsize i = e->filled * bands; i < rows * bands; i++)
    to[i] = logf (FLT_EPSILON);
}

/* NeMo's, with zeros behind them. */
static void
write_columns (TransducerEncoder *e, guint rows)
{
  const gsize bands = e->net->bands;
  float *to = e->input->data;

  for (gsize b = 0; b < bands; b++) {
    for (gsize i = 0; i < e->filled; i++)
      to[b * rows + i] = e->rows[i * bands + b];
    for (gsize i = e->filled; i < rows; i++)
      to[b * rows + i] = 0;
    if (e->net->per_feature)
      infer_features_unit_variance (to + b * rows, e->filled, 1, 1e-5);
  }
}

/* A number of frames: NeMo's encoders are told those of the input, others those
 * before it. */
static gint64
count_of (const TransducerEncoder *e, guint rows)
{
  return e->net->nemo    ? (gint64) e->filled
         : e->net->whole ? (gint64) rows
                         : (gint64) e->done;
}

gboolean
transducer_encoder_run (TransducerEncoder *e, GError **error)
{
  guint rows = e->net->whole ? MAX (e->filled, LEAST_ROWS) : e->capacity;

  if (!set_input (e, rows, error))
    return FALSE;
  if (e->net->nemo)
    write_columns (e, rows);
  else
    write_rows (e, rows);
  if (e->count != NULL)
    *(gint64 *) e->count->data = count_of (e, rows);
  return infer_request_infer (e->request, error)
         && read_frames (e, rows, error);
}

void
transducer_encoder_advance (TransducerEncoder *e)
{
  guint shift = e->net->whole ? e->filled : e->net->shift;

  e->done += shift;
  e->filled -= shift;
  memmove (e->rows, e->rows + (gsize) shift * e->net->bands,
      (gsize) e->filled * e->net->bands * sizeof (float));
}
