/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fields of protocol buffers, for the bytes that are not worth a copy. */

#pragma once

#include "infer/error.h"
#include "protocol/parts.h"

/* A piece of a message, borrowed. */
typedef struct
{
  const guint8 *data;
  gsize size;
} ProtocolSpan;

/* Takes field @field, of bytes, out of the message @data: its values are
 * appended to @spans (element-type ProtocolSpan) and point into @data, all
 * other fields are copied to @rest.  @what: the message, for errors. */
gboolean protocol_wire_split (const char *what, const guint8 *data, gsize size,
    guint field, GByteArray *rest, GArray *spans, GError **error);

/* Appends what stands before a value of @size bytes of field @field. */
void protocol_wire_append_header (
    ProtocolParts *parts, guint field, gsize size);
