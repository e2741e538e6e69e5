/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec-math.h"

/* A loop each for vector-vector, vector-scalar and scalar-vector. */
#define ROWS(load_x, load_y, tail_x, tail_y, expression)                       \
  do {                                                                         \
    for (; i + VF_N <= n; i += VF_N) {                                         \
      vf x = load_x, y = load_y;                                               \
      vf_store (dst + i, expression);                                          \
    }                                                                          \
    if (i < n) {                                                               \
      vf x = tail_x, y = tail_y;                                               \
      vf_store_tail (dst + i, expression, n - i);                              \
    }                                                                          \
  } while (0)

#define LOOP(expression)                                                       \
  for (size_t r = 0; r < rows->rows;                                           \
       r++, dst += n, a += rows->a_row, b += rows->b_row) {                    \
    size_t i = 0;                                                              \
    if (a_step && b_step)                                                      \
      ROWS (vf_load (a + i), vf_load (b + i), vf_load_tail (a + i, n - i),     \
          vf_load_tail (b + i, n - i), expression);                            \
    else if (a_step) {                                                         \
      const vf s = vf_set (*b);                                                \
      ROWS (vf_load (a + i), s, vf_load_tail (a + i, n - i), s, expression);   \
    } else {                                                                   \
      const vf s = vf_set (*a);                                                \
      ROWS (s, vf_load (b + i), s, vf_load_tail (b + i, n - i), expression);   \
    }                                                                          \
  }

static void
power (float *dst, const float *a, size_t a_step, const float *b, size_t b_step,
    size_t n)
{
  if (b_step == 0) {
    CpuUnary same = *b == 2.0f    ? CPU_UNARY_SQUARE
                    : *b == 1.0f  ? CPU_UNARY_COPY
                    : *b == -1.0f ? CPU_UNARY_RECIPROCAL
                                  : CPU_UNARY_ABS;

    if (same != CPU_UNARY_ABS) {
      CPU_KERNEL (unary_f32) (same, dst, a, n, 0.0f, 0.0f);
      return;
    }
    if (*b == 0.5f || *b == 3.0f) {
      const int cube = *b == 3.0f;

      /* pow (-inf, 0.5) is +inf and pow (-0, 0.5) is +0, unlike the root. */
      for (size_t i = 0; i < n; i++) {
        float x = a[i];

        dst[i] = cube                  ? x * x * x
                 : __builtin_isinf (x) ? INFINITY
                                       : __builtin_sqrtf (x + 0.0f);
      }
      return;
    }
  }
  for (size_t i = 0; i < n; i++)
    dst[i] = powf (a[i * a_step], b[i * b_step]);
}

/* Short rows: if one operand is the same for all of them, several are processed
 * as one row. */
#define SHORT_ROW 64
#define LONG_ROW (SHORT_ROW * VF_N)

/* Number of rows that make whole vectors; 0: @rows are long enough. */
static size_t
rows_in_one (const CpuBinaryRows *rows)
{
  const size_t n = rows->n;
  size_t count = VF_N;

  if (n == 0 || n > SHORT_ROW || !rows->a_step || !rows->b_step
      || !((rows->a_row == n && rows->b_row == 0)
           || (rows->b_row == n && rows->a_row == 0)))
    return 0;
  while (count > 1 && count / 2 * n % VF_N == 0)
    count /= 2;
  while (count * n < SHORT_ROW)
    count *= 2;
  return rows->rows > count ? count : 0;
}

static void binary_rows (CpuBinary what, const CpuBinaryRows *rows);

static void
few_long_rows (CpuBinary what, const CpuBinaryRows *rows, size_t count)
{
  const size_t n = rows->n, rest = rows->rows % count;
  const int of_a = rows->a_row == 0;
  float same[LONG_ROW];
  CpuBinaryRows longer = *rows;

  for (size_t i = 0; i < count; i++)
    memcpy (same + i * n, of_a ? rows->a : rows->b, n * sizeof *same);
  longer.rows = rows->rows / count;
  longer.n = count * n;
  longer.a = of_a ? same : rows->a;
  longer.b = of_a ? rows->b : same;
  longer.a_row = of_a ? 0 : longer.n;
  longer.b_row = of_a ? longer.n : 0;
  binary_rows (what, &longer);
  longer.dst += longer.rows * longer.n;
  longer.a += longer.rows * longer.a_row;
  longer.b += longer.rows * longer.b_row;
  longer.rows = 1;
  longer.n = rest * n;
  binary_rows (what, &longer);
}

static void
binary_rows (CpuBinary what, const CpuBinaryRows *rows)
{
  const size_t a_step = rows->a_step, b_step = rows->b_step, n = rows->n;
  const float *a = rows->a, *b = rows->b;
  float *dst = rows->dst;

  switch (what) {
    case CPU_BINARY_ADD:
      LOOP (x + y);
      break;
    case CPU_BINARY_SUB:
      LOOP (x - y);
      break;
    case CPU_BINARY_MUL:
      LOOP (x * y);
      break;
    case CPU_BINARY_DIV:
      LOOP (x / y);
      break;
    case CPU_BINARY_MAX:
      LOOP (vf_select ((x != x) | (x > y), x, y));
      break;
    case CPU_BINARY_MIN:
      LOOP (vf_select ((x != x) | (x < y), x, y));
      break;
    case CPU_BINARY_SQUARED_DIFFERENCE:
      LOOP ((x - y) * (x - y));
      break;
    case CPU_BINARY_PRELU:
      LOOP (vf_select (x < 0.0f, x * y, x));
      break;
    case CPU_BINARY_POW:
      for (size_t r = 0; r < rows->rows; r++)
        power (dst + r * n, a + r * rows->a_row, a_step, b + r * rows->b_row,
            b_step, n);
      break;
    case CPU_BINARY_MOD:
    case CPU_BINARY_FLOOR_MOD:
      cpu_binary_rows_f32_c (what, rows);
      break;
  }
}

void
CPU_KERNEL (binary_rows_f32) (CpuBinary what, const CpuBinaryRows *rows)
{
  const size_t count = rows_in_one (rows);

  if (count > 0)
    few_long_rows (what, rows, count);
  else
    binary_rows (what, rows);
}

void
CPU_KERNEL (binary_f32) (CpuBinary what, float *dst, const float *a,
    size_t a_step, const float *b, size_t b_step, size_t n)
{
  const CpuBinaryRows rows = { .dst = dst,
    .a = a,
    .b = b,
    .a_step = a_step,
    .b_step = b_step,
    .rows = 1,
    .n = n };

  binary_rows (what, &rows);
}
