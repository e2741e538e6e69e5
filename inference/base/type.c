/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/type.h"

typedef enum
{
  KIND_OTHER,
  KIND_REAL,
  KIND_SIGNED,
  KIND_UNSIGNED
} Kind;

typedef struct
{
  const char *name, *precision;
  guint8 bits, kind;
} TypeInfo;

static const TypeInfo types[INFER_N_TYPES] = {
  [INFER_TYPE_DYNAMIC] = { "dynamic", "UNSPECIFIED", 0, KIND_OTHER },
  [INFER_TYPE_BOOLEAN] = { "boolean", "BOOL", 8, KIND_OTHER },
  [INFER_TYPE_F64] = { "f64", "FP64", 64, KIND_REAL },
  [INFER_TYPE_F32] = { "f32", "FP32", 32, KIND_REAL },
  [INFER_TYPE_F16] = { "f16", "FP16", 16, KIND_REAL },
  [INFER_TYPE_BF16] = { "bf16", "BF16", 16, KIND_REAL },
  [INFER_TYPE_I64] = { "i64", "I64", 64, KIND_SIGNED },
  [INFER_TYPE_I32] = { "i32", "I32", 32, KIND_SIGNED },
  [INFER_TYPE_I16] = { "i16", "I16", 16, KIND_SIGNED },
  [INFER_TYPE_I8] = { "i8", "I8", 8, KIND_SIGNED },
  [INFER_TYPE_U64] = { "u64", "U64", 64, KIND_UNSIGNED },
  [INFER_TYPE_U32] = { "u32", "U32", 32, KIND_UNSIGNED },
  [INFER_TYPE_U16] = { "u16", "U16", 16, KIND_UNSIGNED },
  [INFER_TYPE_U8] = { "u8", "U8", 8, KIND_UNSIGNED },
  [INFER_TYPE_I4] = { "i4", "I4", 4, KIND_SIGNED },
  [INFER_TYPE_U4] = { "u4", "U4", 4, KIND_UNSIGNED },
  [INFER_TYPE_U2] = { "u2", "U2", 2, KIND_UNSIGNED },
  [INFER_TYPE_U1] = { "u1", "BIN", 1, KIND_UNSIGNED },
  [INFER_TYPE_NF4] = { "nf4", "NF4", 4, KIND_REAL },
  [INFER_TYPE_F4E2M1] = { "f4e2m1", "F4E2M1", 4, KIND_REAL },
  [INFER_TYPE_F8E4M3] = { "f8e4m3", "F8E4M3", 8, KIND_REAL },
  [INFER_TYPE_F8E5M2] = { "f8e5m2", "F8E5M2", 8, KIND_REAL },
  [INFER_TYPE_F8E8M0] = { "f8e8m0", "F8E8M0", 8, KIND_REAL },
  [INFER_TYPE_U3] = { "u3", "U3", 3, KIND_UNSIGNED },
  [INFER_TYPE_U6] = { "u6", "U6", 6, KIND_UNSIGNED },
  [INFER_TYPE_STRING] = { "string", "STRING", 0, KIND_OTHER },
  [INFER_TYPE_I2] = { "i2", "I2", 2, KIND_SIGNED },
  [INFER_TYPE_F8E4M3FNUZ] = { "f8e4m3fnuz", "F8E4M3FNUZ", 8, KIND_REAL },
  [INFER_TYPE_F8E5M2FNUZ] = { "f8e5m2fnuz", "F8E5M2FNUZ", 8, KIND_REAL },
};

static const struct
{
  const char *name;
  InferType type;
} other_names[] = {
  { "undefined", INFER_TYPE_DYNAMIC },
  { "unspecified", INFER_TYPE_DYNAMIC },
  { "bool", INFER_TYPE_BOOLEAN },
  { "bin", INFER_TYPE_U1 },
};

static gboolean
type_is_valid (InferType type)
{
  return (guint) type < INFER_N_TYPES;
}

const char *
infer_type_name (InferType type)
{
  return type_is_valid (type) ? types[type].name : "invalid";
}

guint
infer_type_bits (InferType type)
{
  return type_is_valid (type) ? types[type].bits : 0;
}

gsize
infer_type_size (InferType type)
{
  guint bits = infer_type_bits (type);
  return bits % 8 == 0 ? bits / 8 : 0;
}

static gboolean
find_other_name (const char *name, InferType *type)
{
  for (guint i = 0; i < G_N_ELEMENTS (other_names); i++)
    if (g_ascii_strcasecmp (name, other_names[i].name) == 0) {
      *type = other_names[i].type;
      return TRUE;
    }
  return FALSE;
}

gboolean
infer_type_from_name (const char *name, InferType *type)
{
  for (guint i = 0; i < INFER_N_TYPES; i++)
    if (g_ascii_strcasecmp (name, types[i].name) == 0) {
      *type = (InferType) i;
      return TRUE;
    }
  return find_other_name (name, type);
}

gboolean
infer_type_from_precision (const char *precision, InferType *type)
{
  for (guint i = 0; i < INFER_N_TYPES; i++)
    if (g_ascii_strcasecmp (precision, types[i].precision) == 0) {
      *type = (InferType) i;
      return TRUE;
    }
  return infer_type_from_name (precision, type);
}

gboolean
infer_type_is_real (InferType type)
{
  return type_is_valid (type) && types[type].kind == KIND_REAL;
}

gboolean
infer_type_is_integer (InferType type)
{
  return type_is_valid (type)
         && (types[type].kind == KIND_SIGNED
             || types[type].kind == KIND_UNSIGNED);
}

gboolean
infer_type_is_signed (InferType type)
{
  return type_is_valid (type)
         && (types[type].kind == KIND_SIGNED || types[type].kind == KIND_REAL);
}

gboolean
infer_type_merge (InferType a, InferType b, InferType *merged)
{
  if (a != INFER_TYPE_DYNAMIC && b != INFER_TYPE_DYNAMIC && a != b)
    return FALSE;
  *merged = a != INFER_TYPE_DYNAMIC ? a : b;
  return TRUE;
}
