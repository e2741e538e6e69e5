/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "protocol/datatype.h"

static const struct
{
  const char *name;
  InferType type;
} datatypes[] = {
  { "BOOL", INFER_TYPE_BOOLEAN },
  { "UINT8", INFER_TYPE_U8 },
  { "UINT16", INFER_TYPE_U16 },
  { "UINT32", INFER_TYPE_U32 },
  { "UINT64", INFER_TYPE_U64 },
  { "INT8", INFER_TYPE_I8 },
  { "INT16", INFER_TYPE_I16 },
  { "INT32", INFER_TYPE_I32 },
  { "INT64", INFER_TYPE_I64 },
  { "FP16", INFER_TYPE_F16 },
  { "FP32", INFER_TYPE_F32 },
  { "FP64", INFER_TYPE_F64 },
  { "BF16", INFER_TYPE_BF16 },
  { "BYTES", INFER_TYPE_STRING },
};

const char *
protocol_datatype_name (InferType type)
{
  for (guint i = 0; i < G_N_ELEMENTS (datatypes); i++)
    if (datatypes[i].type == type)
      return datatypes[i].name;
  return NULL;
}

gboolean
protocol_datatype_parse (const char *name, InferType *type)
{
  for (guint i = 0; i < G_N_ELEMENTS (datatypes); i++)
    if (g_str_equal (datatypes[i].name, name)) {
      *type = datatypes[i].type;
      return TRUE;
    }
  return FALSE;
}
