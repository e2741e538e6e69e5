/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/speech/agree.h"

#include <stdlib.h>
#include <string.h>

#define MOST_WORDS 200 /* of an overlap */

/* --- equal words --- */

/* (transfer full) */
static char *
normalize (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autofree char *folded = g_utf8_casefold (valid, -1);
  GString *kept = g_string_new (NULL);

  for (char *c = folded; *c != '\0'; c = g_utf8_next_char (c)) {
    gunichar letter = g_utf8_get_char (c);

    if (g_unichar_isalnum (letter) || g_unichar_ismark (letter))
      g_string_append_unichar (kept, letter);
  }
  if (kept->len == 0) /* nothing but signs */
    g_string_assign (kept, folded);
  return g_string_free (kept, FALSE);
}

gboolean
infer_words_equal (const char *a, const char *b)
{
  g_autofree char *one = normalize (a);
  g_autofree char *other = normalize (b);

  return strcmp (one, other) == 0;
}

/* --- alignment --- */

/* A place of the alignment: a word of the left, of the right, or of both. */
typedef struct
{
  int left, right; /* index, -1: none */
} Slot;

typedef struct
{
  const InferWord *left, *right;
  guint n_left, n_right; /* of the overlap */
  guint64 begin, end;    /* of the overlap */
  guint64 length;        /* twice from its beginning to the cut: a measure */
  float *score;          /* [n_left + 1][n_right + 1] of the rest */
  char **left_text, **right_text;
} Alignment;

static guint64
middle_of (const InferWord *word)
{
  return word->start + (MAX (word->end, word->start) - word->start) / 2;
}

static guint64
distance (guint64 a, guint64 b)
{
  return a > b ? a - b : b - a;
}

/* A third of the shorter one is within the other, or their middles are nearly
 * the same: times of words are off by some 50 ms. */
static gboolean
is_same_time (const InferWord *a, const InferWord *b, guint64 length)
{
  guint64 begin = MAX (a->start, b->start), end = MIN (a->end, b->end);
  guint64 shorter =
      MIN (a->end - MIN (a->start, a->end), b->end - MIN (b->start, b->end));

  return (end > begin && 3 * (end - begin) >= shorter)
         || distance (middle_of (a), middle_of (b)) <= length / 20;
}

/* From the end of the one to the beginning of the other; 0: they overlap. */
static guint64
gap_between (const InferWord *a, const InferWord *b)
{
  if (a->start > b->end)
    return a->start - b->end;
  return b->start > a->end ? b->start - a->end : 0;
}

/* How good a pair two words are; 0: none.  At an edge a word may be stretched
 * by a second, so that its middle says little. */
static float
rate_pair (const Alignment *self, guint i, guint k)
{
  const InferWord *a = &self->left[i], *b = &self->right[k];
  float apart = (float) distance (middle_of (a), middle_of (b))
                / (float) MAX (self->length, 1);

  if (strcmp (self->left_text[i], self->right_text[k]) == 0
      && (apart <= 1 || gap_between (a, b) <= self->length / 2))
    return 3 - MIN (apart, 1.5f);
  return is_same_time (a, b, self->length) ? 1 : 0;
}

static float *
score_at (const Alignment *self, guint i, guint k)
{
  return &self->score[(gsize) i * (self->n_right + 1) + k];
}

static void
fill_scores (Alignment *self)
{
  for (guint i = self->n_left; i-- > 0;)
    for (guint k = self->n_right; k-- > 0;) {
      float pair = rate_pair (self, i, k);
      float best = MAX (*score_at (self, i + 1, k), *score_at (self, i, k + 1));

      if (pair > 0)
        best = MAX (best, pair + *score_at (self, i + 1, k + 1));
      *score_at (self, i, k) = best;
    }
}

/* Appends the slots in the order of time. */
static void
list_slots (const Alignment *self, GArray *slots)
{
  guint i = 0, k = 0;

  while (i < self->n_left || k < self->n_right) {
    Slot slot = { -1, -1 };
    gboolean both = i < self->n_left && k < self->n_right;
    float here = both ? *score_at (self, i, k) : 0;
    float pair = both ? rate_pair (self, i, k) : 0;

    if (pair > 0 && here == pair + *score_at (self, i + 1, k + 1)) {
      slot = (Slot){ (int) i, (int) k };
    } else if (both) {
      gboolean left = here == *score_at (self, i + 1, k);
      gboolean right = here == *score_at (self, i, k + 1);

      if (left && right)
        left = middle_of (&self->left[i]) <= middle_of (&self->right[k]);
      slot = left ? (Slot){ (int) i, -1 } : (Slot){ -1, (int) k };
    } else {
      slot = i < self->n_left ? (Slot){ (int) i, -1 } : (Slot){ -1, (int) k };
    }
    i += slot.left >= 0;
    k += slot.right >= 0;
    g_array_append_val (slots, slot);
  }
}

/* A word of one side that lies at the edge of its samples, and so may be a part
 * of a word. */
static gboolean
is_at_edge (const Alignment *self, const InferWord *word, gboolean is_left)
{
  guint64 edge = 3 * self->length / 20;

  return is_left ? word->end + edge >= self->end
                 : word->start <= self->begin + edge;
}

/* The cost of taking @slot from the left, or from the right.  A word that
 * only one side has is dropped at a cost, the full one where that side hears
 * better; it is kept at a cost only at the edge of its samples. */
static double
cost_of (
    const Alignment *self, const Slot *slot, gboolean from_left, guint64 cut)
{
  if (slot->left >= 0 && slot->right >= 0)
    return 0;
  gboolean is_left = slot->left >= 0;
  const InferWord *word =
      is_left ? &self->left[slot->left] : &self->right[slot->right];
  gboolean better = is_left ? middle_of (word) < cut : middle_of (word) >= cut;
  gboolean edge = !better && is_at_edge (self, word, is_left);

  if (from_left == is_left)
    return edge ? 0.5 : 0;
  return better ? 1 : (edge ? 0.25 : 0.5);
}

/* Where @slot lies, by the side that hears it better. */
static guint64
middle_of_slot (const Alignment *self, const Slot *slot, gboolean from_left)
{
  gboolean left = slot->right < 0 || (from_left && slot->left >= 0);

  return middle_of (left ? &self->left[slot->left] : &self->right[slot->right]);
}

/* How far the transition before slot @s is from the cut. */
static guint64
distance_of (const Alignment *self, const GArray *slots, guint s, guint64 cut)
{
  guint64 off = 0;

  if (s < slots->len) {
    guint64 at = middle_of_slot (self, &g_array_index (slots, Slot, s), FALSE);
    off = at < cut ? cut - at : 0;
  }
  if (s > 0) {
    guint64 at =
        middle_of_slot (self, &g_array_index (slots, Slot, s - 1), TRUE);
    off = MAX (off, at > cut ? at - cut : 0);
  }
  return off;
}

/* Returns the number of slots that are taken from the left. */
static guint
find_transition (const Alignment *self, const GArray *slots, guint64 cut)
{
  double cost = 0, least = G_MAXDOUBLE;
  guint best = 0;

  for (guint s = 0; s < slots->len; s++)
    cost += cost_of (self, &g_array_index (slots, Slot, s), FALSE, cut);
  for (guint s = 0; s <= slots->len; s++) {
    if (s > 0) {
      const Slot *passed = &g_array_index (slots, Slot, s - 1);

      cost += cost_of (self, passed, TRUE, cut)
              - cost_of (self, passed, FALSE, cut);
    }
    double off = (double) distance_of (self, slots, s, cut)
                 / (double) MAX (self->length, 1);
    if (cost + 0.2 * off < least) {
      least = cost + 0.2 * off;
      best = s;
    }
  }
  return best;
}

static char **
normalize_all (const InferWord *words, guint n)
{
  char **texts = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    texts[i] = normalize (words[i].text);
  return texts;
}

guint64
infer_words_reach (guint64 begin, guint64 cut)
{
  guint64 margin = (cut - MIN (begin, cut)) / 2;

  return begin - MIN (begin, margin);
}

void
infer_words_join (const InferWord *left, guint n_left_words,
    const InferWord *right, guint n_right_words, guint64 begin, guint64 cut,
    guint64 end, guint *n_left, guint *first)
{
  guint before = n_left_words, shared = 0;
  guint64 reach = infer_words_reach (begin, cut);

  while (before > 0 && n_left_words - before < MOST_WORDS
         && left[before - 1].end > reach)
    before--;
  while (shared < MIN (n_right_words, MOST_WORDS)
         && right[shared].start < end + (begin - reach))
    shared++;
  Alignment self = { .left = left + before,
    .right = right,
    .n_left = n_left_words - before,
    .n_right = shared,
    .begin = begin,
    .end = end,
    .length = 2 * (cut - MIN (begin, cut)) };
  self.score = g_new0 (float, (gsize) (self.n_left + 1) * (self.n_right + 1));
  self.left_text = normalize_all (self.left, self.n_left);
  self.right_text = normalize_all (self.right, self.n_right);
  g_autoptr (GArray) slots = g_array_new (FALSE, FALSE, sizeof (Slot));
  fill_scores (&self);
  list_slots (&self, slots);
  guint taken = find_transition (&self, slots, cut);
  if (self.n_right == 0)
    taken = slots->len; /* it has heard nothing there */
  else if (self.n_left == 0)
    taken = 0;
  *n_left = before;
  *first = 0;
  for (guint s = 0; s < taken; s++) {
    const Slot *slot = &g_array_index (slots, Slot, s);

    *n_left += slot->left >= 0;
    *first += slot->right >= 0;
  }
  g_free (self.score);
  g_strfreev (self.left_text);
  g_strfreev (self.right_text);
}

/* --- successive hypotheses --- */

/* Chosen with Whisper tiny.en on 41 recordings, partial results every 0.5 s: of
 * the words that were shown as stable the final text lacks 3.0 %, where two
 * equal hypotheses alone decide 3.6 %; words are stable 0.15 s earlier (median;
 * 0.3 s at nine of ten). */

/* One hypothesis: a word ended so many seconds ago, and the probabilities of
 * it, which may fall by SURE_SLOPE for each further second, and of the next. */
#define SURE_SECONDS 0.2
#define SURE 0.6
#define SURE_SLOPE 0.1
#define SURE_NEXT 0.3
/* Two hypotheses: its probability in the later one. */
#define DOUBTED 0.4
/* So many equal hypotheses need nothing else. */
#define ENOUGH 3

typedef struct
{
  char *text; /* normalised */
  guint n;    /* hypotheses in a row that have it at this place */
} AgreedWord;

struct _InferAgreement
{
  guint rate;    /* times in a second */
  GArray *words; /* (element-type AgreedWord): of the last hypothesis */
};

static void
clear_word (gpointer word)
{
  g_free (((AgreedWord *) word)->text);
}

static GArray *
new_agreed_words (void)
{
  GArray *words = g_array_new (FALSE, FALSE, sizeof (AgreedWord));

  g_array_set_clear_func (words, clear_word);
  return words;
}

InferAgreement *
infer_agreement_new (void)
{
  InferAgreement *self = g_new0 (InferAgreement, 1);

  self->words = new_agreed_words ();
  return self;
}

void
infer_agreement_free (InferAgreement *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->words);
  g_free (self);
}

void
infer_agreement_begin (InferAgreement *self, guint rate)
{
  self->rate = MAX (rate, 1);
  g_array_set_size (self->words, 0);
}

/* Whether one hypothesis about what was heard before @heard is enough for
 * @word, which @next follows. */
static gboolean
is_sure (const InferAgreement *self, const InferWord *word,
    const InferWord *next, guint64 heard)
{
  double ago = heard > word->end
                   ? (double) (heard - word->end) / self->rate - SURE_SECONDS
                   : -SURE_SECONDS;

  return ago >= 0 && (double) next->probability >= SURE_NEXT
         && (double) word->probability >= SURE - SURE_SLOPE * ago;
}

guint
infer_agreement_push (
    InferAgreement *self, const InferWord *words, guint n, guint64 heard)
{
  GArray *now = new_agreed_words ();
  guint stable = 0;

  for (guint i = 0; i < n; i++) {
    AgreedWord word = { normalize (words[i].text), 1 };
    const AgreedWord *before = i < self->words->len
                                   ? &g_array_index (self->words, AgreedWord, i)
                                   : NULL;

    if (before != NULL && strcmp (before->text, word.text) == 0)
      word.n = before->n + 1;
    g_array_append_val (now, word);
    if (stable == i
        && (word.n >= ENOUGH
            || (word.n > 1 && (double) words[i].probability >= DOUBTED)
            || (i + 1 < n && is_sure (self, &words[i], &words[i + 1], heard))))
      stable++;
  }
  g_array_unref (self->words);
  self->words = now;
  return stable;
}
