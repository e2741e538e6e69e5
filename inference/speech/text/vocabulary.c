/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/text/vocabulary.h"

#include <string.h>

#include "inference/base/hash.h"
#include "inference/speech/text/source.h"

#define LONGEST_PIECE 4096

InferVocabulary *
vocabulary_new (const char *name)
{
  InferVocabulary *vocabulary = g_new0 (InferVocabulary, 1);

  vocabulary->refs = 1;
  vocabulary->name = g_strdup (name);
  vocabulary->pieces = g_array_new (FALSE, TRUE, sizeof (VocabularyPiece));
  vocabulary->bytes = g_string_new (NULL);
  for (guint i = 0; i < 256; i++)
    vocabulary->byte_ids[i] = -1;
  vocabulary->encoder.unknown = -1;
  vocabulary->encoder.normalize = -1;
  return vocabulary;
}

InferVocabulary *
infer_vocabulary_ref (InferVocabulary *vocabulary)
{
  g_atomic_int_inc (&vocabulary->refs);
  return vocabulary;
}

void
infer_vocabulary_unref (InferVocabulary *vocabulary)
{
  if (vocabulary == NULL || !g_atomic_int_dec_and_test (&vocabulary->refs))
    return;
  g_free (vocabulary->name);
  g_array_unref (vocabulary->pieces);
  g_string_free (vocabulary->bytes, TRUE);
  g_free (vocabulary->texts.slots);
  g_free (vocabulary->names.slots);
  g_free (vocabulary->encoder.why);
  g_clear_pointer (&vocabulary->encoder.merges, g_array_unref);
  g_free (vocabulary->encoder.merge_slots);
  g_clear_pointer (&vocabulary->encoder.scores, g_array_unref);
  g_free (vocabulary);
}

const char *
infer_vocabulary_name (const InferVocabulary *vocabulary)
{
  return vocabulary->name;
}

/* --- pieces --- */

guint
infer_vocabulary_size (const InferVocabulary *vocabulary)
{
  return vocabulary->pieces->len;
}

const char *
infer_vocabulary_bytes (
    const InferVocabulary *vocabulary, guint id, gsize *length)
{
  if (id >= vocabulary->pieces->len) {
    *length = 0;
    return "";
  }
  const VocabularyPiece *piece = vocabulary_piece (vocabulary, id);
  *length = piece->length;
  return vocabulary->bytes->str + piece->at;
}

guint
infer_vocabulary_flags (const InferVocabulary *vocabulary, guint id)
{
  if (id < vocabulary->pieces->len)
    return vocabulary_piece (vocabulary, id)->flags;
  return INFER_PIECE_SPECIAL
         | (vocabulary->timestamps_follow ? INFER_PIECE_TIMESTAMP : 0);
}

static gboolean
is_piece (const InferVocabulary *vocabulary, guint id, const char *bytes,
    gsize length)
{
  const VocabularyPiece *piece = vocabulary_piece (vocabulary, id);

  return piece->length == length
         && memcmp (vocabulary->bytes->str + piece->at, bytes, length) == 0;
}

/* Its slot, which is free if there is no such piece. */
static guint32 *
find_slot (const InferVocabulary *vocabulary, const VocabularyTable *table,
    const char *bytes, gsize length)
{
  guint32 slot = (guint32) infer_hash_key (bytes, length) & table->mask;

  while (table->slots[slot] != 0
         && !is_piece (vocabulary, table->slots[slot] - 1, bytes, length))
    slot = (slot + 1) & table->mask;
  return &table->slots[slot];
}

int
vocabulary_find_text (
    const InferVocabulary *vocabulary, const char *bytes, gsize length)
{
  return (int) *find_slot (vocabulary, &vocabulary->texts, bytes, length) - 1;
}

int
infer_vocabulary_find (const InferVocabulary *vocabulary, const char *piece)
{
  const gsize length = strlen (piece);
  guint32 found = *find_slot (vocabulary, &vocabulary->names, piece, length);

  return found != 0 ? (int) found - 1
                    : vocabulary_find_text (vocabulary, piece, length);
}

int
infer_vocabulary_blank (const InferVocabulary *vocabulary)
{
  static const char *const names[] = { "<blk>", "<blank>", "[blank]", "<BLK>",
    "<pad>", "[PAD]", "<eps>", "_" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    int id = infer_vocabulary_find (vocabulary, names[i]);

    if (id >= 0)
      return id;
  }
  return -1;
}

/* --- made by sources --- */

/* The text between its first and last character, of a name in brackets. */
static gboolean
is_in (const char *piece, gsize length, char open, char close)
{
  return length >= 3 && piece[0] == open && piece[length - 1] == close
         && memchr (piece + 1, open, length - 2) == NULL
         && memchr (piece, ' ', length) == NULL;
}

/* <|0.00|> */
static gboolean
is_timestamp (const char *piece, gsize length)
{
  gboolean point = FALSE;

  if (length < 5 || memcmp (piece, "<|", 2) != 0
      || memcmp (piece + length - 2, "|>", 2) != 0)
    return FALSE;
  for (gsize i = 2; i < length - 2; i++) {
    if (!g_ascii_isdigit (piece[i]) && (piece[i] != '.' || point))
      return FALSE;
    point |= piece[i] == '.';
  }
  return point;
}

guint
vocabulary_name_flags (const char *piece, gsize length)
{
  static const char *const names[] = { "[PAD]", "[UNK]", "[CLS]", "[SEP]",
    "[MASK]", "[blank]" };

  if (is_in (piece, length, '<', '>'))
    return INFER_PIECE_SPECIAL
           | (is_timestamp (piece, length) ? INFER_PIECE_TIMESTAMP : 0);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (length == strlen (names[i]) && memcmp (piece, names[i], length) == 0)
      return INFER_PIECE_SPECIAL;
  return 0;
}

static gboolean
fail_twice (const InferVocabulary *vocabulary, guint id, const char *bytes,
    gsize length, GError **error)
{
  const VocabularyPiece *old = vocabulary_piece (vocabulary, id);
  g_autofree char *a =
      g_utf8_make_valid (vocabulary->bytes->str + old->at, old->length);
  g_autofree char *b = g_utf8_make_valid (bytes, (gssize) length);

  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "%s: id %u is given to two pieces, '%s' and '%s'", vocabulary->name, id,
      a, b);
}

gboolean
vocabulary_add (InferVocabulary *vocabulary, gint64 id, const char *bytes,
    gsize length, guint flags, GError **error)
{
  if (id < 0 || id >= VOCABULARY_MOST)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: the id %" G_GINT64_FORMAT " of '%.*s' is not between 0 and %d",
        vocabulary->name, id, (int) MIN (length, 64), bytes,
        VOCABULARY_MOST - 1);
  if (length > LONGEST_PIECE)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: the piece of id %" G_GINT64_FORMAT " has %" G_GSIZE_FORMAT
        " bytes, more than %d",
        vocabulary->name, id, length, LONGEST_PIECE);
  if (id >= vocabulary->pieces->len)
    g_array_set_size (vocabulary->pieces, (guint) id + 1);
  VocabularyPiece *piece =
      &g_array_index (vocabulary->pieces, VocabularyPiece, id);
  if (piece->given && !is_piece (vocabulary, (guint) id, bytes, length))
    return fail_twice (vocabulary, (guint) id, bytes, length, error);
  if ((flags & (INFER_PIECE_SPECIAL | INFER_PIECE_BYTE)) == 0 && length > 0
      && bytes[0] == ' ')
    flags |= INFER_PIECE_BEGINS_WORD;
  if (piece->given) {
    piece->flags |= (guint8) flags;
    return TRUE;
  }
  *piece = (VocabularyPiece){ .at = (guint32) vocabulary->bytes->len,
    .length = (guint16) length,
    .flags = (guint8) flags,
    .given = TRUE };
  g_string_append_len (vocabulary->bytes, bytes, (gssize) length);
  return TRUE;
}

static void
note_letters (InferVocabulary *vocabulary, const char *bytes, gsize length)
{
  gboolean valid, cut;

  for (gsize i = 0, n; i < length; i += n) {
    n = vocabulary_next_character (bytes + i, length - i, &valid, &cut);
    gunichar c = valid ? g_utf8_get_char (bytes + i) : 0;
    vocabulary->no_lower &= !g_unichar_islower (c);
    vocabulary->no_upper &= !g_unichar_isupper (c);
  }
}

static void
make_table (VocabularyTable *table, guint entries)
{
  const guint32 slots = (guint32) 1 << g_bit_storage (2 * (gsize) entries + 1);

  table->slots = g_new0 (guint32, slots);
  table->mask = slots - 1;
}

/* Of pieces of equal bytes, the first one is found. */
static void
enter_piece (InferVocabulary *vocabulary, guint id)
{
  const VocabularyPiece *piece = vocabulary_piece (vocabulary, id);
  const char *bytes = vocabulary->bytes->str + piece->at;
  const gboolean special = (piece->flags & INFER_PIECE_SPECIAL) != 0;

  if ((piece->flags & INFER_PIECE_BYTE) != 0) {
    int *place = &vocabulary->byte_ids[(guchar) bytes[0]];

    *place = *place < 0 ? (int) id : *place;
    return;
  }
  guint32 *slot = find_slot (vocabulary,
      special ? &vocabulary->names : &vocabulary->texts, bytes, piece->length);
  if (*slot == 0)
    *slot = id + 1;
  if (special)
    return;
  vocabulary->longest = MAX (vocabulary->longest, piece->length);
  note_letters (vocabulary, bytes, piece->length);
}

gboolean
vocabulary_finish (InferVocabulary *vocabulary, GError **error)
{
  const guint n = vocabulary->pieces->len;
  guint special = 0;

  if (n == 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: there are no pieces in it", vocabulary->name);
  for (guint id = 0; id < n; id++) {
    const VocabularyPiece *piece = vocabulary_piece (vocabulary, id);

    if (!piece->given)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "%s: no piece has id %u, while ids go up to %u", vocabulary->name, id,
          n - 1);
    special += (piece->flags & INFER_PIECE_SPECIAL) != 0;
  }
  make_table (&vocabulary->texts, n - special);
  make_table (&vocabulary->names, special);
  vocabulary->no_lower = vocabulary->no_upper = TRUE;
  for (guint id = 0; id < n; id++)
    enter_piece (vocabulary, id);
  vocabulary->timestamps_follow =
      infer_vocabulary_find (vocabulary, "<|notimestamps|>") == (int) n - 1;
  return TRUE;
}

/* --- files --- */

static const VocabularySource *const sources[] = {
#define SOURCE(name) &vocabulary_source_##name,
#include "inference/speech/text/source-list.h"
#undef SOURCE
};

static const VocabularySource *
find_source (const SpeechFolder *folder)
{
  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    if (sources[i]->probe (folder))
      return sources[i];
  return NULL;
}

gboolean
infer_vocabulary_probe (const SpeechFolder *folder)
{
  return find_source (folder) != NULL;
}

InferVocabulary *
infer_vocabulary_load (const SpeechFolder *folder, GError **error)
{
  const VocabularySource *source = find_source (folder);
  g_autoptr (GString) files = g_string_new (NULL);

  if (source != NULL)
    return source->load (folder, error);
  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    g_string_append_printf (
        files, "%s%s", i == 0 ? "" : "; ", sources[i]->files);
  infer_fail (error, INFER_ERROR_NOT_FOUND,
      "%s: nothing says what the model's tokens are; one of these is needed: %s",
      folder->folder, files->str);
  return NULL;
}
