/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/decoders/decoder.h"

const GstInferDecoderKind *const *
gst_infer_decoders (void)
{
  static const GstInferDecoderKind *const decoders[] = {
#define DECODER(name) &gst_infer_decoder_##name,
#include "gst/decoders/decoder-list.h"
#undef DECODER
    NULL,
  };

  return decoders;
}

double
gst_infer_decoder_number (
    const GstStructure *info, const char *key, double fallback)
{
  const char *text = info ? gst_structure_get_string (info, key) : NULL;
  char *end;
  double value;

  if (text == NULL)
    return fallback;
  value = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' ? value : fallback;
}
