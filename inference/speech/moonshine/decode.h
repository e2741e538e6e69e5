/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples → tokens, by the requests of one stream. */

#pragma once

#include "inference/speech/moonshine/networks.h"
#include "inference/speech/text/phrases.h"

typedef struct
{
  guint id;
  float log_probability; /* natural logarithm */
} MoonshineToken;

typedef struct _MoonshineDecoder MoonshineDecoder;

MoonshineDecoder *moonshine_decoder_new (
    const MoonshineNetworks *net, GError **error);
void moonshine_decoder_free (MoonshineDecoder *decoder); /* NULL is fine */

/* NULL: none.  From the next moonshine_decode on. */
void moonshine_decoder_set_phrases (
    MoonshineDecoder *decoder, InferPhrases *phrases);

/* Replaces @tokens (element-type MoonshineToken) by the likeliest for @samples,
 * one after the other, at most @most; those of a loop are given once.
 * Earlier calls do not change the result. */
gboolean moonshine_decode (MoonshineDecoder *decoder, const float *samples,
    gsize n, guint most, GArray *tokens, GError **error);
