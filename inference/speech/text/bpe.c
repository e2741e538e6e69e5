/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Byte pairs: of the neighbouring pieces of a word, the pair of the lowest rank
 * is joined until none is left. */

#include <string.h>

#include "inference/base/hash.h"
#include "inference/speech/text/vocabulary-private.h"

/* --- merges --- */

static guint32
slot_of (guint left, guint right)
{
  const guint32 pair[2] = { left, right };

  return (guint32) infer_hash_key (pair, sizeof pair);
}

/* The merge of two pieces; NULL: they are not joined. */
static const EncodeMerge *
find_merge (const Encoder *encoder, guint left, guint right)
{
  guint32 slot = slot_of (left, right) & encoder->merge_mask;

  for (; encoder->merge_slots[slot] != 0;
       slot = (slot + 1) & encoder->merge_mask) {
    const EncodeMerge *merge = &g_array_index (
        encoder->merges, EncodeMerge, encoder->merge_slots[slot] - 1);

    if (merge->left == left && merge->right == right)
      return merge;
  }
  return NULL;
}

static gboolean
find_part (const InferVocabulary *vocabulary, const VocabularyPlace *place,
    VocabularyText text, guint *id, GError **error)
{
  int found = vocabulary_find_text (vocabulary, text.bytes, text.length);

  if (found < 0) {
    g_autofree char *shown =
        g_utf8_make_valid (text.bytes, (gssize) text.length);

    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        place->is_line ? "%s:%u: the merge needs '%s', which is no piece of %s"
                       : "%s: model.merges[%u]: it needs '%s', which is no "
                         "piece of %s",
        place->path, place->number, shown, vocabulary->name);
  }
  *id = (guint) found;
  return TRUE;
}

gboolean
vocabulary_add_merge (InferVocabulary *vocabulary, const VocabularyPlace *place,
    VocabularyText left, VocabularyText right, GError **error)
{
  Encoder *encoder = &vocabulary->encoder;
  const gsize length = left.length + right.length;
  g_autofree char *joined = g_malloc (length + 1);
  EncodeMerge merge;

  if (length > 0) {
    memcpy (joined, left.bytes, left.length);
    memcpy (joined + left.length, right.bytes, right.length);
  }
  if (!find_part (vocabulary, place, left, &merge.left, error)
      || !find_part (vocabulary, place, right, &merge.right, error)
      || !find_part (vocabulary, place, (VocabularyText){ joined, length },
          &merge.joined, error))
    return FALSE;
  if (encoder->merges == NULL)
    encoder->merges = g_array_new (FALSE, FALSE, sizeof (EncodeMerge));
  g_array_append_val (encoder->merges, merge);
  return TRUE;
}

void
vocabulary_finish_merges (InferVocabulary *vocabulary)
{
  Encoder *encoder = &vocabulary->encoder;

  if (encoder->merges == NULL)
    encoder->merges = g_array_new (FALSE, FALSE, sizeof (EncodeMerge));
  const guint n = encoder->merges->len;
  const guint32 slots = (guint32) 1 << g_bit_storage (2 * (gsize) n + 1);
  encoder->merge_slots = g_new0 (guint32, slots);
  encoder->merge_mask = slots - 1;
  for (guint i = 0; i < n; i++) {
    const EncodeMerge *merge = &g_array_index (encoder->merges, EncodeMerge, i);
    guint32 slot = slot_of (merge->left, merge->right) & encoder->merge_mask;

    /* Of equal pairs the first is found: it has the lowest rank. */
    while (encoder->merge_slots[slot] != 0)
      slot = (slot + 1) & encoder->merge_mask;
    encoder->merge_slots[slot] = i + 1;
  }
}

/* --- a word --- */

/* A piece of the word, in a list; id -1: it was joined to the one before. */
typedef struct
{
  int id, previous, next;
} Part;

/* That the part at @at is joined to the next; a heap, the lowest rank and then
 * the leftmost on top. */
typedef struct
{
  guint rank, at, joined;
} Candidate;

static gboolean
is_before (const Candidate *a, const Candidate *b)
{
  return a->rank < b->rank || (a->rank == b->rank && a->at < b->at);
}

static void
push_candidate (GArray *heap, Candidate fresh)
{
  guint i = heap->len;

  g_array_append_val (heap, fresh);
  Candidate *items = (Candidate *) (gpointer) heap->data;
  for (; i > 0 && is_before (&fresh, &items[(i - 1) / 2]); i = (i - 1) / 2)
    items[i] = items[(i - 1) / 2];
  items[i] = fresh;
}

static Candidate
pop_candidate (GArray *heap)
{
  Candidate *items = (Candidate *) (gpointer) heap->data;
  const Candidate top = items[0], last = items[heap->len - 1];
  const guint n = heap->len - 1;
  guint i = 0;

  g_array_set_size (heap, n);
  for (guint child = 1; child < n; child = 2 * i + 1) {
    if (child + 1 < n && is_before (&items[child + 1], &items[child]))
      child++;
    if (!is_before (&items[child], &last))
      break;
    items[i] = items[child];
    i = child;
  }
  if (n > 0)
    items[i] = last;
  return top;
}

static void
consider (const Encoder *encoder, const Part *parts, int at, GArray *heap)
{
  if (at < 0 || parts[at].next < 0)
    return;
  const EncodeMerge *merge = find_merge (
      encoder, (guint) parts[at].id, (guint) parts[parts[at].next].id);
  if (merge != NULL)
    push_candidate (
        heap, (Candidate){ .rank = (guint) (merge
                                            - (const EncodeMerge *) (gpointer)
                                                  encoder->merges->data),
                  .at = (guint) at,
                  .joined = merge->joined });
}

/* Whether the pair of @candidate is still what it was. */
static gboolean
is_current (
    const Encoder *encoder, const Part *parts, const Candidate *candidate)
{
  const Part *part = &parts[candidate->at];

  if (part->id < 0 || part->next < 0)
    return FALSE;
  const EncodeMerge *merge =
      find_merge (encoder, (guint) part->id, (guint) parts[part->next].id);
  return merge != NULL && merge->joined == candidate->joined;
}

static void
join_parts (const Encoder *encoder, Part *parts, int n)
{
  g_autoptr (GArray) heap = g_array_new (FALSE, FALSE, sizeof (Candidate));

  for (int i = 0; i < n; i++)
    consider (encoder, parts, i, heap);
  while (heap->len > 0) {
    const Candidate best = pop_candidate (heap);
    Part *part = &parts[best.at];

    if (!is_current (encoder, parts, &best))
      continue;
    Part *gone = &parts[part->next];
    part->id = (int) best.joined;
    part->next = gone->next;
    gone->id = -1;
    if (part->next >= 0)
      parts[part->next].previous = (int) best.at;
    consider (encoder, parts, part->previous, heap);
    consider (encoder, parts, (int) best.at, heap);
  }
}

/* Appends the ids of the word's characters, or bytes. */
static gboolean
begin_parts (const InferVocabulary *vocabulary, const char *word, gsize length,
    GArray *ids, GError **error)
{
  gboolean unknown = FALSE;

  for (gsize i = 0, n; i < length; i += n) {
    n = vocabulary->encoder.byte_level ? 1 : vocabulary_skip (word + i);
    int id = vocabulary_find_text (vocabulary, word + i, n);
    const guint found = (guint) id;

    if (id >= 0)
      g_array_append_val (ids, found);
    else if (!vocabulary_encode_unknown (
                 vocabulary, word + i, n, unknown, ids, error))
      return FALSE;
    unknown = id < 0;
  }
  return TRUE;
}

gboolean
vocabulary_encode_pairs (const InferVocabulary *vocabulary, const char *word,
    gsize length, GArray *ids, GError **error)
{
  const Encoder *encoder = &vocabulary->encoder;
  const guint base = ids->len;

  if (encoder->whole_words) {
    int whole = vocabulary_find_text (vocabulary, word, length);
    const guint id = (guint) whole;

    if (whole >= 0) {
      g_array_append_val (ids, id);
      return TRUE;
    }
  }
  if (!begin_parts (vocabulary, word, length, ids, error))
    return FALSE;
  const int n = (int) (ids->len - base);
  g_autofree Part *parts = g_new (Part, MAX (n, 1));
  for (int i = 0; i < n; i++)
    parts[i] = (Part){ .id = (int) g_array_index (ids, guint, base + (guint) i),
      .previous = i - 1,
      .next = i + 1 < n ? i + 1 : -1 };
  join_parts (encoder, parts, n);
  g_array_set_size (ids, base);
  for (int i = 0; i >= 0 && i < n; i = parts[i].next) {
    const guint id = (guint) parts[i].id;

    g_array_append_val (ids, id);
  }
  return TRUE;
}
