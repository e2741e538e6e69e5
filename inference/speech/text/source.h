/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For implementers of a source of vocabularies. */

#pragma once

#include "inference/base/file.h"
#include "inference/base/json.h"
#include "inference/speech/text/vocabulary-private.h"

typedef struct
{
  const char *files; /* for messages, e.g. "vocab.json and merges.txt" */
  gboolean (*probe) (const SpeechFolder *folder);
  /* Pieces and encoder. */
  InferVocabulary *(*load) (const SpeechFolder *folder, GError **error);
} VocabularySource;

/* Members of an object as pieces: their names, numbered by their values.
 * @byte_level: names are in GPT-2's spelling, else in SentencePiece's. */
gboolean vocabulary_add_members (InferVocabulary *vocabulary,
    InferJsonValue object, gboolean byte_level, GError **error);
/* A piece of added_tokens, written as it is. */
gboolean vocabulary_add_added (InferVocabulary *vocabulary, gint64 id,
    const char *content, gboolean special, GError **error);
/* As it is in the file: U+2581 and GPT-2's characters are what they stand for.
 * @bytes has room for the length of the piece.  Returns the length. */
gsize vocabulary_spelled (
    const char *piece, gsize length, gboolean byte_level, char *bytes);

/* The lines of a text file, without what ends them; UTF-8 is checked.
 * (transfer full) */
GStrv vocabulary_read_lines (const char *path, GError **error);

/* A label per line. */
InferVocabulary *vocabulary_of_lines (
    const char *path, GStrv lines, GError **error);

#define SOURCE(name) extern const VocabularySource vocabulary_source_##name;
#include "inference/speech/text/source-list.h"
#undef SOURCE
