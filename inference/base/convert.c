/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Conversion between element types.
 *
 * Types that C has are converted pair by pair; all others by way of a block of
 * float (f16, f8, …) or gint32 (sub-byte integers). */

#include <math.h>
#include <string.h>

#include "inference/base/small-float.h"
#include "infer/tensor.h"

#define BLOCK 512

/* --- types that C has --- */

#define CAST(T, v, MIN, MAX) ((T) (v))

/* The bounds are exact in double or, for 64 bits, one too large: hence >=. */
#define SATURATE(T, v, MIN, MAX)                                               \
  ((v) != (v)                          ? (T) 0                                 \
      : (double) (v) <= (double) (MIN) ? (T) (MIN)                             \
      : (double) (v) >= (double) (MAX) ? (T) (MAX)                             \
                                       : (T) (v))

#define LOOP(T, EXPR)                                                          \
  do {                                                                         \
    T *restrict to = dst;                                                      \
    for (gsize i = 0; i < n; i++)                                              \
      to[i] = EXPR;                                                            \
    return TRUE;                                                               \
  } while (0)

/* @FIT: CAST or SATURATE, to integers. */
#define SOURCE(NAME, S, FIT)                                                   \
  static gboolean from_##NAME (                                                \
      gpointer dst, InferType type, gconstpointer src, gsize n)                \
  {                                                                            \
    const S *restrict from = src;                                              \
    switch (type) {                                                            \
      case INFER_TYPE_F64:                                                     \
        LOOP (double, (double) from[i]);                                       \
      case INFER_TYPE_F32:                                                     \
        LOOP (float, (float) from[i]);                                         \
      case INFER_TYPE_I64:                                                     \
        LOOP (gint64, FIT (gint64, from[i], G_MININT64, G_MAXINT64));          \
      case INFER_TYPE_I32:                                                     \
        LOOP (gint32, FIT (gint32, from[i], G_MININT32, G_MAXINT32));          \
      case INFER_TYPE_I16:                                                     \
        LOOP (gint16, FIT (gint16, from[i], G_MININT16, G_MAXINT16));          \
      case INFER_TYPE_I8:                                                      \
        LOOP (gint8, FIT (gint8, from[i], G_MININT8, G_MAXINT8));              \
      case INFER_TYPE_U64:                                                     \
        LOOP (guint64, FIT (guint64, from[i], 0, G_MAXUINT64));                \
      case INFER_TYPE_U32:                                                     \
        LOOP (guint32, FIT (guint32, from[i], 0, G_MAXUINT32));                \
      case INFER_TYPE_U16:                                                     \
        LOOP (guint16, FIT (guint16, from[i], 0, G_MAXUINT16));                \
      case INFER_TYPE_U8:                                                      \
        LOOP (guint8, FIT (guint8, from[i], 0, G_MAXUINT8));                   \
      case INFER_TYPE_BOOLEAN:                                                 \
        LOOP (guint8, from[i] != 0);                                           \
      default:                                                                 \
        return FALSE;                                                          \
    }                                                                          \
  }

SOURCE (f64, double, SATURATE)
SOURCE (f32, float, SATURATE)
SOURCE (i64, gint64, CAST)
SOURCE (i32, gint32, CAST)
SOURCE (i16, gint16, CAST)
SOURCE (i8, gint8, CAST)
SOURCE (u64, guint64, CAST)
SOURCE (u32, guint32, CAST)
SOURCE (u16, guint16, CAST)
SOURCE (u8, guint8, CAST)

static gboolean
convert_plain (gpointer dst, InferType dst_type, gconstpointer src,
    InferType src_type, gsize n)
{
  switch (src_type) {
    case INFER_TYPE_F64:
      return from_f64 (dst, dst_type, src, n);
    case INFER_TYPE_F32:
      return from_f32 (dst, dst_type, src, n);
    case INFER_TYPE_I64:
      return from_i64 (dst, dst_type, src, n);
    case INFER_TYPE_I32:
      return from_i32 (dst, dst_type, src, n);
    case INFER_TYPE_I16:
      return from_i16 (dst, dst_type, src, n);
    case INFER_TYPE_I8:
      return from_i8 (dst, dst_type, src, n);
    case INFER_TYPE_U64:
      return from_u64 (dst, dst_type, src, n);
    case INFER_TYPE_U32:
      return from_u32 (dst, dst_type, src, n);
    case INFER_TYPE_U16:
      return from_u16 (dst, dst_type, src, n);
    case INFER_TYPE_U8:
    case INFER_TYPE_BOOLEAN:
      return from_u8 (dst, dst_type, src, n);
    default:
      return FALSE;
  }
}

/* --- other types, in blocks --- */

/* The C type by way of which @type is converted; @type itself if C has it. */
static InferType
stage_type (InferType type)
{
  switch (type) {
    case INFER_TYPE_F16:
    case INFER_TYPE_BF16:
    case INFER_TYPE_NF4:
    case INFER_TYPE_F4E2M1:
    case INFER_TYPE_F8E4M3:
    case INFER_TYPE_F8E5M2:
    case INFER_TYPE_F8E8M0:
    case INFER_TYPE_F8E4M3FNUZ:
    case INFER_TYPE_F8E5M2FNUZ:
      return INFER_TYPE_F32;
    case INFER_TYPE_I4:
    case INFER_TYPE_U4:
    case INFER_TYPE_U2:
    case INFER_TYPE_I2:
    case INFER_TYPE_U1:
      return INFER_TYPE_I32;
    case INFER_TYPE_U3:
    case INFER_TYPE_U6:
      return INFER_TYPE_DYNAMIC;
    default:
      return type;
  }
}

/* The bits of element @i; element 0 of u1 is the highest bit of a byte. */
static guint
get_bits (const guint8 *src, gsize i, guint bits)
{
  gsize per_byte = 8 / bits;
  guint k = (guint) (i % per_byte) * bits;
  guint shift = bits == 1 ? 7 - k : k;
  return (src[i / per_byte] >> shift) & ((1u << bits) - 1);
}

static void
put_bits (guint8 *dst, gsize i, guint bits, guint value)
{
  gsize per_byte = 8 / bits;
  guint k = (guint) (i % per_byte) * bits;
  guint shift = bits == 1 ? 7 - k : k;
  guint mask = ((1u << bits) - 1) << shift;
  guint8 *byte = &dst[i / per_byte];
  *byte = (guint8) ((*byte & ~mask) | ((value << shift) & mask));
}

static void
decode_floats (
    float *to, gconstpointer src, InferType type, gsize from, gsize n)
{
  const guint16 *codes = (const guint16 *) src + from;
  const guint8 *byte = src;
  for (gsize i = 0; i < n; i++)
    switch (type) {
      case INFER_TYPE_NF4:
        to[i] = infer_nf4_to_f32 (get_bits (byte, from + i, 4));
        break;
      case INFER_TYPE_F4E2M1:
        to[i] = infer_f4e2m1_to_f32 (get_bits (byte, from + i, 4));
        break;
      case INFER_TYPE_F8E4M3:
        to[i] = infer_f8e4m3_to_f32 (byte[from + i]);
        break;
      case INFER_TYPE_F8E5M2:
        to[i] = infer_f8e5m2_to_f32 (byte[from + i]);
        break;
      case INFER_TYPE_F8E8M0:
        to[i] = infer_f8e8m0_to_f32 (byte[from + i]);
        break;
      case INFER_TYPE_F8E4M3FNUZ:
        to[i] = infer_f8e4m3fnuz_to_f32 (byte[from + i]);
        break;
      case INFER_TYPE_F8E5M2FNUZ:
        to[i] = infer_f8e5m2fnuz_to_f32 (byte[from + i]);
        break;
      case INFER_TYPE_BF16:
        to[i] = infer_bf16_to_f32 (codes[i]);
        break;
      default:
        to[i] = infer_f16_to_f32 (codes[i]);
    }
}

static void
encode_floats (
    gpointer dst, InferType type, gsize at, const float *from, gsize n)
{
  guint16 *codes = (guint16 *) dst + at;
  guint8 *byte = dst;
  for (gsize i = 0; i < n; i++)
    switch (type) {
      case INFER_TYPE_NF4:
        put_bits (byte, at + i, 4, infer_f32_to_nf4 (from[i]));
        break;
      case INFER_TYPE_F4E2M1:
        put_bits (byte, at + i, 4, infer_f32_to_f4e2m1 (from[i]));
        break;
      case INFER_TYPE_F8E4M3:
        byte[at + i] = infer_f32_to_f8e4m3 (from[i]);
        break;
      case INFER_TYPE_F8E5M2:
        byte[at + i] = infer_f32_to_f8e5m2 (from[i]);
        break;
      case INFER_TYPE_F8E8M0:
        byte[at + i] = infer_f32_to_f8e8m0 (from[i]);
        break;
      case INFER_TYPE_F8E4M3FNUZ:
        byte[at + i] = infer_f32_to_f8e4m3fnuz (from[i]);
        break;
      case INFER_TYPE_F8E5M2FNUZ:
        byte[at + i] = infer_f32_to_f8e5m2fnuz (from[i]);
        break;
      case INFER_TYPE_BF16:
        codes[i] = infer_f32_to_bf16 (from[i]);
        break;
      default:
        codes[i] = infer_f32_to_f16 (from[i]);
    }
}

static void
decode_nibbles (gint32 *to, const guint8 *src, gint32 sign, gsize n)
{
  for (gsize i = 0; i + 1 < n; i += 2) {
    const gint32 low = src[i / 2] & 15, high = src[i / 2] >> 4;
    to[i] = (low ^ sign) - sign;
    to[i + 1] = (high ^ sign) - sign;
  }
  if (n % 2 == 1)
    to[n - 1] = ((src[n / 2] & 15) ^ sign) - sign;
}

static void
decode_bits (gint32 *to, gconstpointer src, InferType type, gsize from, gsize n)
{
  guint bits = infer_type_bits (type);
  gint32 sign = infer_type_is_signed (type) ? 1 << (bits - 1) : 0;
  if (bits == 4 && from % 2 == 0) {
    decode_nibbles (to, (const guint8 *) src + from / 2, sign, n);
    return;
  }
  for (gsize i = 0; i < n; i++) {
    gint32 value = (gint32) get_bits (src, from + i, bits);
    to[i] = (value ^ sign) - sign;
  }
}

static void
encode_bits (
    gpointer dst, InferType type, gsize at, const gint32 *from, gsize n)
{
  guint bits = infer_type_bits (type);
  for (gsize i = 0; i < n; i++)
    put_bits (dst, at + i, bits,
        type == INFER_TYPE_U1 ? from[i] != 0 : (guint) from[i]);
}

typedef union
{
  float floats[BLOCK];
  gint32 ints[BLOCK];
} Block;

static gboolean
convert_staged (gpointer dst, InferType dst_type, gconstpointer src,
    InferType src_type, gsize n)
{
  Block in, out;
  InferType from = stage_type (src_type), to = stage_type (dst_type);
  gsize src_size = infer_type_size (src_type);
  for (gsize at = 0; at < n; at += BLOCK) {
    gsize count = MIN (n - at, BLOCK);
    gconstpointer block = &in;
    if (from == src_type)
      block = (const char *) src + at * src_size;
    else if (from == INFER_TYPE_F32)
      decode_floats (in.floats, src, src_type, at, count);
    else
      decode_bits (in.ints, src, src_type, at, count);
    if (to == dst_type) {
      gpointer end = (char *) dst + at * infer_type_size (dst_type);
      if (!convert_plain (end, dst_type, block, from, count))
        return FALSE;
      continue;
    }
    if (!convert_plain (&out, to, block, from, count))
      return FALSE;
    if (to == INFER_TYPE_F32) {
      encode_floats (dst, dst_type, at, out.floats, count);
      continue;
    }
    encode_bits (dst, dst_type, at, out.ints, count);
  }
  return TRUE;
}

static gboolean
is_aligned (gconstpointer data, InferType type)
{
  const gsize size = infer_type_size (type);

  return size <= 1 || (gsize) data % size == 0;
}

/* Values mapped from a file, or a user's, may be unaligned: a block of them at
 * a time, by way of memory that is aligned.  Blocks of packed elements are
 * whole bytes. */
static gboolean
convert_unaligned (gpointer dst, InferType dst_type, gconstpointer src,
    InferType src_type, gsize n)
{
  const gsize src_bits = infer_type_bits (src_type);
  const gsize dst_bits = infer_type_bits (dst_type);
  gint64 in[BLOCK], out[BLOCK];

  for (gsize at = 0; at < n; at += BLOCK) {
    const gsize count = MIN (n - at, BLOCK);
    const gsize src_bytes = (count * src_bits + 7) / 8;
    const gsize dst_bytes = (count * dst_bits + 7) / 8;
    guint8 *to = (guint8 *) dst + at * dst_bits / 8;

    memcpy (in, (const guint8 *) src + at * src_bits / 8, src_bytes);
    memcpy (out, to, dst_bytes); /* packed elements write bits of a byte */
    if (!infer_convert (out, dst_type, in, src_type, count))
      return FALSE;
    memcpy (to, out, dst_bytes);
  }
  return TRUE;
}

gboolean
infer_convert (gpointer dst, InferType dst_type, gconstpointer src,
    InferType src_type, gsize n)
{
  if (stage_type (src_type) == INFER_TYPE_DYNAMIC
      || stage_type (dst_type) == INFER_TYPE_DYNAMIC
      || infer_type_bits (src_type) == 0 || infer_type_bits (dst_type) == 0)
    return FALSE;
  if (n == 0)
    return TRUE;
  if (src_type == dst_type) {
    memmove (dst, src, (n * infer_type_bits (src_type) + 7) / 8);
    return TRUE;
  }
  if (!is_aligned (src, src_type) || !is_aligned (dst, dst_type))
    return convert_unaligned (dst, dst_type, src, src_type, n);
  if (src_type == INFER_TYPE_F16 && dst_type == INFER_TYPE_F32) {
    infer_f16_to_f32_n (dst, src, n);
    return TRUE;
  }
  if (src_type == INFER_TYPE_F32 && dst_type == INFER_TYPE_F16) {
    infer_f32_to_f16_n (dst, src, n);
    return TRUE;
  }
  if (stage_type (src_type) == src_type && stage_type (dst_type) == dst_type)
    return convert_plain (dst, dst_type, src, src_type, n);
  return convert_staged (dst, dst_type, src, src_type, n);
}
