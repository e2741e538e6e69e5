/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Element types, named as in OpenVINO IR. */

#pragma once

#include <glib.h>

#include "infer/api.h"

G_BEGIN_DECLS

typedef enum
{
  INFER_TYPE_DYNAMIC = 0, /* not known until it runs */
  INFER_TYPE_BOOLEAN,     /* one byte, 0 or 1 */
  INFER_TYPE_F64,
  INFER_TYPE_F32,
  INFER_TYPE_F16,
  INFER_TYPE_BF16,
  INFER_TYPE_I64,
  INFER_TYPE_I32,
  INFER_TYPE_I16,
  INFER_TYPE_I8,
  INFER_TYPE_U64,
  INFER_TYPE_U32,
  INFER_TYPE_U16,
  INFER_TYPE_U8,
  /* Constants only, two or more to a byte, low bits first (u1: high first). */
  INFER_TYPE_I4,
  INFER_TYPE_U4,
  INFER_TYPE_U2,
  INFER_TYPE_U1,
  INFER_TYPE_NF4,
  INFER_TYPE_F4E2M1,
  /* Constants only, a byte each. */
  INFER_TYPE_F8E4M3,
  INFER_TYPE_F8E5M2,
  INFER_TYPE_F8E8M0,
  /* 3 and 6 bits in OpenVINO's split packing; read, not computed with. */
  INFER_TYPE_U3,
  INFER_TYPE_U6,
  INFER_TYPE_STRING,
  /* Of ONNX.  Since: 0.2 */
  INFER_TYPE_I2,
  INFER_TYPE_F8E4M3FNUZ, /* neither infinities nor -0, a bias of 8 */
  INFER_TYPE_F8E5M2FNUZ, /* the same with a bias of 16 */
  INFER_N_TYPES
} InferType;

/* "f32", "boolean", "dynamic", …; never NULL. */
INFER_API const char *infer_type_name (InferType type);

/* Bits of one element; 0 for dynamic and string. */
INFER_API guint infer_type_bits (InferType type);

/* Bytes of one element of a whole-byte type; 0 for all others. */
INFER_API gsize infer_type_size (InferType type);

/* From an `element_type` attribute ("f32", "boolean", "undefined", …). */
INFER_API gboolean infer_type_from_name (const char *name, InferType *type);

INFER_API gboolean infer_type_is_real (InferType type); /* f64 … f4 */
INFER_API gboolean infer_type_is_integer (
    InferType type); /* boolean is neither */
INFER_API gboolean infer_type_is_signed (InferType type);

G_END_DECLS
