/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

static const struct
{
  const char *label;
  CpuBinary what;
  float rel, abs;
} kinds[] = {
  { "add", CPU_BINARY_ADD, 0, 0 },
  { "sub", CPU_BINARY_SUB, 0, 0 },
  { "mul", CPU_BINARY_MUL, 0, 0 },
  { "div", CPU_BINARY_DIV, 0, 0 },
  { "max", CPU_BINARY_MAX, 0, 0 },
  { "min", CPU_BINARY_MIN, 0, 0 },
  /* Rounded twice or once. */
  { "squared difference", CPU_BINARY_SQUARED_DIFFERENCE, 2.4e-7f, 3e-45f },
  { "pow", CPU_BINARY_POW, 3e-7f, 3e-45f },
  { "mod", CPU_BINARY_MOD, 0, 0 },
  { "floor mod", CPU_BINARY_FLOOR_MOD, 0, 0 },
  { "prelu", CPU_BINARY_PRELU, 0, 0 },
};

/* Vector-vector, vector-scalar, scalar-vector. */
static const struct
{
  size_t a, b;
} steps[] = { { 1, 1 }, { 1, 0 }, { 0, 1 } };

static void
check_kind (size_t k, size_t a_step, size_t b_step, const CpuKernels *ref,
    const CpuKernels *opt, float *const *buf)
{
  float *a = buf[0], *b = buf[1], *want = buf[2], *got = buf[3];

  for (const size_t *n = kc_lengths; *n != 0; n++) {
    size_t at = KC_MAX - *n;

    ref->binary_f32 (kinds[k].what, want, a + at * a_step, a_step,
        b + at * b_step, b_step, *n);
    kc_poison (got);
    opt->binary_f32 (kinds[k].what, got, a + at * a_step, a_step,
        b + at * b_step, b_step, *n);
    kc_check_beyond (got, *n * sizeof *got);
    kc_check_f32 (got, want, *n, kinds[k].rel, kinds[k].abs);
  }
  /* In place on either operand. */
  for (int on = 0; on < 2; on++) {
    if ((on == 0 ? a_step : b_step) == 0)
      continue;
    for (size_t i = 0; i < KC_MAX; i++)
      want[i] = on == 0 ? a[i] : b[i];
    opt->binary_f32 (kinds[k].what, want, on == 0 ? want : a, a_step,
        on == 1 ? want : b, b_step, KC_MAX);
    kc_check_f32 (want, got, KC_MAX, 0, 0);
  }
}

void
check_binary_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  static const float exponents[] = { 2, 1, -1, 0.5f, 3, 0, 0.3f };
  float *buf[4];

  for (size_t i = 0; i < 4; i++)
    buf[i] = kc_buffer (4 * i);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    kc_label (kinds[k].label);
    for (size_t s = 0; s < 3; s++) {
      kc_fill (buf[0], KC_MAX, -4, 4);
      kc_fill (buf[1], KC_MAX, -4, 4);
      check_kind (k, steps[s].a, steps[s].b, ref, opt, buf);
      kc_sprinkle (buf[0]);
      kc_sprinkle (buf[1]);
      check_kind (k, steps[s].a, steps[s].b, ref, opt, buf);
    }
    KC_BENCH (
        opt->binary_f32 (kinds[k].what, buf[3], buf[0], 1, buf[1], 1, KC_MAX));
  }
  kc_label ("pow of a number");
  for (size_t i = 0; i < sizeof exponents / sizeof *exponents; i++) {
    buf[1][0] = exponents[i];
    ref->binary_f32 (CPU_BINARY_POW, buf[2], buf[0], 1, buf[1], 0, KC_MAX);
    opt->binary_f32 (CPU_BINARY_POW, buf[3], buf[0], 1, buf[1], 0, KC_MAX);
    kc_check_f32 (buf[3], buf[2], KC_MAX, 3e-7f, 3e-45f);
  }
}

/* Operands that are the same for all rows, constant within a row, or dense. */
void
check_binary_rows_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *buf[4];

  for (size_t i = 0; i < 4; i++)
    buf[i] = kc_buffer (4 * i);
  kc_fill (buf[0], KC_MAX, -4, 4);
  kc_fill (buf[1], KC_MAX, -4, 4);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    kc_label (kinds[k].label);
    for (size_t n = 1; n <= 70; n++)
      for (int way = 0; way < 4; way++) {
        CpuBinaryRows rows = { .dst = buf[2],
          .a = buf[0],
          .b = buf[1],
          .a_row = n,
          .a_step = 1,
          .b_row = way & 1,
          .b_step = !(way & 1),
          .rows = KC_MAX / n,
          .n = n };

        if (way & 2) {
          rows.a_row = rows.b_row;
          rows.a_step = rows.b_step;
          rows.b_row = n;
          rows.b_step = 1;
        }
        ref->binary_rows_f32 (kinds[k].what, &rows);
        rows.dst = buf[3];
        kc_poison (buf[3]);
        opt->binary_rows_f32 (kinds[k].what, &rows);
        kc_check_beyond (buf[3], rows.rows * n * sizeof (float));
        kc_check_f32 (
            buf[3], buf[2], rows.rows * n, kinds[k].rel, kinds[k].abs);
      }
  }
}
