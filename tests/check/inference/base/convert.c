/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>
#include <string.h>

#include "inference/base/small-float.h"
#include "infer/tensor.h"

/* Every f16 survives the conversion to f32 and back. */
static void
test_f16_round_trip (void)
{
  for (guint i = 0; i < 65536; i++) {
    guint16 code = (guint16) i;
    float value = infer_f16_to_f32 (code);
    if ((i & 0x7c00) == 0x7c00 && (i & 0x3ff)) {
      g_assert_true (isnan (value));
      g_assert_true (isnan (infer_f16_to_f32 (infer_f32_to_f16 (value))));
      continue;
    }
    int exponent = (int) (i >> 10 & 31);
    double mantissa = i & 0x3ff;
    double want = exponent == 31  ? HUGE_VAL
                  : exponent == 0 ? ldexp (mantissa, -24)
                                  : ldexp (1024 + mantissa, exponent - 25);
    g_assert_cmpfloat ((double) value, ==, i & 0x8000 ? -want : want);
    g_assert_cmphex (infer_f32_to_f16 (value), ==, code);
  }
}

/* Ties between two f16 values go to the even one; just above rounds up. */
static void
test_f16_rounding (void)
{
  for (guint i = 0; i < 0x7bff; i++) {
    guint16 low = (guint16) i, high = (guint16) (i + 1);
    float middle = (infer_f16_to_f32 (low) + infer_f16_to_f32 (high)) / 2;
    g_assert_cmphex (infer_f32_to_f16 (middle), ==, i % 2 == 0 ? low : high);
    g_assert_cmphex (
        infer_f32_to_f16 (nextafterf (middle, INFINITY)), ==, high);
    g_assert_cmphex (infer_f32_to_f16 (nextafterf (middle, 0)), ==, low);
  }
  g_assert_cmphex (infer_f32_to_f16 (65519.0f), ==, 0x7bff);
  g_assert_cmphex (infer_f32_to_f16 (65520.0f), ==, 0x7c00);
  g_assert_cmphex (infer_f32_to_f16 (-1e30f), ==, 0xfc00);
  g_assert_cmphex (infer_f32_to_f16 (1e-30f), ==, 0);
}

static void
test_bf16 (void)
{
  g_assert_cmphex (infer_f32_to_bf16 (1.0f), ==, 0x3f80);
  /* 1 + 2^-8 lies between 1 and 1 + 2^-7; 1 + 3·2^-8 likewise. */
  g_assert_cmphex (infer_f32_to_bf16 (1.00390625f), ==, 0x3f80);
  g_assert_cmphex (infer_f32_to_bf16 (1.01171875f), ==, 0x3f82);
  g_assert_cmphex (infer_f32_to_bf16 (3.4e38f), ==, 0x7f80);
  g_assert_true (isnan (infer_bf16_to_f32 (infer_f32_to_bf16 (NAN))));
  g_assert_cmpfloat (infer_bf16_to_f32 (0xc040), ==, -3.0f);
}

static void
test_real_to_integer (void)
{
  static const float in[] = { 1.9f, -1.9f, 300.0f, -300.0f, 1e20f, -1e20f, NAN,
    INFINITY };
  static const gint8 i8[] = { 1, -1, 127, -128, 127, -128, 0, 127 };
  static const guint8 u8[] = { 1, 0, 255, 0, 255, 0, 0, 255 };
  static const gint64 i64[] = { 1, -1, 300, -300, G_MAXINT64, G_MININT64, 0,
    G_MAXINT64 };
  static const guint8 truth[] = { 1, 1, 1, 1, 1, 1, 1, 1 };
  gint8 got_i8[8];
  guint8 got_u8[8], got_truth[8];
  gint64 got_i64[8];
  g_assert_true (infer_convert (got_i8, INFER_TYPE_I8, in, INFER_TYPE_F32, 8));
  g_assert_cmpmem (got_i8, 8, i8, 8);
  g_assert_true (infer_convert (got_u8, INFER_TYPE_U8, in, INFER_TYPE_F32, 8));
  g_assert_cmpmem (got_u8, 8, u8, 8);
  g_assert_true (
      infer_convert (got_i64, INFER_TYPE_I64, in, INFER_TYPE_F32, 8));
  g_assert_cmpmem (got_i64, 64, i64, 64);
  g_assert_true (
      infer_convert (got_truth, INFER_TYPE_BOOLEAN, in, INFER_TYPE_F32, 8));
  g_assert_cmpmem (got_truth, 8, truth, 8);
}

static const InferType types[] = { INFER_TYPE_F64, INFER_TYPE_F32,
  INFER_TYPE_F16, INFER_TYPE_BF16, INFER_TYPE_I64, INFER_TYPE_I32,
  INFER_TYPE_I16, INFER_TYPE_I8, INFER_TYPE_U64, INFER_TYPE_U32, INFER_TYPE_U16,
  INFER_TYPE_U8, INFER_TYPE_I4, INFER_TYPE_U4, INFER_TYPE_U2, INFER_TYPE_F4E2M1,
  INFER_TYPE_F8E4M3, INFER_TYPE_F8E5M2, INFER_TYPE_F8E4M3FNUZ,
  INFER_TYPE_F8E5M2FNUZ };

enum
{
  N = 1037 /* more than a block, and odd */
};

/* 3, 0 and 0.25 in every type that holds them, there and back. */
static void
test_all_pairs (void)
{
  for (guint a = 0; a < G_N_ELEMENTS (types); a++)
    for (guint b = 0; b < G_N_ELEMENTS (types); b++) {
      double in[N], out[N];
      guint64 one[N], two[N];
      for (guint i = 0; i < N; i++)
        in[i] = i % 4;
      g_assert_true (infer_convert (one, types[a], in, INFER_TYPE_F64, N));
      g_assert_true (infer_convert (two, types[b], one, types[a], N));
      g_assert_true (infer_convert (out, INFER_TYPE_F64, two, types[b], N));
      g_assert_cmpmem (out, sizeof out, in, sizeof in);
    }
}

static void
test_packing (void)
{
  static const guint8 bytes[] = { 0xb1, 0x2f };
  static const gint32 i4[] = { 1, -5, -1, 2 };
  static const gint32 u2[] = { 1, 0, 3, 2, 3, 3, 2, 0 };
  static const gint32 i2[] = { 1, 0, -1, -2, -1, -1, -2, 0 };
  static const gint32 u1[] = { 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0 };
  gint32 got[16];
  guint8 back[2] = { 0 };
  g_assert_true (infer_convert (got, INFER_TYPE_I32, bytes, INFER_TYPE_I4, 4));
  g_assert_cmpmem (got, sizeof i4, i4, sizeof i4);
  g_assert_true (infer_convert (back, INFER_TYPE_I4, got, INFER_TYPE_I32, 4));
  g_assert_cmpmem (back, 2, bytes, 2);
  g_assert_true (infer_convert (got, INFER_TYPE_I32, bytes, INFER_TYPE_U2, 8));
  g_assert_cmpmem (got, sizeof u2, u2, sizeof u2);
  g_assert_true (infer_convert (got, INFER_TYPE_I32, bytes, INFER_TYPE_I2, 8));
  g_assert_cmpmem (got, sizeof i2, i2, sizeof i2);
  g_assert_true (infer_convert (got, INFER_TYPE_I32, bytes, INFER_TYPE_U1, 12));
  g_assert_cmpmem (got, sizeof u1, u1, sizeof u1);
  /* Bits beyond the last element are left alone. */
  g_assert_true (infer_convert (back, INFER_TYPE_U1, u1, INFER_TYPE_I32, 12));
  g_assert_cmpmem (back, 2, bytes, 2);
}

static void
test_small_floats (void)
{
  /* From the OCP 8-bit and microscaling formats' tables. */
  g_assert_cmpfloat (infer_f8e4m3_to_f32 (0x7e), ==, 448.0f);
  g_assert_cmpfloat (infer_f8e4m3_to_f32 (0x01), ==, 0.001953125f);
  g_assert_cmpfloat (infer_f8e4m3_to_f32 (0x88), ==, -0.015625f);
  g_assert_true (isnan (infer_f8e4m3_to_f32 (0x7f)));
  g_assert_cmpfloat (infer_f8e5m2_to_f32 (0x7b), ==, 57344.0f);
  g_assert_true (isinf (infer_f8e5m2_to_f32 (0xfc)));
  g_assert_cmpfloat (infer_f8e8m0_to_f32 (127), ==, 1.0f);
  g_assert_cmpfloat (infer_f8e8m0_to_f32 (0), ==, ldexpf (1.0f, -127));
  g_assert_cmpfloat (infer_f4e2m1_to_f32 (0xf), ==, -6.0f);
  g_assert_cmpfloat (infer_nf4_to_f32 (7), ==, 0.0f);
  for (guint code = 0; code < 256; code++) {
    float e4m3 = infer_f8e4m3_to_f32 ((guint8) code);
    float e5m2 = infer_f8e5m2_to_f32 ((guint8) code);
    if (!isnan (e4m3))
      g_assert_cmphex (infer_f32_to_f8e4m3 (e4m3), ==, code);
    if (!isnan (e5m2))
      g_assert_cmphex (infer_f32_to_f8e5m2 (e5m2), ==, code);
    g_assert_cmphex (
        infer_f32_to_f8e8m0 (infer_f8e8m0_to_f32 ((guint8) code)), ==, code);
    g_assert_cmphex (
        infer_f32_to_nf4 (infer_nf4_to_f32 (code & 15)), ==, code & 15);
    g_assert_cmphex (
        infer_f32_to_f4e2m1 (infer_f4e2m1_to_f32 (code & 15)), ==, code & 15);
  }
  g_assert_cmphex (infer_f32_to_f8e4m3 (464.0f), ==, 0x7e);
  g_assert_cmphex (infer_f32_to_f8e4m3 (465.0f), ==, 0x7f);
  g_assert_cmphex (infer_f32_to_f4e2m1 (2.5f), ==, 4);
  g_assert_cmphex (infer_f32_to_f4e2m1 (100.0f), ==, 7);
}

/* Of arXiv 2206.02915: a bias that is one larger, NaN for -0. */
static void
test_fnuz (void)
{
  g_assert_cmpfloat (infer_f8e4m3fnuz_to_f32 (0x7f), ==, 240.0f);
  g_assert_cmpfloat (infer_f8e4m3fnuz_to_f32 (0x01), ==, 0x1p-10f);
  g_assert_cmpfloat (infer_f8e4m3fnuz_to_f32 (0xc0), ==, -1.0f);
  g_assert_cmpfloat (infer_f8e5m2fnuz_to_f32 (0x7f), ==, 57344.0f);
  g_assert_cmpfloat (infer_f8e5m2fnuz_to_f32 (0x01), ==, 0x1p-17f);
  g_assert_true (isnan (infer_f8e4m3fnuz_to_f32 (0x80)));
  g_assert_true (isnan (infer_f8e5m2fnuz_to_f32 (0x80)));
  for (guint code = 0; code < 256; code++) {
    float e4m3 = infer_f8e4m3fnuz_to_f32 ((guint8) code);
    float e5m2 = infer_f8e5m2fnuz_to_f32 ((guint8) code);
    g_assert_cmphex (infer_f32_to_f8e4m3fnuz (e4m3), ==, code);
    g_assert_cmphex (infer_f32_to_f8e5m2fnuz (e5m2), ==, code);
  }
  g_assert_cmphex (infer_f32_to_f8e4m3fnuz (247.9f), ==, 0x7f);
  g_assert_cmphex (infer_f32_to_f8e4m3fnuz (248.1f), ==, 0x80);
  g_assert_cmphex (infer_f32_to_f8e4m3fnuz (-INFINITY), ==, 0x80);
  g_assert_cmphex (infer_f32_to_f8e4m3fnuz (-0x1p-12f), ==, 0);
  g_assert_cmphex (infer_f32_to_f8e5m2fnuz (1.125f), ==, 0x40);
  g_assert_cmphex (infer_f32_to_f8e5m2fnuz (1.375f), ==, 0x42);
}

static void
test_no_such_pair (void)
{
  guint8 bytes[8] = { 0 };
  g_assert_false (
      infer_convert (bytes, INFER_TYPE_STRING, bytes, INFER_TYPE_U8, 1));
  g_assert_false (
      infer_convert (bytes, INFER_TYPE_U8, bytes, INFER_TYPE_U3, 1));
  g_assert_true (infer_convert (NULL, INFER_TYPE_U8, NULL, INFER_TYPE_F32, 0));
}

/* Constants of a file and users' tensors may lie at any address. */
static void
test_unaligned (void)
{
  guint64 one[N], two[N];
  guint8 from[sizeof one + 1], to[sizeof two + 1];
  double in[N];

  for (guint i = 0; i < N; i++)
    in[i] = i % 4;
  for (guint a = 0; a < G_N_ELEMENTS (types); a++)
    for (guint b = 0; b < G_N_ELEMENTS (types); b++) {
      memset (two, 0xaa, sizeof two);
      memset (to, 0xaa, sizeof to);
      g_assert_true (infer_convert (one, types[a], in, INFER_TYPE_F64, N));
      g_assert_true (infer_convert (two, types[b], one, types[a], N));
      memcpy (from + 1, one, sizeof one);
      g_assert_true (infer_convert (to + 1, types[b], from + 1, types[a], N));
      g_assert_cmpmem (to + 1, sizeof two, two, sizeof two);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/convert/f16-round-trip", test_f16_round_trip);
  g_test_add_func ("/convert/f16-rounding", test_f16_rounding);
  g_test_add_func ("/convert/bf16", test_bf16);
  g_test_add_func ("/convert/real-to-integer", test_real_to_integer);
  g_test_add_func ("/convert/all-pairs", test_all_pairs);
  g_test_add_func ("/convert/packing", test_packing);
  g_test_add_func ("/convert/small-floats", test_small_floats);
  g_test_add_func ("/convert/fnuz", test_fnuz);
  g_test_add_func ("/convert/no-such-pair", test_no_such_pair);
  g_test_add_func ("/convert/unaligned", test_unaligned);
  return g_test_run ();
}
