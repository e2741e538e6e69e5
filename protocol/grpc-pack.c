/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "protocol/grpc-private.h"

#include <stdlib.h>

/* A small message may need this much more than it is long. */
#define ALLOCATOR_BASE ((gsize) 1 << 20)
#define ALLOCATOR_FACTOR 16

static void *
bounded_alloc (void *data, size_t size)
{
  ProtocolAllocator *bounded = data;

  if (size > bounded->left)
    return NULL;
  bounded->left -= size;
  return malloc (size);
}

static void
bounded_free (void *data, void *pointer)
{
  free (pointer);
}

void
protocol_allocator_init (ProtocolAllocator *bounded, gsize message_size)
{
  *bounded = (ProtocolAllocator){
    .allocator = { bounded_alloc, bounded_free, bounded },
    .left = ALLOCATOR_BASE + ALLOCATOR_FACTOR * message_size,
  };
}

gpointer
protocol_unpack (const ProtobufCMessageDescriptor *descriptor, const char *what,
    const guint8 *data, gsize size, ProtocolAllocator *allocator,
    GError **error)
{
  protocol_allocator_init (allocator, size);
  gpointer message =
      protobuf_c_message_unpack (descriptor, &allocator->allocator, size, data);
  if (message == NULL)
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s of %zu bytes: not a valid message, or one of too many fields", what,
        size);
  return message;
}

void
protocol_pack (gconstpointer message, ProtocolParts *parts)
{
  const gsize size = protobuf_c_message_get_packed_size (message);
  g_autofree guint8 *bytes = g_malloc (MAX (size, 1));

  protobuf_c_message_pack (message, bytes);
  protocol_parts_append (parts, bytes, size);
}
