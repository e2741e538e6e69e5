/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A vector of columns at a time, by Stockham's algorithm: after each factor the
 * numbers lie in the order that the next one reads, so that nothing is sorted
 * at the end. */

#include "cpu/kernels/fourier.h"
#include "cpu/kernels/vec.h"

/* Numbers are vectors, whose real and imaginary parts are @row apart. */
typedef struct
{
  const float *re, *im;
  size_t row;
} Source;

typedef struct
{
  float *re, *im;
  size_t row;
} Target;

/* Between factors. */
typedef struct
{
  float parts[2][CPU_FOURIER_MOST * VF_N];
} Block;

typedef struct
{
  vf re, im;
} Complex;

static inline Source
source_of (const Block *block)
{
  return (Source){ block->parts[0], block->parts[1], VF_N };
}

static inline Target
target_of (Block *block)
{
  return (Target){ block->parts[0], block->parts[1], VF_N };
}

static inline Complex
add (Complex a, Complex b)
{
  return (Complex){ a.re + b.re, a.im + b.im };
}

static inline Complex
sub (Complex a, Complex b)
{
  return (Complex){ a.re - b.re, a.im - b.im };
}

/* a + by b, a real */
static inline Complex
add_times (Complex a, float by, Complex b)
{
  return (Complex){ a.re + by * b.re, a.im + by * b.im };
}

/* a - i b and a + i b */
static inline Complex
sub_i (Complex a, Complex b)
{
  return (Complex){ a.re + b.im, a.im - b.re };
}

static inline Complex
add_i (Complex a, Complex b)
{
  return (Complex){ a.re - b.im, a.im + b.re };
}

/* a e^(-i angle), of which @root holds cosine and sine. */
static inline Complex
turn (Complex a, const float *root)
{
  return (Complex){ a.re * root[0] + a.im * root[1],
    a.im * root[0] - a.re * root[1] };
}

static inline void
transform2 (Complex *x)
{
  const Complex a = x[0];

  x[0] = add (a, x[1]);
  x[1] = sub (a, x[1]);
}

static inline void
transform3 (Complex *x)
{
  const Complex sum = add (x[1], x[2]), difference = sub (x[1], x[2]);
  const Complex middle = add_times (x[0], -0.5f, sum);
  const Complex side = { difference.re * 0.866025403784438647f,
    difference.im * 0.866025403784438647f };

  x[0] = add (x[0], sum);
  x[1] = sub_i (middle, side);
  x[2] = add_i (middle, side);
}

static inline void
transform4 (Complex *x)
{
  const Complex even = add (x[0], x[2]), even_minus = sub (x[0], x[2]);
  const Complex odd = add (x[1], x[3]), odd_minus = sub (x[1], x[3]);

  x[0] = add (even, odd);
  x[1] = sub_i (even_minus, odd_minus);
  x[2] = sub (even, odd);
  x[3] = add_i (even_minus, odd_minus);
}

static inline void
transform5 (Complex *x)
{
  /* of 2 pi / 5 and 4 pi / 5 */
  const float cos1 = 0.309016994374947424f, cos2 = -0.809016994374947424f;
  const float sin1 = 0.951056516295153572f, sin2 = 0.587785252292473129f;
  const Complex outer = add (x[1], x[4]), outer_minus = sub (x[1], x[4]);
  const Complex inner = add (x[2], x[3]), inner_minus = sub (x[2], x[3]);
  const Complex a = add_times (add_times (x[0], cos1, outer), cos2, inner);
  const Complex b = add_times (add_times (x[0], cos2, outer), cos1, inner);
  const Complex zero = { vf_set (0), vf_set (0) };
  const Complex side_a =
      add_times (add_times (zero, sin1, outer_minus), sin2, inner_minus);
  const Complex side_b =
      add_times (add_times (zero, sin2, outer_minus), -sin1, inner_minus);

  x[0] = add (x[0], add (outer, inner));
  x[1] = sub_i (a, side_a);
  x[2] = sub_i (b, side_b);
  x[3] = add_i (b, side_b);
  x[4] = add_i (a, side_a);
}

/* Two of four, turned by eighths. */
static inline void
transform8 (Complex *x)
{
  const float root = 0.707106781186547524f;
  Complex even[4] = { x[0], x[2], x[4], x[6] };
  Complex odd[4] = { x[1], x[3], x[5], x[7] };

  transform4 (even);
  transform4 (odd);
  const Complex one = { (odd[1].re + odd[1].im) * root,
    (odd[1].im - odd[1].re) * root };
  const Complex three = { (odd[3].im - odd[3].re) * root,
    (odd[3].im + odd[3].re) * -root };
  x[0] = add (even[0], odd[0]);
  x[1] = add (even[1], one);
  x[2] = sub_i (even[2], odd[2]);
  x[3] = add (even[3], three);
  x[4] = sub (even[0], odd[0]);
  x[5] = sub (even[1], one);
  x[6] = add_i (even[2], odd[2]);
  x[7] = sub (even[3], three);
}

INLINE void
transform (size_t factor, Complex *x)
{
  if (factor == 2)
    transform2 (x);
  else if (factor == 3)
    transform3 (x);
  else if (factor == 4)
    transform4 (x);
  else if (factor == 5)
    transform5 (x);
  else
    transform8 (x);
}

/* Applies @factor to transforms of @length numbers, of which there are @many
 * side by side.  roots[j * step] are those of @length. */
INLINE void
apply_factor (size_t factor, Source in, Target out, size_t length, size_t many,
    const float *roots, size_t step)
{
  const size_t parts = length / factor;

  for (size_t p = 0; p < parts; p++)
    for (size_t q = 0; q < many; q++) {
      const size_t from = (q + many * p) * in.row;
      const size_t to = (q + many * factor * p) * out.row;
      Complex x[8];

      for (size_t j = 0; j < factor; j++) {
        x[j].re = vf_load (in.re + from + j * many * parts * in.row);
        x[j].im = vf_load (in.im + from + j * many * parts * in.row);
      }
      transform (factor, x);
      for (size_t j = 0; j < factor; j++) {
        if (p > 0 && j > 0)
          x[j] = turn (x[j], roots + p * j * step * 2);
        vf_store (out.re + to + j * many * out.row, x[j].re);
        vf_store (out.im + to + j * many * out.row, x[j].im);
      }
    }
}

static void
apply (size_t factor, Source in, Target out, size_t length, size_t many,
    const float *roots, size_t step)
{
  if (factor == 2)
    apply_factor (2, in, out, length, many, roots, step);
  else if (factor == 3)
    apply_factor (3, in, out, length, many, roots, step);
  else if (factor == 4)
    apply_factor (4, in, out, length, many, roots, step);
  else if (factor == 5)
    apply_factor (5, in, out, length, many, roots, step);
  else
    apply_factor (8, in, out, length, many, roots, step);
}

static void
transform_block (const CpuFourierPoints *points, Source in, Target out)
{
  Block blocks[2];
  size_t length = points->n, many = 1;

  for (size_t i = 0; i < points->n_factors; i++) {
    const size_t factor = points->factors[i];
    const int is_last = i + 1 == points->n_factors;

    apply (factor, in, is_last ? out : target_of (&blocks[i % 2]), length, many,
        points->roots, many);
    in = source_of (&blocks[i % 2]);
    length /= factor;
    many *= factor;
  }
}

void
CPU_KERNEL (fourier_columns_f32) (const CpuFourierColumns *t)
{
  for (size_t c = 0; c < t->columns; c += VF_N)
    transform_block (t->points,
        (Source){ t->in[0] + c, t->in[1] + c, t->in_row },
        (Target){ t->out[0] + c, t->out[1] + c, t->out_row });
}

/* The transforms of two real columns, from that of one plus i times the other.
 */
static void
separate (const CpuFourierReal *t, const Block *block, size_t c)
{
  const size_t n = t->points->n;

  for (size_t k = 0; k <= n / 2; k++) {
    const size_t a = k * VF_N, b = (n - k) % n * VF_N;
    const Complex x = { vf_load (block->parts[0] + a),
      vf_load (block->parts[1] + a) };
    const Complex y = { vf_load (block->parts[0] + b),
      vf_load (block->parts[1] + b) };
    const Complex twice[2] = { { x.re + y.re, x.im - y.im },
      { x.im + y.im, y.re - x.re } };

    for (size_t h = 0; h < 2; h++) {
      const vf re = vf_load (t->twist[h][0] + k * t->twist_row + c);
      const vf im = vf_load (t->twist[h][1] + k * t->twist_row + c);

      vf_store (t->out[h][0] + k * t->out_row + c,
          twice[h].re * re - twice[h].im * im);
      vf_store (t->out[h][1] + k * t->out_row + c,
          twice[h].re * im + twice[h].im * re);
    }
  }
}

void
CPU_KERNEL (fourier_real_f32) (const CpuFourierReal *t)
{
  Block block;

  for (size_t c = 0; c < t->columns; c += VF_N) {
    transform_block (t->points,
        (Source){ t->in[0] + c, t->in[1] + c, t->in_row }, target_of (&block));
    separate (t, &block, c);
  }
}

/* Number @k of the spectrum of a half, turned back. */
static inline Complex
untwist (const CpuFourierBack *t, size_t h, size_t k, size_t c)
{
  const vf re = vf_load (t->in[h][0] + k * t->in_row + c);
  const vf im = vf_load (t->in[h][1] + k * t->in_row + c);
  const vf twist_re = vf_load (t->twist[h][0] + k * t->twist_row + c);
  const vf twist_im = vf_load (t->twist[h][1] + k * t->twist_row + c);

  return (
      Complex){ re * twist_re + im * twist_im, im * twist_re - re * twist_im };
}

/* One plus i times the other, each with its conjugate, which make it real. */
static void
join (const CpuFourierBack *t, Block *block, size_t c)
{
  const size_t n = t->points->n;

  for (size_t k = 0; k <= n / 2; k++) {
    const Complex x = untwist (t, 0, k, c), y = untwist (t, 1, k, c);
    const size_t a = k * VF_N, b = (n - k) % n * VF_N;
    Complex sum = add_i (x, y);
    const Complex conjugate = { x.re + y.im, y.re - x.im };

    if (a == b)
      sum = add (sum, conjugate);
    else {
      vf_store (block->parts[0] + b, conjugate.re);
      vf_store (block->parts[1] + b, conjugate.im);
    }
    vf_store (block->parts[0] + a, sum.re);
    vf_store (block->parts[1] + a, sum.im);
  }
}

/* Exchanging real and imaginary parts on both sides gives the inverse. */
void
CPU_KERNEL (fourier_back_f32) (const CpuFourierBack *t)
{
  Block block;

  for (size_t c = 0; c < t->columns; c += VF_N) {
    join (t, &block, c);
    transform_block (t->points,
        (Source){ block.parts[1], block.parts[0], VF_N },
        (Target){ t->out[1] + c, t->out[0] + c, t->out_row });
  }
}

static inline vf
reverse (vf v)
{
#if VF_N == 16
  return __builtin_shufflevector (
      v, v, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
#elif VF_N == 8
  return __builtin_shufflevector (v, v, 7, 6, 5, 4, 3, 2, 1, 0);
#else
  return __builtin_shufflevector (v, v, 3, 2, 1, 0);
#endif
}

/* Whole vectors are written: what is behind a run, the next one overwrites. */
void
CPU_KERNEL (fourier_rows_f32) (const CpuFourierRows *rows)
{
  size_t begin = 0;

  for (size_t i = 0; i < rows->n_runs; i++) {
    const CpuFourierRun *run = &rows->runs[i];
    const float *in = rows->in + run->from;
    const size_t end = begin + run->n;

    if (run->n == 1) {
      rows->out[begin] = rows->scale[begin] * *in;
      begin = end;
      continue;
    }
    for (size_t r = begin; r < end; r += VF_N, in += run->step * VF_N) {
      const vf v =
          run->step > 0 ? vf_load (in) : reverse (vf_load (in - (VF_N - 1)));
      const vf scaled = v * vf_load (rows->scale + r);

      if (r + VF_N <= rows->rows)
        vf_store (rows->out + r, scaled);
      else
        vf_store_tail (rows->out + r, scaled, rows->rows - r);
    }
    begin = end;
  }
}
