/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Precedes every other file.  A tensor is a buffer and an offset: BUFFER (x) in
 * the parameters, BIND (x) in the body.  Elements go through LOAD and STORE with
 * the name of their type (f32, f16, i64, boolean, …); COMPUTE is the type in
 * which one is computed. */

#ifdef HAVE_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define BUFFER(x) __global uchar *restrict x##_memory, ulong x##_offset
#define BIND(x) __global uchar *x = x##_memory + x##_offset

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2 (a, b)
#define LOAD(type, x, i) PASTE (LOAD_, type) (x, i)
#define STORE(type, x, i, v) PASTE (STORE_, type) (x, i, v)
#define COMPUTE(type) PASTE (COMPUTE_, type)

/* Values of different types share memory over time. In a chain
 * (ocl/passes/chain.c) a compiler that assumes strict aliasing would reorder reads
 * of one value and writes of the next; PoCL's does, in spite of fences. */
#define ALIASED(type) typedef type __attribute__ ((may_alias)) any_##type
ALIASED (char);
ALIASED (uchar);
ALIASED (short);
ALIASED (ushort);
ALIASED (int);
ALIASED (uint);
ALIASED (long);
ALIASED (ulong);
ALIASED (float);
#ifdef HAVE_F64
ALIASED (double);
#endif
#define ALIAS_OF2(type) any_##type
#define ALIAS_OF(type) ALIAS_OF2 (type)
#define AT(type, x, i) (((__global ALIAS_OF (type) *) (x))[i])

#define COMPUTE_f64 double
#define COMPUTE_f32 float
#define COMPUTE_f16 float
#define COMPUTE_bf16 float
#define COMPUTE_i64 long
#define COMPUTE_i32 int
#define COMPUTE_i16 short
#define COMPUTE_i8 char
#define COMPUTE_u64 ulong
#define COMPUTE_u32 uint
#define COMPUTE_u16 ushort
#define COMPUTE_u8 uchar
#define COMPUTE_boolean uchar

#define LOAD_f64(x, i) AT (double, x, i)
#define LOAD_f32(x, i) AT (float, x, i)
#define LOAD_f16(x, i) vload_half (i, (__global const half *) (x))
#define LOAD_bf16(x, i) as_float ((uint) AT (ushort, x, i) << 16)
#define LOAD_i64(x, i) AT (long, x, i)
#define LOAD_i32(x, i) AT (int, x, i)
#define LOAD_i16(x, i) AT (short, x, i)
#define LOAD_i8(x, i) AT (char, x, i)
#define LOAD_u64(x, i) AT (ulong, x, i)
#define LOAD_u32(x, i) AT (uint, x, i)
#define LOAD_u16(x, i) AT (ushort, x, i)
#define LOAD_u8(x, i) AT (uchar, x, i)
#define LOAD_boolean(x, i) AT (uchar, x, i)

#define STORE_f64(x, i, v) (AT (double, x, i) = (v))
#define STORE_f32(x, i, v) (AT (float, x, i) = (v))
#define STORE_f16(x, i, v) vstore_half_rte (v, i, (__global half *) (x))
#define STORE_bf16(x, i, v) (AT (ushort, x, i) = to_bf16 (v))
#define STORE_i64(x, i, v) (AT (long, x, i) = (v))
#define STORE_i32(x, i, v) (AT (int, x, i) = (v))
#define STORE_i16(x, i, v) (AT (short, x, i) = (v))
#define STORE_i8(x, i, v) (AT (char, x, i) = (v))
#define STORE_u64(x, i, v) (AT (ulong, x, i) = (v))
#define STORE_u32(x, i, v) (AT (uint, x, i) = (v))
#define STORE_u16(x, i, v) (AT (ushort, x, i) = (v))
#define STORE_u8(x, i, v) (AT (uchar, x, i) = (v))
#define STORE_boolean(x, i, v) (AT (uchar, x, i) = (v))

/* Floating-point to integer: toward zero, saturating. */
#define CONVERT_SATURATED(type, v) PASTE (CONVERT_SATURATED_, type) (v)
#define CONVERT_SATURATED_i64(v) convert_long_sat_rtz (v)
#define CONVERT_SATURATED_i32(v) convert_int_sat_rtz (v)
#define CONVERT_SATURATED_i16(v) convert_short_sat_rtz (v)
#define CONVERT_SATURATED_i8(v) convert_char_sat_rtz (v)
#define CONVERT_SATURATED_u64(v) convert_ulong_sat_rtz (v)
#define CONVERT_SATURATED_u32(v) convert_uint_sat_rtz (v)
#define CONVERT_SATURATED_u16(v) convert_ushort_sat_rtz (v)
#define CONVERT_SATURATED_u8(v) convert_uchar_sat_rtz (v)

/* As rint, for |x| < 2^22, without a function call. */
#define ROUND_SMALL(v) (((v) + 12582912.0f) - 12582912.0f)

/* erf of floats or vectors, within 2e-7; the built-in function is called for each
 * element.  Up to 1: a polynomial in x² for erf (x) / x; beyond: one for the
 * logarithm of 1 - erf (x). */
#define ERF_INNER(z)                                                           \
  (((((((z) * 7.875875050e-5f - 8.016864283e-4f) * (z) + 5.189087423e-3f)      \
            * (z)                                                              \
        - 2.685421201e-2f)                                                     \
               * (z)                                                           \
           + 1.128359472e-1f)                                                  \
              * (z)                                                            \
          - 3.761262667e-1f)                                                   \
          * (z)                                                                \
      + 1.128379166f)
#define ERF_OUTER(a)                                                           \
  (((((((((a) * 1.591706217e-6f - 4.518101702e-5f) * (a) + 5.895989284e-4f)    \
              * (a)                                                            \
          - 4.726724976e-3f)                                                   \
                 * (a)                                                         \
             + 2.633027460e-2f)                                                \
                * (a)                                                          \
            - 1.099244810e-1f)                                                 \
               * (a)                                                           \
           - 6.319870659e-1f)                                                  \
              * (a)                                                            \
          - 1.130141460f)                                                      \
          * (a)                                                                \
      + 2.979374616e-4f)
#define ERF(x)                                                                 \
  ((x) * (x) > 1 ? copysign (                                                  \
       1 - exp (ERF_OUTER (fmin (fabs (x), 4.1f))), x)                         \
                 : ERF_INNER ((x) * (x)) * (x))

/* A vector of floats of a row (ocl_post_rows_text). */
#ifdef WIDTH
#define ROW PASTE (float, WIDTH)
#define LOAD_ROW(p) PASTE (vload, WIDTH) (0, p)
#define KEEP_ROW(v, p) PASTE (vstore, WIDTH) (v, 0, p)
#endif

/* MAD: multiply and add, fused where that is fast. */
#pragma OPENCL FP_CONTRACT OFF

#ifdef HAVE_FMA
#define MAD(a, b, c) fma (a, b, c)
#else
#define MAD(a, b, c) ((a) * (b) + (c))
#endif

#if LANES == 16
#define VECTOR float16
#define LOAD_LANES(i, p) vload16 (i, p)
#define KEEP_LANES(v, p) vstore16 (v, 0, p)
#else
#define VECTOR float
#define LOAD_LANES(i, p) (p)[i]
#define KEEP_LANES(v, p) (*(p) = (v))
#endif

/* Filters in panels of LANES: the tile and the panel of a work-item. */
#define BEGIN_BLOCK(n_tiles)                                                   \
  const int tile = get_global_id (0), block = get_global_id (1);               \
  const int n = get_global_id (2), blocks = (filters + LANES - 1) / LANES;     \
  BIND (out);                                                                  \
  BIND (in);                                                                   \
  BIND (weights);                                                              \
  POST_BIND;                                                                   \
                                                                               \
  if (tile >= (n_tiles) || block >= blocks * groups)                           \
    return;                                                                    \
                                                                               \
  const int group = block / blocks, filter = block % blocks * LANES;           \
  const int first = group * filters + filter;                                  \
  const int count = min (LANES, filters - filter)

/* WIDTH pixels from p on, of LINES whole rows. */
#if SW == 1
#define TAKE_EVERY(n, p) PASTE (vload, n) (0, p)
#else
#define TAKE_EVERY(n, p)                                                             \
  ((PASTE (float, n)) (                                                        \
      PASTE (vload, n) (0, p).even, PASTE (vload, n) (0, (p) + n).even))
#endif
#if LINES == 2
#define TAKE_ROW(p) ((ROW) (TAKE_EVERY (8, p), TAKE_EVERY (8, (p) + SH * w_in)))
#elif LINES == 4
#define TAKE_ROW(p)                                                            \
  ((ROW) (TAKE_EVERY (4, p), TAKE_EVERY (4, (p) + SH * w_in),                              \
      TAKE_EVERY (4, (p) + 2 * SH * w_in), TAKE_EVERY (4, (p) + 3 * SH * w_in)))
#else
#define TAKE_ROW(p) TAKE_EVERY (WIDTH, p)
#endif

/* Rounds to nearest even; NaN stays NaN. */
static inline ushort
to_bf16 (float v)
{
  uint bits = as_uint (v);

  if (isnan (v))
    return (ushort) (bits >> 16 | 0x40);
  return (ushort) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* The part of a row of n elements of a work-item (ocl_launch_rows). */
#if CHUNK > 1
#define FOR_X(x, n)                                                            \
  for (int x = get_global_id (0) * CHUNK, x##_end = min (x + CHUNK, n);        \
       x < x##_end; x++)
#else
#define FOR_X(x, n) for (int x = get_global_id (0); x < n; x = n)
#endif

/* A box of elements (ocl/plan/walk.h): WALK and a STRIDES (x) for each tensor in the
 * parameters, BEGIN_WALK in the body, then FOR_WALK before the statement for an
 * element, at INDEX (x). */
#define WALK int8 size
#define STRIDES(x) int8 x##_strides
#define BEGIN_WALK                                                             \
  const int x1 = get_global_id (1), z2 = get_global_id (2);                    \
  if (x1 >= size.s1)                                                           \
    return;                                                                    \
  const int x2 = z2 % size.s2, z3 = z2 / size.s2;                              \
  const int x3 = z3 % size.s3, z4 = z3 / size.s3;                              \
  const int x4 = z4 % size.s4, z5 = z4 / size.s4;                              \
  const int x5 = z5 % size.s5, z6 = z5 / size.s5;                              \
  const int x6 = z6 % size.s6, x7 = z6 / size.s6
#define FOR_WALK FOR_X (x0, size.s0)
#define OUTER_INDEX(x)                                                         \
  (x1 * x##_strides.s1 + x2 * x##_strides.s2 + x3 * x##_strides.s3             \
      + x4 * x##_strides.s4 + x5 * x##_strides.s5 + x6 * x##_strides.s6        \
      + x7 * x##_strides.s7)
#define INDEX(x) (x0 * x##_strides.s0 + OUTER_INDEX (x))

/* Matrices in batches of up to six dimensions: BEGIN_BATCH (z) in the body, then
 * BATCH (x) is the offset of matrix z of operand x. */
#define BATCH(x)                                                               \
  (x##_at + z0 * x##_batch.s0 + z1 * x##_batch.s1 + z3 * x##_batch.s2          \
      + z4 * x##_batch.s3 + z5 * x##_batch.s4 + z6 * x##_batch.s5)
#define BEGIN_BATCH(z)                                                         \
  const int z0 = (z) % batch.s0, q0 = (z) / batch.s0;                          \
  const int z1 = q0 % batch.s1, q1 = q0 / batch.s1;                            \
  const int z3 = q1 % batch.s2, q2 = q1 / batch.s2;                            \
  const int z4 = q2 % batch.s3, q3 = q2 / batch.s3;                            \
  const int z5 = q3 % batch.s4, q4 = q3 / batch.s4;                            \
  const int z6 = q4 % batch.s5
