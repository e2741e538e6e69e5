/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Adds operations to the graph: types, shapes and small constants are known at
 * once, since many operations of ONNX mean something else for another rank or
 * type. */

#include <string.h>

#include "inference/base/tensor.h"
#include "inference/graph/evaluate.h"
#include "inference/onnx/scope.h"

/* Larger ones are left to the pass that folds constants. */
#define MAX_FOLDED_BYTES 65536
/* Elements of constants of 8 bits and less, and of 16, whose conversion is left
 * to it. */
#define MIN_STORED 64
#define MIN_STORED_16 4096

void
onnx_fail (OnnxNode *n, int code, const char *format, ...)
{
  va_list args;

  if (n->error != NULL)
    return;
  va_start (args, format);
  n->error = g_error_new_valist (INFER_ERROR, code, format, args);
  va_end (args);
}

const char *
onnx_format (OnnxNode *n, const char *format, ...)
{
  va_list args;
  char *text;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  if (n->texts == NULL)
    n->texts = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (n->texts, text);
  return text;
}

/* --- types and shapes --- */

static InferDesc
unknown (void)
{
  return (InferDesc){ INFER_TYPE_DYNAMIC, infer_shape_dynamic () };
}

InferDesc
onnx_desc (InferPort port)
{
  return port.op != NULL ? port.op->outputs[port.index].desc : unknown ();
}

InferType
onnx_type (InferPort port)
{
  return onnx_desc (port).type;
}

int
onnx_rank (InferPort port)
{
  return onnx_desc (port).shape.rank;
}

int
onnx_known_rank (OnnxNode *n, InferPort port)
{
  int rank = onnx_rank (port);

  if (rank < 0)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "the rank of an input must be known before it runs");
  return MAX (rank, 0);
}

InferType
onnx_known_type (OnnxNode *n, InferPort port)
{
  InferType type = onnx_type (port);

  if (type == INFER_TYPE_DYNAMIC)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "the type of an input must be known before it runs");
  return type;
}

gint64
onnx_dim (InferPort port, int axis)
{
  InferShape shape = onnx_desc (port).shape;

  return axis >= 0 && axis < shape.rank ? shape.dims[axis] : INFER_DYNAMIC;
}

const InferTensor *
onnx_value (InferPort port)
{
  return port.op != NULL ? port.op->value : NULL;
}

GArray *
onnx_value_ints (InferPort port)
{
  const InferTensor *value = onnx_value (port);

  return value != NULL ? infer_tensor_to_ints (value) : NULL;
}

GArray *
onnx_require_ints (OnnxNode *n, InferPort port, const char *what)
{
  GArray *ints = onnx_value_ints (port);

  if (ints != NULL)
    return ints;
  onnx_fail (n, INFER_ERROR_UNSUPPORTED, "its %s must be constant", what);
  return g_array_new (FALSE, FALSE, sizeof (gint64));
}

gint64
onnx_axis (OnnxNode *n, gint64 axis, int rank)
{
  gint64 at = axis < 0 ? axis + rank : axis;

  if (at >= 0 && at < MAX (rank, 1))
    return at;
  onnx_fail (n, INFER_ERROR_INVALID_MODEL,
      "axis %" G_GINT64_FORMAT " of a tensor of rank %d", axis, rank);
  return 0;
}

/* --- inference of shapes, folding --- */

/* Inputs and outputs of an operation, without allocations for most. */
#define FEW 6

typedef struct
{
  InferDesc few_descs[FEW], *descs;
  const InferTensor *few_values[FEW], **values;
} Ports;

static void
ports_init (Ports *ports, guint n)
{
  ports->descs = n <= FEW ? ports->few_descs : g_new (InferDesc, n);
  ports->values = n <= FEW ? ports->few_values : g_new (const InferTensor *, n);
}

static void
ports_clear (Ports *ports)
{
  if (ports->descs != ports->few_descs)
    g_free (ports->descs);
  if (ports->values != ports->few_values)
    g_free ((gpointer) ports->values);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Ports, ports_clear)

static gboolean
infer_shapes (InferOperation *op, GError **error)
{
  g_auto (Ports) in, out;
  ports_init (&in, op->n_inputs);
  ports_init (&out, op->n_outputs);
  InferDesc *descs = in.descs, *outputs = out.descs;
  const InferTensor **values = in.values;
  InferShapeContext context = { op, op->n_inputs, descs, values, op->n_outputs,
    outputs };

  for (guint i = 0; i < op->n_inputs; i++) {
    descs[i] = onnx_desc (op->inputs[i]);
    values[i] = onnx_value (op->inputs[i]);
  }
  for (guint k = 0; k < op->n_outputs; k++)
    outputs[k] = unknown ();
  if (!op->klass->infer_shapes (&context, error))
    return FALSE;
  for (guint k = 0; k < op->n_outputs; k++) {
    if (!onnx_check_dims (&outputs[k].shape, error))
      return FALSE;
    op->outputs[k].desc = outputs[k];
  }
  return TRUE;
}

/* The most frequent operations of constants need no kernel. */
static gboolean
reshape_value (
    const InferOperation *op, const InferTensor *const *inputs, InferTensor **y)
{
  static const InferOpClass *const classes[] = { &infer_op_reshape,
    &infer_op_squeeze, &infer_op_unsqueeze, NULL };
  const InferDesc *desc = &op->outputs[0].desc;

  if (!infer_op_class_in (op->klass, classes) || inputs[0]->type != desc->type
      || !infer_shape_is_static (&desc->shape)
      || infer_shape_count (&desc->shape)
             != infer_shape_count (&inputs[0]->shape))
    return FALSE;
  y[0] = infer_tensor_new (desc->type, &desc->shape, NULL);
  if (y[0] != NULL && y[0]->size > 0)
    memcpy (y[0]->data, inputs[0]->data, y[0]->size);
  return y[0] != NULL;
}

/* Stored weights stay as they are: backends read their codes. */
static gboolean
is_stored (const InferTensor *value)
{
  const guint bits = infer_type_bits (value->type);
  const gsize least = bits <= 8 ? MIN_STORED : MIN_STORED_16;

  return bits <= 16 && infer_shape_count (&value->shape) >= least;
}

/* Returns the values of the outputs of @op if they are few and known. */
static gboolean
evaluate (const InferOperation *op, InferTensor **values)
{
  g_auto (Ports) in, out;
  ports_init (&in, op->n_inputs);
  ports_init (&out, op->n_outputs);
  InferDesc *descs = out.descs;
  const InferTensor **inputs = in.values;

  for (guint k = 0; k < op->n_outputs; k++)
    descs[k] = op->outputs[k].desc;
  if (infer_op_is (op, &infer_op_shape_of)) {
    const InferDesc desc = onnx_desc (op->inputs[0]);

    values[0] = infer_evaluate_shape (&desc.shape, &descs[0]);
    return values[0] != NULL;
  }
  for (guint i = 0; i < op->n_inputs; i++) {
    inputs[i] = onnx_value (op->inputs[i]);
    if (inputs[i] == NULL || inputs[i]->size > MAX_FOLDED_BYTES)
      return FALSE;
  }
  if (infer_op_is (op, &infer_op_convert) && is_stored (inputs[0]))
    return FALSE;
  if (reshape_value (op, inputs, values))
    return TRUE;
  return op->n_inputs > 0 && infer_can_evaluate (op, descs, MAX_FOLDED_BYTES)
         && infer_evaluate (op, inputs, values);
}

static InferPort
add_constant (OnnxNode *n, const char *name, InferTensor *value)
{
  GError *error = NULL;
  InferOperation *op = infer_operation_make_const (name, value, &error);

  if (op == NULL) {
    onnx_fail (n, error->code, "%s", error->message);
    g_error_free (error);
    return (InferPort){ NULL, 0 };
  }
  infer_graph_add (n->scope->graph, op);
  return (InferPort){ op, 0 };
}

/* An operation of one output whose inputs are constants becomes a constant. */
static InferOperation *
fold (OnnxNode *n, InferOperation *op)
{
  InferTensor *value[1] = { NULL };
  InferOperation *constant;

  if (op->n_outputs != 1 || !evaluate (op, value))
    return op;
  constant = add_constant (n, op->name, value[0]).op;
  infer_tensor_unref (value[0]);
  if (constant == NULL)
    return op;
  infer_graph_remove (n->scope->graph, op);
  return constant;
}

/* --- operations --- */

InferOperation *
onnx_take (
    OnnxNode *n, InferOperation *op, guint n_inputs, const InferPort *inputs)
{
  GError *error = NULL;

  for (guint i = 0; i < n_inputs; i++)
    if (inputs[i].op != NULL)
      infer_operation_connect (op, i, inputs[i]);
  infer_graph_add (n->scope->graph, op);
  if (infer_shapes (op, &error))
    return fold (n, op);
  onnx_fail (n, error->code, "%s", error->message);
  g_error_free (error);
  return NULL;
}

/* They point into @text, whose separators become ends. */
static InferAttributes *
read_attributes (char *text)
{
  InferAttributes *attributes = infer_attr_new ();

  for (char *pair = text, *next; pair != NULL; pair = next) {
    next = strchr (pair, ';');
    if (next != NULL)
      *next++ = '\0';
    char *equals = strchr (pair, '=');
    if (equals == NULL)
      continue;
    *equals = '\0';
    infer_attr_lend (attributes, pair, equals + 1);
  }
  return attributes;
}

/* The operation of the newest opset, unconnected. */
static InferOperation *
make (OnnxNode *n, const InferOpClass *klass, const char *attributes,
    guint n_inputs, guint n_outputs, GError **error)
{
  guint version = infer_op_class_version (klass, G_MAXUINT);
  char opset[INFER_OPSET_TEXT];
  g_autofree char *texts = g_strdup (attributes);
  g_autoptr (InferAttributes) parsed = read_attributes (texts);
  g_autoptr (InferOperation) op = infer_operation_new (klass, version,
      infer_opset_text (version, opset), n->name, n_inputs, n_outputs);

  infer_operation_note_attributes (op, parsed);
  if (klass->parse != NULL && !klass->parse (op, parsed, error))
    return NULL;
  return g_steal_pointer (&op);
}

InferOperation *
onnx_add (OnnxNode *n, const char *type, const char *attributes, guint n_inputs,
    const InferPort *inputs, guint n_outputs)
{
  const InferOpClass *klass = infer_op_class_find (type);
  g_autoptr (GError) error = NULL;
  InferOperation *op;

  while (n_inputs > 0 && inputs[n_inputs - 1].op == NULL)
    n_inputs--;
  if (n->error != NULL)
    return NULL;
  if (klass == NULL || n_inputs < klass->min_inputs
      || n_inputs > MAX (klass->min_inputs, klass->max_inputs)) {
    onnx_fail (n, INFER_ERROR_INVALID_MODEL, "it has %u inputs, which %s",
        n->n_inputs,
        klass == NULL ? "this build has no operation for" : "does not fit");
    return NULL;
  }
  for (guint i = 0; i < klass->min_inputs; i++)
    if (inputs[i].op == NULL) {
      onnx_fail (n, INFER_ERROR_INVALID_MODEL, "an input is missing");
      return NULL;
    }
  op = make (n, klass, attributes, n_inputs, n_outputs, &error);
  if (op == NULL) {
    onnx_fail (n, error->code, "%s", error->message);
    return NULL;
  }
  return onnx_take (n, op, n_inputs, inputs);
}

InferPort
onnx_op (OnnxNode *n, const char *type, const char *attributes, guint n_inputs,
    const InferPort *inputs)
{
  return (InferPort){ onnx_add (n, type, attributes, n_inputs, inputs, 1), 0 };
}

/* --- constants --- */

InferPort
onnx_const (OnnxNode *n, InferTensor *value)
{
  InferPort port = { NULL, 0 };

  if (n->error == NULL && value != NULL)
    port = add_constant (n, n->name, value);
  infer_tensor_unref (value);
  return port;
}

InferPort
onnx_scalar (OnnxNode *n, InferType type, double value)
{
  InferShape scalar = infer_shape_scalar ();
  InferTensor *tensor = infer_tensor_new (type, &scalar, NULL);

  if (tensor == NULL
      || !infer_convert (tensor->data, type, &value, INFER_TYPE_F64, 1))
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "there are no scalars of type %s",
        infer_type_name (type));
  return onnx_const (n, tensor);
}

InferPort
onnx_scalar_like (OnnxNode *n, InferPort like, double value)
{
  return onnx_scalar (n, onnx_known_type (n, like), value);
}

InferPort
onnx_i64 (OnnxNode *n, gint64 value)
{
  InferShape scalar = infer_shape_scalar ();
  InferTensor *tensor = infer_tensor_new (INFER_TYPE_I64, &scalar, NULL);

  *(gint64 *) tensor->data = value;
  return onnx_const (n, tensor);
}

InferPort
onnx_i64s (OnnxNode *n, const gint64 *values, guint count)
{
  InferShape shape = infer_shape_make (1, (gint64) count);
  InferTensor *tensor = infer_tensor_new (INFER_TYPE_I64, &shape, NULL);

  if (tensor != NULL && count > 0)
    memcpy (tensor->data, values, count * sizeof *values);
  return onnx_const (n, tensor);
}

InferPort
onnx_i64_list (OnnxNode *n, const GArray *ints)
{
  return onnx_i64s (n, (const gint64 *) (gpointer) ints->data, ints->len);
}

/* --- sequences --- */

const GArray *
onnx_sequence (const OnnxNode *n, InferPort port)
{
  return g_hash_table_lookup (n->scope->file->sequences, port.op);
}

InferPort
onnx_add_sequence (OnnxNode *n, GArray *ports)
{
  g_autoptr (GError) error = NULL;
  InferPort port = { NULL, 0 };

  if (n->error != NULL)
    g_array_unref (ports);
  else if (!onnx_file_add_sequence (
               n->scope->file, n->name, ports, &port, &error))
    onnx_fail (n, error->code, "%s", error->message);
  return port;
}

/* --- integers that are floats, too --- */

void
onnx_set_real (OnnxNode *n, InferPort port, InferPort real)
{
  if (n->error == NULL)
    g_hash_table_insert (
        n->scope->reals, port.op, g_memdup2 (&real, sizeof real));
}

InferPort
onnx_real_of (const OnnxNode *n, InferPort port)
{
  const InferPort *real = g_hash_table_lookup (n->scope->reals, port.op);

  return real != NULL && port.index == 0 ? *real : (InferPort){ NULL, 0 };
}

/* --- shorthands --- */

InferPort
onnx_convert (OnnxNode *n, InferPort x, InferType type)
{
  if (onnx_type (x) == type)
    return x;
  return OP (
      n, "Convert", ATTRS ("destination_type=%s", infer_type_name (type)), x);
}

InferPort
onnx_reshape (OnnxNode *n, InferPort x, InferPort shape)
{
  return OP (n, "Reshape", "special_zero=false", x, shape);
}

InferPort
onnx_shape_of (OnnxNode *n, InferPort x)
{
  return OP (n, "ShapeOf", "output_type=i64", x);
}

InferPort
onnx_dim_of (OnnxNode *n, InferPort x, gint64 axis)
{
  const int rank = onnx_rank (x);
  const gint64 dim = onnx_dim (x, (int) (axis < 0 ? axis + rank : axis));

  /* As folding would make it. */
  if (n->error == NULL && dim >= 0
      && infer_shape_is_static (&x.op->outputs[x.index].desc.shape))
    return onnx_i64s (n, &dim, 1);
  return OP (
      n, "Gather", "", onnx_shape_of (n, x), I64S (n, axis), onnx_i64 (n, 0));
}

InferPort
onnx_product (OnnxNode *n, InferPort shape, gint64 from, gint64 to)
{
  return OP (n, "ReduceProd", "keep_dims=true",
      onnx_slice (n, shape, from, to, 0), I64S (n, 0));
}

InferPort
onnx_count_to (OnnxNode *n, InferPort length)
{
  return OP (n, "Range", "output_type=i64", onnx_i64 (n, 0),
      onnx_as_scalar (n, length), onnx_i64 (n, 1));
}

InferPort
onnx_fill (OnnxNode *n, InferPort value, InferPort shape)
{
  return OP (n, "Broadcast", "mode=numpy", value, shape);
}

InferPort
onnx_as_scalar (OnnxNode *n, InferPort x)
{
  return onnx_rank (x) == 0 ? x : onnx_reshape (n, x, onnx_i64s (n, NULL, 0));
}

InferPort
onnx_slice (OnnxNode *n, InferPort x, gint64 from, gint64 to, gint64 axis)
{
  return OP (n, "Slice", "", x, I64S (n, from), I64S (n, to), I64S (n, 1),
      I64S (n, axis));
}

InferPort
onnx_unsqueeze (OnnxNode *n, InferPort x, gint64 axis)
{
  return OP (n, "Unsqueeze", "", x, I64S (n, axis));
}

InferPort
onnx_squeeze (OnnxNode *n, InferPort x, gint64 axis)
{
  return OP (n, "Squeeze", "", x, I64S (n, axis));
}

InferPort
onnx_transpose (OnnxNode *n, InferPort x, const gint64 *order, int rank)
{
  return OP (n, "Transpose", "", x, onnx_i64s (n, order, (guint) rank));
}

const char *
onnx_renamed (const char *name, const char *const names[][2], guint n_names,
    const char *otherwise)
{
  for (guint i = 0; i < n_names; i++)
    if (g_str_equal (name, names[i][0]))
      return names[i][1];
  return otherwise;
}
