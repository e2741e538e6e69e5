/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/transducer/steps.h"

#include <string.h>

/* NeMo's have another dimension of 1. */
static InferTensor *
new_frames (gboolean nemo, guint width, GError **error)
{
  const InferShape shape =
      nemo ? infer_shape_make (3, (gint64) 1, (gint64) width, (gint64) 1)
           : infer_shape_make (2, (gint64) 1, (gint64) width);

  return infer_tensor_new (INFER_TYPE_F32, &shape, error);
}

/* The tokens that the decoder sees. */
static gboolean
make_context (TransducerSteps *s, GError **error)
{
  const InferModel *model = infer_executable_get_model (s->net->decoder);
  const InferShape shape =
      infer_shape_make (2, (gint64) 1, (gint64) s->net->context);

  s->context =
      infer_tensor_new (infer_model_input_desc (model, 0)->type, &shape, error);
  if (s->context == NULL
      || !infer_request_set_input (s->decoder, 0, s->context, error))
    return FALSE;
  if (!s->net->nemo)
    return TRUE;
  /* How many there are. */
  const InferShape one = infer_shape_make (1, (gint64) 1);
  const gint64 count = 1;
  InferTensor *input =
      infer_request_set_input_shape (s->decoder, 1, &one, error);
  return input != NULL
         && infer_convert (input->data, input->type, &count, INFER_TYPE_I64, 1);
}

gboolean
transducer_steps_init (TransducerSteps *s, const TransducerNetworks *net,
    guint most, GError **error)
{
  *s = (TransducerSteps){ .net = net, .most = most };
  s->decoder = infer_request_new (net->decoder, error);
  s->joiner =
      s->decoder == NULL ? NULL : infer_request_new (net->joiner, error);
  if (s->joiner == NULL)
    return FALSE;
  s->frames = new_frames (net->nemo, net->width, error);
  s->rows = infer_tensor_new (INFER_TYPE_F32, &net->row_shape, error);
  if (s->frames == NULL || s->rows == NULL || !make_context (s, error)
      || !infer_request_set_input (s->joiner, 0, s->frames, error)
      || !infer_request_set_input (s->joiner, 1, s->rows, error))
    return FALSE;
  s->contexts = g_new0 (gint64, (gsize) most * net->context);
  s->given = g_new0 (float, (gsize) most * net->row);
  s->scores = g_new0 (float, (gsize) most *transducer_steps_width (net));
  return TRUE;
}

void
transducer_steps_reset (TransducerSteps *s)
{
  InferStateSet *states =
      s->net->nemo ? infer_request_get_states (s->decoder) : NULL;

  if (states != NULL)
    infer_state_set_reset (states);
}

void
transducer_steps_clear (TransducerSteps *s)
{
  g_clear_pointer (&s->decoder, infer_request_free);
  g_clear_pointer (&s->joiner, infer_request_free);
  g_clear_pointer (&s->context, infer_tensor_unref);
  g_clear_pointer (&s->frames, infer_tensor_unref);
  g_clear_pointer (&s->rows, infer_tensor_unref);
  g_clear_pointer (&s->contexts, g_free);
  g_clear_pointer (&s->given, g_free);
  g_clear_pointer (&s->scores, g_free);
}

static gboolean
set_rows (InferRequest *request, guint index, InferTensor *tensor, guint n,
    GError **error)
{
  InferShape shape = tensor->shape;

  if (shape.dims[0] == (gint64) n)
    return TRUE;
  shape.dims[0] = n;
  return infer_tensor_reshape (tensor, tensor->type, &shape, error)
         && infer_request_set_input (request, index, tensor, error);
}

/* @n rows of @width values of the first output. */
static gboolean
read_output (
    InferRequest *request, float *values, guint n, guint width, GError **error)
{
  const InferTensor *out = infer_request_get_output (request, 0, error);
  gsize count = (gsize) n * width;

  if (out == NULL)
    return FALSE;
  if (infer_shape_count (&out->shape) == count
      && infer_convert (values, INFER_TYPE_F32, out->data, out->type, count))
    return TRUE;
  g_autofree char *shape = infer_shape_to_string (&out->shape);
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "%s: it gave %s %s for %u rows of %u values",
      infer_model_get_path (
          infer_executable_get_model (infer_request_get_executable (request))),
      infer_type_name (out->type), shape, n, width);
}

static gboolean
decode (TransducerSteps *s, guint first, guint n, GError **error)
{
  const TransducerNetworks *net = s->net;

  if (!set_rows (s->decoder, 0, s->context, n, error))
    return FALSE;
  return infer_convert (s->context->data, s->context->type,
             s->contexts + (gsize) first * net->context, INFER_TYPE_I64,
             (gsize) n * net->context)
         && infer_request_infer (s->decoder, error)
         && read_output (s->decoder, s->given + (gsize) first * net->row, n,
             net->row, error);
}

gboolean
transducer_steps_decode (TransducerSteps *s, guint n, GError **error)
{
  if (s->net->batch_steps)
    return decode (s, 0, n, error);
  for (guint i = 0; i < n; i++)
    if (!decode (s, i, 1, error))
      return FALSE;
  return TRUE;
}

static gboolean
join (TransducerSteps *s, const float *frame, const float *const *rows,
    guint first, guint n, GError **error)
{
  const TransducerNetworks *net = s->net;

  if (!set_rows (s->joiner, 0, s->frames, n, error)
      || !set_rows (s->joiner, 1, s->rows, n, error))
    return FALSE;
  for (guint i = 0; i < n; i++) {
    memcpy ((float *) s->frames->data + (gsize) i * net->width, frame,
        net->width * sizeof (float));
    memcpy ((float *) s->rows->data + (gsize) i * net->row, rows[first + i],
        net->row * sizeof (float));
  }
  return infer_request_infer (s->joiner, error)
         && read_output (s->joiner,
             s->scores + (gsize) first * transducer_steps_width (net), n,
             transducer_steps_width (net), error);
}

gboolean
transducer_steps_join (TransducerSteps *s, const float *frame,
    const float *const *rows, guint n, GError **error)
{
  if (s->net->batch_steps)
    return join (s, frame, rows, 0, n, error);
  for (guint i = 0; i < n; i++)
    if (!join (s, frame, rows, i, 1, error))
      return FALSE;
  return TRUE;
}
