/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "tests/kernels/kernelcheck.h"

/* Powers of two: only the result is rounded, so quantised values must be equal.
 */
static const CpuQuant quants[] = {
  { .in_low = -1,
      .in_scale = 64,
      .top = 255,
      .step = 1.0f / 64,
      .out_low = -1 },
  { .in_low = 0, .in_scale = 8, .top = 15, .step = 0.25f, .out_low = -2 },
};

static void
fill_bytes (uint8_t *bytes, unsigned most)
{
  for (size_t i = 0; i < KC_BYTES; i++)
    bytes[i] = (uint8_t) (kc_random () % (most + 1));
}

void
check_quantize_u8 (const CpuKernels *ref, const CpuKernels *opt)
{
  uint8_t *want = kc_buffer (0), *got = kc_buffer (1);
  float *src = kc_floats (4, -2, 4);

  for (int pass = 0; pass < 2; pass++) {
    for (const size_t *n = kc_lengths; *n != 0; n++) {
      ref->quantize_u8 (want, src, *n, &quants[pass]);
      kc_poison (got);
      opt->quantize_u8 (got, src, *n, &quants[pass]);
      kc_check_beyond (got, *n);
      kc_check_bytes (got, want, *n);
    }
    kc_sprinkle (src);
  }
  KC_BENCH (opt->quantize_u8 (got, src, KC_MAX, &quants[0]));
}

void
check_dequantize_u8 (const CpuKernels *ref, const CpuKernels *opt)
{
  float *want = kc_buffer (0), *got = kc_buffer (4);
  uint8_t *src = kc_buffer (3);

  fill_bytes (src, 255);
  for (const size_t *n = kc_lengths; *n != 0; n++) {
    ref->dequantize_u8 (want, src, *n, &quants[0]);
    kc_poison (got);
    opt->dequantize_u8 (got, src, *n, &quants[0]);
    kc_check_beyond (got, *n * sizeof *got);
    kc_check_f32 (got, want, *n, 1e-6f, 1e-6f);
  }
  KC_BENCH (opt->dequantize_u8 (got, src, KC_MAX, &quants[0]));
}

void
check_add_u8 (const CpuKernels *ref, const CpuKernels *opt)
{
  uint8_t *a = kc_buffer (3), *b = kc_buffer (1), *want = kc_buffer (0),
          *got = kc_buffer (5);

  fill_bytes (a, 255);
  fill_bytes (b, 15);
  for (const size_t *n = kc_lengths; *n != 0; n++) {
    ref->add_u8 (want, a, &quants[0], b, &quants[1], *n, &quants[0]);
    kc_poison (got);
    opt->add_u8 (got, a, &quants[0], b, &quants[1], *n, &quants[0]);
    kc_check_beyond (got, *n);
    kc_check_bytes (got, want, *n);
  }
  KC_BENCH (
      opt->add_u8 (got, a, &quants[0], b, &quants[1], KC_MAX, &quants[0]));
}

void
check_lookup_u8 (const CpuKernels *ref, const CpuKernels *opt)
{
  uint8_t *src = kc_buffer (3), *want = kc_buffer (0), *got = kc_buffer (5);
  uint8_t table[256];

  fill_bytes (src, 255);
  for (size_t i = 0; i < sizeof table; i++)
    table[i] = (uint8_t) kc_random ();
  for (const size_t *n = kc_lengths; *n != 0; n++) {
    ref->lookup_u8 (want, src, *n, table);
    kc_poison (got);
    opt->lookup_u8 (got, src, *n, table);
    kc_check_beyond (got, *n);
    kc_check_bytes (got, want, *n);
    memcpy (got, src, *n);
    opt->lookup_u8 (got, got, *n, table);
    kc_check_bytes (got, want, *n);
  }
  KC_BENCH (opt->lookup_u8 (got, src, KC_MAX, table));
}

/* --- convolutions --- */

#define SEGMENTS 3
static const size_t segments[SEGMENTS] = { 0, 130, 331 };

static const struct
{
  const char *label;
  CpuAct act;
  bool floats, offset;
  float low, high; /* of unsigned results */
} ends[] = {
  { "levels", { .kind = CPU_ACT_NONE }, false, false, 0, 0 },
  { "ReLU, offset", { .kind = CPU_ACT_RELU }, false, true, 0, 0 },
  { "plain", { .kind = CPU_ACT_NONE }, false, false, 0, 255 },
  { "plain, offset", { .kind = CPU_ACT_RELU }, false, true, 20, 127 },
  { "floats, Clamp", { .kind = CPU_ACT_CLAMP, .alpha = -0.5f, .beta = 1 }, true,
      false, 0, 0 },
  { "floats, HSwish, offset", { .kind = CPU_ACT_HSWISH }, true, true, 0, 0 },
};

typedef struct
{
  uint8_t *in;
  int8_t *weights;
  int32_t *start;
  float *scale, *bias, *offset, *sums;
  void *want, *got;
} Data;

static void
fill (Data *d)
{
  d->in = kc_buffer (1);
  d->weights = kc_buffer (0);
  d->start = kc_buffer (4);
  d->scale = kc_buffer (4);
  d->bias = kc_buffer (4);
  d->offset = kc_buffer (8);
  d->sums = kc_buffer (4);
  d->want = kc_buffer (0);
  d->got = kc_buffer (4);
  fill_bytes (d->in, 255);
  fill_bytes ((uint8_t *) d->weights, 255);
  for (size_t i = 0; i < KC_MAX; i++) {
    d->start[i] = (int32_t) (kc_random () % 60000) - 30000;
    d->bias[i] = (float) (kc_random () % 64) / 64 - 0.5f;
    d->offset[i] = (float) (kc_random () % 50) - 25;
  }
}

/* Integer sums are 64 times as large. */
static CpuQuantEnd
make_end (Data *d, size_t i)
{
  for (size_t c = 0; c < KC_MAX; c++)
    d->scale[c] =
        (ends[i].high > 0 ? 64.0f : 1.0f) / (float) (1 << (14 + c % 4));
  return (CpuQuantEnd){ .start = d->start,
    .scale = d->scale,
    .bias = d->bias,
    .act = ends[i].act,
    .to = ends[i].floats ? NULL : &quants[0],
    .plain = ends[i].high > 0,
    .low = ends[i].low,
    .high = ends[i].high };
}

/* @step: elements from one pixel to the next; the gaps must not be written. */
static void
compare (const Data *d, size_t i, size_t pixels, size_t step, size_t channels)
{
  size_t size = ends[i].floats ? sizeof (float) : 1;

  for (size_t p = 0; p < pixels; p++) {
    const char *want = (const char *) d->want + p * step * size;
    const char *got = (const char *) d->got + p * step * size;

    if (ends[i].floats)
      kc_check_f32 (
          (const void *) got, (const void *) want, channels, 1e-5f, 1e-5f);
    else
      kc_check_bytes (got, want, channels);
  }
  kc_check_beyond (d->got, ((pixels - 1) * step + channels) * size);
}

/* Weights beyond the length of a segment must not matter. */
static void
end_segments (int8_t *weights, size_t length, size_t width)
{
  for (size_t s = 1; s <= SEGMENTS; s++) {
    int8_t *end = weights + s * ((length + 3) / 4) * width * 4;

    for (size_t c = 1; c <= width && length % 4 != 0; c++)
      for (size_t i = length % 4; i < 4; i++)
        end[-(ptrdiff_t) (c * 4) + (ptrdiff_t) i] = 0;
  }
}

static void
check_tile (
    const CpuKernels *ref, const CpuKernels *opt, Data *d, size_t pixels)
{
  static const size_t channels[] = { 1, 16, 17, 32, 43, 64 };

  for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
    kc_label (ends[e].label);
    for (size_t c = 0; c < sizeof channels / sizeof *channels; c++) {
      CpuConvTileU8 tile = { .in = d->in,
        .in_step = 9,
        .in_row = 300,
        .segments = segments,
        .n_segments = SEGMENTS,
        .length = 3 + c * 3,
        .weights = d->weights,
        .channels = channels[c],
        .pixels = pixels,
        .rows = 1 + pixels % 2,
        .out = d->want,
        .out_step = 65,
        .out_row = pixels * 65,
        .end = make_end (d, e),
        .offset = ends[e].offset ? d->offset : NULL,
        .sums = d->sums };

      if (tile.rows * pixels * 65 * sizeof (float) > KC_BYTES)
        continue;
      for (size_t left = channels[c], at = 0; left > 0;) {
        size_t width = left > 16 ? 32 : 16;

        end_segments (d->weights + at, tile.length, width);
        at += SEGMENTS * ((tile.length + 3) / 4) * 4 * width;
        left -= left < width ? left : width;
      }
      ref->conv_sums_u8 (&tile, 700, d->sums);
      ref->conv_tile_u8 (&tile);
      kc_poison (d->got);
      tile.out = d->got;
      opt->conv_tile_u8 (&tile);
      compare (d, e, tile.rows * pixels, 65, channels[c]);
    }
  }
}

/* Long segments and many pixels, of one vector of channels. */
static void
check_long_tile (
    const CpuKernels *ref, const CpuKernels *opt, Data *d, size_t pixels)
{
  static const size_t lengths[] = { 22, 63, 64, 65, 80 };

  kc_label ("long");
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
      CpuConvTileU8 tile = { .in = d->in,
        .in_step = 9,
        .segments = segments,
        .n_segments = SEGMENTS,
        .length = lengths[i],
        .weights = d->weights,
        .channels = 13,
        .pixels = pixels,
        .rows = 1,
        .out = d->want,
        .out_step = 14,
        .end = make_end (d, e),
        .offset = ends[e].offset ? d->offset : NULL,
        .sums = d->sums };

      if (SEGMENTS * ((lengths[i] + 3) / 4) * 4 * 16 > KC_BYTES)
        continue;
      end_segments (d->weights, tile.length, 16);
      ref->conv_sums_u8 (&tile, 700, d->sums);
      ref->conv_tile_u8 (&tile);
      kc_poison (d->got);
      tile.out = d->got;
      opt->conv_tile_u8 (&tile);
      compare (d, e, pixels, 14, 13);
    }
}

void
check_conv_tile_u8 (const CpuKernels *ref, const CpuKernels *opt)
{
  Data d;

  fill (&d);
  for (size_t pixels = 1; pixels <= 30; pixels++)
    check_tile (ref, opt, &d, pixels);
  for (size_t pixels = 1; pixels <= 60; pixels++)
    check_long_tile (ref, opt, &d, pixels);
}

void
check_conv_sums_u8 (const CpuKernels *ref, const CpuKernels *opt)
{
  Data d;

  fill (&d);
  for (size_t pixels = 1; pixels <= 18; pixels++) {
    for (size_t length = 1; length <= 130; length += 13) {
      CpuConvTileU8 tile = { .in = d.in,
        .in_step = 7,
        .segments = segments,
        .n_segments = length % 2 ? SEGMENTS : 1,
        .length = length,
        .in_row = 100,
        .pixels = pixels,
        .rows = 2 };

      ref->conv_sums_u8 (&tile, 77, d.want);
      kc_poison (d.got);
      opt->conv_sums_u8 (&tile, 77, d.got);
      kc_check_beyond (d.got, 2 * pixels * sizeof (float));
      kc_check_bytes (d.got, d.want, 2 * pixels * sizeof (float));
    }
  }
}

void
check_conv_quads_u8 (const CpuKernels *ref, const CpuKernels *opt)
{
  static const size_t channels[] = { 1, 15, 16, 33 }, terms[] = { 0, 900, 68 };
  Data d;

  fill (&d);
  for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
    kc_label (ends[e].label);
    for (size_t c = 0; c < sizeof channels / sizeof *channels; c++) {
      for (size_t pixels = 1; pixels <= 18; pixels++) {
        CpuConvQuadsU8 row = { .in = d.in,
          .weights = d.weights,
          .terms = terms,
          .n_terms = 3,
          .out = d.want,
          .in_step = 2 * channels[c],
          .out_step = 40,
          .pixels = pixels,
          .channels = channels[c],
          .end = make_end (&d, e) };

        ref->conv_quads_u8 (&row);
        kc_poison (d.got);
        row.out = d.got;
        opt->conv_quads_u8 (&row);
        compare (&d, e, pixels, 40, channels[c]);
      }
    }
  }
}

/* Weights of channels that do not exist must not matter. */
static void
check_windows (const CpuKernels *ref, const CpuKernels *opt, Data *d, size_t e,
    CpuConvWindowsU8 *w)
{
  for (size_t j = 0; j < 4; j++)
    w->rows[j] = d->in + j * 1000;
  w->weights = d->weights;
  w->out_step = w->channels + 3;
  w->out_line = w->pixels * w->out_step;
  w->zero = 77;
  w->end = make_end (d, e);
  w->out = d->want;
  ref->conv_windows_u8 (w);
  kc_poison (d->got);
  w->out = d->got;
  opt->conv_windows_u8 (w);
  compare (d, e, w->pixels * w->lines, w->out_step, w->channels);
}

void
check_conv_windows_u8 (const CpuKernels *ref, const CpuKernels *opt)
{
  static const size_t channels[] = { 1, 7, 15, 16, 33 };
  Data d;

  fill (&d);
  for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
    kc_label (ends[e].label);
    for (size_t c = 0; c < sizeof channels / sizeof *channels; c++)
      for (size_t pixels = 1; pixels <= 11; pixels++)
        for (size_t i = 0; i < 6; i++) {
          CpuConvWindowsU8 w = { .column = channels[c] + i % 2 * 5,
            .first = (ptrdiff_t) (pixels % 4) - 2,
            .advance = i / 2 == 2 ? 2 : 1,
            .columns = pixels % 5 * 3,
            .lines = i / 2 == 1 ? 2 : 1,
            .planes = 1 + i % 2,
            .channels = channels[c],
            .pixels = pixels };

          check_windows (ref, opt, &d, e, &w);
        }
  }
  CpuConvWindowsU8 w = { .column = 64,
    .first = -1,
    .advance = 1,
    .columns = 15,
    .lines = 2,
    .planes = 1,
    .channels = 64,
    .pixels = 15 };
  check_windows (ref, opt, &d, 2, &w);
  KC_BENCH (opt->conv_windows_u8 (&w));
}

void
check_interleave_u8 (const CpuKernels *ref, const CpuKernels *opt)
{
  const uint8_t *src[4];

  for (size_t j = 0; j < 4; j++) {
    uint8_t *bytes = kc_buffer (j);

    fill_bytes (bytes, 255);
    src[j] = bytes;
  }
  uint8_t *want = kc_buffer (0);
  uint8_t *got = kc_buffer (5);
  for (const size_t *n = kc_lengths; *n != 0; n++) {
    ref->interleave_u8 (want, src, *n);
    kc_poison (got);
    opt->interleave_u8 (got, src, *n);
    kc_check_beyond (got, *n * 4);
    kc_check_bytes (got, want, *n * 4);
  }
  KC_BENCH (opt->interleave_u8 (got, src, KC_MAX));
}
