/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/kernels/kernelcheck.h"

#include <math.h>
#include <string.h>

#define NUMBERS (KC_BYTES / sizeof (uint16_t))

/* Products of bf16 are exact in f32; their sums are rounded in another order.
 */
#define ABS(products) (2e-6f * (float) (products))

static const struct
{
  size_t pixels, n_segments, length;
} shapes[] = { { 1, 1, 1 }, { 1, 1, 42 }, { 1, 3, 7 }, { 1, 4, 10 },
  { 2, 1, 2 }, { 2, 1, 33 }, { 3, 3, 5 }, { 4, 2, 8 }, { 5, 1, 41 },
  { 8, 4, 3 }, { 9, 1, 10 }, { 13, 1, 16 }, { 14, 2, 6 }, { 16, 1, 64 },
  { 17, 1, 12 }, { 20, 1, 32 }, { 27, 1, 8 }, { 31, 4, 1 }, { 32, 1, 63 },
  { 33, 1, 64 }, { 40, 3, 32 }, { 48, 4, 32 }, { 53, 2, 33 }, { 60, 1, 96 } };

typedef struct
{
  uint16_t *in, *weights;
  float *scales, *bias, *residual, *want, *got;
} Data;

static void
fill_bf16 (const CpuKernels *ref, uint16_t *to)
{
  float numbers[64];

  for (size_t i = 0; i < NUMBERS; i += 64) {
    kc_fill (numbers, 64, -1, 1);
    ref->f32_to_bf16 (to + i, numbers, 64);
  }
}

static void
fill (const CpuKernels *ref, Data *d)
{
  d->in = kc_buffer (2);
  d->weights = kc_buffer (0);
  d->scales = kc_buffer (4);
  d->bias = kc_floats (4, -1, 1);
  d->residual = kc_floats (4, -1, 1);
  d->want = kc_buffer (0);
  d->got = kc_buffer (4);
  fill_bf16 (ref, d->in);
  for (size_t i = 0; i < KC_MAX; i++)
    d->scales[i] = ldexpf (1, (int) (i % 3) - 3);
}

/* Packed weights: zeros are where the kernel's contract has them. */
static void
fill_weights (const CpuKernels *ref, const Data *d, const CpuConvTileF16 *t)
{
  const size_t width = t->vectors * CPU_F16_LANES;
  const size_t padded = cpu_f16_padded (t->length);

  fill_bf16 (ref, d->weights);
  for (size_t k = 0; k < cpu_bf16_padded (t->n_segments, t->length); k++)
    for (size_t c = 0; c < width; c++)
      if (k >= t->n_segments * padded || k % padded >= t->length
          || c >= t->channels)
        d->weights[k / 2 * 2 * width + 2 * c + k % 2] = 0;
}

/* f16 results, and the largest magnitude found. */
static void
compare_stored (const CpuKernels *ref, const CpuKernels *opt, const Data *d,
    CpuConvTileF16 *t, size_t used)
{
  static const CpuAct acts[] = { { .kind = CPU_ACT_NONE },
    { .kind = CPU_ACT_RELU }, { .kind = CPU_ACT_CLAMP, .alpha = 0, .beta = 2 },
    { .kind = CPU_ACT_LEAKY_RELU, .alpha = 0.25f } };

  for (size_t i = 0; i < sizeof acts / sizeof *acts; i++) {
    float largest[2] = { 0, 0 }, a[KC_MAX], b[KC_MAX];

    t->epilogue = (CpuEpilogue){ .bias = d->bias, .act = acts[i] };
    kc_poison (d->want);
    memcpy (d->got, d->want, KC_BYTES);
    t->f16 = (CpuF16Results){ .out = (uint16_t *) (void *) d->want,
      .scale = 0.5f,
      .largest = &largest[0] };
    ref->conv_tile_bf16 (t);
    t->f16.out = (uint16_t *) (void *) d->got;
    t->f16.largest = &largest[1];
    opt->conv_tile_bf16 (t);
    ref->f16_to_f32 (a, (const void *) d->got, used);
    ref->f16_to_f32 (b, (const void *) d->want, used);
    kc_check_f32 (a, b, used, 1e-3f, 1e-3f);
    kc_check_f32 (&largest[1], &largest[0], 1, 1e-3f, 1e-3f);
    kc_check_beyond (d->got, used * sizeof (uint16_t));
  }
}

/* bf16 numbers as floats. */
static void
widen (float *to, const uint16_t *from, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    const uint32_t bits = (uint32_t) from[i] << 16;

    memcpy (to + i, &bits, sizeof bits);
  }
}

/* Results and a residual stored as bf16: sums of another order may round to
 * the neighbour. */
static void
compare_bf16 (const CpuKernels *ref, const CpuKernels *opt, const Data *d,
    CpuConvTileF16 *t, size_t used)
{
  float a[KC_MAX], b[KC_MAX];

  t->epilogue = (CpuEpilogue){ .bias = d->bias };
  t->residual_bf16 = (const uint16_t *) (const void *) d->residual;
  t->residual_step = t->channels;
  t->residual_channels = t->channels > 2 ? t->channels - 2 : t->channels;
  for (int i = 0; i < 2; i++) {
    kc_poison (d->want);
    memcpy (d->got, d->want, KC_BYTES);
    t->f16 = (CpuF16Results){
      .out = (uint16_t *) (void *) d->want, .scale = 1, .bf16 = true
    };
    ref->conv_tile_bf16 (t);
    t->f16.out = (uint16_t *) (void *) d->got;
    opt->conv_tile_bf16 (t);
    widen (a, (const void *) d->got, used);
    widen (b, (const void *) d->want, used);
    kc_check_f32 (a, b, used, 8e-3f, ABS (t->n_segments * t->length));
    kc_check_beyond (d->got, used * sizeof (uint16_t));
    t->epilogue.act.kind = CPU_ACT_RELU;
    t->epilogue.last_act.kind = CPU_ACT_RELU;
    t->residual_bf16 = NULL;
  }
}

/* Whether the activation has an error that suits bf16. */
static bool
is_rough (const CpuAct *act)
{
  return act->kind == CPU_ACT_SWISH || act->kind == CPU_ACT_SIGMOID
         || act->kind == CPU_ACT_GELU_ERF;
}

/* Sums that need no scale, with what the kernels do in registers. */
static void
compare_unscaled (const CpuKernels *ref, const CpuKernels *opt, const Data *d,
    CpuConvTileF16 t, size_t used)
{
  const CpuAct acts[] = { { .kind = CPU_ACT_NONE }, { .kind = CPU_ACT_RELU },
    { .kind = CPU_ACT_LEAKY_RELU, .alpha = 0.25f },
    { .kind = CPU_ACT_PRELU, .slopes = d->scales }, { .kind = CPU_ACT_HSWISH },
    { .kind = CPU_ACT_HSWISH_AFFINE, .alpha = 0.75f, .beta = -0.5f },
    { .kind = CPU_ACT_SWISH, .alpha = 1.25f }, { .kind = CPU_ACT_SIGMOID },
    { .kind = CPU_ACT_GELU_ERF },
    { .kind = CPU_ACT_CLAMP, .alpha = -0.5f, .beta = 0.75f } };
  const size_t n_acts = sizeof acts / sizeof *acts;
  float ones[3 * CPU_F16_LANES], a[KC_MAX], b[KC_MAX];

  for (size_t i = 0; i < 3 * CPU_F16_LANES; i++)
    ones[i] = 1;
  t.scale = 1;
  t.scales = ones;
  t.residual_step = t.residual_channels = t.channels;
  /* Bit 0: bf16 results; 1: a bias; 2, 3: which residual; then the acts. */
  for (size_t i = 0; i < 12 * n_acts; i++) {
    const bool stored = i % 2;
    const size_t residual = i / 4 % 3;

    t.epilogue = (CpuEpilogue){ .bias = i / 2 % 2 ? d->bias : NULL,
      .act = acts[i / 12],
      .residual = residual == 1 ? d->residual : NULL,
      .last_act = acts[n_acts - 1 - i / 12] };
    t.residual_bf16 =
        residual == 2 ? (const uint16_t *) (const void *) d->residual : NULL;
    const bool rough =
        is_rough (&t.epilogue.act) || is_rough (&t.epilogue.last_act);
    const float abs = ABS (t.n_segments * t.length) + (rough ? 3e-4f : 0);

    kc_poison (d->want);
    memcpy (d->got, d->want, KC_BYTES);
    t.out = d->want;
    t.f16 = (CpuF16Results){
      .out = stored ? (void *) d->want : NULL, .scale = 1, .bf16 = stored
    };
    ref->conv_tile_bf16 (&t);
    t.out = d->got;
    t.f16.out = stored ? (void *) d->got : NULL;
    opt->conv_tile_bf16 (&t);
    if (stored) {
      widen (a, (const void *) d->got, used);
      widen (b, (const void *) d->want, used);
      kc_check_f32 (a, b, used, 8e-3f, abs);
      kc_check_beyond (d->got, used * sizeof (uint16_t));
    } else {
      kc_check_f32 (d->got, d->want, used, rough ? 3e-4f : 1e-5f, abs);
      kc_check_beyond (d->got, used * sizeof *d->got);
    }
  }
}

/* Pixels overlap like those of a row; results have gaps between them. */
static void
compare (const CpuKernels *ref, const CpuKernels *opt, const Data *d,
    size_t vectors, size_t channels, size_t shape, bool more)
{
  static const size_t segments[] = { 0, 11, 22, 33 };
  CpuConvTileF16 t = { .in = d->in,
    .in_step = 3,
    .segments = segments,
    .n_segments = shapes[shape].n_segments,
    .length = shapes[shape].length,
    .weights = d->weights,
    .scale = 2,
    .scales = d->scales,
    .vectors = vectors,
    .channels = channels,
    .pixels = shapes[shape].pixels,
    .out = d->want,
    .out_step = channels + 1 };
  const size_t used = (t.pixels - 1) * t.out_step + channels;

  if (cpu_bf16_padded (t.n_segments, t.length) * vectors * CPU_F16_LANES
          > NUMBERS
      || used > KC_MAX)
    return;
  fill_weights (ref, d, &t);
  if (more) {
    t.epilogue.bias = d->bias;
    t.epilogue.act.kind = CPU_ACT_RELU;
    t.epilogue.residual = d->residual;
    t.residual_step = channels;
    t.residual_channels = channels > 2 ? channels - 2 : channels;
  }
  kc_poison (d->want);
  memcpy (d->got, d->want, KC_BYTES);
  ref->conv_tile_bf16 (&t);
  t.out = d->got;
  opt->conv_tile_bf16 (&t);
  kc_check_f32 (d->got, d->want, used, 1e-5f, ABS (t.n_segments * t.length));
  kc_check_beyond (d->got, used * sizeof *d->got);
  compare_stored (ref, opt, d, &t, used);
  compare_bf16 (ref, opt, d, &t, used);
  compare_unscaled (ref, opt, d, t, used);
}

/* The residual lies where results are written: each is added once. */
static void
check_in_place (const CpuKernels *ref, const CpuKernels *opt, const Data *d)
{
  static const size_t segments[] = { 0 };

  kc_label ("in place");
  for (size_t pixels = 1; pixels <= 60; pixels++) {
    CpuConvTileF16 t = { .in = d->in,
      .in_step = 5,
      .segments = segments,
      .n_segments = 1,
      .length = 40,
      .weights = d->weights,
      .scale = 1,
      .scales = d->scales,
      .vectors = 1,
      .channels = 16,
      .pixels = pixels,
      .out_step = 16,
      .residual_step = 16,
      .residual_channels = 16 };

    fill_weights (ref, d, &t);
    memcpy (d->want, d->residual, KC_BYTES);
    memcpy (d->got, d->residual, KC_BYTES);
    t.epilogue.residual = t.out = d->want;
    ref->conv_tile_bf16 (&t);
    t.epilogue.residual = t.out = d->got;
    opt->conv_tile_bf16 (&t);
    kc_check_f32 (d->got, d->want, KC_MAX, 1e-5f, ABS (40));
  }
}

/* NaN after the inputs of a segment must not be read. */
static void
check_beyond (const CpuKernels *opt, const Data *d, size_t length)
{
  static const size_t segments[] = { 0 };
  float out[16 * 20], again[16 * 20];
  CpuConvTileF16 t = { .in = d->in,
    .segments = segments,
    .n_segments = 1,
    .length = length,
    .weights = d->weights,
    .scale = 1,
    .scales = d->scales,
    .vectors = 1,
    .channels = 16,
    .out = out,
    .out_step = 16 };

  kc_label ("beyond");
  for (t.pixels = 1; t.pixels <= 20; t.pixels++) {
    const uint16_t before = d->in[length];

    opt->conv_tile_bf16 (&t);
    memcpy (again, out, sizeof again);
    d->in[length] = 0x7fc0;
    opt->conv_tile_bf16 (&t);
    kc_check_f32 (again, out, 16 * t.pixels, 0, 0);
    d->in[length] = before;
  }
}

static void
time_tile (const CpuKernels *opt, const Data *d)
{
  static const size_t segments[] = { 0 };
  const CpuConvTileF16 t = { .in = d->in,
    .in_step = 8,
    .segments = segments,
    .n_segments = 1,
    .length = 64,
    .weights = d->weights,
    .scale = 1,
    .scales = d->scales,
    .vectors = 2,
    .channels = 32,
    .pixels = 32,
    .out = d->got,
    .out_step = 32 };

  KC_BENCH (opt->conv_tile_bf16 (&t));
}

void
check_conv_tile_bf16 (const CpuKernels *ref, const CpuKernels *opt)
{
  static const size_t last[] = { 1, 15, 16 };
  Data d;

  fill (ref, &d);
  for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
    for (size_t vectors = 1; vectors <= 3; vectors++)
      for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        for (int more = 0; more < 2; more++)
          compare (
              ref, opt, &d, vectors, (vectors - 1) * 16 + last[i], s, more);
  check_in_place (ref, opt, &d);
  for (size_t length = 1; length <= 65; length += 2)
    check_beyond (opt, &d, length);
  time_tile (opt, &d);
}

void
check_f32_to_bf16 (const CpuKernels *ref, const CpuKernels *opt)
{
  uint16_t *want = kc_buffer (0), *got = kc_buffer (2);
  float *src = kc_floats (4, -300, 200);

  for (int pass = 0; pass < 2; pass++) {
    for (const size_t *n = kc_lengths; *n != 0; n++) {
      float wanted = ref->f32_to_bf16 (want, src, *n), largest;

      kc_poison (got);
      largest = opt->f32_to_bf16 (got, src, *n);
      kc_check_beyond (got, *n * sizeof *got);
      kc_check_bytes (got, want, *n * sizeof *got);
      kc_check_f32 (&largest, &wanted, 1, 0, 0);
    }
    kc_sprinkle (src);
  }
  kc_fill (src, KC_MAX, -1, 1);
  KC_BENCH (opt->f32_to_bf16 (got, src, KC_MAX));
}

void
check_f16_to_bf16 (const CpuKernels *ref, const CpuKernels *opt)
{
  uint16_t *want = kc_buffer (0), *got = kc_buffer (2), *src = kc_buffer (2);
  const size_t most = KC_MAX;

  /* All numbers of f16, in parts. */
  for (uint32_t first = 0; first < 65536; first += KC_MAX) {
    for (uint32_t i = 0; i < KC_MAX; i++)
      src[i] = (uint16_t) (first + i);
    ref->f16_to_bf16 (want, src, most);
    opt->f16_to_bf16 (got, src, most);
    kc_check_bytes (got, want, most * sizeof *got);
  }
  for (const size_t *n = kc_lengths; *n != 0; n++) {
    ref->f16_to_bf16 (want, src, *n);
    kc_poison (got);
    opt->f16_to_bf16 (got, src, *n);
    kc_check_beyond (got, *n * sizeof *got);
    kc_check_bytes (got, want, *n * sizeof *got);
  }
  KC_BENCH (opt->f16_to_bf16 (got, src, KC_MAX));
}

void
check_pairs_bf16 (const CpuKernels *ref, const CpuKernels *opt)
{
  uint16_t *want = kc_buffer (0), *got = kc_buffer (2);
  float *a = kc_floats (4, -3, 2), *b = kc_floats (8, -3, 2);

  kc_sprinkle (a);
  kc_sprinkle (b);
  for (const size_t *n = kc_lengths; *n != 0; n++)
    for (int both = 0; both < 2; both++) {
      ref->pairs_bf16 (want, a, both ? b : NULL, *n);
      kc_poison (got);
      opt->pairs_bf16 (got, a, both ? b : NULL, *n);
      kc_check_bytes (got, want, 2 * *n * sizeof *got);
      kc_check_beyond (got, 2 * *n * sizeof *got);
    }
  KC_BENCH (opt->pairs_bf16 (got, a, b, KC_MAX));
}

void
check_weights_bf16 (const CpuKernels *ref, const CpuKernels *opt)
{
  static const float scales[] = { 0.125f, 1.5f, -2 };
  uint16_t *want = kc_buffer (0), *got = kc_buffer (2);
  float *scores = kc_floats (4, -30, 50), a[KC_MAX], b[KC_MAX];

  for (int pass = 0; pass < 2; pass++) {
    for (const size_t *n = kc_lengths; *n != 0; n++)
      for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        float wanted = ref->weights_bf16 (want, scores, *n, scales[s]), sum;

        kc_poison (got);
        sum = opt->weights_bf16 (got, scores, *n, scales[s]);
        kc_check_beyond (got, *n * sizeof *got);
        widen (a, got, *n);
        widen (b, want, *n);
        kc_check_f32 (a, b, *n, 8e-3f, 1e-30f);
        kc_check_f32 (&sum, &wanted, 1, 1e-5f, 0);
      }
    scores[0] = NAN;
    kc_label ("NaN");
  }
  kc_fill (scores, KC_MAX, -10, 10);
  KC_BENCH (opt->weights_bf16 (got, scores, KC_MAX, 0.5f));
}

static const struct
{
  size_t rows, keys, depth;
} weighed[] = { { 1, 1, 2 }, { 13, 32, 16 }, { 14, 60, 10 }, { 3, 16, 8 },
  { 5, 48, 2 }, { 9, 65, 4 }, { 20, 47, 6 }, { 60, 30, 4 } };

/* Rows of weights, and their sums. */
static void
compare_weighed (const CpuWeighBf16 *want, const CpuWeighBf16 *got)
{
  const size_t columns = (want->keys + 31) / 32 * 32;
  float a[NUMBERS], b[NUMBERS];

  kc_check_f32 (got->sums, want->sums, want->rows, 2e-4f, 1e-37f);
  kc_check_beyond (
      got->weights, got->rows * got->weights_row * sizeof *got->weights);
  for (size_t r = 0; r < want->rows; r++) {
    widen (a, got->weights + r * got->weights_row, columns);
    widen (b, want->weights + r * want->weights_row, columns);
    kc_check_f32 (a, b, columns, 8e-3f, 1.2e-38f);
  }
}

void
check_weigh_bf16 (const CpuKernels *ref, const CpuKernels *opt)
{
  /* The last ones bring weights beyond those of f32. */
  static const float offsets[] = { 0, -3, 70, NAN, 250, -250 };
  uint16_t *q = kc_buffer (2), *k = kc_buffer (0);
  float least[CPU_WEIGH_ROWS], sums[2][CPU_WEIGH_ROWS];
  CpuWeighBf16 want = { .q = q, .k = k, .least = least };
  CpuWeighBf16 got = want;

  fill_bf16 (ref, q);
  fill_bf16 (ref, k);
  want.weights = kc_buffer (0);
  want.sums = sums[0];
  got.weights = kc_buffer (2);
  got.sums = sums[1];
  for (size_t s = 0; s < sizeof weighed / sizeof *weighed; s++)
    for (size_t o = 0; o < sizeof offsets / sizeof *offsets; o++) {
      got.rows = want.rows = weighed[s].rows;
      got.keys = want.keys = weighed[s].keys;
      got.depth = want.depth = got.q_row = want.q_row = weighed[s].depth;
      got.k_block = want.k_block = 32 * want.depth;
      got.weights_row = want.weights_row = (want.keys + 31) / 32 * 32;
      for (size_t r = 0; r < want.rows; r++)
        least[r] = offsets[o] + (float) r;
      kc_poison (got.weights);
      ref->weigh_bf16 (&want);
      opt->weigh_bf16 (&got);
      compare_weighed (&want, &got);
    }
  KC_BENCH (opt->weigh_bf16 (&got));
}
