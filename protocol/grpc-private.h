/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the readers and writers of protocol buffers share. */

#pragma once

#include "inference.pb-c.h"
#include "protocol/grpc.h"

/* An allocator that refuses what a message of @message_size bytes does not
 * need: many empty fields take far more memory than bytes on the wire. */
typedef struct
{
  ProtobufCAllocator allocator;
  gsize left;
} ProtocolAllocator;

void protocol_allocator_init (ProtocolAllocator *bounded, gsize message_size);

/* @descriptor: of the message, @what its name for errors.  To be freed with
 * protobuf_c_message_free_unpacked and the same allocator. */
gpointer protocol_unpack (const ProtobufCMessageDescriptor *descriptor,
    const char *what, const guint8 *data, gsize size,
    ProtocolAllocator *allocator, GError **error);

/* Appends @message, packed. */
void protocol_pack (gconstpointer message, ProtocolParts *parts);

/* Fills @tensor from typed contents. */
gboolean protocol_contents_read (const Inference__InferTensorContents *contents,
    ProtocolTensor *tensor, GError **error);
