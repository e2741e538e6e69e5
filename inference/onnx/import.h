/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For importers of operations: a node of an ONNX graph becomes one or more
 * operations of ours.
 *
 *     void
 *     onnx_import_gemm (OnnxNode *n)
 *     {
 *       InferPort product = OP (n, "MatMul", "", n->inputs[0], n->inputs[1]);
 *
 *       n->outputs[0] = OP (n, "Add", "", product, n->inputs[2]);
 *     }
 *
 * The first problem ends the import; after it, these functions do nothing and
 * return ports without an operation, so that importers need not check.  Types
 * and shapes of ports are known as far as they can be, and what depends on
 * small constants alone is a constant.
 *
 * One thread. */

#pragma once

#include "infer/error.h"
#include "inference/graph/graph.h"
#include "inference/onnx/wire.h"

typedef struct _OnnxScope OnnxScope;

typedef struct
{
  char *name;
  int kind;           /* field of AttributeProto that holds the value */
  guint64 number;     /* of ONNX_ATTRIBUTE_I, as it is stored */
  float real;         /* of ONNX_ATTRIBUTE_F */
  OnnxSpan bytes;     /* of ONNX_ATTRIBUTE_S, _T, _G, _SPARSE_TENSOR */
  GArray *ints;       /* (element-type gint64) */
  GArray *floats;     /* (element-type float) */
  GPtrArray *strings; /* (element-type utf8) */
} OnnxAttribute;

/* A node being imported. */
typedef struct
{
  OnnxScope *scope;
  const char *type, *domain, *name, *overload;
  gint64 opset; /* of its domain */
  guint n_inputs, n_outputs;
  const char **input_names, **output_names; /* "": omitted */
  /* op == NULL: omitted; at least ONNX_SPARE are there beyond n_inputs and
   * n_outputs. */
  InferPort *inputs, *outputs;
  gpointer block;         /* of the ports, names and texts */
  char *prefixed;         /* nullable: name, in a function */
  GHashTable *attributes; /* name → OnnxAttribute; NULL: none */
  GPtrArray *texts;       /* of onnx_format; nullable */
  GError *error;          /* the first problem */
} OnnxNode;

#define ONNX_SPARE 16

typedef struct
{
  const char *type;
  void (*import) (OnnxNode *n);
} OnnxImporter;

/* The importer of an operation; NULL: there is none. */
const OnnxImporter *onnx_find_importer (const char *domain, const char *type);

/* Ends the import of the node with an error. */
void onnx_fail (OnnxNode *n, int code, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/* --- attributes --- */

gboolean onnx_has (const OnnxNode *n, const char *attribute);
gint64 onnx_int (OnnxNode *n, const char *attribute, gint64 otherwise);
double onnx_float (OnnxNode *n, const char *attribute, double otherwise);
/* (transfer full); @otherwise may be NULL. */
char *onnx_text (OnnxNode *n, const char *attribute, const char *otherwise);
/* Whether a text attribute is @value. */
gboolean onnx_text_is (OnnxNode *n, const char *attribute, const char *value,
    const char *otherwise);
/* NULL: absent.  (transfer none) (element-type gint64) */
const GArray *onnx_ints (OnnxNode *n, const char *attribute);
const GArray *onnx_floats (OnnxNode *n, const char *attribute);
const GPtrArray *onnx_strings (OnnxNode *n, const char *attribute);
/* NULL: absent, or refused.  (transfer full) */
InferTensor *onnx_tensor (OnnxNode *n, const char *attribute);
/* A type by its number in TensorProto. */
InferType onnx_type_attribute (
    OnnxNode *n, const char *attribute, InferType otherwise);
/* "1,2,3" (transfer full). */
char *onnx_list (const GArray *ints);

/* --- ports --- */

static inline gboolean
onnx_given (const OnnxNode *n, guint input)
{
  return input < n->n_inputs && n->inputs[input].op != NULL;
}

InferDesc onnx_desc (InferPort port); /* dynamic if there is no operation */
InferType onnx_type (InferPort port);
int onnx_rank (InferPort port); /* INFER_DYNAMIC: not known */
/* Fails if it is not known. */
int onnx_known_rank (OnnxNode *n, InferPort port);
InferType onnx_known_type (OnnxNode *n, InferPort port);
/* INFER_DYNAMIC: not known. */
gint64 onnx_dim (InferPort port, int axis);
/* The value if it is a constant, else NULL.  (transfer none) */
const InferTensor *onnx_value (InferPort port);
/* The value of a constant as integers; NULL: it is not constant.  (transfer
 * full) (element-type gint64) */
GArray *onnx_value_ints (InferPort port);
/* The same; fails, naming @what, where it is not constant. */
GArray *onnx_require_ints (OnnxNode *n, InferPort port, const char *what);
/* 0 ≤ axis < rank; fails otherwise. */
gint64 onnx_axis (OnnxNode *n, gint64 axis, int rank);

/* --- operations --- */

/* Adds an operation of ours: @attributes is "name=value;name=value". */
InferOperation *onnx_add (OnnxNode *n, const char *type, const char *attributes,
    guint n_inputs, const InferPort *inputs, guint n_outputs);
InferPort onnx_op (OnnxNode *n, const char *type, const char *attributes,
    guint n_inputs, const InferPort *inputs);
/* Adds an operation made by infer_operation_new, unconnected (transfer full).
 */
InferOperation *onnx_take (
    OnnxNode *n, InferOperation *op, guint n_inputs, const InferPort *inputs);

#define OP(n, type, attributes, ...)                                           \
  onnx_op (n, type, attributes,                                                \
      (guint) (sizeof ((InferPort[]){ __VA_ARGS__ }) / sizeof (InferPort)),    \
      (InferPort[]){ __VA_ARGS__ })

/* Formats attributes: OP (n, "Softmax", ATTRS ("axis=%d", 1), x). */
#define ATTRS(...) (onnx_format (n, __VA_ARGS__))
const char *onnx_format (OnnxNode *n, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

/* Constants. */
InferPort onnx_const (OnnxNode *n, InferTensor *value); /* transfer full */
InferPort onnx_scalar (OnnxNode *n, InferType type, double value);
/* Of the type of @like, which must be known. */
InferPort onnx_scalar_like (OnnxNode *n, InferPort like, double value);
InferPort onnx_i64 (OnnxNode *n, gint64 value); /* a scalar */
InferPort onnx_i64s (OnnxNode *n, const gint64 *values, guint count);
InferPort onnx_i64_list (OnnxNode *n, const GArray *ints);
#define I64S(n, ...)                                                           \
  onnx_i64s (n, (gint64[]){ __VA_ARGS__ },                                     \
      (guint) (sizeof ((gint64[]){ __VA_ARGS__ }) / sizeof (gint64)))

/* A sequence stands for tensors that are known one by one; no operation of ours
 * reads it, and only importers of sequences see it.  NULL: @port is a tensor.
 * (element-type InferPort) */
const GArray *onnx_sequence (const OnnxNode *n, InferPort port);
InferPort onnx_add_sequence (OnnxNode *n, GArray *ports); /* transfer full */

/* A Cast of @port to floats reads @real instead of @port; the second returns
 * it, with op NULL if there is none. */
void onnx_set_real (OnnxNode *n, InferPort port, InferPort real);
InferPort onnx_real_of (const OnnxNode *n, InferPort port);

/* Shorthands. */
InferPort onnx_convert (OnnxNode *n, InferPort x, InferType type);
InferPort onnx_reshape (OnnxNode *n, InferPort x, InferPort shape);
InferPort onnx_shape_of (OnnxNode *n, InferPort x);            /* i64 */
InferPort onnx_dim_of (OnnxNode *n, InferPort x, gint64 axis); /* [1] */
/* The product of the dims [from, to) of @shape as [1]. */
InferPort onnx_product (OnnxNode *n, InferPort shape, gint64 from, gint64 to);
/* 0, 1, … below @length, a scalar or [1], as i64. */
InferPort onnx_count_to (OnnxNode *n, InferPort length);
/* @value everywhere in @shape. */
InferPort onnx_fill (OnnxNode *n, InferPort value, InferPort shape);
InferPort onnx_as_scalar (OnnxNode *n, InferPort x); /* of one element */
/* All from @from until before @to along @axis. */
InferPort onnx_slice (
    OnnxNode *n, InferPort x, gint64 from, gint64 to, gint64 axis);
InferPort onnx_unsqueeze (OnnxNode *n, InferPort x, gint64 axis);
InferPort onnx_squeeze (OnnxNode *n, InferPort x, gint64 axis);
InferPort onnx_transpose (
    OnnxNode *n, InferPort x, const gint64 *order, int rank);

/* The second of the pair whose first is @name; @otherwise: there is none. */
const char *onnx_renamed (const char *name, const char *const names[][2],
    guint n_names, const char *otherwise);

/* The output of a node that omits it still has to be there for some importers:
 * whether output @k is read by anybody. */
static inline gboolean
onnx_wants (const OnnxNode *n, guint k)
{
  return k < n->n_outputs && *n->output_names[k] != '\0';
}
