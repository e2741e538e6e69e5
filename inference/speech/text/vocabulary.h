/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The vocabulary of a speech model: pieces of text, numbered from 0
 * without holes, from the files of its folder (source-list.h).
 *
 * A piece is a run of bytes, which may be a part of a character: ids are joined
 * by bytes, and only then read as UTF-8.  A space in a piece is U+0020,
 * whatever the file writes for it.  Immutable; any thread. */

#pragma once

#include "infer/error.h"
#include "inference/speech/folder.h"

typedef struct _InferVocabulary InferVocabulary;

typedef enum
{
  INFER_PIECE_SPECIAL = 1 << 0,   /* stands for no text: <|en|>, <unk>, … */
  INFER_PIECE_TIMESTAMP = 1 << 1, /* special: <|0.00|> */
  INFER_PIECE_BYTE = 1 << 2,      /* one byte, for what has no piece: <0x41> */
  INFER_PIECE_BEGINS_WORD = 1 << 3, /* begins with a space */
} InferPieceFlags;

/* --- files --- */

/* From the first of the sources whose files @folder has.  INFER_ERROR_NOT_FOUND
 * lists the files that would do. (transfer full) */
InferVocabulary *infer_vocabulary_load (
    const SpeechFolder *folder, GError **error);
/* Whether there is any. */
gboolean infer_vocabulary_probe (const SpeechFolder *folder);
/* Of the labels of a model, @name in messages: each a word of its own, unless
 * one is " ", "|" or begins with U+2581; then they are pieces.
 * (transfer full) */
InferVocabulary *infer_vocabulary_new (
    const char *name, const char *const *labels, GError **error);

InferVocabulary *infer_vocabulary_ref (InferVocabulary *vocabulary);
void infer_vocabulary_unref (InferVocabulary *vocabulary); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferVocabulary, infer_vocabulary_unref)

/* The path of the file, or the name of the model, for messages. */
const char *infer_vocabulary_name (const InferVocabulary *vocabulary);

/* --- pieces --- */

guint infer_vocabulary_size (const InferVocabulary *vocabulary);
/* The bytes of a piece, the name of a special one; not NUL-terminated.  An id
 * from the size on, which a model may have, is special and has none; it is a
 * timestamp if the last piece is <|notimestamps|>. */
const char *infer_vocabulary_bytes (
    const InferVocabulary *vocabulary, guint id, gsize *length);
guint infer_vocabulary_flags (const InferVocabulary *vocabulary, guint id);
/* The id of a special piece by its name; of another by its bytes; -1: none. */
int infer_vocabulary_find (
    const InferVocabulary *vocabulary, const char *piece);
/* The id of CTC's blank, by its usual names; -1: none. */
int infer_vocabulary_blank (const InferVocabulary *vocabulary);

/* --- ids → text --- */

/* Appends the bytes of @ids [@n]; special ones have none. */
void infer_vocabulary_join (const InferVocabulary *vocabulary, const guint *ids,
    gsize n, GString *bytes);
/* The text of @ids, always UTF-8: what is none becomes U+FFFD.  @more: ids
 * follow, so that the beginning of a character at the end is left out.
 * (transfer full) */
char *infer_vocabulary_text (const InferVocabulary *vocabulary,
    const guint *ids, gsize n, gboolean more);

typedef struct
{
  guint first, end; /* of the ids; special ones before it are not in it */
  gsize at, length; /* in bytes of the text, without spaces around it */
  gboolean joined;  /* no space between it and the word before it */
} InferWordSpan;

/* The text of @ids with its words (element-type InferWordSpan), which are
 * appended to @words: a word begins at a piece that begins with a space, or
 * with a character of a script without spaces (Chinese, Japanese, Thai, …);
 * single punctuation belongs to the word beside it.  (transfer full) */
char *infer_vocabulary_words (const InferVocabulary *vocabulary,
    const guint *ids, gsize n, GArray *words);

/* --- text → ids --- */

/* Appends the ids of @text (element-type guint), as the model was trained:
 * byte pairs by rank, the likeliest pieces, or the fewest.  Names of special
 * pieces in it are text like any other.  Letters take the case of the pieces
 * where these have one case only.
 * INFER_ERROR_UNSUPPORTED: this vocabulary encodes nothing, and why;
 * INFER_ERROR_INVALID_ARGUMENT: names the character that no piece has. */
gboolean infer_vocabulary_encode (const InferVocabulary *vocabulary,
    const char *text, GArray *ids, GError **error);
/* The same for words in the middle of a text: a space comes before them where
 * the pieces of words begin with one. */
gboolean infer_vocabulary_encode_words (const InferVocabulary *vocabulary,
    const char *words, GArray *ids, GError **error);
