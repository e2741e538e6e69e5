/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/text/phrases.h"

#include <string.h>

#include "inference/base/hash.h"

#define MOST_NODES 100000

/* A beginning of phrases. */
typedef struct
{
  guint parent, id, depth;
  guint failure;   /* the longest other beginning that its text ends with */
  gboolean ends;   /* a phrase ends here */
  float bonus;     /* of its id: the largest of its phrases */
  float pending;   /* bonus since the last phrase on the way to it ended */
  float completed; /* bonus of all phrases that end with its text */
} Node;

struct _InferPhrases
{
  gint refs;
  GArray *nodes;  /* (element-type Node), the root first, parents first */
  guint32 *slots; /* by parent and id: node, 0 for a free slot */
  guint32 mask;
  float most; /* bonus of a step */
};

InferPhrases *
infer_phrases_ref (InferPhrases *phrases)
{
  g_atomic_int_inc (&phrases->refs);
  return phrases;
}

void
infer_phrases_unref (InferPhrases *phrases)
{
  if (phrases == NULL || !g_atomic_int_dec_and_test (&phrases->refs))
    return;
  g_array_unref (phrases->nodes);
  g_free (phrases->slots);
  g_free (phrases);
}

static Node *
node_at (const InferPhrases *phrases, guint i)
{
  return &g_array_index (phrases->nodes, Node, i);
}

/* --- the tree --- */

static guint32
slot_of (guint parent, guint id)
{
  const guint32 key[2] = { parent, id };

  return (guint32) infer_hash_key (key, sizeof key);
}

/* 0: no phrase goes on with @id. */
static guint
find_child (const InferPhrases *phrases, guint parent, guint id)
{
  guint32 slot = slot_of (parent, id) & phrases->mask;

  for (; phrases->slots[slot] != 0; slot = (slot + 1) & phrases->mask) {
    const Node *node = node_at (phrases, phrases->slots[slot]);

    if (node->parent == parent && node->id == id)
      break;
  }
  return phrases->slots[slot];
}

static void
enter_node (InferPhrases *phrases, guint i)
{
  const Node *node = node_at (phrases, i);
  guint32 slot = slot_of (node->parent, node->id) & phrases->mask;

  while (phrases->slots[slot] != 0)
    slot = (slot + 1) & phrases->mask;
  phrases->slots[slot] = i;
}

static void
grow_slots (InferPhrases *phrases)
{
  const guint32 slots = 4 * (phrases->mask + 1);

  g_free (phrases->slots);
  phrases->slots = g_new0 (guint32, slots);
  phrases->mask = slots - 1;
  for (guint i = 1; i < phrases->nodes->len; i++)
    enter_node (phrases, i);
}

static void
add_phrase (InferPhrases *phrases, const GArray *ids, float bonus)
{
  guint at = 0;

  for (guint i = 0; i < ids->len; i++) {
    const guint id = g_array_index (ids, guint, i);
    guint child = find_child (phrases, at, id);

    if (child == 0) {
      const Node fresh = {
        .parent = at, .id = id, .depth = i + 1, .bonus = bonus
      };

      child = phrases->nodes->len;
      g_array_append_val (phrases->nodes, fresh);
      if (2 * phrases->nodes->len > phrases->mask)
        grow_slots (phrases);
      else
        enter_node (phrases, child);
    }
    Node *node = node_at (phrases, child);
    node->bonus = MAX (node->bonus, bonus);
    at = child;
  }
  node_at (phrases, at)->ends |= ids->len > 0;
}

/* The node after @id from @at, where @at has no such child. */
static guint
follow_failures (const InferPhrases *phrases, guint at, guint id)
{
  while (at != 0) {
    at = node_at (phrases, at)->failure;
    guint child = find_child (phrases, at, id);
    if (child != 0)
      return child;
  }
  return 0;
}

typedef struct
{
  guint depth, node;
} Order;

static int
compare_orders (gconstpointer a, gconstpointer b)
{
  const Order *x = a, *y = b;

  return x->depth != y->depth ? (x->depth > y->depth) - (x->depth < y->depth)
                              : (x->node > y->node) - (x->node < y->node);
}

/* Fills in what depends on shorter beginnings, which come first. */
static void
link_node (InferPhrases *phrases, guint i)
{
  Node *node = node_at (phrases, i);
  const Node *parent = node_at (phrases, node->parent);
  const float sum = parent->pending + node->bonus;

  node->failure = follow_failures (phrases, node->parent, node->id);
  node->pending = node->ends ? 0 : sum;
  node->completed =
      (node->ends ? sum : 0) + node_at (phrases, node->failure)->completed;
}

/* A step goes from a node, or from one that it falls back to, to a child. */
static void
find_most (InferPhrases *phrases)
{
  float child = 0, back = 0;

  for (guint i = 1; i < phrases->nodes->len; i++) {
    const Node *node = node_at (phrases, i);

    child = MAX (child, node->completed + node->pending
                            - node_at (phrases, node->parent)->pending);
    for (guint at = i; at != 0;) {
      at = node_at (phrases, at)->failure;
      back = MAX (back, node_at (phrases, at)->pending - node->pending);
    }
  }
  phrases->most = child + back;
}

static void
link_nodes (InferPhrases *phrases)
{
  const guint n = phrases->nodes->len;
  g_autoptr (GArray) order =
      g_array_sized_new (FALSE, FALSE, sizeof (Order), n);

  for (guint i = 1; i < n; i++) {
    const Order entry = { node_at (phrases, i)->depth, i };

    g_array_append_val (order, entry);
  }
  g_array_sort (order, compare_orders);
  for (guint i = 0; i < order->len; i++)
    link_node (phrases, g_array_index (order, Order, i).node);
  find_most (phrases);
}

/* --- lines --- */

/* Cuts ":weight" off @line. */
static gboolean
take_weight (char *line, guint number, double *weight, GError **error)
{
  char *colon = strrchr (line, ':'), *end;

  if (colon == NULL)
    return TRUE;
  *weight = g_ascii_strtod (colon + 1, &end);
  if (end == colon + 1 || *g_strchug (end) != '\0' || !(*weight >= -100)
      || !(*weight <= 100))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "phrases, line %u: the weight '%s' is not a number from -100 to 100; "
        "write 'words:weight'",
        number, colon + 1);
  *colon = '\0';
  return TRUE;
}

static gboolean
check_ids (const InferVocabulary *vocabulary, const GArray *ids)
{
  for (guint i = 0; i < ids->len; i++)
    if ((infer_vocabulary_flags (vocabulary, g_array_index (ids, guint, i))
            & INFER_PIECE_SPECIAL)
        != 0)
      return FALSE;
  return TRUE;
}

static gboolean
add_line (InferPhrases *phrases, const InferVocabulary *vocabulary, char *line,
    guint number, double weight, GError **error)
{
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GError) reason = NULL;

  if (!take_weight (line, number, &weight, error))
    return FALSE;
  g_strstrip (line);
  if (line[0] == '\0')
    return TRUE;
  if (!infer_vocabulary_encode_words (vocabulary, line, ids, &reason))
    return infer_fail (
        error, reason->code, "phrases, line %u: %s", number, reason->message);
  if (!check_ids (vocabulary, ids))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "phrases, line %u: '%s' cannot be written with the pieces of %s",
        number, line, infer_vocabulary_name (vocabulary));
  if (phrases->nodes->len + ids->len > MOST_NODES)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "phrases, line %u: there are more than %d tokens in them", number,
        MOST_NODES);
  add_phrase (phrases, ids, (float) weight);
  return TRUE;
}

InferPhrases *
infer_phrases_new (const InferVocabulary *vocabulary, const char *text,
    double weight, GError **error)
{
  g_autoptr (InferPhrases) phrases = g_new0 (InferPhrases, 1);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  const Node root = { 0 };

  phrases->refs = 1;
  phrases->nodes = g_array_new (FALSE, TRUE, sizeof (Node));
  g_array_append_val (phrases->nodes, root);
  grow_slots (phrases);
  for (guint i = 0; lines[i] != NULL; i++)
    if (!add_line (phrases, vocabulary, lines[i], i + 1, weight, error))
      return NULL;
  link_nodes (phrases);
  return g_steal_pointer (&phrases);
}

/* --- steps --- */

InferPhraseState
infer_phrases_step (
    const InferPhrases *phrases, InferPhraseState state, guint id, float *bonus)
{
  guint next = find_child (phrases, state, id);

  if (next == 0)
    next = follow_failures (phrases, state, id);
  *bonus = node_at (phrases, next)->pending - node_at (phrases, state)->pending
           + node_at (phrases, next)->completed;
  return next;
}

float
infer_phrases_end (const InferPhrases *phrases, InferPhraseState state)
{
  return -node_at (phrases, state)->pending;
}

static float
bonus_of (
    const InferPhrases *phrases, InferPhraseState state, guint id, guint end)
{
  float bonus;

  if (id == end)
    return infer_phrases_end (phrases, state);
  infer_phrases_step (phrases, state, id, &bonus);
  return bonus;
}

guint
infer_phrases_best (const InferPhrases *phrases, InferPhraseState state,
    const float *scores, guint n, guint end)
{
  const float most = infer_phrases_most (phrases);
  guint best = 0;

  for (guint i = 1; i < n; i++)
    best = scores[i] > scores[best] ? i : best;
  float best_score = scores[best] + bonus_of (phrases, state, best, end);
  for (guint i = 0; i < n; i++) {
    if (!(scores[i] + most > best_score))
      continue;
    const float score = scores[i] + bonus_of (phrases, state, i, end);
    if (score > best_score) {
      best_score = score;
      best = i;
    }
  }
  return best;
}

float
infer_phrases_most (const InferPhrases *phrases)
{
  return phrases->most;
}
