/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* LSTM, GRU and RNN.  Ours take [batch, time, …] and give [batch, direction,
 * time, …]; ONNX has time first. */

#include <string.h>

#include "inference/base/memory/pages.h"
#include "inference/graph/ops/concat.h"
#include "inference/onnx/ops/importers.h"

#define X (n->inputs[0])

/* A node RNN, GRU or LSTM. */
typedef struct
{
  guint gates;
  gint64 hidden, directions;
  gboolean batch_first;
  InferPort x, lengths, batch; /* batch: [1] */
  const char *attributes;
} Recurrent;

static const char *
direction_of (OnnxNode *n, gint64 *directions)
{
  static const char *const names[] = { "forward", "reverse", "bidirectional" };
  g_autofree char *text = onnx_text (n, "direction", "forward");

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_ascii_strcasecmp (text, names[i]) == 0) {
      *directions = i == 2 ? 2 : 1;
      return names[i];
    }
  onnx_fail (
      n, INFER_ERROR_INVALID_MODEL, "there is no direction '%.40s'", text);
  return names[0];
}

/* ";activations=sigmoid,tanh"; both directions must have the same. */
static const char *
activations_of (OnnxNode *n, gint64 directions)
{
  const GPtrArray *list = onnx_strings (n, "activations");
  const GArray *alphas = onnx_floats (n, "activation_alpha");
  const GArray *betas = onnx_floats (n, "activation_beta");
  g_autoptr (GString) text = g_string_new (";activations=");

  if (list == NULL)
    return "";
  if ((alphas != NULL && alphas->len > 0) || (betas != NULL && betas->len > 0))
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "activations with alpha or beta");
  guint each = list->len / (guint) MAX (directions, 1);
  for (guint i = 0; i < each; i++) {
    g_autofree char *name = g_ascii_strdown (list->pdata[i], -1);

    g_string_append_printf (text, "%s%s", i > 0 ? "," : "", name);
    if (directions == 2
        && g_ascii_strcasecmp (list->pdata[i], list->pdata[each + i]) != 0)
      onnx_fail (
          n, INFER_ERROR_UNSUPPORTED, "other activations for each direction");
  }
  return ATTRS ("%s", text->str);
}

static Recurrent
begin (OnnxNode *n, guint gates)
{
  Recurrent r = { .gates = gates };
  const char *direction = direction_of (n, &r.directions);
  double clip = onnx_float (n, "clip", 0);

  r.hidden = onnx_int (n, "hidden_size", onnx_dim (n->inputs[2], 2));
  r.batch_first = onnx_int (n, "layout", 0) != 0;
  if (r.hidden < 1 || onnx_int (n, "input_forget", 0) != 0)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        r.hidden < 1 ? "its hidden_size is not known" : "input_forget");
  r.x = r.batch_first ? X : onnx_transpose (n, X, (gint64[]){ 1, 0, 2 }, 3);
  r.batch = onnx_dim_of (n, r.x, 0);
  r.lengths = onnx_given (n, 4) ? n->inputs[4]
                                : OP (n, "Broadcast", "mode=numpy",
                                    onnx_dim_of (n, r.x, 1), r.batch);
  r.attributes = ATTRS ("direction=%s;hidden_size=%" G_GINT64_FORMAT "%s%s",
      direction, r.hidden, activations_of (n, r.directions),
      clip > 0 ? ATTRS (";clip=%.9g", clip) : "");
  return r;
}

/* An initial state [batch, directions, hidden]; zeros if @input is omitted. */
static InferPort
state_of (OnnxNode *n, const Recurrent *r, guint input)
{
  if (!onnx_given (n, input))
    return OP (n, "Broadcast", "mode=numpy", onnx_scalar_like (n, X, 0),
        OP (n, "Concat", "axis=0", r->batch,
            I64S (n, r->directions, r->hidden)));
  return r->batch_first
             ? n->inputs[input]
             : onnx_transpose (n, n->inputs[input], (gint64[]){ 1, 0, 2 }, 3);
}

/* The same of a constant of whole bytes, at once.  NULL: it is none, or weights
 * of one direction, which the pass gate_order does not copy; or memory is
 * short. */
static InferTensor *
reorder_constant (
    const InferTensor *x, guint parts, const guint *order, guint count)
{
  if (x == NULL || x->shape.rank < 2 || !x->dense
      || infer_type_size (x->type) == 0 || x->shape.dims[1] % parts != 0
      || (x->shape.rank == 3 && x->shape.dims[0] == 1))
    return NULL;
  InferShape shape = x->shape;
  shape.dims[1] = shape.dims[1] / parts * count;
  InferTensor *y = infer_pages_tensor (x->type, &shape, NULL);
  if (y == NULL || y->size == 0)
    return y;
  const gsize rows = (gsize) shape.dims[0] * parts, part = x->size / rows;
  for (gsize row = 0; row < rows / parts; row++)
    for (guint i = 0; i < count; i++)
      memcpy ((char *) y->data + (row * count + i) * part,
          (const char *) x->data + (row * parts + order[i]) * part, part);
  return y;
}

/* --- gates that the model itself has put into ONNX's order --- */

#define MOST_GATES 8

/* The Concat along the first axis behind the Unsqueeze that gives @x: exporters
 * write gates of other frameworks so.  NULL: there is none. */
static const InferOperation *
find_concat (InferPort x)
{
  g_autoptr (GArray) axes = NULL;

  if (x.op == NULL || !infer_op_is (x.op, &infer_op_unsqueeze))
    return NULL;
  const InferOperation *concat = x.op->inputs[0].op;
  axes = onnx_value_ints (x.op->inputs[1]);
  if (axes == NULL || axes->len != 1 || g_array_index (axes, gint64, 0) != 0
      || concat == NULL || !infer_op_is (concat, &infer_op_concat))
    return NULL;
  return ((const InferConcat *) concat->attrs)->axis == 0 ? concat : NULL;
}

/* The @parts of @each rows that @concat joins, each from one of its inputs. */
static gboolean
find_gates (OnnxNode *n, const InferOperation *concat, guint parts, gint64 each,
    InferPort *gates)
{
  guint found = 0;

  for (guint i = 0; i < concat->n_inputs; i++) {
    const InferPort from = concat->inputs[i];
    const gint64 rows = onnx_dim (from, 0);

    if (each < 1 || rows < each || rows % each != 0
        || rows / each > (gint64) (parts - found))
      return FALSE;
    const guint k = (guint) (rows / each);
    InferOperation *split =
        k > 1 ? onnx_add (n, "Split", ATTRS ("num_splits=%u", k), 2,
            (InferPort[]){ from, onnx_i64 (n, 0) }, k)
              : NULL;
    for (guint part = 0; part < k; part++)
      gates[found++] = split != NULL ? (InferPort){ split, part } : from;
  }
  return found == parts;
}

/* The same as `reorder` without joining the gates first, since weights are
 * large; no operation: @x is not made so. */
static InferPort
reorder_joined (
    OnnxNode *n, InferPort x, guint parts, const guint *order, guint count)
{
  const InferPort none = { NULL, 0 };
  const InferOperation *concat = find_concat (x);
  const gint64 rows = onnx_dim (x, 1);
  InferPort gates[MOST_GATES], picked[MOST_GATES];

  if (concat == NULL || rows < 1 || rows % parts != 0
      || !find_gates (n, concat, parts, rows / parts, gates))
    return none;
  for (guint i = 0; i < count; i++)
    picked[i] = gates[order[i]];
  return OP (n, "Unsqueeze", "", onnx_op (n, "Concat", "axis=0", count, picked),
      I64S (n, 0));
}

/* The parts of @x along axis 1, all of the hidden size, in another @order. */
static InferPort
reorder (OnnxNode *n, InferPort x, guint parts, const guint *order, guint count)
{
  InferTensor *constant =
      reorder_constant (onnx_value (x), parts, order, count);

  if (constant != NULL)
    return onnx_const (n, constant);
  InferPort picked[MOST_GATES], joined;

  joined = reorder_joined (n, x, parts, order, count);
  if (joined.op != NULL)
    return joined;
  InferOperation *split = onnx_add (n, "Split", ATTRS ("num_splits=%u", parts),
      2, (InferPort[]){ x, onnx_i64 (n, 1) }, parts);

  for (guint i = 0; i < count; i++)
    picked[i] = (InferPort){ split, order[i] };
  return onnx_op (n, "Concat", "axis=1", count, picked);
}

/* The biases [directions, 2 gates hidden]; zeros if they are omitted. */
static InferPort
biases_of (OnnxNode *n, const Recurrent *r)
{
  if (onnx_given (n, 3))
    return n->inputs[3];
  return OP (n, "Broadcast", "mode=numpy", onnx_scalar_like (n, X, 0),
      I64S (n, r->directions, 2 * (gint64) r->gates * r->hidden));
}

/* Of the input and of the state, added. */
static InferPort
sum_biases (OnnxNode *n, const Recurrent *r)
{
  InferOperation *halves = onnx_add (n, "Split", "num_splits=2", 2,
      (InferPort[]){ biases_of (n, r), onnx_i64 (n, 1) }, 2);

  return OP (n, "Add", "", (InferPort){ halves, 0 }, (InferPort){ halves, 1 });
}

static void
finish (OnnxNode *n, const Recurrent *r, InferOperation *op, guint n_states)
{
  /* [batch, direction, time, hidden] → [time, direction, batch, hidden] or
   * [batch, time, direction, hidden]. */
  const gint64 time_first[] = { 2, 1, 0, 3 }, batch_first[] = { 0, 2, 1, 3 };

  n->outputs[0] = onnx_transpose (
      n, (InferPort){ op, 0 }, r->batch_first ? batch_first : time_first, 4);
  for (guint k = 1; k <= n_states; k++)
    n->outputs[k] = r->batch_first ? (InferPort){ op, k }
                                   : onnx_transpose (n, (InferPort){ op, k },
                                       (gint64[]){ 1, 0, 2 }, 3);
}

/* Gates of ONNX: input, output, forget, cell; ours: forget, input, cell,
 * output. */
void
onnx_import_lstm (OnnxNode *n)
{
  static const guint order[] = { 2, 0, 3, 1 };
  Recurrent r = begin (n, 4);

  if (onnx_given (n, 7))
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "peepholes are not supported");
  finish (n, &r,
      onnx_add (n, "LSTMSequence", r.attributes, 7,
          (InferPort[]){ r.x, state_of (n, &r, 5), state_of (n, &r, 6),
              r.lengths, reorder (n, n->inputs[1], 4, order, 4),
              reorder (n, n->inputs[2], 4, order, 4),
              reorder (n, sum_biases (n, &r), 4, order, 4) },
          3),
      2);
}

/* With linear_before_reset, the hidden gate's two biases stay apart. */
void
onnx_import_gru (OnnxNode *n)
{
  static const guint hidden[] = { 2, 5 }, others[] = { 0, 1 };
  Recurrent r = begin (n, 3);
  gboolean before = onnx_int (n, "linear_before_reset", 0) != 0;
  InferPort biases = sum_biases (n, &r);

  if (before)
    biases = OP (n, "Concat", "axis=1", reorder (n, biases, 3, others, 2),
        reorder (n, biases_of (n, &r), 6, hidden, 2));
  finish (n, &r,
      onnx_add (n, "GRUSequence",
          ATTRS ("%s;linear_before_reset=%s", r.attributes,
              before ? "true" : "false"),
          6,
          (InferPort[]){ r.x, state_of (n, &r, 5), r.lengths, n->inputs[1],
              n->inputs[2], biases },
          2),
      1);
}

void
onnx_import_rnn (OnnxNode *n)
{
  Recurrent r = begin (n, 1);

  finish (n, &r,
      onnx_add (n, "RNNSequence", r.attributes, 6,
          (InferPort[]){ r.x, state_of (n, &r, 5), r.lengths, n->inputs[1],
              n->inputs[2], sum_biases (n, &r) },
          2),
      1);
}
