/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "protocol/parts.h"

void
protocol_parts_init (ProtocolParts *parts)
{
  *parts = (ProtocolParts){
    .buffer = g_byte_array_new (),
    .parts = g_array_new (FALSE, FALSE, sizeof (ProtocolPart)),
  };
}

void
protocol_parts_clear (ProtocolParts *parts)
{
  g_clear_pointer (&parts->buffer, g_byte_array_unref);
  g_clear_pointer (&parts->parts, g_array_unref);
}

void
protocol_parts_append (ProtocolParts *parts, gconstpointer data, gsize size)
{
  GArray *array = parts->parts;
  ProtocolPart *last =
      array->len > 0 ? &g_array_index (array, ProtocolPart, array->len - 1)
                     : NULL;

  if (size == 0)
    return;
  if (last == NULL || last->data != NULL) {
    const ProtocolPart part = { .offset = parts->buffer->len };
    g_array_append_val (array, part);
    last = &g_array_index (array, ProtocolPart, array->len - 1);
  }
  last->size += size;
  parts->size += size;
  g_byte_array_append (parts->buffer, data, (guint) size);
}

void
protocol_parts_append_borrowed (
    ProtocolParts *parts, gconstpointer data, gsize size, guint tensor)
{
  const ProtocolPart part = { .data = data, .size = size, .tensor = tensor };

  if (size == 0)
    return;
  g_array_append_val (parts->parts, part);
  parts->size += size;
}

void
protocol_parts_append_parts (ProtocolParts *parts, const ProtocolParts *tail)
{
  for (guint i = 0; i < tail->parts->len; i++) {
    const ProtocolPart *part = &g_array_index (tail->parts, ProtocolPart, i);

    if (part->data != NULL)
      protocol_parts_append_borrowed (
          parts, part->data, part->size, part->tensor);
    else
      protocol_parts_append (parts, protocol_parts_data (tail, i), part->size);
  }
}

gconstpointer
protocol_parts_data (const ProtocolParts *parts, guint i)
{
  const ProtocolPart *part = &g_array_index (parts->parts, ProtocolPart, i);

  return part->data != NULL ? part->data : parts->buffer->data + part->offset;
}

GBytes *
protocol_parts_join (const ProtocolParts *parts)
{
  g_autoptr (GByteArray) joined = g_byte_array_new ();

  for (guint i = 0; i < parts->parts->len; i++)
    g_byte_array_append (joined, protocol_parts_data (parts, i),
        (guint) g_array_index (parts->parts, ProtocolPart, i).size);
  return g_byte_array_free_to_bytes (g_steal_pointer (&joined));
}
