/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which files of a folder are a transducer's.  Their names are `encoder`,
 * `decoder` and `joiner`, or `encoder` and `decoder_joint`, then what the
 * training wrote (epoch, average, chunk), `.int8` where they are quantised, and
 * `.onnx` or `.xml`. */

#pragma once

#include "inference/speech/folder.h"

typedef struct
{
  const char *encoder, *decoder, *joiner; /* names; the folder's */
  const char *joint; /* NULL, or decoder and joiner in one: the two are NULL */
} TransducerFiles;

gboolean transducer_files_probe (const SpeechFolder *folder);
/* A folder has one encoder; of an encoder and its quantised version, the
 * former. Where the encoder's file was given instead of the folder, it is that
 * one. Decoder and joiner have the encoder's name where there are several. */
gboolean transducer_files_find (
    TransducerFiles *files, const SpeechFolder *folder, GError **error);
