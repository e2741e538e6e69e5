/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/serve/states.h"

#include <string.h>

#include "inference/runtime/state-backend.h"

/* "IFST", version, number of variables; for each: name, whether it is reset,
 * and unless it is, type, rank, dimensions and values.  Numbers are
 * little-endian, names have their length before them. */
#define MAGIC 0x54534649u
#define VERSION 1u
#define NAME_MOST 4096

gsize
serve_states_size (InferStateSet *states)
{
  gsize size = 0;

  for (guint i = 0; i < infer_state_set_n_states (states); i++) {
    const InferTensor *value =
        infer_state_peek_desc (infer_state_set_get (states, i));
    if (value != NULL)
      size += infer_shape_count (&value->shape) * infer_type_size (value->type);
  }
  return size;
}

/* --- writing --- */

static void
put (GByteArray *bytes, gconstpointer data, gsize size)
{
  g_byte_array_append (bytes, data, (guint) size);
}

static void
put_number (GByteArray *bytes, guint32 number)
{
  put (bytes, &number, sizeof number);
}

static void
put_text (GByteArray *bytes, const char *text)
{
  put_number (bytes, (guint32) strlen (text));
  put (bytes, text, strlen (text));
}

static gboolean
put_value (GByteArray *bytes, InferState *state, GError **error)
{
  g_autoptr (GError) unknown = NULL;
  g_autoptr (InferTensor) value = infer_state_get_value (state, &unknown);

  put_text (bytes, infer_state_get_name (state));
  const gboolean reset = infer_state_is_reset (state);
  if (value == NULL && !reset) {
    g_propagate_error (error, g_steal_pointer (&unknown));
    return FALSE;
  }
  put_number (bytes, reset);
  if (reset)
    return TRUE;
  if (value->size > G_MAXUINT32 / 2 - bytes->len)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "variable '%s' is too large for a checkpoint",
        infer_state_get_name (state));
  put_text (bytes, infer_type_name (value->type));
  put_number (bytes, (guint32) value->shape.rank);
  put (bytes, value->shape.dims,
      (gsize) value->shape.rank * sizeof value->shape.dims[0]);
  put (bytes, value->data, value->size);
  return TRUE;
}

guint8 *
serve_states_write (InferStateSet *states, gsize *size, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  const guint n = infer_state_set_n_states (states);

  put_number (bytes, MAGIC);
  put_number (bytes, VERSION);
  put_number (bytes, n);
  for (guint i = 0; i < n; i++)
    if (!put_value (bytes, infer_state_set_get (states, i), error))
      return NULL;
  *size = bytes->len;
  return g_byte_array_free (g_steal_pointer (&bytes), FALSE);
}

/* --- reading --- */

typedef struct
{
  const guint8 *at;
  gsize left;
} Reader;

static gboolean
take (Reader *reader, gpointer to, gsize size)
{
  if (size > reader->left)
    return FALSE;
  if (size > 0)
    memcpy (to, reader->at, size);
  reader->at += size;
  reader->left -= size;
  return TRUE;
}

/* (transfer full); NULL: cut short. */
static char *
take_text (Reader *reader)
{
  guint32 length;

  if (!take (reader, &length, sizeof length) || length > NAME_MOST
      || length > reader->left)
    return NULL;
  char *text = g_strndup ((const char *) reader->at, length);
  reader->at += length;
  reader->left -= length;
  return text;
}

static gboolean
fail_short (GError **error)
{
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "the checkpoint of states is malformed or cut short");
}

/* A new set's variables are reset. */
static gboolean
take_value (Reader *reader, InferState *state, GError **error)
{
  g_autofree char *name = take_text (reader);
  guint32 reset, rank;
  InferShape shape = { 0 };
  InferType type;

  if (name == NULL || !take (reader, &reset, sizeof reset))
    return fail_short (error);
  if (!g_str_equal (name, infer_state_get_name (state)))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the checkpoint has the variable '%s' where this model has '%s': it is "
        "of another model",
        name, infer_state_get_name (state));
  if (reset != 0)
    return TRUE;
  g_autofree char *type_name = take_text (reader);
  if (type_name == NULL || !take (reader, &rank, sizeof rank)
      || rank > INFER_MAX_RANK
      || !take (reader, shape.dims, rank * sizeof shape.dims[0]))
    return fail_short (error);
  shape.rank = (int) rank;
  gsize bytes;
  if (!infer_type_from_name (type_name, &type) || infer_type_size (type) == 0
      || !infer_shape_is_static (&shape)
      || !infer_tensor_bytes (type, &shape, &bytes) || bytes > reader->left)
    return fail_short (error);
  g_autoptr (InferTensor) value = infer_tensor_new (type, &shape, error);
  return value != NULL
         && (take (reader, value->data, bytes) || fail_short (error))
         && infer_state_set_value (state, value, error);
}

static gboolean
take_values (Reader *reader, InferStateSet *states, GError **error)
{
  const guint expected = infer_state_set_n_states (states);
  guint32 magic, version, n;

  if (!take (reader, &magic, sizeof magic)
      || !take (reader, &version, sizeof version)
      || !take (reader, &n, sizeof n) || magic != MAGIC)
    return fail_short (error);
  if (version != VERSION)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the checkpoint is of version %u; this server reads %u", version,
        VERSION);
  if (n != expected)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the checkpoint has %u variables and this model %u: it is of another "
        "model",
        n, expected);
  for (guint i = 0; i < n; i++)
    if (!take_value (reader, infer_state_set_get (states, i), error))
      return FALSE;
  return reader->left == 0 || fail_short (error);
}

InferStateSet *
serve_states_read (
    const InferModel *model, const guint8 *data, gsize size, GError **error)
{
  g_autoptr (InferStateSet) states = infer_state_set_new (model);
  Reader reader = { data, size };

  return take_values (&reader, states, error) ? g_steal_pointer (&states)
                                              : NULL;
}
