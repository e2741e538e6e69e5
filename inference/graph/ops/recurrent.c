/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/ops/recurrent.h"

#include <math.h>
#include <string.h>

#include "inference/graph/op.h"
#include "inference/graph/work.h"

static const char *const gate_names[] = { "sigmoid", "tanh", "relu",
  "hardsigmoid", "affine", "leakyrelu", "thresholdedrelu", "scaledtanh", "elu",
  "softsign", "softplus", NULL };

/* Defaults of alpha and beta, in the order of the names.  Each activation
 * consumes only the list values that it needs. */
static const double gate_defaults[][2] = { { 1, 0 }, { 1, 0 }, { 1, 0 },
  { 0.2, 0.5 }, { 1, 0 }, { 0.01, 0 }, { 1, 0 }, { 1, 1 }, { 1, 0 }, { 1, 0 },
  { 1, 0 } };

static const char *const directions[] = { "forward", "reverse", "bidirectional",
  NULL };

guint
infer_recurrent_gates (const InferRecurrent *attrs)
{
  static const guint gates[] = { 4, 3, 1 };
  return gates[attrs->cell];
}

guint
infer_recurrent_biases (const InferRecurrent *attrs)
{
  return infer_recurrent_gates (attrs) + (attrs->linear_before_reset ? 1 : 0);
}

guint
infer_recurrent_w (const InferRecurrent *attrs)
{
  return (attrs->cell == INFER_CELL_LSTM ? 3 : 2) + (attrs->sequence ? 1 : 0);
}

gboolean
infer_recurrent_is_reordered (const InferRecurrent *attrs)
{
  for (guint g = 0; g < G_N_ELEMENTS (attrs->order); g++)
    if (attrs->order[g] != g)
      return TRUE;
  return FALSE;
}

static gboolean
parse_activations (
    InferRecurrent *attrs, const InferAttributes *from, GError **error)
{
  g_auto (GStrv) names = NULL;
  g_autoptr (GArray) alpha = NULL;
  g_autoptr (GArray) beta = NULL;
  if (!infer_attr_strings (from, "activations", &names, error)
      || !infer_attr_doubles (from, "activations_alpha", &alpha, error)
      || !infer_attr_doubles (from, "activations_beta", &beta, error))
    return FALSE;
  guint n = names != NULL ? g_strv_length (names) : 0;
  if (n != 0 && n < attrs->n_activations)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "attribute 'activations' has %u names, %u are needed", n,
        attrs->n_activations);
  for (guint i = 0; i < MIN (n, attrs->n_activations); i++) {
    guint kind = 0;
    while (gate_names[kind] != NULL
           && g_ascii_strcasecmp (names[i], gate_names[kind]))
      kind++;
    if (gate_names[kind] == NULL)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "activation function '%.40s' is not known", names[i]);
    attrs->activations[i].kind = kind;
  }
  for (guint i = 0; i < attrs->n_activations; i++) {
    InferActivation *a = &attrs->activations[i];
    a->alpha = alpha != NULL && i < alpha->len
                   ? g_array_index (alpha, double, i)
                   : gate_defaults[a->kind][0];
    a->beta = beta != NULL && i < beta->len ? g_array_index (beta, double, i)
                                            : gate_defaults[a->kind][1];
  }
  return TRUE;
}

static gboolean
parse (InferOperation *op, const InferAttributes *from, InferCell cell,
    gboolean sequence, GError **error)
{
  InferRecurrent *attrs = op->attrs;
  attrs->cell = cell;
  attrs->sequence = sequence;
  attrs->n_activations = cell == INFER_CELL_LSTM  ? 3
                         : cell == INFER_CELL_GRU ? 2
                                                  : 1;
  attrs->activations[0].kind =
      cell == INFER_CELL_RNN ? INFER_GATE_TANH : INFER_GATE_SIGMOID;
  attrs->activations[1].kind = attrs->activations[2].kind = INFER_GATE_TANH;
  attrs->direction = INFER_DIRECTION_FORWARD;
  for (guint g = 0; g < G_N_ELEMENTS (attrs->order); g++)
    attrs->order[g] = (guint8) g;
  if (!infer_attr_require (
          from, error, "hidden_size", sequence ? "direction" : NULL, NULL)
      || !infer_attr_int (from, "hidden_size", &attrs->hidden_size, error)
      || !infer_attr_double (from, "clip", &attrs->clip, error)
      || !infer_attr_enum (
          from, "direction", directions, &attrs->direction, error)
      || !parse_activations (attrs, from, error))
    return FALSE;
  if (attrs->hidden_size <= 0 || attrs->hidden_size > G_MAXINT32 / 8)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "attribute 'hidden_size' is %" G_GINT64_FORMAT, attrs->hidden_size);
  if (attrs->clip < 0 || isnan (attrs->clip))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "attribute 'clip' is %g, not positive", attrs->clip);
  if (isinf (attrs->clip))
    attrs->clip = 0;
  if (cell == INFER_CELL_LSTM)
    return infer_attr_bool (from, "input_forget", &attrs->input_forget, error);
  return cell != INFER_CELL_GRU
         || infer_attr_bool (
             from, "linear_before_reset", &attrs->linear_before_reset, error);
}

/* Checks one input against @rank dims, -1 if unknown, and merges known dims
 * into @dims. */
static gboolean
check_input (const InferShapeContext *context, guint input, int rank,
    gint64 **dims, GError **error)
{
  if (!infer_require_rank (context, input, rank, rank, error))
    return FALSE;
  const InferShape *shape = &context->inputs[input].shape;
  for (int i = 0; i < rank && shape->rank >= 0; i++)
    if (!infer_dim_merge (*dims[i], shape->dims[i], dims[i]))
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "dimension %d of input %u is %" G_GINT64_FORMAT
          " instead of %" G_GINT64_FORMAT,
          i, input, shape->dims[i], *dims[i]);
  return TRUE;
}

typedef struct
{
  gint64 batch, time, input, hidden, directions, gate_rows, bias_rows;
} Dims;

static gboolean
check_states (const InferShapeContext *context, Dims *dims, GError **error)
{
  const InferRecurrent *attrs = context->op->attrs;
  guint n_states = attrs->cell == INFER_CELL_LSTM ? 2 : 1;
  gint64 *sequence[] = { &dims->batch, &dims->directions, &dims->hidden };
  gint64 *single[] = { &dims->batch, &dims->hidden };
  for (guint i = 1; i <= n_states; i++)
    if (!check_input (context, i, attrs->sequence ? 3 : 2,
            attrs->sequence ? sequence : single, error))
      return FALSE;
  gint64 *lengths[] = { &dims->batch };
  return !attrs->sequence
         || (check_input (context, n_states + 1, 1, lengths, error)
             && infer_require_integer (context, n_states + 1, error));
}

static gboolean
check_weights (const InferShapeContext *context, Dims *dims, GError **error)
{
  const InferRecurrent *attrs = context->op->attrs;
  guint w = infer_recurrent_w (attrs);
  guint skip = attrs->sequence ? 0 : 1; /* cells have no direction dim */
  int rank = attrs->sequence ? 3 : 2;
  gint64 *w_dims[] = { &dims->directions, &dims->gate_rows, &dims->input };
  gint64 *r_dims[] = { &dims->directions, &dims->gate_rows, &dims->hidden };
  gint64 *b_dims[] = { &dims->directions, &dims->bias_rows };
  gint64 peephole_rows = 3 * dims->hidden;
  gint64 *p_dims[] = { &peephole_rows };
  return check_input (context, w, rank, w_dims + skip, error)
         && check_input (context, w + 1, rank, r_dims + skip, error)
         && (w + 2 >= context->n_inputs || context->op->inputs[w + 2].op == NULL
             || check_input (context, w + 2, rank - 1, b_dims + skip, error))
         && (w + 3 >= context->n_inputs || context->op->inputs[w + 3].op == NULL
             || check_input (context, w + 3, 1, p_dims, error));
}

/* All inputs but the sequence lengths have one real type. */
static gboolean
merge_types (const InferShapeContext *context, InferType *type, GError **error)
{
  const InferRecurrent *attrs = context->op->attrs;
  guint w = infer_recurrent_w (attrs);
  *type = INFER_TYPE_DYNAMIC;
  for (guint i = 0; i < context->n_inputs; i++) {
    if (context->op->inputs[i].op == NULL || (attrs->sequence && i == w - 1))
      continue;
    InferType other = context->inputs[i].type;
    if (!infer_require_real (context, i, error))
      return FALSE;
    if (!infer_type_merge (*type, other, type))
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "input %u is of type %s, those before of %s", i,
          infer_type_name (other), infer_type_name (*type));
  }
  return TRUE;
}

static gboolean
recurrent_infer (InferShapeContext *context, GError **error)
{
  const InferRecurrent *attrs = context->op->attrs;
  Dims dims = { .batch = INFER_DYNAMIC,
    .time = INFER_DYNAMIC,
    .input = INFER_DYNAMIC,
    .hidden = attrs->hidden_size,
    .directions = attrs->direction == INFER_DIRECTION_BIDIRECTIONAL ? 2 : 1,
    .gate_rows = infer_recurrent_gates (attrs) * attrs->hidden_size,
    .bias_rows = infer_recurrent_biases (attrs) * attrs->hidden_size };
  gint64 *x_dims[] = { &dims.batch, &dims.time, &dims.input };
  gint64 *x_cell[] = { &dims.batch, &dims.input };
  InferType type;
  if (!merge_types (context, &type, error)
      || !check_input (context, 0, attrs->sequence ? 3 : 2,
          attrs->sequence ? x_dims : x_cell, error)
      || !check_states (context, &dims, error)
      || !check_weights (context, &dims, error))
    return FALSE;

  InferShape state =
      attrs->sequence
          ? infer_shape_make (3, dims.batch, dims.directions, dims.hidden)
          : infer_shape_make (2, dims.batch, dims.hidden);
  for (guint i = 0; i < context->n_outputs; i++)
    context->outputs[i] = (InferDesc){ .type = type, .shape = state };
  if (attrs->sequence)
    context->outputs[0].shape = infer_shape_make (
        4, dims.batch, dims.directions, dims.time, dims.hidden);
  return TRUE;
}

static double
recurrent_work (
    const InferOperation *op, const InferDesc *const *in, const InferDesc *out)
{
  const guint w = infer_recurrent_w (op->attrs);
  const InferShape *x = &in[0]->shape;
  const gint64 size = x->rank > 0 ? x->dims[x->rank - 1] : 1;

  return infer_work_elements (in[0]) / (double) MAX (size, 1)
         * (infer_work_elements (in[w]) + infer_work_elements (in[w + 1]));
}

#define RECURRENT(symbol, name, since, cell, sequence, min, max, outputs)      \
  static gboolean parse_##symbol (                                             \
      InferOperation *op, const InferAttributes *from, GError **error)         \
  {                                                                            \
    return parse (op, from, cell, sequence, error);                            \
  }                                                                            \
  const InferOpClass infer_op_##symbol = {                                     \
    .type = name,                                                              \
    .versions = since,                                                         \
    .min_inputs = min,                                                         \
    .max_inputs = max,                                                         \
    .n_outputs = outputs,                                                      \
    .attrs_size = sizeof (InferRecurrent),                                     \
    .parse = parse_##symbol,                                                   \
    .infer_shapes = recurrent_infer,                                           \
    .work = recurrent_work,                                                    \
  };

/* clang-format off */
RECURRENT (lstm_cell, "LSTMCell", "1,4", INFER_CELL_LSTM, FALSE, 5, 7, 2)
RECURRENT (lstm_sequence, "LSTMSequence", "1,5", INFER_CELL_LSTM, TRUE, 7, 7, 3)
RECURRENT (gru_cell, "GRUCell", "3", INFER_CELL_GRU, FALSE, 4, 5, 1)
RECURRENT (gru_sequence, "GRUSequence", "5", INFER_CELL_GRU, TRUE, 6, 6, 2)
RECURRENT (rnn_cell, "RNNCell", "1", INFER_CELL_RNN, FALSE, 4, 5, 1)
RECURRENT (rnn_sequence, "RNNSequence", "5", INFER_CELL_RNN, TRUE, 6, 6, 2)
/* clang-format on */
