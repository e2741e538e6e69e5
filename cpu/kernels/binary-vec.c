/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/kernels/vec-math.h"

/* One loop for each of vector-vector, vector-scalar and scalar-vector. */
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

void
CPU_KERNEL (binary_rows_f32) (CpuBinary what, const CpuBinaryRows *rows)
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

  CPU_KERNEL (binary_rows_f32) (what, &rows);
}
