/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

#include <math.h>
#include <string.h>

#define HALVES (KC_BYTES / sizeof (uint16_t))

/* Each product is rounded once or twice, to 2^-11 of the partial sum; a sum has
 * at most CPU_F16_BLOCK / 2 products of magnitude up to 1. */
#define ABS(products) (2e-3f * sqrtf ((float) (products)))

static const struct
{
  size_t pixels, n_segments, length;
} shapes[] = { { 1, 1, 1 }, { 1, 1, 42 }, { 1, 3, 7 }, { 1, 4, 10 },
  { 2, 1, 2 }, { 2, 1, 33 }, { 3, 3, 5 }, { 4, 2, 8 }, { 5, 1, 41 },
  { 8, 4, 3 }, { 9, 1, 10 }, { 13, 1, 16 }, { 14, 2, 6 }, { 17, 1, 12 },
  { 27, 1, 8 } };

/* Long sums, with few channels to fit the buffers. */
static const struct
{
  size_t pixels, length;
} longs[] = { { 1, 63 }, { 2, 126 }, { 1, 64 }, { 4, 64 }, { 1, 126 } };

typedef struct
{
  uint16_t *in, *weights;
  float *scales, *bias, *residual, *want, *got;
} Data;

static void
fill_f16 (const CpuKernels *ref, uint16_t *to, float size)
{
  float numbers[64];

  for (size_t i = 0; i < HALVES; i += 64) {
    kc_fill (numbers, 64, -size, size);
    ref->f32_to_f16 (to + i, numbers, 64);
  }
}

static void
fill (const CpuKernels *ref, Data *d)
{
  d->in = kc_buffer (2);
  d->weights = kc_buffer (0);
  d->scales = kc_buffer (4);
  d->bias = kc_buffer (4);
  d->residual = kc_buffer (4);
  d->want = kc_buffer (0);
  d->got = kc_buffer (4);
  fill_f16 (ref, d->in, 1);
  fill_f16 (ref, d->weights, 1);
  kc_fill (d->bias, KC_MAX, -1, 1);
  kc_fill (d->residual, KC_MAX, -1, 1);
  for (size_t i = 0; i < KC_MAX; i++)
    d->scales[i] = ldexpf (1, (int) (i % 3) - 3);
}

static void
widen_all (const CpuKernels *ref, float *to, const void *halves, size_t n)
{
  ref->f16_to_f32 (to, halves, n);
}

/* @want, @got: `used` f16 values each, and the maximum magnitude found. */
static void
compare_halves (const CpuKernels *ref, const void *want, const void *got,
    size_t used, const float *largest, float abs)
{
  float a[KC_MAX], b[KC_MAX];

  widen_all (ref, a, got, used);
  widen_all (ref, b, want, used);
  kc_check_f32 (a, b, used, 2e-3f, abs);
  kc_check_f32 (&largest[1], &largest[0], 1, 2e-3f, abs);
  kc_check_beyond (got, used * sizeof (uint16_t));
}

static const CpuAct some_acts[] = { { .kind = CPU_ACT_NONE },
  { .kind = CPU_ACT_RELU }, { .kind = CPU_ACT_CLAMP, .alpha = 0, .beta = 2 },
  { .kind = CPU_ACT_LEAKY_RELU, .alpha = 0.25f } };

/* The same tiles with f16 results. */
static void
compare_stored (const CpuKernels *ref, const CpuKernels *opt, const Data *d,
    CpuConvTileF16 *t, size_t used)
{
  for (size_t i = 0; i < sizeof some_acts / sizeof *some_acts; i++) {
    float largest[2] = { 0, 0 };

    t->epilogue = (CpuEpilogue){ .bias = d->bias, .act = some_acts[i] };
    kc_poison (d->want);
    memcpy (d->got, d->want, KC_BYTES);
    t->f16 = (CpuF16Results){ .out = (uint16_t *) (void *) d->want,
      .scale = 0.5f,
      .largest = &largest[0] };
    ref->conv_tile_f16 (t);
    t->f16.out = (uint16_t *) (void *) d->got;
    t->f16.largest = &largest[1];
    opt->conv_tile_f16 (t);
    compare_halves (
        ref, d->want, d->got, used, largest, ABS (t->n_segments * t->length));
  }
}

/* Pixels overlap like those of a row; results have gaps between them. */
static void
compare (const CpuKernels *ref, const CpuKernels *opt, const Data *d,
    size_t vectors, size_t channels, size_t pixels, size_t n_segments,
    size_t length, bool more)
{
  static const size_t segments[] = { 0, 11, 22, 33 };
  CpuConvTileF16 t = { .in = d->in,
    .in_step = 3,
    .segments = segments,
    .n_segments = n_segments,
    .length = length,
    .weights = d->weights,
    .scale = 2,
    .scales = d->scales,
    .vectors = vectors,
    .channels = channels,
    .pixels = pixels,
    .out = d->want,
    .out_step = channels + 1 };
  const size_t rows = n_segments * cpu_f16_padded (length);
  const size_t used = (pixels - 1) * t.out_step + channels;

  if (rows * vectors * CPU_F16_LANES > HALVES || used > KC_MAX)
    return;
  if (more) {
    t.epilogue.bias = d->bias;
    t.epilogue.act.kind = CPU_ACT_RELU;
    t.epilogue.residual = d->residual;
    t.residual_step = channels;
    t.residual_channels = channels > 2 ? channels - 2 : channels;
  }
  kc_poison (d->want);
  memcpy (d->got, d->want, KC_BYTES);
  ref->conv_tile_f16 (&t);
  t.out = d->got;
  opt->conv_tile_f16 (&t);
  kc_check_f32 (d->got, d->want, used, 0, ABS (n_segments * length));
  kc_check_beyond (d->got, used * sizeof *d->got);
  compare_stored (ref, opt, d, &t, used);
}

static void
check_all (const CpuKernels *ref, const CpuKernels *opt, const Data *d,
    size_t pixels, size_t n_segments, size_t length)
{
  static const size_t last[] = { 1, 15, 16 };

  for (size_t vectors = 1; vectors <= 3; vectors++)
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
      for (int more = 0; more < 2; more++)
        compare (ref, opt, d, vectors, (vectors - 1) * 16 + last[i], pixels,
            n_segments, length, more);
}

/* NaN after an odd number of inputs must not be read. */
static void
check_odd (const CpuKernels *opt, const Data *d)
{
  static const size_t segments[] = { 0 };
  float out[16];
  CpuConvTileF16 t = { .in = d->in,
    .in_step = 0,
    .segments = segments,
    .n_segments = 1,
    .length = 3,
    .weights = d->weights,
    .scale = 1,
    .scales = d->scales,
    .vectors = 1,
    .channels = 16,
    .out = out,
    .out_step = 0 };

  kc_label ("odd");
  d->in[3] = 0x7e00;
  for (t.pixels = 1; t.pixels <= 2; t.pixels++) {
    float again[16];

    opt->conv_tile_f16 (&t);
    memcpy (again, out, sizeof again);
    d->in[3] = 0;
    opt->conv_tile_f16 (&t);
    kc_check_f32 (again, out, 16, 0, 0);
    d->in[3] = 0x7e00;
  }
}

/* The largest possible sums. */
static void
check_largest (const CpuKernels *opt, const Data *d)
{
  static const size_t segments[] = { 0 };
  float out[16], want[16];
  CpuConvTileF16 t = { .in = d->in,
    .segments = segments,
    .n_segments = 1,
    .length = CPU_F16_BLOCK * CPU_F16_BLOCKS,
    .weights = d->weights,
    .scale = 1,
    .scales = d->scales,
    .vectors = 1,
    .channels = 16,
    .out = out };

  kc_label ("largest");
  for (size_t i = 0; i < HALVES; i++)
    d->weights[i] = 0x3c00;
  for (size_t i = 0; i < CPU_F16_BLOCK * CPU_F16_BLOCKS; i++)
    d->in[i] = 0x5c00;
  for (size_t c = 0; c < 16; c++)
    want[c] = CPU_F16_BLOCK * CPU_F16_BLOCKS * CPU_F16_LARGEST * d->scales[c];
  for (t.pixels = 1; t.pixels <= 2; t.pixels++) {
    opt->conv_tile_f16 (&t);
    kc_check_f32 (out, want, 16, 0, 0);
  }
}

/* NaN and infinities are ignored by the maximum. */
static void
check_odd_largest (const CpuKernels *opt, const Data *d)
{
  static const size_t segments[] = { 0 };
  uint16_t out[2 * 32];
  float largest = 0, wanted = 8;
  CpuConvTileF16 t = { .in = d->in,
    .in_step = 2,
    .segments = segments,
    .n_segments = 1,
    .length = 2,
    .weights = d->weights,
    .scale = 1,
    .scales = d->scales,
    .vectors = 2,
    .channels = 32,
    .pixels = 2,
    .out_step = 32,
    .f16 = { .out = out, .scale = 1, .largest = &largest } };

  kc_label ("odd largest");
  for (size_t i = 0; i < HALVES; i++)
    d->weights[i] = 0x3c00;
  for (size_t c = 0; c < 32; c++)
    d->scales[c] = 1;
  d->in[0] = d->in[1] = 0x4400; /* 4 */
  d->in[2] = 0x7e00;
  d->in[3] = 0x7c00;
  opt->conv_tile_f16 (&t);
  kc_check_f32 (&largest, &wanted, 1, 0, 0);
}

void
check_conv_tile_f16 (const CpuKernels *ref, const CpuKernels *opt)
{
  Data d;

  fill (ref, &d);
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    check_all (
        ref, opt, &d, shapes[s].pixels, shapes[s].n_segments, shapes[s].length);
  kc_label ("long");
  for (size_t s = 0; s < sizeof longs / sizeof *longs; s++)
    check_all (ref, opt, &d, longs[s].pixels, 2, longs[s].length / 2);
  check_odd (opt, &d);
  check_largest (opt, &d);
  check_odd_largest (opt, &d);
}

static void
compare_depthwise (const CpuKernels *ref, const CpuKernels *opt, const Data *d,
    CpuConvDepthwiseF16 *r)
{
  const size_t used = (r->pixels - 1) * r->out_step + r->last;
  const float abs = ABS (r->n[1] * r->n[2]);

  if (used > KC_MAX)
    return;
  for (size_t i = 0; i < sizeof some_acts / sizeof *some_acts; i++) {
    float largest[2] = { 0, 0 };

    r->epilogue = (CpuEpilogue){ .bias = d->bias, .act = some_acts[i] };
    kc_poison (d->want);
    memcpy (d->got, d->want, KC_BYTES);
    r->f16 = (CpuF16Results){ .scale = 1 };
    r->out = d->want;
    ref->conv_depthwise_f16 (r);
    r->out = d->got;
    opt->conv_depthwise_f16 (r);
    kc_check_f32 (d->got, d->want, used, 0, abs);
    kc_check_beyond (d->got, used * sizeof *d->got);
    kc_poison (d->want);
    memcpy (d->got, d->want, KC_BYTES);
    r->f16 = (CpuF16Results){ .out = (uint16_t *) (void *) d->want,
      .scale = 0.5f,
      .largest = &largest[0] };
    ref->conv_depthwise_f16 (r);
    r->f16.out = (uint16_t *) (void *) d->got;
    r->f16.largest = &largest[1];
    opt->conv_depthwise_f16 (r);
    compare_halves (ref, d->want, d->got, used, largest, abs);
  }
}

void
check_conv_depthwise_f16 (const CpuKernels *ref, const CpuKernels *opt)
{
  static const struct
  {
    size_t column, columns, repeat, taps, step, dilation, pixels, last;
    ptrdiff_t first;
  } rows[] = { { 32, 12, 1, 3, 1, 1, 12, 32, -1 },
    { 16, 20, 2, 3, 2, 1, 10, 32, -1 }, { 16, 19, 2, 3, 2, 1, 10, 16, -1 },
    { 24, 11, 1, 3, 2, 1, 6, 24, -1 }, { 7, 25, 1, 5, 1, 2, 25, 7, -4 },
    { 48, 9, 1, 3, 1, 1, 9, 48, -1 }, { 40, 20, 1, 5, 1, 1, 20, 40, -2 },
    { 3, 9, 1, 3, 1, 3, 9, 3, -3 }, { 33, 8, 1, 1, 1, 1, 8, 33, 0 } };
  Data d;

  fill (ref, &d);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (size_t y = 0; y <= 2; y++) {
      const size_t all = rows[i].column * rows[i].repeat;
      CpuConvDepthwiseF16 r = { .in = d.in,
        .weights = d.weights,
        .n = { 1, y, rows[i].taps },
        .in_stride = { 0, rows[i].column * rows[i].columns },
        .weight_stride = { 0, rows[i].taps * all },
        .column = rows[i].column,
        .columns = rows[i].columns,
        .first = rows[i].first,
        .step = rows[i].step,
        .dilation = rows[i].dilation,
        .pixels = rows[i].pixels,
        .channels = all,
        .last = rows[i].last,
        .scale = 2,
        .scales = d.scales,
        .out_step = all };

      compare_depthwise (ref, opt, &d, &r);
    }
}

void
check_scale_f16 (const CpuKernels *ref, const CpuKernels *opt)
{
  static const float scales[] = { 1, 0.25f };
  uint16_t *want = kc_buffer (0), *got = kc_buffer (2);
  float *src = kc_floats (4, -300, 200);

  for (int pass = 0; pass < 3; pass++) {
    for (const size_t *n = kc_lengths; *n != 0; n++)
      for (size_t s = 0; s < 2; s++) {
        float wanted = ref->scale_f16 (want, src, *n, scales[s]), largest;

        kc_poison (got);
        largest = opt->scale_f16 (got, src, *n, scales[s]);
        kc_check_beyond (got, *n * sizeof *got);
        kc_check_bytes (got, want, *n * sizeof *got);
        kc_check_f32 (&largest, &wanted, 1, 0, 0);
      }
    kc_fill (src, KC_MAX, -1e-5f, 1e-5f);
    if (pass == 0)
      kc_sprinkle (src);
  }
  kc_fill (src, KC_MAX, -1, 1);
  KC_BENCH (opt->scale_f16 (got, src, KC_MAX, 1));
}
