/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads messages in Protocol Buffers' wire format in place: nothing is copied.
 * https://protobuf.dev/programming-guides/encoding/ */

#pragma once

#include <glib.h>

typedef struct
{
  const guint8 *at, *end;
} OnnxSpan;

/* A message that is being read. */
typedef struct
{
  OnnxSpan rest;
  const char *problem; /* static; NULL: none so far */
} OnnxReader;

typedef enum
{
  ONNX_WIRE_VARINT = 0,
  ONNX_WIRE_64 = 1,
  ONNX_WIRE_BYTES = 2,
  ONNX_WIRE_32 = 5,
} OnnxWire;

typedef struct
{
  guint number;
  OnnxWire wire;
  guint64 value;  /* of all but ONNX_WIRE_BYTES */
  OnnxSpan bytes; /* of ONNX_WIRE_BYTES */
} OnnxField;

static inline OnnxReader
onnx_reader (OnnxSpan message)
{
  return (OnnxReader){ message, NULL };
}

/* Reads the next field.  FALSE: the end, or reader->problem. */
gboolean onnx_next (OnnxReader *reader, OnnxField *field);

/* For the end of a message: FALSE with the reader's problem. */
gboolean onnx_done (const OnnxReader *reader, const char *what, GError **error);

/* Appends the numbers of a repeated field, packed or single.  FALSE: the
 * message is malformed, or the field is of another wire type. */
gboolean onnx_append_ints (GArray *ints, const OnnxField *field);
gboolean onnx_append_floats (GArray *floats, const OnnxField *field);

/* A float, of a field of the wire type ONNX_WIRE_32. */
float onnx_field_float (const OnnxField *field);

/* A string (transfer full), NULL: it has a zero byte or is no UTF-8. */
char *onnx_string (OnnxSpan bytes);

static inline gsize
onnx_length (OnnxSpan bytes)
{
  return (gsize) (bytes.end - bytes.at);
}

/* Whether a string is @text. */
gboolean onnx_is (OnnxSpan bytes, const char *text);
