/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Elements that move: slices, joins, gathers, scatters. */

#include "inference/onnx/ops/importers.h"

#define X (n->inputs[0])

void
onnx_import_concat (OnnxNode *n)
{
  n->outputs[0] = onnx_op (n, "Concat",
      ATTRS ("axis=%" G_GINT64_FORMAT, onnx_int (n, "axis", 1)), n->n_inputs,
      n->inputs);
}

/* --- Split --- */

static void
set_parts (OnnxNode *n, InferOperation *op)
{
  for (guint k = 0; op != NULL && k < n->n_outputs; k++)
    n->outputs[k] = (InferPort){ op, k };
}

/* The last part is smaller where the length is no multiple. */
static InferPort
lengths_of (OnnxNode *n, gint64 axis)
{
  gint64 length = onnx_dim (X, (int) axis), parts = n->n_outputs;
  g_autoptr (GArray) lengths = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 each = length < 0 ? 0 : (length + parts - 1) / parts;

  if (length < 0)
    onnx_fail (
        n, INFER_ERROR_UNSUPPORTED, "the length of the axis must be known");
  for (gint64 i = 0; i < parts; i++) {
    gint64 part = CLAMP (length - i * each, 0, each);

    g_array_append_val (lengths, part);
  }
  return onnx_i64_list (n, lengths);
}

void
onnx_import_split (OnnxNode *n)
{
  int rank = onnx_known_rank (n, X);
  gint64 axis = onnx_axis (n, onnx_int (n, "axis", 0), rank);
  const GArray *split = onnx_ints (n, "split");
  InferPort at = onnx_i64 (n, axis);
  InferPort lengths = split != NULL       ? onnx_i64_list (n, split)
                      : onnx_given (n, 1) ? n->inputs[1]
                                          : (InferPort){ NULL, 0 };

  if (lengths.op == NULL && onnx_dim (X, (int) axis) < 0) {
    set_parts (n, onnx_add (n, "Split", ATTRS ("num_splits=%u", n->n_outputs),
                      2, (InferPort[]){ X, at }, n->n_outputs));
    return;
  }
  if (lengths.op == NULL)
    lengths = lengths_of (n, axis);
  set_parts (n, onnx_add (n, "VariadicSplit", "", 3,
                    (InferPort[]){ X, at, lengths }, n->n_outputs));
}

/* --- Slice --- */

static InferPort
list_input (OnnxNode *n, guint input, const char *attribute)
{
  const GArray *list = n->opset < 10 ? onnx_ints (n, attribute) : NULL;

  return list != NULL ? onnx_i64_list (n, list) : n->inputs[input];
}

void
onnx_import_slice (OnnxNode *n)
{
  InferPort starts = list_input (n, 1, "starts");
  InferPort ends = list_input (n, 2, "ends");
  InferPort axes = list_input (n, 3, "axes");
  InferPort steps = n->opset < 10 ? (InferPort){ NULL, 0 } : n->inputs[4];

  if (steps.op == NULL)
    steps = OP (n, "Broadcast", "mode=numpy", onnx_scalar_like (n, starts, 1),
        onnx_shape_of (n, starts));
  n->outputs[0] = axes.op != NULL
                      ? OP (n, "Slice", "", X, starts, ends, steps, axes)
                      : OP (n, "Slice", "", X, starts, ends, steps);
}

/* --- gather and scatter --- */

void
onnx_import_gather (OnnxNode *n)
{
  n->outputs[0] = OP (
      n, "Gather", "", X, n->inputs[1], onnx_i64 (n, onnx_int (n, "axis", 0)));
}

void
onnx_import_gather_elements (OnnxNode *n)
{
  n->outputs[0] = OP (n, "GatherElements",
      ATTRS ("axis=%" G_GINT64_FORMAT, onnx_int (n, "axis", 0)), X,
      n->inputs[1]);
}

void
onnx_import_gather_nd (OnnxNode *n)
{
  n->outputs[0] = OP (n, "GatherND",
      ATTRS ("batch_dims=%" G_GINT64_FORMAT, onnx_int (n, "batch_dims", 0)), X,
      n->inputs[1]);
}

/* ONNX's name of a reduction in ours; NULL: it is refused. */
static const char *
reduction_of (OnnxNode *n)
{
  static const char *const names[][2] = { { "none", "none" }, { "add", "sum" },
    { "mul", "prod" }, { "min", "min" }, { "max", "max" } };
  g_autofree char *text = onnx_text (n, "reduction", "none");

  const char *ours = onnx_renamed (text, names, G_N_ELEMENTS (names), NULL);
  if (ours == NULL)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "its reduction '%.40s'", text);
  return ours != NULL ? ours : "none";
}

void
onnx_import_scatter_elements (OnnxNode *n)
{
  n->outputs[0] =
      OP (n, "ScatterElementsUpdate", ATTRS ("reduction=%s", reduction_of (n)),
          X, n->inputs[1], n->inputs[2], onnx_i64 (n, onnx_int (n, "axis", 0)));
}

void
onnx_import_scatter_nd (OnnxNode *n)
{
  n->outputs[0] = OP (n, "ScatterNDUpdate",
      ATTRS ("reduction=%s", reduction_of (n)), X, n->inputs[1], n->inputs[2]);
}

/* --- order --- */

void
onnx_import_top_k (OnnxNode *n)
{
  InferPort k = n->opset < 10
                    ? onnx_i64 (n, onnx_int (n, "k", 1))
                    : onnx_reshape (n, n->inputs[1], onnx_i64s (n, NULL, 0));
  InferOperation *op = onnx_add (n, "TopK",
      ATTRS ("axis=%" G_GINT64_FORMAT ";mode=%s;sort=%s;"
             "index_element_type=i64;stable=true",
          onnx_int (n, "axis", -1),
          onnx_int (n, "largest", 1) != 0 ? "max" : "min", "value"),
      2, (InferPort[]){ X, k }, 2);

  set_parts (n, op);
}

void
onnx_import_reverse_sequence (OnnxNode *n)
{
  n->outputs[0] = OP (n, "ReverseSequence",
      ATTRS ("batch_axis=%" G_GINT64_FORMAT ";seq_axis=%" G_GINT64_FORMAT,
          onnx_int (n, "batch_axis", 1), onnx_int (n, "time_axis", 0)),
      X, n->inputs[1]);
}

void
onnx_import_non_zero (OnnxNode *n)
{
  n->outputs[0] = OP (n, "NonZero", "output_type=i64", X);
}

/* --- blocks --- */

/* DepthToSpace and SpaceToDepth. */
void
onnx_import_blocks (OnnxNode *n)
{
  n->outputs[0] = OP (n, n->type,
      ATTRS ("block_size=%" G_GINT64_FORMAT ";mode=%s",
          onnx_int (n, "blocksize", 1),
          onnx_text_is (n, "mode", "CRD", "DCR") ? "depth_first"
                                                 : "blocks_first"),
      X);
}

/* --- Pad --- */

/* All axes: the pads of the listed ones, 0 for the others. */
static InferPort
scatter_pads (OnnxNode *n, InferPort pads, InferPort axes, int rank)
{
  InferPort zeros =
      OP (n, "Broadcast", "mode=numpy", onnx_i64 (n, 0), I64S (n, rank));
  InferPort place = OP (n, "FloorMod", "",
      onnx_convert (n, axes, INFER_TYPE_I64), onnx_i64 (n, rank));

  return OP (
      n, "ScatterElementsUpdate", "", zeros, place, pads, onnx_i64 (n, 0));
}

/* Indices that wrap around, axis by axis. */
static InferPort
wrap (OnnxNode *n, InferPort begin, InferPort end, int rank)
{
  InferPort y = X, shape = onnx_shape_of (n, X), zero = onnx_i64 (n, 0);

  for (int i = 0; i < rank; i++) {
    InferPort axis = onnx_i64 (n, i);
    InferPort length = OP (n, "Gather", "", shape, axis, zero);
    InferPort from =
        OP (n, "Negative", "", OP (n, "Gather", "", begin, axis, zero));
    InferPort to =
        OP (n, "Add", "", length, OP (n, "Gather", "", end, axis, zero));
    InferPort at = OP (n, "FloorMod", "",
        OP (n, "Range", "output_type=i64", from, to, onnx_i64 (n, 1)), length);

    y = OP (n, "Gather", "", y, at, axis);
  }
  return y;
}

void
onnx_import_pad (OnnxNode *n)
{
  g_autofree char *mode = onnx_text (n, "mode", "constant");
  int rank = onnx_known_rank (n, X);
  const GArray *list = n->opset < 11 ? onnx_ints (n, "pads") : NULL;
  InferPort pads = list != NULL
                       ? onnx_i64_list (n, list)
                       : onnx_convert (n, n->inputs[1], INFER_TYPE_I64);
  InferPort value = n->opset < 11
                        ? onnx_scalar_like (n, X, onnx_float (n, "value", 0))
                    : onnx_given (n, 2)
                        ? onnx_reshape (n, n->inputs[2], onnx_i64s (n, NULL, 0))
                        : onnx_scalar_like (n, X, 0);
  InferOperation *halves = onnx_add (
      n, "Split", "num_splits=2", 2, (InferPort[]){ pads, onnx_i64 (n, 0) }, 2);
  InferPort begin = { halves, 0 }, end = { halves, 1 };

  if (onnx_given (n, 3)) {
    begin = scatter_pads (n, begin, n->inputs[3], rank);
    end = scatter_pads (n, end, n->inputs[3], rank);
  }
  n->outputs[0] =
      g_str_equal (mode, "wrap")
          ? wrap (n, begin, end, rank)
          : OP (n, "Pad", ATTRS ("pad_mode=%s", mode), X, begin, end, value);
}
