/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

#include <math.h>
#include <string.h>

/* Chosen to fit buffers of KC_MAX floats. */
static const struct
{
  size_t m, n, k;
} shapes[] = { { 1, 1, 1 }, { 1, 7, 3 }, { 1, 16, 16 }, { 1, 33, 5 },
  { 1, 64, 15 }, { 1, 100, 8 }, { 2, 17, 9 }, { 3, 32, 31 }, { 5, 48, 11 },
  { 7, 15, 33 }, { 13, 31, 4 }, { 14, 33, 20 }, { 25, 40, 1 }, { 29, 16, 7 },
  { 8, 48, 5 }, { 9, 50, 4 }, { 11, 65, 6 }, { 17, 33, 3 }, { 4, 31, 0 } };

static const float slopes[128] = { 0.5f, -1, 2, 0.25f };

/* Sums of at most 33 products of magnitude up to 1, in another order. */
#define REL 1e-5f
#define ABS 1e-5f

typedef struct
{
  const char *label;
  bool bias, accumulate, scale, residual, offset, end_bias;
  CpuActivation act, last_act;
} Variant;

static const Variant variants[] = {
  { .label = "plain" },
  { .label = "bias", .bias = true },
  { .label = "accumulate", .accumulate = true },
  { .label = "scale, prelu", .scale = true, .act = CPU_ACT_PRELU },
  { .label = "residual, tanh",
      .bias = true,
      .residual = true,
      .act = CPU_ACT_RELU,
      .last_act = CPU_ACT_TANH },
  { .label = "end bias", .end_bias = true },
  { .label = "end bias, relu, residual",
      .end_bias = true,
      .accumulate = true,
      .residual = true,
      .act = CPU_ACT_RELU },
  { .label = "both biases, hswish",
      .bias = true,
      .end_bias = true,
      .act = CPU_ACT_HSWISH },
  { .label = "relu", .scale = true, .act = CPU_ACT_RELU },
  { .label = "clamp", .scale = true, .act = CPU_ACT_CLAMP },
  { .label = "hswish", .scale = true, .act = CPU_ACT_HSWISH },
  { .label = "hswish, affine", .scale = true, .act = CPU_ACT_HSWISH_AFFINE },
  { .label = "swish", .scale = true, .act = CPU_ACT_SWISH },
  { .label = "gelu", .scale = true, .act = CPU_ACT_GELU_ERF },
  { .label = "gelu by tanh", .scale = true, .act = CPU_ACT_GELU_TANH },
  { .label = "offset", .scale = true, .offset = true },
};

typedef struct
{
  float *a, *b, *bias, *scale, *start, *residual;
  float *sums; /* NULL: b is not quantised */
} Data;

static CpuGemm
make (const Data *d, const Variant *v, size_t s, CpuEpilogue *epilogue)
{
  CpuGemm g = { .m = shapes[s].m,
    .n = shapes[s].n,
    .k = shapes[s].k,
    .a = d->a,
    .a_row = shapes[s].k + 1,
    .a_k = 1,
    .b = d->b,
    .b_panel = shapes[s].k * CPU_GEMM_PANEL,
    .b_k = CPU_GEMM_PANEL,
    .b_in_order = v->bias,
    .c_row = shapes[s].n + 1,
    .bias = v->bias ? d->bias : NULL,
    .accumulate = v->accumulate };

  *epilogue = (CpuEpilogue){ .scale = v->scale ? d->scale : NULL,
    .bias = v->end_bias ? d->residual + 7 : NULL,
    .act = { .kind = v->act, .alpha = -0.5f, .beta = 0.75f, .slopes = slopes },
    .residual = v->residual ? d->residual : NULL,
    .last_act = { .kind = v->last_act } };
  if (d->sums) {
    g.b_scale = d->scale;
    g.b_offset = v->offset ? d->bias : NULL;
    g.a_sums = d->sums;
    for (size_t i = 0; i < g.m; i++) {
      d->sums[i] = 0;
      for (size_t k = 0; k < g.k; k++)
        d->sums[i] += d->a[i * g.a_row + k];
    }
  }
  if (v->scale || v->residual || v->end_bias)
    g.epilogue = epilogue;
  return g;
}

/* Both versions, starting from the same c. */
static void
compare (cpu_gemm_f32_fn *ref, cpu_gemm_f32_fn *opt, const Data *d, float *want,
    float *got, const Variant *v, size_t s)
{
  CpuEpilogue epilogue;
  CpuGemm g = make (d, v, s, &epilogue);
  size_t used = (g.m - 1) * g.c_row + g.n;

  memcpy (want, d->start, KC_BYTES);
  memcpy (got, d->start, KC_BYTES);
  g.c = want;
  ref (&g);
  g.c = got;
  opt (&g);
  kc_check_f32 (got, want, used, REL, ABS);
  /* Nothing is written between rows or after the last. */
  for (size_t i = 0; i + 1 < g.m; i++)
    kc_check_bytes (
        got + i * g.c_row + g.n, d->start + i * g.c_row + g.n, sizeof *got);
  kc_check_bytes (got + used, d->start + used, KC_BYTES - used * sizeof *got);
}

static void
check_gemm (cpu_gemm_f32_fn *ref, cpu_gemm_f32_fn *opt, Data *d)
{
  float *want = kc_buffer (0), *got = kc_buffer (4);

  for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
    kc_label (variants[v].label);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
      compare (ref, opt, d, want, got, &variants[v], s);
  }
  kc_label ("1 x 64 x 15");
  {
    CpuEpilogue epilogue;
    CpuGemm g = make (d, &variants[0], 4, &epilogue);

    g.c = got;
    KC_BENCH (opt (&g));
  }
}

static void
fill (Data *d)
{
  d->a = kc_floats (4, -1, 1);
  d->bias = kc_floats (4, -1, 1);
  d->scale = kc_floats (8, -1, 1);
  d->start = kc_floats (0, -1, 1);
  d->residual = kc_floats (4, -1, 1);
}

void
check_gemm_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  Data d = { 0 };

  fill (&d);
  d.b = kc_floats (0, -1, 1);
  check_gemm (ref->gemm_f32, opt->gemm_f32, &d);
}

void
check_gemm_f16 (const CpuKernels *ref, const CpuKernels *opt)
{
  Data d = { 0 };

  fill (&d);
  float *floats = kc_floats (0, -1, 1);
  d.b = kc_buffer (0);
  ref->f32_to_f16 ((uint16_t *) d.b, floats, KC_MAX);
  check_gemm (ref->gemm_f16, opt->gemm_f16, &d);
}

void
check_gemm_i8 (const CpuKernels *ref, const CpuKernels *opt)
{
  Data d = { 0 };

  fill (&d);
  d.b = kc_buffer (0);
  d.sums = kc_buffer (0);
  int8_t *integers = (int8_t *) d.b;
  for (size_t i = 0; i < KC_MAX; i++)
    integers[i] = (int8_t) (i * 37 % 256 - 128);
  /* To make sums as large as those of the other kernels. */
  for (size_t i = 0; i < KC_MAX; i++)
    d.scale[i] /= 128;
  check_gemm (ref->gemm_i8, opt->gemm_i8, &d);
}

static const size_t depths[] = { 1, 3, 4, 5, 16, 31, 64, 65, 127, 0 };

static void
check_digits (const CpuKernels *ref, const CpuKernels *opt, const float *src,
    size_t n, CpuDigits *want, CpuDigits *got)
{
  ref->digits_f32 (want, src, n);
  kc_poison (got);
  opt->digits_f32 (got, src, n);
  kc_check_beyond (got, cpu_digits_size (n));
  kc_check_f32 (&got->unit, &want->unit, 1, 0, 0);
  kc_check_f32 (&got->sum, &want->sum, 1, 1e-7f, 0);
  kc_check_bytes (got->sums, want->sums, sizeof got->sums);
  kc_check_bytes (got->digits, want->digits, cpu_digits_size (n) - sizeof *got);
}

void
check_digits_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  const float nothing = NAN;
  float *src = kc_floats (4, -3, 3);
  CpuDigits *want = kc_buffer (0), *got = kc_buffer (0);

  src[70] = 1e9f;
  for (const size_t *n = depths; *n != 0; n++)
    check_digits (ref, opt, src, *n, want, got);
  src[0] = 1e-42f;
  check_digits (ref, opt, src, 1, want, got);
  src[0] = -0.0f;
  check_digits (ref, opt, src, 1, want, got);
  src[2] = INFINITY;
  opt->digits_f32 (got, src, 3);
  kc_check_f32 (&got->unit, &nothing, 1, 0, 0);
  src[2] = NAN;
  opt->digits_f32 (got, src, 100);
  kc_check_f32 (&got->unit, &nothing, 1, 0, 0);
  KC_BENCH (opt->digits_f32 (got, src + 128, 512));
}

static void
check_bytes (const CpuKernels *ref, const CpuKernels *opt, const float *src,
    size_t n, size_t group, CpuBytes *want, CpuBytes *got)
{
  ref->bytes_f32 (want, src, n, group);
  kc_poison (got);
  opt->bytes_f32 (got, src, n, group);
  kc_check_beyond (got, cpu_bytes_size (n, group));
  kc_check_f32 (&got->sum, &want->sum, 1, 1e-7f, 0);
  kc_check_bytes (
      got->groups, want->groups, cpu_bytes_size (n, group) - sizeof *got);
}

void
check_bytes_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  const float nothing = NAN;
  float *src = kc_floats (4, -3, 3);
  CpuBytes *want = kc_buffer (0), *got = kc_buffer (0);

  src[70] = 1e9f;
  memset (src + 96, 0, 32 * sizeof *src);
  for (const size_t *n = depths; *n != 0; n++)
    for (size_t group = 32; group <= 128; group *= 2)
      check_bytes (ref, opt, src, *n, group, want, got);
  src[0] = 1e-37f;
  check_bytes (ref, opt, src, 1, 32, want, got);
  src[0] = 1e-36f;
  check_bytes (ref, opt, src, 1, 32, want, got);
  src[0] = 3e38f;
  check_bytes (ref, opt, src, 3, 32, want, got);
  src[2] = INFINITY;
  opt->bytes_f32 (got, src, 3, 32);
  kc_check_f32 (&got->sum, &nothing, 1, 0, 0);
  src[2] = NAN;
  opt->bytes_f32 (got, src, 100, 64);
  kc_check_f32 (&got->sum, &nothing, 1, 0, 0);
  KC_BENCH (opt->bytes_f32 (got, src + 128, 512, 32));
}

/* @group: of bytes; 0: digits. */
static size_t
packed_size (size_t n, size_t group)
{
  return group == 0 ? cpu_digits_size (n) : cpu_bytes_size (n, group);
}

/* With @odd the last row is not finite. */
static void
check_product (const CpuKernels *ref, const CpuKernels *opt, CpuGemm *g,
    bool odd, float *a, char *packed, float *want, float *got)
{
  kc_fill (a, KC_MAX, -1, 1);
  g->a = a;
  g->a_row = g->k;
  g->a_packed = packed;
  g->a_packed_row = packed_size (g->k, g->a_group);
  if (odd)
    a[(g->m - 1) * g->k + g->k / 2] = INFINITY;
  for (size_t i = 0; i < g->m; i++) {
    void *row = packed + i * g->a_packed_row;

    if (g->a_group == 0)
      opt->digits_f32 (row, a + i * g->k, g->k);
    else
      opt->bytes_f32 (row, a + i * g->k, g->k, g->a_group);
  }
  g->c = want;
  (g->a_group == 0 ? ref->gemm_digits : ref->gemm_bytes) (g);
  kc_poison (got);
  g->c = got;
  (g->a_group == 0 ? opt->gemm_digits : opt->gemm_bytes) (g);
  kc_check_beyond (got, ((g->m - 1) * g->c_row + g->n) * sizeof (float));
  for (size_t i = 0; i < g->m; i++)
    kc_check_f32 (got + i * g->c_row, want + i * g->c_row, g->n, 1e-5f, 1e-4f);
}

static void
check_packed (const CpuKernels *ref, const CpuKernels *opt, bool bytes)
{
  static const size_t columns[] = { 1, 16, 17, 49, 64, 65, 127, 0 };
  uint8_t *b = kc_buffer (0);
  float *a = kc_buffer (4), *scale = kc_buffer (8), *offset = kc_buffer (4),
        *want = kc_buffer (0), *got = kc_buffer (4);
  char *packed = kc_buffer (0);

  for (size_t i = 0; i < KC_BYTES; i++)
    b[i] = (uint8_t) (i * 37 % 256);
  for (size_t i = 0; i < KC_MAX; i++) {
    scale[i] = (float) (i % 5 + 1) / 512;
    offset[i] = (float) (i % 100) - 50;
  }
  for (const size_t *n = columns; *n != 0; n++)
    for (const size_t *k = depths; *k != 0; k++) {
      const size_t panels = (*n + 15) / 16, panel = (*k + 3) / 4 * 64;
      CpuGemm g = { .m = bytes ? 1 + (*n + *k) % 5 : 2,
        .n = *n,
        .k = *k,
        .a_k = 1,
        .a_group = !bytes        ? 0
                   : *k % 7 == 1 ? 32768
                                 : 32,
        .b = b,
        .b_panel = panel,
        .b_in_order = *k % 4 < 2,
        .b_scale = scale,
        .b_offset = *k % 2 ? offset : NULL,
        .c_row = *n + 3 };

      if (panels * panel <= KC_BYTES && g.m * *k <= KC_MAX
          && g.m * g.c_row <= KC_MAX)
        check_product (ref, opt, &g, *k % 3 == 0, a, packed, want, got);
    }
}

void
check_gemm_digits (const CpuKernels *ref, const CpuKernels *opt)
{
  check_packed (ref, opt, false);
}

void
check_gemm_bytes (const CpuKernels *ref, const CpuKernels *opt)
{
  check_packed (ref, opt, true);
}

void
check_dot_rows_f32 (const CpuKernels *ref, const CpuKernels *opt)
{
  static const size_t rows[] = { 1, 3, 4, 5, 9 };
  float *a = kc_floats (4, -1, 1), *x = kc_floats (8, -1, 1),
        *want = kc_buffer (0), *got = kc_buffer (4);

  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
    for (const size_t *n = kc_lengths; *n != 0; n++) {
      if (rows[r] * *n > KC_MAX)
        continue;
      ref->dot_rows_f32 (want, a, *n, x, rows[r], *n);
      kc_poison (got);
      opt->dot_rows_f32 (got, a, *n, x, rows[r], *n);
      kc_check_beyond (got, rows[r] * sizeof *got);
      kc_check_f32 (got, want, rows[r], 1e-5f, 1e-4f);
    }
  KC_BENCH (opt->dot_rows_f32 (got, a, 128, x, 8, 128));
}
