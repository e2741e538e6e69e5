/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Within inference/speech/text: how a vocabulary lies in memory and how a
 * source makes one. */

#pragma once

#include "inference/speech/text/vocabulary.h"

#define VOCABULARY_SPACE "\xe2\x96\x81" /* U+2581, SentencePiece's space */
#define VOCABULARY_MOST 0x200000        /* pieces */
#define VOCABULARY_FILE_MOST ((gsize) 1 << 26)

/* --- encoders --- */

typedef enum
{
  ENCODE_NOTHING, /* why says why */
  ENCODE_BYTE_PAIRS,
  ENCODE_RANKS, /* byte pairs whose rank is the id of what they become */
  ENCODE_BEST,  /* pieces with the highest sum of scores */
} EncodeKind;

typedef enum
{
  ENCODE_SPLIT_NONE,
  ENCODE_SPLIT_SPACES, /* before each space */
  ENCODE_SPLIT_GPT2,   /* words, numbers, other characters, space */
} EncodeSplit;

typedef enum
{
  ENCODE_PREFIX_NONE,
  ENCODE_PREFIX_MISSING, /* a space in front, where there is none */
  ENCODE_PREFIX_ALWAYS,
} EncodePrefix;

typedef struct
{
  guint left, right, joined; /* the rank is the index */
} EncodeMerge;

typedef struct
{
  EncodeKind kind;
  char *why;
  EncodeSplit split;
  EncodePrefix prefix;
  int normalize;          /* GNormalizeMode; -1: not */
  gboolean byte_level;    /* characters are bytes from the beginning */
  gboolean byte_fallback; /* what has no piece is written as bytes */
  gboolean fuse_unknown;  /* a run of unknown characters is one */
  gboolean whole_words;   /* a word that is a piece is not split */
  int unknown;            /* -1: none */
  GArray *merges;         /* (element-type EncodeMerge) */
  guint32 *merge_slots;   /* by left and right: index + 1, 0 for a free slot */
  guint32 merge_mask;
  GArray *scores; /* (element-type double), by id; NULL: the fewest pieces */
  double unknown_score;
} Encoder;

/* --- the vocabulary --- */

typedef struct
{
  guint32 at; /* of its bytes */
  guint16 length;
  guint8 flags; /* InferPieceFlags */
  guint8 given;
} VocabularyPiece;

/* Open addressing: id + 1, 0 for a free slot. */
typedef struct
{
  guint32 *slots, mask;
} VocabularyTable;

struct _InferVocabulary
{
  gint refs;
  char *name;
  GArray *pieces; /* (element-type VocabularyPiece) */
  GString *bytes;
  VocabularyTable texts, names; /* of ordinary and of special pieces */
  int byte_ids[256];            /* -1: no piece for this byte */
  guint longest;                /* bytes of an ordinary piece */
  gboolean timestamps_follow;
  gboolean no_lower, no_upper; /* no ordinary piece has such letters */
  Encoder encoder;
};

static inline const VocabularyPiece *
vocabulary_piece (const InferVocabulary *vocabulary, guint id)
{
  return &g_array_index (vocabulary->pieces, VocabularyPiece, id);
}

/* The id of the ordinary piece of these bytes; -1: none. */
int vocabulary_find_text (
    const InferVocabulary *vocabulary, const char *bytes, gsize length);

/* --- for sources: new, add, finish --- */

InferVocabulary *vocabulary_new (const char *name);
/* Errors: another piece has this id; it is too large; the piece is too long. */
gboolean vocabulary_add (InferVocabulary *vocabulary, gint64 id,
    const char *bytes, gsize length, guint flags, GError **error);
/* The same for a piece in SentencePiece's spelling: U+2581, <0x41>, <unk>. */
gboolean vocabulary_add_spelled (InferVocabulary *vocabulary, gint64 id,
    const char *piece, gsize length, GError **error);
/* Makes the tables.  Errors: an id has no piece; there are none. */
gboolean vocabulary_finish (InferVocabulary *vocabulary, GError **error);
/* Flags of special pieces, by the form of the name: <…>, [PAD]; else 0. */
guint vocabulary_name_flags (const char *piece, gsize length);

/* --- for sources: encoders, after vocabulary_finish --- */

typedef struct
{
  const char *bytes;
  gsize length;
} VocabularyText;

/* Where a merge stands: a line of a file, or an item of model.merges. */
typedef struct
{
  const char *path;
  guint number;
  gboolean is_line;
} VocabularyPlace;

/* The pieces @left and @right become one.  Errors: no such pieces. */
gboolean vocabulary_add_merge (InferVocabulary *vocabulary,
    const VocabularyPlace *place, VocabularyText left, VocabularyText right,
    GError **error);
void vocabulary_finish_merges (InferVocabulary *vocabulary);
void vocabulary_encode_nothing (
    InferVocabulary *vocabulary, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* --- for encode.c --- */

/* Of one word in UTF-8. */
gboolean vocabulary_encode_pairs (const InferVocabulary *vocabulary,
    const char *word, gsize length, GArray *ids, GError **error);
gboolean vocabulary_encode_ranks (const InferVocabulary *vocabulary,
    const char *word, gsize length, GArray *ids, GError **error);
gboolean vocabulary_encode_best (const InferVocabulary *vocabulary,
    const char *word, gsize length, GArray *ids, GError **error);
/* A character without a piece: its bytes, the unknown piece, nothing, or an
 * error. */
gboolean vocabulary_encode_unknown (const InferVocabulary *vocabulary,
    const char *character, gsize length, gboolean again, GArray *ids,
    GError **error);
/* The end of the word of GPT-2's rule that begins at @at, before @end. */
const char *vocabulary_next_word (const char *at, const char *end);

/* --- UTF-8 --- */

/* The length of the character at @bytes; or, *@valid FALSE, of the part of one,
 * or the byte, that is replaced by U+FFFD.  *@cut: the bytes end within it. */
gsize vocabulary_next_character (
    const char *bytes, gsize length, gboolean *valid, gboolean *cut);

/* Of the character at @at, in valid UTF-8. */
static inline gsize
vocabulary_skip (const char *at)
{
  return (gsize) g_utf8_skip[(guchar) *at];
}

/* GPT-2's spelling of bytes as characters. */
gsize vocabulary_from_byte_level (const char *piece, gsize length, char *bytes);
