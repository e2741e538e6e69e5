/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/serve/rpc/message.h"

#include <gio/gio.h>

/* A size is believed so far; more memory is taken as bytes come. */
#define SPACE_FIRST ((gsize) 4 << 20)
#define INFLATED_FIRST 4096

/* --- reading --- */

void
rpc_reader_init (RpcReader *reader, gsize most)
{
  *reader = (RpcReader){ .most = most };
}

void
rpc_reader_clear (RpcReader *reader)
{
  g_clear_pointer (&reader->message, rpc_message_free);
}

gboolean
rpc_reader_is_empty (const RpcReader *reader)
{
  return reader->n_prefix == 0;
}

static gboolean
begin_message (RpcReader *reader, GError **error)
{
  const guint8 *prefix = reader->prefix;
  const gsize size = (gsize) prefix[1] << 24 | (gsize) prefix[2] << 16
                     | (gsize) prefix[3] << 8 | prefix[4];

  if (prefix[0] > 1)
    return infer_fail (error, INFER_ERROR_FAILED,
        "a message begins with the byte %u; it must be 0, or 1 if it is "
        "compressed",
        prefix[0]);
  if (size > reader->most)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "a message of %zu bytes; this server takes at most %zu "
        "(--max-message)",
        size, reader->most);
  reader->message = g_new0 (RpcMessage, 1);
  reader->message->link.data = reader->message;
  reader->message->size = size;
  reader->message->compressed = prefix[0] == 1;
  reader->filled = reader->space = 0;
  return TRUE;
}

/* Makes room for @size further bytes, which the message has. */
static gboolean
make_room (RpcReader *reader, gsize size, GError **error)
{
  RpcMessage *message = reader->message;

  if (reader->space - reader->filled >= size)
    return TRUE;
  const gsize space = MIN (message->size,
      MAX (reader->filled + size, MAX (2 * reader->space, SPACE_FIRST)));
  guint8 *data = g_try_realloc (message->data, space);
  if (data == NULL)
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "no memory for a message of %zu bytes", message->size);
  message->data = data;
  reader->space = space;
  return TRUE;
}

gboolean
rpc_reader_add (RpcReader *reader, const guint8 *data, gsize size,
    GQueue *messages, GError **error)
{
  while (size > 0 || reader->message != NULL) {
    RpcMessage *message = reader->message;

    if (message == NULL) {
      const gsize n = MIN (size, RPC_PREFIX_BYTES - reader->n_prefix);

      memcpy (reader->prefix + reader->n_prefix, data, n);
      reader->n_prefix += (guint) n;
      data += n;
      size -= n;
      if (reader->n_prefix == RPC_PREFIX_BYTES
          && !begin_message (reader, error))
        return FALSE;
      continue;
    }
    const gsize n = MIN (size, message->size - reader->filled);
    if (!make_room (reader, n, error))
      return FALSE;
    if (n > 0)
      memcpy (message->data + reader->filled, data, n);
    reader->filled += n;
    data += n;
    size -= n;
    if (reader->filled < message->size)
      return TRUE;
    g_queue_push_tail_link (messages, &message->link);
    reader->message = NULL;
    reader->n_prefix = 0;
  }
  return TRUE;
}

/* --- messages --- */

void
rpc_message_free (RpcMessage *message)
{
  if (message == NULL)
    return;
  g_free (message->data);
  g_free (message);
}

void
rpc_messages_clear (GQueue *messages)
{
  GList *link;

  while ((link = g_queue_pop_head_link (messages)) != NULL)
    rpc_message_free (link->data);
}

/* Inflates @data; NULL: it is malformed or larger than @most. */
static GBytes *
inflate (const guint8 *data, gsize size, GZlibCompressorFormat format,
    gsize most, GError **error)
{
  g_autoptr (GConverter) converter =
      G_CONVERTER (g_zlib_decompressor_new (format));
  g_autoptr (GByteArray) out = g_byte_array_new ();
  gsize filled = 0;

  for (;;) {
    g_autoptr (GError) failed = NULL;
    gsize n_read = 0, n_written = 0;

    if (filled == out->len) {
      if (filled > most) {
        infer_fail (error, INFER_ERROR_NO_MEMORY,
            "a message of more than %zu bytes when decompressed; this server "
            "takes no more (--max-message)",
            most);
        return NULL;
      }
      g_byte_array_set_size (
          out, (guint) MIN (most + 1, MAX (2 * filled, INFLATED_FIRST)));
    }
    const GConverterResult result = g_converter_convert (converter, data, size,
        out->data + filled, out->len - filled, G_CONVERTER_INPUT_AT_END,
        &n_read, &n_written, &failed);
    filled += n_written;
    data += n_read;
    size -= n_read;
    if (result == G_CONVERTER_FINISHED && filled <= most && size == 0)
      break;
    if (result == G_CONVERTER_CONVERTED
        || (result == G_CONVERTER_FINISHED && filled > most))
      continue;
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "a message is not compressed as its grpc-encoding says");
    return NULL;
  }
  g_byte_array_set_size (out, (guint) filled);
  return g_byte_array_free_to_bytes (g_steal_pointer (&out));
}

GBytes *
rpc_message_open (
    RpcMessage *message, RpcEncoding encoding, gsize most, GError **error)
{
  GBytes *bytes = NULL;

  if (!message->compressed)
    bytes = g_bytes_new_take (g_steal_pointer (&message->data), message->size);
  else if (encoding == RPC_ENCODING_IDENTITY)
    infer_fail (error, INFER_ERROR_FAILED,
        "a message is compressed, but the call has no grpc-encoding");
  else
    bytes = inflate (message->data, message->size,
        encoding == RPC_ENCODING_GZIP ? G_ZLIB_COMPRESSOR_FORMAT_GZIP
                                      : G_ZLIB_COMPRESSOR_FORMAT_ZLIB,
        most, error);
  rpc_message_free (message);
  return bytes;
}

RpcEncoding
rpc_encoding_find (const char *name, gsize length)
{
  static const struct
  {
    const char *name;
    RpcEncoding encoding;
  } encodings[] = {
    { "identity", RPC_ENCODING_IDENTITY },
    { "gzip", RPC_ENCODING_GZIP },
    { "deflate", RPC_ENCODING_DEFLATE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (encodings); i++)
    if (rpc_is_text (name, length, encodings[i].name))
      return encodings[i].encoding;
  return RPC_ENCODING_UNKNOWN;
}
