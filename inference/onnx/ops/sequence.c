/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Sequences and optional values.  Which tensors a sequence consists of must be
 * known at load: it is no value of ours. */

#include "inference/onnx/ops/importers.h"

/* The place in a sequence that input @input, a constant, says; @end: of the
 * place behind the last, too.  Without the input: @otherwise. */
static guint
place_of (OnnxNode *n, guint input, guint length, guint end, guint otherwise)
{
  g_autoptr (GArray) list = NULL;
  gint64 at;

  if (!onnx_given (n, input))
    return otherwise;
  list = onnx_require_ints (n, n->inputs[input], "position");
  at = list->len > 0 ? g_array_index (list, gint64, 0) : 0;
  if (at < 0)
    at += length;
  if (n->error == NULL && (at < 0 || at >= (gint64) length + (gint64) end))
    onnx_fail (n, INFER_ERROR_INVALID_MODEL,
        "there is no position %" G_GINT64_FORMAT " in a sequence of %u", at,
        length);
  return n->error == NULL ? (guint) at : 0;
}

static const GArray *
sequence_of (OnnxNode *n, guint input)
{
  const GArray *sequence = onnx_sequence (n, n->inputs[input]);

  if (sequence == NULL)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "which tensors its sequence has must be known before it runs");
  return sequence;
}

static GArray *
copy (const GArray *sequence)
{
  GArray *ports = g_array_new (FALSE, FALSE, sizeof (InferPort));

  if (sequence != NULL && sequence->len > 0)
    g_array_append_vals (ports, sequence->data, sequence->len);
  return ports;
}

/* SequenceConstruct and SequenceEmpty. */
void
onnx_import_sequence_construct (OnnxNode *n)
{
  GArray *ports = g_array_new (FALSE, FALSE, sizeof (InferPort));

  if (n->n_inputs > 0)
    g_array_append_vals (ports, n->inputs, n->n_inputs);
  n->outputs[0] = onnx_add_sequence (n, ports);
}

void
onnx_import_sequence_at (OnnxNode *n)
{
  const GArray *sequence = sequence_of (n, 0);

  if (sequence == NULL)
    return;
  guint at = place_of (n, 1, sequence->len, 0, 0);
  if (n->error == NULL)
    n->outputs[0] = g_array_index (sequence, InferPort, at);
}

void
onnx_import_sequence_length (OnnxNode *n)
{
  const GArray *sequence = sequence_of (n, 0);

  if (sequence != NULL)
    n->outputs[0] = onnx_i64 (n, sequence->len);
}

void
onnx_import_sequence_insert (OnnxNode *n)
{
  const GArray *sequence = sequence_of (n, 0);
  GArray *ports = copy (sequence);
  guint at = place_of (n, 2, ports->len, 1, ports->len);

  g_array_insert_val (ports, at, n->inputs[1]);
  n->outputs[0] = onnx_add_sequence (n, ports);
}

void
onnx_import_sequence_erase (OnnxNode *n)
{
  const GArray *sequence = sequence_of (n, 0);
  GArray *ports = copy (sequence);
  guint last = ports->len > 0 ? ports->len - 1 : 0;
  guint at = place_of (n, 1, ports->len, 0, last);

  if (ports->len > 0)
    g_array_remove_index (ports, at);
  n->outputs[0] = onnx_add_sequence (n, ports);
}

void
onnx_import_concat_from_sequence (OnnxNode *n)
{
  gboolean fresh = onnx_int (n, "new_axis", 0) != 0;
  gint64 axis = onnx_int (n, "axis", 0);
  const GArray *sequence = sequence_of (n, 0);
  g_autoptr (GArray) ports = copy (sequence);

  if (fresh)
    for (guint i = 0; i < ports->len; i++)
      g_array_index (ports, InferPort, i) =
          onnx_unsqueeze (n, g_array_index (ports, InferPort, i), axis);
  n->outputs[0] = onnx_op (n, "Concat", ATTRS ("axis=%" G_GINT64_FORMAT, axis),
      ports->len, (const InferPort *) (gpointer) ports->data);
}

/* The lengths of the parts: given, or chunks of one length, or 1. */
static GArray *
lengths_of (OnnxNode *n, gint64 whole)
{
  g_autoptr (GArray) given =
      onnx_given (n, 1) ? onnx_require_ints (n, n->inputs[1], "split") : NULL;
  GArray *lengths = g_array_new (FALSE, FALSE, sizeof (gint64));
  gint64 each = 1;

  if (given != NULL && onnx_rank (n->inputs[1]) == 1) {
    g_array_append_vals (lengths, given->data, given->len);
    return lengths;
  }
  if (given != NULL && given->len > 0)
    each = g_array_index (given, gint64, 0);
  if (whole < 0 || each < 1 || whole / each >= 65536)
    onnx_fail (n, INFER_ERROR_UNSUPPORTED,
        "how many parts it makes must be known, and below 65536");
  for (gint64 at = 0; n->error == NULL && at < whole; at += each) {
    gint64 length = MIN (each, whole - at);

    g_array_append_val (lengths, length);
  }
  return lengths;
}

void
onnx_import_split_to_sequence (OnnxNode *n)
{
  gboolean keep = onnx_given (n, 1) || onnx_int (n, "keepdims", 1) != 0;
  gint64 axis =
      onnx_axis (n, onnx_int (n, "axis", 0), onnx_known_rank (n, n->inputs[0]));
  g_autoptr (GArray) lengths =
      lengths_of (n, onnx_dim (n->inputs[0], (int) axis));
  GArray *ports = g_array_new (FALSE, FALSE, sizeof (InferPort));
  InferOperation *split = onnx_add (n, "VariadicSplit", "", 3,
      (InferPort[]){
          n->inputs[0], onnx_i64 (n, axis), onnx_i64_list (n, lengths) },
      lengths->len);

  for (guint k = 0; k < lengths->len; k++) {
    InferPort part = { split, k };

    if (!keep)
      part = onnx_squeeze (n, part, axis);
    g_array_append_val (ports, part);
  }
  n->outputs[0] = onnx_add_sequence (n, ports);
}

/* --- optional values: those that are there --- */

/* Optional and OptionalGetElement. */
void
onnx_import_optional (OnnxNode *n)
{
  if (!onnx_given (n, 0))
    onnx_fail (n, INFER_ERROR_UNSUPPORTED, "an optional value without element");
  n->outputs[0] = n->inputs[0];
}

void
onnx_import_optional_has_element (OnnxNode *n)
{
  n->outputs[0] =
      onnx_scalar (n, INFER_TYPE_BOOLEAN, onnx_given (n, 0) ? 1 : 0);
}
