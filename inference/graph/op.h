/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For implementers of operation classes: attributes, validation, and types and
 * shapes of the outputs.  Backends have the kernels.
 *
 * Messages name only the fault: the caller prefixes file and operation. */

#pragma once

#include "inference/graph/attributes.h"
#include "infer/error.h"
#include "inference/graph/operation.h"

typedef enum
{
  INFER_OP_NONE = 0,
  INFER_OP_STATEFUL = 1 << 0, /* reads or writes a variable */
  INFER_OP_IMPURE = 1 << 1, /* two runs differ: never folded (RandomUniform) */
  INFER_OP_SHAPE_ONLY = 1 << 2, /* output depends on the input's shape alone */
  /* Input types decide the result or are fixed elsewhere: passes keep them. */
  INFER_OP_OWN_TYPES = 1 << 3,
  INFER_OP_SUB_BYTE = 1 << 4, /* accepts sub-byte elements */
  INFER_OP_CONVERTS = 1 << 5, /* changes only the type of input 0 */
  /* Copies input 0 if output 0 has its type and shape. */
  INFER_OP_COPIES = 1 << 6,
  INFER_OP_INTERNAL = 1 << 7, /* of no opset of OpenVINO: neither read from IR
                                 nor written */
} InferOpFlags;

/* One call of `infer_shapes`.  At load, shapes may be partial and values
 * missing; a backend calls it again with static shapes. */
typedef struct
{
  const InferOperation *op;
  guint n_inputs;
  const InferDesc *inputs;          /* dynamic type: unconnected */
  const InferTensor *const *values; /* per input; NULL: unknown */
  guint n_outputs;
  InferDesc *outputs; /* preset to dynamic type and rank */
} InferShapeContext;

struct _InferOpClass
{
  const char *type;     /* as in the IR: "Convolution", "ReLU"; looked up
                         * without regard to case */
  const char *alias;    /* a second spelling, e.g. "Relu"; nullable */
  const char *versions; /* opsets in which the class was (re)defined: "1,7,8" */
  InferOpFlags flags;
  guint min_inputs;
  guint max_inputs;     /* 0: as min_inputs; G_MAXUINT: any number */
  guint n_outputs;      /* 0: one; G_MAXUINT: as many as the file has ports */
  guint32 value_inputs; /* bit i: the value of input i decides output shapes */
  gsize attrs_size;     /* of the zeroed attribute struct */

  /* Nullable.  Fills op->attrs; op->version, n_inputs, n_outputs are set. */
  gboolean (*parse) (
      InferOperation *op, const InferAttributes *from, GError **error);
  /* Nullable.  Releases what parse allocated inside the struct. */
  void (*clear) (gpointer attrs);
  /* Checks types and shapes as far as known, fills outputs. */
  gboolean (*infer_shapes) (InferShapeContext *context, GError **error);
  /* Set where a run takes longer than in proportion to the elements of inputs
   * and outputs: see work.h. */
  double (*work) (const InferOperation *op, const InferDesc *const *in,
      const InferDesc *out);
};

/* Every class: infer_op_relu, infer_op_convolution … */
#define OP(name, file) extern const InferOpClass infer_op_##name;
#include "inference/graph/ops/op-list.h"
#undef OP

/* Whether @op (nullable) is of the class @klass. */
static inline gboolean
infer_op_is (const InferOperation *op, const InferOpClass *klass)
{
  return op != NULL && op->klass == klass;
}

/* Whether @klass is in @classes, NULL-terminated. */
static inline gboolean
infer_op_class_in (
    const InferOpClass *klass, const InferOpClass *const *classes)
{
  while (*classes != NULL && *classes != klass)
    classes++;
  return *classes != NULL;
}

/* "1,7,8" and 13 → 8; 0: the opset is older than the class. */
guint infer_op_class_version (const InferOpClass *klass, guint opset);
/* The last opset that any class names. */
guint infer_op_newest_opset (void);
/* NULL: unknown type. */
const InferOpClass *infer_op_class_find (const char *type);
const InferOpClass *const *infer_op_classes (void); /* NULL-terminated */

/* Sets the types and shapes of all outputs of @graph.  The owner of a body sets
 * those of the body's parameters. */
gboolean infer_graph_infer (InferGraph *graph, GError **error);
/* Every output has a type and a whole shape, which is not too large, and no
 * operation has a body: inference would find nothing more. */
gboolean infer_graph_is_whole (const InferGraph *graph);

/* For If, Loop and TensorIterator: the descs of the results of @graph, one
 * each, for parameters of @params; does not change @graph.  @values: known
 * parameter values, nullable, as are its entries. */
gboolean infer_graph_infer_with (const InferGraph *graph,
    const InferDesc *params, const InferTensor *const *values,
    InferDesc *results, GError **error);

/* --- helpers for infer_shapes --- */

/* The value of an input as integers (transfer full); TRUE with *@ints NULL if
 * it is unknown. */
gboolean infer_input_ints (const InferShapeContext *context, guint input,
    GArray **ints, GError **error);
/* Also FALSE unless the input has an integer type and a rank of at most 1. */
gboolean infer_input_list (const InferShapeContext *context, guint input,
    GArray **ints, GError **error);

/* One integer; FALSE unless the type is an integer type and a known value has
 * one element. */
gboolean infer_input_number (const InferShapeContext *context, guint input,
    gint64 *number, gboolean *known, GError **error);

/* FALSE unless the type of the input is an integer type, real, boolean; or
 * dynamic. */
gboolean infer_require_integer (
    const InferShapeContext *context, guint input, GError **error);
gboolean infer_require_real (
    const InferShapeContext *context, guint input, GError **error);
gboolean infer_require_boolean (
    const InferShapeContext *context, guint input, GError **error);
/* FALSE unless the rank is between @min and @max, or dynamic. */
gboolean infer_require_rank (const InferShapeContext *context, guint input,
    int min, int max, GError **error);
/* Both: the type, then the rank. */
gboolean infer_require_integers (const InferShapeContext *context, guint input,
    int min, int max, GError **error);
gboolean infer_require_reals (const InferShapeContext *context, guint input,
    int min, int max, GError **error);
/* Merges the types of inputs [first, first + n) or fails. */
gboolean infer_merge_types (const InferShapeContext *context, guint first,
    guint n, InferType *type, GError **error);
/* Merges the types of two inputs or fails. */
gboolean infer_match_types (const InferShapeContext *context, guint a, guint b,
    InferType *type, GError **error);
/* Merges two dims; @what names them in the error. */
gboolean infer_merge_dims (
    gint64 a, gint64 b, gint64 *merged, const char *what, GError **error);

/* @a times @b; INFER_DYNAMIC if either is, unless the other is 0. */
gboolean infer_dim_product (
    gint64 a, gint64 b, gint64 *product, GError **error);

/* A dim of an input; INFER_DYNAMIC if unknown. */
gint64 infer_input_dim (
    const InferShapeContext *context, guint input, int axis);

/* Fails if that dim is known and not @want. */
gboolean infer_require_dim (const InferShapeContext *context, guint input,
    int axis, gint64 want, GError **error);

/* Merges two input dims into *@merged; fails if they differ. */
gboolean infer_match_dims (const InferShapeContext *context, guint input_a,
    int axis_a, guint input_b, int axis_b, gint64 *merged, GError **error);

/* FALSE unless inputs [0, @n) are real and of rank @ranks[i]. */
gboolean infer_require_real_inputs (const InferShapeContext *context,
    const int *ranks, guint n, GError **error);

/* For classes: output 0 has the type and shape of input 0. */
gboolean infer_same_as_input (InferShapeContext *context, GError **error);
