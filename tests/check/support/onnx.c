/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Field numbers are those of onnx.proto3. */

#include "tests/check/support/onnx.h"

#include <string.h>

#define FLOAT 1

static void
add_varint (GByteArray *to, guint value)
{
  do {
    guint8 byte = (guint8) ((value & 127) | (value > 127 ? 128 : 0));

    g_byte_array_append (to, &byte, 1);
    value >>= 7;
  } while (value > 0);
}

static void
add_number (GByteArray *to, guint field, guint value)
{
  add_varint (to, field << 3);
  add_varint (to, value);
}

static void
add_bytes (GByteArray *to, guint field, const void *data, gsize size)
{
  add_varint (to, field << 3 | 2);
  add_varint (to, (guint) size);
  g_byte_array_append (to, data, (guint) size);
}

static void
add_text (GByteArray *to, guint field, const char *text)
{
  add_bytes (to, field, text, strlen (text));
}

/* Takes ownership of @part. */
static void
add_part (GByteArray *to, guint field, GByteArray *part)
{
  add_bytes (to, field, part->data, part->len);
  g_byte_array_unref (part);
}

static GByteArray *
node (const char *type, const char *input, const char *output)
{
  GByteArray *it = g_byte_array_new ();

  add_text (it, 1, input);
  add_text (it, 2, output);
  add_text (it, 4, type);
  return it;
}

static GByteArray *
value (const char *name, guint n, const int *dims)
{
  GByteArray *it = g_byte_array_new ();
  GByteArray *type = g_byte_array_new ();
  GByteArray *tensor = g_byte_array_new ();
  GByteArray *shape = g_byte_array_new ();

  for (guint i = 0; i < n; i++) {
    GByteArray *dim = g_byte_array_new ();

    add_number (dim, 1, (guint) dims[i]);
    add_part (shape, 1, dim);
  }
  add_number (tensor, 1, FLOAT);
  add_part (tensor, 2, shape);
  add_part (type, 1, tensor);
  add_text (it, 1, name);
  add_part (it, 2, type);
  return it;
}

GByteArray *
test_onnx_means (int height, int width, const char *id)
{
  const int in[] = { 1, 3, height, width }, out[] = { 1, 3 };
  GByteArray *model = g_byte_array_new ();
  GByteArray *graph = g_byte_array_new ();
  GByteArray *opset = g_byte_array_new ();
  GByteArray *entry = g_byte_array_new ();

  add_part (graph, 1, node ("GlobalAveragePool", "x", "pooled"));
  add_part (graph, 1, node ("Flatten", "pooled", "means"));
  add_text (graph, 2, "means");
  add_part (graph, 11, value ("x", 4, in));
  add_part (graph, 12, value ("means", 2, out));
  add_text (entry, 1, "means");
  add_text (entry, 2, id);
  add_number (opset, 2, 13);
  add_number (model, 1, 8);
  add_part (model, 7, graph);
  add_part (model, 8, opset);
  add_part (model, 14, entry);
  return model;
}

GByteArray *
test_onnx_tensor (guint n, const int *dims, const float *values)
{
  GByteArray *tensor = g_byte_array_new ();
  gsize count = 1;

  for (guint i = 0; i < n; i++) {
    add_number (tensor, 1, (guint) dims[i]);
    count *= (gsize) dims[i];
  }
  add_number (tensor, 2, FLOAT);
  add_bytes (tensor, 9, values, count * sizeof *values);
  return tensor;
}
