/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/files/wav.h"

#include <string.h>

enum
{
  FORMAT_PCM = 1,
  FORMAT_FLOAT = 3,
  FORMAT_EXTENSIBLE = 0xfffe,
};

typedef struct
{
  guint format, channels, rate, bits;
} Format;

static guint
read_le (const guint8 *from, guint bytes)
{
  guint value = 0;

  for (guint i = 0; i < bytes; i++)
    value |= (guint) from[i] << (8 * i);
  return value;
}

/* The contents of the chunk called @id; NULL: there is none. */
static const guint8 *
find_chunk (const guint8 *data, gsize size, const char *id, gsize *length)
{
  for (gsize at = 12; at + 8 <= size;) {
    gsize n = read_le (data + at + 4, 4);

    *length = MIN (n, size - at - 8);
    if (memcmp (data + at, id, 4) == 0)
      return data + at + 8;
    at += 8 + *length + (*length & 1);
  }
  return NULL;
}

static gboolean
read_format (Format *format, const guint8 *chunk, gsize length)
{
  if (chunk == NULL || length < 16)
    return FALSE;
  *format = (Format){ read_le (chunk, 2), read_le (chunk + 2, 2),
    read_le (chunk + 4, 4), read_le (chunk + 14, 2) };
  if (format->format == FORMAT_EXTENSIBLE && length >= 26)
    format->format = read_le (chunk + 24, 2);
  if (format->channels == 0 || format->channels > 64 || format->rate == 0)
    return FALSE;
  if (format->format == FORMAT_FLOAT)
    return format->bits == 32;
  return format->format == FORMAT_PCM && format->bits >= 8 && format->bits <= 32
         && format->bits % 8 == 0;
}

static float
read_sample (const Format *format, const guint8 *from)
{
  guint bits = format->bits, raw = read_le (from, bits / 8);
  float value;

  if (format->format == FORMAT_FLOAT) {
    memcpy (&value, &raw, sizeof value);
    return value;
  }
  if (bits == 8)
    return ((float) raw - 128) / 128;
  return (float) (gint32) (raw << (32 - bits)) / 2147483648.f;
}

static gboolean
read_samples (ToolWav *wav, const guint8 *data, gsize size)
{
  Format format;
  gsize length;
  const guint8 *chunk = find_chunk (data, size, "fmt ", &length);

  if (!read_format (&format, chunk, length))
    return FALSE;
  chunk = find_chunk (data, size, "data", &length);
  if (chunk == NULL)
    return FALSE;
  gsize frame = (gsize) format.channels * format.bits / 8;
  wav->rate = format.rate;
  wav->n = length / frame;
  wav->samples = g_new (float, wav->n + 1);
  for (gsize i = 0; i < wav->n; i++) {
    float sum = 0;

    for (guint c = 0; c < format.channels; c++)
      sum += read_sample (
          &format, chunk + i * frame + (gsize) c * format.bits / 8);
    wav->samples[i] = sum / (float) format.channels;
  }
  return TRUE;
}

gboolean
tool_wav_read (ToolWav *wav, const char *path, GError **error)
{
  g_autofree char *data = NULL;
  gsize size;

  *wav = (ToolWav){ 0 };
  if (!g_file_get_contents (path, &data, &size, error))
    return FALSE;
  if (size < 12 || memcmp (data, "RIFF", 4) != 0
      || memcmp (data + 8, "WAVE", 4) != 0
      || !read_samples (wav, (const guint8 *) data, size))
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: not a WAV file of PCM or 32-bit float samples", path);
  return TRUE;
}

void
tool_wav_clear (ToolWav *wav)
{
  g_clear_pointer (&wav->samples, g_free);
}
