/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/ctc-beam.h"

#include <math.h>

/* Prefixes, and classes in a step, whose log-probability is this much below the
 * best are pruned, so that the remaining prefixes come to agree. */
#define PRUNE 12.0

/* A prefix is its last token and its parent, the prefix before that token.  A
 * child holds a reference to its parent, the beam to its prefixes. */
typedef struct _Node Node;
struct _Node
{
  guint refs;
  Node *parent; /* NULL: the root: empty, or given out already */
  InferCtcToken token;
  guint state;  /* of the bias */
  double bonus; /* of the bias, from the reset to its token */
};

typedef struct
{
  Node *node;
  double blank, last; /* log-probability of ending in a blank, in its token */
} Prefix;

struct _CtcBeam
{
  guint classes, blank, width;
  GArray *prefixes, *next; /* (element-type Prefix), prefixes best first */
  double *log_probs;
  const InferCtcBias *bias; /* NULL: none */
};

static Node *
node_ref (Node *node)
{
  node->refs++;
  return node;
}

static void
node_unref (Node *node)
{
  while (node != NULL && --node->refs == 0) {
    Node *parent = node->parent;

    g_free (node);
    node = parent;
  }
}

static double
log_add (double a, double b)
{
  double high = MAX (a, b), low = MIN (a, b);

  return isinf (low) ? high : high + log1p (exp (low - high));
}

static double
prefix_score (const Prefix *prefix)
{
  return log_add (prefix->blank, prefix->last);
}

/* Prefixes are ranked by their probability and bonus. */
static double
prefix_rank (const Prefix *prefix)
{
  return prefix_score (prefix) + prefix->node->bonus;
}

static void
clear_prefixes (GArray *prefixes)
{
  for (guint i = 0; i < prefixes->len; i++)
    node_unref (g_array_index (prefixes, Prefix, i).node);
  g_array_set_size (prefixes, 0);
}

CtcBeam *
ctc_beam_new (guint classes, guint blank, guint width)
{
  CtcBeam *beam = g_new0 (CtcBeam, 1);

  beam->classes = classes;
  beam->blank = blank;
  beam->width = width;
  beam->prefixes = g_array_new (FALSE, FALSE, sizeof (Prefix));
  beam->next = g_array_new (FALSE, FALSE, sizeof (Prefix));
  beam->log_probs = g_new (double, classes);
  ctc_beam_reset (beam);
  return beam;
}

void
ctc_beam_free (CtcBeam *beam)
{
  clear_prefixes (beam->prefixes);
  g_array_unref (beam->prefixes);
  g_array_unref (beam->next);
  g_free (beam->log_probs);
  g_free (beam);
}

void
ctc_beam_reset (CtcBeam *beam)
{
  Prefix empty = { .node = g_new0 (Node, 1), .blank = 0, .last = -INFINITY };

  empty.node->refs = 1;
  empty.node->token.class_index = beam->blank;
  clear_prefixes (beam->prefixes);
  g_array_append_val (beam->prefixes, empty);
}

static void
log_softmax (CtcBeam *beam, const float *scores)
{
  double high = -INFINITY, sum = 0;

  for (guint c = 0; c < beam->classes; c++)
    high = MAX (high, (double) scores[c]);
  for (guint c = 0; c < beam->classes; c++)
    sum += exp (scores[c] - high);
  for (guint c = 0; c < beam->classes; c++)
    beam->log_probs[c] = scores[c] - high - log (sum);
}

static Prefix *
add_next (CtcBeam *beam, Node *node)
{
  Prefix fresh = {
    .node = node_ref (node), .blank = -INFINITY, .last = -INFINITY
  };

  g_array_append_val (beam->next, fresh);
  return &g_array_index (beam->next, Prefix, beam->next->len - 1);
}

/* Returns the entry of @node in the next list, adds it if absent. */
static Prefix *
same_prefix (CtcBeam *beam, Node *node)
{
  for (guint i = 0; i < beam->next->len; i++) {
    Prefix *prefix = &g_array_index (beam->next, Prefix, i);

    if (prefix->node == node)
      return prefix;
  }
  return add_next (beam, node);
}

/* Returns the entry of @node plus token @class_index: an existing prefix of
 * either list, an ancestor of one, or a new one. */
static Prefix *
longer_prefix (CtcBeam *beam, Node *node, guint class_index, guint64 step)
{
  GArray *lists[] = { beam->next, beam->prefixes };

  for (guint l = 0; l < G_N_ELEMENTS (lists); l++) {
    for (guint i = 0; i < lists[l]->len; i++) {
      Node *n = g_array_index (lists[l], Prefix, i).node;

      for (; n->parent != NULL; n = n->parent)
        if (n->parent == node && n->token.class_index == class_index)
          return same_prefix (beam, n);
    }
  }
  g_autofree Node *child = g_new0 (Node, 1);
  child->parent = node_ref (node);
  child->token = (InferCtcToken){ class_index, step, step + 1,
    beam->log_probs[class_index] };
  child->bonus = node->bonus;
  if (beam->bias != NULL) {
    float bonus;

    child->state =
        beam->bias->step (beam->bias->data, node->state, class_index, &bonus);
    child->bonus += bonus;
  }
  return add_next (beam, g_steal_pointer (&child));
}

/* The last token of @node goes on. */
static void
prolong (CtcBeam *beam, Node *node, guint64 step)
{
  if (node->token.end > step)
    return;
  node->token.end = step + 1;
  node->token.log_probability += beam->log_probs[node->token.class_index];
}

/* @bound: of the rank; prefixes below it are pruned anyway. */
static void
extend (CtcBeam *beam, const Prefix *from, guint64 step, double bound)
{
  double all = prefix_score (from);
  const double bonus = from->node->bonus;
  const double most =
      bonus + (beam->bias != NULL ? MAX (beam->bias->most, 0) : 0);
  Prefix *to = same_prefix (beam, from->node);

  to->blank = log_add (to->blank, all + beam->log_probs[beam->blank]);
  for (guint c = 0; c < beam->classes; c++) {
    double p = beam->log_probs[c];
    gboolean repeat = from->node->token.class_index == c;

    if (c == beam->blank)
      continue;
    if (repeat) {
      to = same_prefix (beam, from->node);
      to->last = log_add (to->last, from->last + p);
      if (from->last + p + bonus > bound)
        prolong (beam, to->node, step);
    }
    if ((repeat ? from->blank : all) + p + most < bound)
      continue;
    to = longer_prefix (beam, from->node, c, step);
    to->last = log_add (to->last, (repeat ? from->blank : all) + p);
  }
}

static int
compare_prefixes (gconstpointer a, gconstpointer b)
{
  double x = prefix_rank (a), y = prefix_rank (b);

  return x > y ? -1 : x < y ? 1 : 0;
}

static void
prune (CtcBeam *beam)
{
  GArray *p = beam->prefixes;
  guint keep = 1;

  g_array_sort (p, compare_prefixes);
  double best = prefix_rank (&g_array_index (p, Prefix, 0));
  while (keep < p->len && keep < beam->width
         && prefix_rank (&g_array_index (p, Prefix, keep)) > best - PRUNE)
    keep++;
  for (guint i = keep; i < p->len; i++)
    node_unref (g_array_index (p, Prefix, i).node);
  g_array_set_size (p, keep);
  best -= g_array_index (p, Prefix, 0).node->bonus;
  /* Relative to the best: bounded for any length of stream. */
  for (guint i = 0; i < keep; i++) {
    g_array_index (p, Prefix, i).blank -= best;
    g_array_index (p, Prefix, i).last -= best;
  }
}

static gboolean
passes_through (const Node *node, const Node *ancestor)
{
  for (; node != NULL; node = node->parent)
    if (node == ancestor)
      return TRUE;
  return FALSE;
}

/* Appends the tokens from the root to @node, which becomes the root. */
static void
give_out (Node *node, GArray *tokens)
{
  guint first = tokens->len;
  Node *chain = node->parent;

  for (Node *n = node; n->parent != NULL; n = n->parent)
    g_array_insert_val (tokens, first, n->token);
  node->parent = NULL;
  node_unref (chain);
}

/* Gives out the longest prefix that all prefixes share, without its last token
 * unless a blank has followed: that token may still grow longer. */
static void
give_out_agreed (CtcBeam *beam, GArray *tokens)
{
  const Prefix *best = &g_array_index (beam->prefixes, Prefix, 0);
  Node *node = best->node;

  if (best->last > best->blank - PRUNE && node->parent != NULL)
    node = node->parent;
  for (; node->parent != NULL; node = node->parent) {
    gboolean agreed = TRUE;

    for (guint i = 1; i < beam->prefixes->len && agreed; i++)
      agreed =
          passes_through (g_array_index (beam->prefixes, Prefix, i).node, node);
    if (agreed) {
      give_out (node, tokens);
      return;
    }
  }
}

void
ctc_beam_push (CtcBeam *beam, const float *scores, guint64 step, GArray *tokens)
{
  double bound = prefix_rank (&g_array_index (beam->prefixes, Prefix, 0));
  GArray *old = beam->prefixes;

  log_softmax (beam, scores);
  bound -= PRUNE;
  for (guint i = 0; i < old->len; i++)
    extend (beam, &g_array_index (old, Prefix, i), step, bound);
  beam->prefixes = beam->next;
  beam->next = old;
  clear_prefixes (old);
  prune (beam);
  give_out_agreed (beam, tokens);
}

/* The best prefix if the stream ends now. */
static Node *
best_at_end (const CtcBeam *beam)
{
  const Prefix *best = &g_array_index (beam->prefixes, Prefix, 0);
  double most = -INFINITY;

  for (guint i = 0; beam->bias != NULL && i < beam->prefixes->len; i++) {
    const Prefix *prefix = &g_array_index (beam->prefixes, Prefix, i);
    const double rank =
        prefix_rank (prefix)
        + (double) beam->bias->end (beam->bias->data, prefix->node->state);

    if (rank > most) {
      most = rank;
      best = prefix;
    }
  }
  return best->node;
}

void
ctc_beam_finish (CtcBeam *beam, GArray *tokens)
{
  Node *node = best_at_end (beam);

  if (node->parent != NULL)
    give_out (node, tokens);
}

void
ctc_beam_peek (const CtcBeam *beam, GArray *tokens)
{
  const guint first = tokens->len;

  for (const Node *n = best_at_end (beam); n->parent != NULL; n = n->parent)
    g_array_insert_val (tokens, first, n->token);
}

void
ctc_beam_set_bias (CtcBeam *beam, const InferCtcBias *bias)
{
  beam->bias = bias;
  ctc_beam_reset (beam);
}

guint64
ctc_beam_decided (const CtcBeam *beam, guint64 now)
{
  guint64 first = now;

  for (guint i = 0; i < beam->prefixes->len; i++)
    for (const Node *n = g_array_index (beam->prefixes, Prefix, i).node;
         n->parent != NULL; n = n->parent)
      first = MIN (first, n->token.start);
  return first;
}
