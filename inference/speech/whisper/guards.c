/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/guards.h"

#include <gio/gio.h>
#include <string.h>

double
whisper_compression_ratio (const char *text)
{
  g_autoptr (GZlibCompressor) zlib =
      g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, -1);
  gsize n = strlen (text), read = 0, written = 0;
  /* zlib adds five bytes for each block of what it cannot pack. */
  gsize room = n + n / 1000 + 64;
  g_autofree char *packed = g_malloc (room);

  if (n == 0)
    return 0;
  if (g_converter_convert (G_CONVERTER (zlib), text, n, packed, room,
          G_CONVERTER_INPUT_AT_END, &read, &written, NULL)
          != G_CONVERTER_FINISHED
      || written == 0)
    return 1;
  return (double) n / (double) written;
}

/* The text is stripped of white space at both ends, as OpenAI's is. */
static double
ratio_of (const WhisperConfig *config, const WhisperHypothesis *h)
{
  g_autofree char *text = infer_vocabulary_text (config->vocabulary_file,
      (const guint *) (gpointer) h->tokens->data, h->tokens->len, FALSE);

  return whisper_compression_ratio (g_strstrip (text));
}

WhisperVerdict
whisper_judge (const WhisperSettings *s, const WhisperConfig *config,
    const WhisperHypothesis *h)
{
  gboolean unlikely = (double) h->average < s->log_probability_threshold;

  if (unlikely && (double) h->no_speech > s->no_speech_threshold)
    return WHISPER_SILENT;
  if (h->looping)
    return WHISPER_LOOPING;
  if (unlikely)
    return WHISPER_UNLIKELY;
  return ratio_of (config, h) > s->compression_threshold ? WHISPER_REPETITIVE
                                                         : WHISPER_GOOD;
}

const char *
whisper_verdict_reason (WhisperVerdict verdict)
{
  static const char *const reasons[] = {
    [WHISPER_GOOD] = "none",
    [WHISPER_SILENT] = "nobody speaks",
    [WHISPER_UNLIKELY] = "the text is unlikely",
    [WHISPER_REPETITIVE] = "the text is repetitive",
    [WHISPER_LOOPING] = "the text repeats itself without end",
  };

  return reasons[verdict];
}

const char *
whisper_verdict_name (WhisperVerdict verdict)
{
  static const char *const names[] = {
    [WHISPER_GOOD] = NULL,
    [WHISPER_SILENT] = "no-speech",
    [WHISPER_UNLIKELY] = "log-probability",
    [WHISPER_REPETITIVE] = "compression",
    [WHISPER_LOOPING] = "loop",
  };

  return names[verdict];
}
