/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A message to send, as parts one after the other: small pieces in one buffer,
 * and tensors' memory, which is not copied. */

#pragma once

#include <glib.h>

typedef struct
{
  gconstpointer data; /* borrowed; NULL: in the buffer, from @offset */
  gsize offset;
  gsize size;
  guint tensor; /* of borrowed data: index of the tensor in its message */
} ProtocolPart;

typedef struct
{
  GByteArray *buffer;
  GArray *parts; /* ProtocolPart */
  gsize size;    /* of the whole message */
} ProtocolParts;

void protocol_parts_init (ProtocolParts *parts);
void protocol_parts_clear (ProtocolParts *parts);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ProtocolParts, protocol_parts_clear)

/* Copies. */
void protocol_parts_append (
    ProtocolParts *parts, gconstpointer data, gsize size);
/* Borrows @data, which must stay until the message is sent. */
void protocol_parts_append_borrowed (
    ProtocolParts *parts, gconstpointer data, gsize size, guint tensor);
/* All parts of @tail behind those of @parts. */
void protocol_parts_append_parts (
    ProtocolParts *parts, const ProtocolParts *tail);

/* Memory of part @i; valid until the next append. */
gconstpointer protocol_parts_data (const ProtocolParts *parts, guint i);
/* The whole message in one piece; copies.  (transfer full) */
GBytes *protocol_parts_join (const ProtocolParts *parts);
