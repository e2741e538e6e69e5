/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Element-wise operations of two operands. */

#include "cpu/kernels/scalar.h"
#include "cpu/ops/broadcast.h"
#include "cpu/ops/chain.h"
#include "cpu/ops/elementwise.h"
#include "inference/graph/ops/elementwise.h"

#include <math.h>

typedef enum
{
  COMPARE_EQUAL,
  COMPARE_NOT_EQUAL,
  COMPARE_LESS,
  COMPARE_LESS_EQUAL,
  COMPARE_GREATER,
  COMPARE_GREATER_EQUAL,
} Compare;

typedef enum
{
  BITWISE_AND,
  BITWISE_OR,
  BITWISE_XOR,
  BITWISE_LEFT_SHIFT,
  BITWISE_RIGHT_SHIFT,
} Bitwise;

typedef struct _Binary Binary;

typedef void (*RowFunc) (const Binary *binary, gpointer dst, gconstpointer a,
    gsize a_step, gconstpointer b, gsize b_step, gsize n);

struct _Binary
{
  CpuBroadcast broadcast;
  int what; /* CpuBinary, Compare or Bitwise */
  gboolean python_div;
  RowFunc row;
  gsize in_size, out_size; /* bytes of an element */
  const CpuKernels *kernels;
  CpuChain *chain; /* nullable; of f32 */
  const char *a, *b;
  char *dst;
};

#define T float
#define COMPARE_ONLY
#define W float
#define LOAD(x) (x)
#define STORE(x) (x)
#define REAL 1
#define SIGNED 1
#define NAME(what) what##_f32
#include "cpu/ops/binary.inc"

#define T double
#define W double
#define LOAD(x) (x)
#define STORE(x) (x)
#define REAL 1
#define SIGNED 1
#define NAME(what) what##_f64
#include "cpu/ops/binary.inc"

#define T guint16
#define W float
#define LOAD(x) infer_f16_to_f32 (x)
#define STORE(x) infer_f32_to_f16 (x)
#define REAL 1
#define SIGNED 1
#define NAME(what) what##_f16
#include "cpu/ops/binary.inc"

#define T guint16
#define W float
#define LOAD(x) infer_bf16_to_f32 (x)
#define STORE(x) infer_f32_to_bf16 (x)
#define REAL 1
#define SIGNED 1
#define NAME(what) what##_bf16
#include "cpu/ops/binary.inc"

#define T gint64
#define W gint64
#define WRAP guint64
#define SIGNED 1
#define LOAD(x) (x)
#define STORE(x) (x)
#define REAL 0
#define NAME(what) what##_i64
#include "cpu/ops/binary.inc"

#define T gint32
#define W gint32
#define WRAP guint32
#define SIGNED 1
#define LOAD(x) (x)
#define STORE(x) (x)
#define REAL 0
#define NAME(what) what##_i32
#include "cpu/ops/binary.inc"

#define T gint16
#define W gint16
#define WRAP guint32
#define SIGNED 1
#define LOAD(x) (x)
#define STORE(x) (x)
#define REAL 0
#define NAME(what) what##_i16
#include "cpu/ops/binary.inc"

#define T gint8
#define W gint8
#define WRAP guint32
#define SIGNED 1
#define LOAD(x) (x)
#define STORE(x) (x)
#define REAL 0
#define NAME(what) what##_i8
#include "cpu/ops/binary.inc"

#define T guint64
#define W guint64
#define WRAP guint64
#define SIGNED 0
#define LOAD(x) (x)
#define STORE(x) (x)
#define REAL 0
#define NAME(what) what##_u64
#include "cpu/ops/binary.inc"

#define T guint32
#define W guint32
#define WRAP guint32
#define SIGNED 0
#define LOAD(x) (x)
#define STORE(x) (x)
#define REAL 0
#define NAME(what) what##_u32
#include "cpu/ops/binary.inc"

#define T guint16
#define W guint16
#define WRAP guint32
#define SIGNED 0
#define LOAD(x) (x)
#define STORE(x) (x)
#define REAL 0
#define NAME(what) what##_u16
#include "cpu/ops/binary.inc"

#define T guint8
#define W guint8
#define WRAP guint32
#define SIGNED 0
#define LOAD(x) (x)
#define STORE(x) (x)
#define REAL 0
#define NAME(what) what##_u8
#include "cpu/ops/binary.inc"

static void
vector_f32 (const Binary *binary, gpointer dst, gconstpointer a, gsize a_step,
    gconstpointer b, gsize b_step, gsize n)
{
  binary->kernels->binary_f32 (
      (CpuBinary) binary->what, dst, a, a_step, b, b_step, n);
}

static const struct
{
  InferType type;
  RowFunc arithmetic, compare, bitwise;
  const char *name;
} rows[] = {
  { INFER_TYPE_F32, vector_f32, compare_f32, NULL, "vec_f32" },
  { INFER_TYPE_F64, arithmetic_f64, compare_f64, NULL, "ref_f64" },
  { INFER_TYPE_F16, arithmetic_f16, compare_f16, NULL, "ref_f16" },
  { INFER_TYPE_BF16, arithmetic_bf16, compare_bf16, NULL, "ref_bf16" },
  { INFER_TYPE_I64, arithmetic_i64, compare_i64, bitwise_i64, "ref_i64" },
  { INFER_TYPE_I32, arithmetic_i32, compare_i32, bitwise_i32, "ref_i32" },
  { INFER_TYPE_I16, arithmetic_i16, compare_i16, bitwise_i16, "ref_i16" },
  { INFER_TYPE_I8, arithmetic_i8, compare_i8, bitwise_i8, "ref_i8" },
  { INFER_TYPE_U64, arithmetic_u64, compare_u64, bitwise_u64, "ref_u64" },
  { INFER_TYPE_U32, arithmetic_u32, compare_u32, bitwise_u32, "ref_u32" },
  { INFER_TYPE_U16, arithmetic_u16, compare_u16, bitwise_u16, "ref_u16" },
  { INFER_TYPE_U8, arithmetic_u8, compare_u8, bitwise_u8, "ref_u8" },
  { INFER_TYPE_BOOLEAN, NULL, compare_u8, bitwise_u8, "ref_boolean" },
};

/* Each operation's code within its kind. */
static const struct
{
  const InferOpClass *klass;
  enum
  {
    KIND_ARITHMETIC,
    KIND_COMPARE,
    KIND_BITWISE,
  } kind;
  int what;
} kinds[] = {
  { &infer_op_add, KIND_ARITHMETIC, CPU_BINARY_ADD },
  { &infer_op_subtract, KIND_ARITHMETIC, CPU_BINARY_SUB },
  { &infer_op_multiply, KIND_ARITHMETIC, CPU_BINARY_MUL },
  { &infer_op_divide, KIND_ARITHMETIC, CPU_BINARY_DIV },
  { &infer_op_maximum, KIND_ARITHMETIC, CPU_BINARY_MAX },
  { &infer_op_minimum, KIND_ARITHMETIC, CPU_BINARY_MIN },
  { &infer_op_squared_difference, KIND_ARITHMETIC,
      CPU_BINARY_SQUARED_DIFFERENCE },
  { &infer_op_power, KIND_ARITHMETIC, CPU_BINARY_POW },
  { &infer_op_mod, KIND_ARITHMETIC, CPU_BINARY_MOD },
  { &infer_op_floor_mod, KIND_ARITHMETIC, CPU_BINARY_FLOOR_MOD },
  { &infer_op_prelu, KIND_ARITHMETIC, CPU_BINARY_PRELU },
  { &infer_op_equal, KIND_COMPARE, COMPARE_EQUAL },
  { &infer_op_not_equal, KIND_COMPARE, COMPARE_NOT_EQUAL },
  { &infer_op_less, KIND_COMPARE, COMPARE_LESS },
  { &infer_op_less_equal, KIND_COMPARE, COMPARE_LESS_EQUAL },
  { &infer_op_greater, KIND_COMPARE, COMPARE_GREATER },
  { &infer_op_greater_equal, KIND_COMPARE, COMPARE_GREATER_EQUAL },
  /* Booleans are bytes of 0 and 1. */
  { &infer_op_logical_and, KIND_BITWISE, BITWISE_AND },
  { &infer_op_logical_or, KIND_BITWISE, BITWISE_OR },
  { &infer_op_logical_xor, KIND_BITWISE, BITWISE_XOR },
  { &infer_op_xor, KIND_BITWISE, BITWISE_XOR },
  { &infer_op_bitwise_and, KIND_BITWISE, BITWISE_AND },
  { &infer_op_bitwise_or, KIND_BITWISE, BITWISE_OR },
  { &infer_op_bitwise_xor, KIND_BITWISE, BITWISE_XOR },
  { &infer_op_bitwise_left_shift, KIND_BITWISE, BITWISE_LEFT_SHIFT },
  { &infer_op_bitwise_right_shift, KIND_BITWISE, BITWISE_RIGHT_SHIFT },
};

gboolean
cpu_binary_of (const InferOperation *op, CpuBinary *what)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (kinds[i].kind == KIND_ARITHMETIC && infer_op_is (op, kinds[i].klass)) {
      *what = (CpuBinary) kinds[i].what;
      return TRUE;
    }
  return FALSE;
}

static void
choose_row (CpuStep *step, Binary *binary)
{
  InferType type = step->in[0]->desc.type;
  gsize k = 0, t = 0;

  while (!infer_op_is (step->op, kinds[k].klass))
    k++;
  while (t < G_N_ELEMENTS (rows) && rows[t].type != type)
    t++;
  binary->what = kinds[k].what;
  if (t == G_N_ELEMENTS (rows))
    return;
  binary->row = kinds[k].kind == KIND_ARITHMETIC ? rows[t].arithmetic
                : kinds[k].kind == KIND_COMPARE  ? rows[t].compare
                                                 : rows[t].bitwise;
  step->kernel = rows[t].name;
}

/* One slope per channel becomes a shape that broadcasts as NumPy does. */
static InferShape
slope_shape (const InferShape *data, const InferShape *slope)
{
  InferShape shape = *slope;

  if (slope->rank == 1 && data->rank > 1 && slope->dims[0] == data->dims[1]) {
    shape.rank = data->rank;
    for (int i = 0; i < data->rank; i++)
      shape.dims[i] = 1;
    shape.dims[1] = slope->dims[0];
  }
  return shape;
}

static gboolean
prepare (CpuStep *step, GError **error)
{
  const InferBinary *attrs = step->op->attrs;
  const InferShape *out = cpu_out_shape (step, 0);
  Binary *binary = g_new0 (Binary, 1);
  InferShape shapes[2], second = *cpu_in_shape (step, 1);

  step->priv = binary;
  binary->kernels = step->kernels;
  binary->chain = cpu_chain_new (step);
  binary->python_div = attrs->python_div;
  choose_row (step, binary);
  if (binary->row == NULL)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED, "no code for type %s",
        infer_type_name (step->in[0]->desc.type));
  binary->in_size = infer_type_size (step->in[0]->desc.type);
  if (binary->chain != NULL)
    step->kernel = "vec_f32_chain";
  binary->out_size = infer_type_size (step->out[0]->desc.type);
  if (binary->what == CPU_BINARY_PRELU
      && infer_op_is (step->op, &infer_op_prelu))
    second = slope_shape (out, &second);
  shapes[0] = cpu_broadcast_align (
      out, cpu_in_shape (step, 0), attrs->rule, attrs->axis);
  shapes[1] = cpu_broadcast_align (out, &second, attrs->rule, attrs->axis);
  cpu_broadcast_init (
      &binary->broadcast, out, 2, shapes, step->layout == CPU_LAYOUT_NSPC);
  return TRUE;
}

static void
run_row (gpointer data, gsize out_at, const gsize *at, gsize n)
{
  const Binary *binary = data;
  const gsize *step = binary->broadcast.step;
  gsize tile = binary->chain != NULL ? CPU_CHAIN_TILE : G_MAXSIZE;

  for (gsize i = 0; i < n;) {
    gsize part = MIN (tile, n - i);
    gpointer dst = binary->dst + (out_at + i) * binary->out_size;

    binary->row (binary, dst,
        binary->a + (at[0] + i * step[0]) * binary->in_size, step[0],
        binary->b + (at[1] + i * step[1]) * binary->in_size, step[1], part);
    cpu_chain_apply (binary->chain, dst, out_at + i, part);
    i += part;
  }
}

/* Shorter rows are processed together. */
#define SHORT_ROW 512

static gboolean
has_short_rows (const Binary *binary)
{
  const CpuBroadcast *b = &binary->broadcast;

  return binary->row == vector_f32 && !b->flat && b->row > 0 && b->rows > 0
         && b->row < SHORT_ROW;
}

static void
run_short_rows (gpointer data, gsize begin, gsize end, guint thread)
{
  const Binary *binary = data;
  const CpuBroadcast *b = &binary->broadcast;
  const gsize tile = MAX (CPU_CHAIN_TILE / b->row, 1);
  const float *x = (gconstpointer) binary->a, *y = (gconstpointer) binary->b;
  float *dst = (gpointer) binary->dst;
  CpuBroadcastRow row;
  gsize count;

  for (gsize i = begin; i < end; i += count) {
    CpuBinaryRows part = { .dst = dst + i * b->row, .n = b->row };

    cpu_broadcast_seek (b, &row, i);
    count = cpu_broadcast_rows_from (b, &row, MIN (end - i, tile));
    part.rows = count;
    part.a = x + row.at[0];
    part.a_row = b->strides[0][b->rank - 1];
    part.a_step = b->step[0];
    part.b = y + row.at[1];
    part.b_row = b->strides[1][b->rank - 1];
    part.b_step = b->step[1];
    binary->kernels->binary_rows_f32 ((CpuBinary) binary->what, &part);
    cpu_chain_apply (binary->chain, part.dst, i * b->row, count * b->row);
  }
}

static void
release (gpointer priv)
{
  Binary *binary = priv;

  if (binary != NULL)
    g_free (binary->chain);
  g_free (binary);
}

static gboolean
run (CpuStep *step, GError **error)
{
  Binary *binary = step->priv;

  binary->a = step->in[0]->data;
  binary->b = step->in[1]->data;
  binary->dst = step->out[0]->data;
  if (has_short_rows (binary))
    cpu_step_parallel (step, binary->broadcast.rows,
        MAX (16384 / binary->broadcast.row, 1), run_short_rows, binary);
  else
    cpu_broadcast_run (step, &binary->broadcast, run_row, binary);
  return TRUE;
}

#define BINARY(name, flags_)                                                   \
  const CpuOp cpu_op_##name = {                                                \
    .flags = CPU_OP_ANY_LAYOUT | (flags_),                                     \
    .wants_nspc = cpu_broadcast_wants_nspc,                                    \
    .absorb = cpu_chain_can_absorb,                                            \
    .prepare = prepare,                                                        \
    .run = run,                                                                \
    .release = release,                                                        \
  };

/* clang-format off */
BINARY (add, CPU_OP_INPLACE)
BINARY (bitwise_and, CPU_OP_INPLACE)
BINARY (bitwise_left_shift, CPU_OP_INPLACE)
BINARY (bitwise_or, CPU_OP_INPLACE)
BINARY (bitwise_right_shift, CPU_OP_INPLACE)
BINARY (bitwise_xor, CPU_OP_INPLACE)
BINARY (divide, CPU_OP_INPLACE)
BINARY (equal, CPU_OP_NONE)
BINARY (floor_mod, CPU_OP_INPLACE)
BINARY (greater, CPU_OP_NONE)
BINARY (greater_equal, CPU_OP_NONE)
BINARY (less, CPU_OP_NONE)
BINARY (less_equal, CPU_OP_NONE)
BINARY (logical_and, CPU_OP_INPLACE)
BINARY (logical_or, CPU_OP_INPLACE)
BINARY (logical_xor, CPU_OP_INPLACE)
BINARY (maximum, CPU_OP_INPLACE)
BINARY (minimum, CPU_OP_INPLACE)
BINARY (mod, CPU_OP_INPLACE)
BINARY (multiply, CPU_OP_INPLACE)
BINARY (not_equal, CPU_OP_NONE)
BINARY (power, CPU_OP_INPLACE)
BINARY (prelu, CPU_OP_INPLACE)
BINARY (squared_difference, CPU_OP_INPLACE)
BINARY (subtract, CPU_OP_INPLACE)
BINARY (xor, CPU_OP_INPLACE)
/* clang-format on */
