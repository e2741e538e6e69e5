/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A tensor in a message. */

#pragma once

#include "infer/error.h"
#include "infer/tensor.h"

typedef struct
{
  char *name;
  InferType type;   /* one that has a datatype; string: BYTES */
  InferShape shape; /* static */
  /* Row-major, little-endian, of any alignment; BYTES: each element is its
   * length in 4 bytes, then its bytes.  @size fits type and shape.  Memory of
   * the message, of somebody else, or @owned. */
  gconstpointer data;
  gsize size;
  gpointer owned;  /* freed with g_free */
  gboolean binary; /* REST: behind the JSON, not in it */
} ProtocolTensor;

void protocol_tensor_clear (ProtocolTensor *tensor);

/* Sets name, type and shape as they are in a message; data are none yet. */
gboolean protocol_tensor_set_desc (ProtocolTensor *tensor, const char *name,
    const char *datatype, const gint64 *dims, gsize rank, GError **error);
/* Borrows @data after a look at the size. */
gboolean protocol_tensor_set_data (
    ProtocolTensor *tensor, gconstpointer data, gsize size, GError **error);
/* Takes @owned, whose size the caller knows to be right. */
void protocol_tensor_take_data (
    ProtocolTensor *tensor, gpointer owned, gsize size);

/* Fills @tensor for sending: borrows the memory of @value, or copies it if it
 * is not dense.  INFER_ERROR_UNSUPPORTED: its type has no datatype. */
gboolean protocol_tensor_from_infer (ProtocolTensor *tensor, const char *name,
    const InferTensor *value, GError **error);

/* Copies into @value, of the same type and shape; every BOOL that is not 0
 * becomes 1. */
gboolean protocol_tensor_copy (
    const ProtocolTensor *tensor, InferTensor *value, GError **error);
