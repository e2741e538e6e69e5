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

/* The numbers of repeated fields of a message, packed or single. */
typedef struct
{
  OnnxReader message;
  guint fields; /* bits: 1 << the number of each */
  OnnxWire wire;
  OnnxSpan packed; /* of the field being read */
} OnnxNumbers;

/* @wire: ONNX_WIRE_VARINT or, of floats, ONNX_WIRE_32. */
static inline OnnxNumbers
onnx_numbers (OnnxSpan message, guint fields, OnnxWire wire)
{
  return (OnnxNumbers){
    .message = onnx_reader (message), .fields = fields, .wire = wire
  };
}

/* FALSE: the end, or numbers->message.problem. */
gboolean onnx_next_number (OnnxNumbers *numbers, guint64 *value);

/* All of @field (< 32), as gint64 or, if @wire is ONNX_WIRE_32, float; replaces
 * @list (nullable), which cannot grow. */
gboolean onnx_read_list (OnnxSpan message, guint field, OnnxWire wire,
    GArray **list, GError **error);

/* The float of these bits. */
float onnx_float_of (guint64 bits);

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
