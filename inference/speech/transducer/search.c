/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/transducer/search.h"

#include <math.h>
#include <string.h>

typedef struct
{
  double score; /* natural logarithm, with bonuses */
  guint n;      /* tokens that were not taken */
  guint taken;
  TransducerToken tokens[TRANSDUCER_MOST_TOKENS];
  gint64 context[TRANSDUCER_MOST_CONTEXT]; /* what the decoder sees */
  float *row;                              /* what it gave for that */
  gboolean stale;                          /* the row is of another context */
  InferPhraseState phrase;
} Path;

/* A path with one more frame. */
typedef struct
{
  double score;
  guint path, id;
  float log_probability; /* of the id in this frame */
} Step;

struct _TransducerSearch
{
  const TransducerNetworks *net;
  TransducerSteps steps;
  int unknown;
  guint most; /* paths */
  InferPhrases *phrases;
  guint64 frame; /* the next one's number */
  guint skip;    /* frames from it on that a duration leaves out */
  guint n;
  Path *paths, *next; /* [TRANSDUCER_MOST_PATHS] */
  float *rows;        /* of both */
};

/* --- new and free --- */

TransducerSearch *
transducer_search_new (
    const TransducerNetworks *net, int unknown, GError **error)
{
  TransducerSearch *s = g_new0 (TransducerSearch, 1);

  s->net = net;
  s->unknown = unknown;
  s->most = 1;
  s->paths = g_new0 (Path, TRANSDUCER_MOST_PATHS);
  s->next = g_new0 (Path, TRANSDUCER_MOST_PATHS);
  s->rows = g_new0 (float, 2 * TRANSDUCER_MOST_PATHS * (gsize) net->row);
  for (guint i = 0; i < TRANSDUCER_MOST_PATHS; i++) {
    s->paths[i].row = s->rows + 2 * i * (gsize) net->row;
    s->next[i].row = s->rows + (2 * i + 1) * (gsize) net->row;
  }
  if (transducer_steps_init (&s->steps, net, TRANSDUCER_MOST_PATHS, error))
    return s;
  transducer_search_free (s);
  return NULL;
}

void
transducer_search_free (TransducerSearch *s)
{
  if (s == NULL)
    return;
  transducer_steps_clear (&s->steps);
  infer_phrases_unref (s->phrases);
  g_free (s->paths);
  g_free (s->next);
  g_free (s->rows);
  g_free (s);
}

void
transducer_search_set_paths (TransducerSearch *s, guint paths)
{
  s->most = CLAMP (paths, 1, TRANSDUCER_MOST_PATHS);
}

void
transducer_search_set_phrases (TransducerSearch *s, InferPhrases *phrases)
{
  if (phrases != NULL)
    infer_phrases_ref (phrases);
  infer_phrases_unref (s->phrases);
  s->phrases = phrases;
}

/* --- paths --- */

static void
copy_path (const TransducerSearch *s, Path *to, const Path *from)
{
  float *row = to->row;

  to->score = from->score;
  to->n = from->n;
  to->taken = from->taken;
  memcpy (to->tokens, from->tokens, from->n * sizeof *to->tokens);
  memcpy (to->context, from->context, sizeof to->context);
  memcpy (row, from->row, s->net->row * sizeof (float));
  to->stale = from->stale;
  to->phrase = from->phrase;
}

static void
append (TransducerSearch *s, Path *path, guint id, float log_probability)
{
  if (path->n == TRANSDUCER_MOST_TOKENS)
    return; /* the caller takes tokens long before */
  path->tokens[path->n++] = (TransducerToken){ id, s->frame, log_probability };
  memmove (path->context, path->context + 1,
      (s->net->context - 1) * sizeof *path->context);
  path->context[s->net->context - 1] = id;
  path->stale = TRUE;
  if (s->phrases != NULL) {
    float bonus = 0;

    path->phrase = infer_phrases_step (s->phrases, path->phrase, id, &bonus);
    path->score += bonus;
  }
}

static gboolean
same_tokens (const Path *a, const Path *b)
{
  if (a->n != b->n)
    return FALSE;
  for (guint i = a->n; i > 0; i--)
    if (a->tokens[i - 1].id != b->tokens[i - 1].id)
      return FALSE;
  return TRUE;
}

static double
log_add (double a, double b)
{
  return MAX (a, b) + log1p (exp (-fabs (a - b)));
}

/* Runs the decoder for the paths that have a new token. */
static gboolean
update_rows (TransducerSearch *s, GError **error)
{
  guint context = s->net->context, n = 0;

  for (guint i = 0; i < s->n; i++)
    if (s->paths[i].stale)
      memcpy (s->steps.contexts + (gsize) n++ * context, s->paths[i].context,
          context * sizeof (gint64));
  if (n == 0)
    return TRUE;
  if (!transducer_steps_decode (&s->steps, n, error))
    return FALSE;
  n = 0;
  for (guint i = 0; i < s->n; i++)
    if (s->paths[i].stale) {
      memcpy (s->paths[i].row, s->steps.given + (gsize) n++ * s->net->row,
          s->net->row * sizeof (float));
      s->paths[i].stale = FALSE;
    }
  return TRUE;
}

gboolean
transducer_search_reset (TransducerSearch *s, GError **error)
{
  Path *path = &s->paths[0];

  s->frame = 0;
  s->skip = 0;
  s->n = 1;
  transducer_steps_reset (&s->steps);
  path->score = 0;
  path->n = path->taken = 0;
  path->phrase = 0;
  path->stale = TRUE;
  for (guint i = 0; i < s->net->context; i++)
    path->context[i] = i + 1 < s->net->context ? -1 : (gint64) s->net->blank;
  return update_rows (s, error);
}

/* --- a frame --- */

static float
log_sum (const float *scores, guint n)
{
  float most = scores[0];
  double sum = 0;

  for (guint i = 1; i < n; i++)
    most = MAX (most, scores[i]);
  for (guint i = 0; i < n; i++)
    sum += exp ((double) scores[i] - most);
  return most + (float) log (sum);
}

static guint
best_of (const float *scores, guint n)
{
  guint best = 0;

  for (guint i = 1; i < n; i++)
    if (scores[i] > scores[best])
      best = i;
  return best;
}

static gboolean
is_token (const TransducerSearch *s, guint id)
{
  return id != s->net->blank && (int) id != s->unknown;
}

static void
push_greedy (TransducerSearch *s)
{
  const float *scores = s->steps.scores;
  guint id = best_of (scores, s->net->classes);

  if (is_token (s, id))
    append (
        s, &s->paths[0], id, scores[id] - log_sum (scores, s->net->classes));
}

/* The best steps, the best first; of equal ones the first. */
static guint
find_steps (const TransducerSearch *s, Step *best)
{
  guint n = 0;

  for (guint p = 0; p < s->n; p++) {
    const float *scores = s->steps.scores + (gsize) p * s->net->classes;
    float sum = log_sum (scores, s->net->classes);

    for (guint id = 0; id < s->net->classes; id++) {
      double score = s->paths[p].score + (scores[id] - sum);

      if (n == s->most && !(score > best[n - 1].score))
        continue;
      guint at = n < s->most ? n++ : n - 1;
      for (; at > 0 && score > best[at - 1].score; at--)
        best[at] = best[at - 1];
      best[at] = (Step){ score, p, id, scores[id] - sum };
    }
  }
  return n;
}

static void
push_beam (TransducerSearch *s)
{
  Step steps[TRANSDUCER_MOST_PATHS];
  guint n_steps = find_steps (s, steps), n = 0;

  for (guint i = 0; i < n_steps; i++) {
    Path *path = &s->next[n];
    guint same = 0;

    copy_path (s, path, &s->paths[steps[i].path]);
    path->score = steps[i].score;
    if (is_token (s, steps[i].id))
      append (s, path, steps[i].id, steps[i].log_probability);
    while (same < n && !same_tokens (&s->next[same], path))
      same++;
    if (same < n)
      s->next[same].score = log_add (s->next[same].score, path->score);
    else
      n++;
  }
  Path *paths = s->paths;
  s->paths = s->next;
  s->next = paths;
  s->n = n;
}

/* A token of this frame, and how many frames on the next one is looked for: 0,
 * it may be in this one. */
static void
push_symbol (TransducerSearch *s, guint *on)
{
  const TransducerNetworks *net = s->net;
  const float *scores = s->steps.scores;
  Path *path = &s->paths[0];
  const guint id = s->phrases != NULL ? infer_phrases_best (s->phrases,
                       path->phrase, scores, net->classes, net->blank)
                                      : best_of (scores, net->classes);

  if (id != net->blank)
    append (s, path, id, scores[id] - log_sum (scores, net->classes));
  *on = net->durations > 0 ? best_of (scores + net->classes, net->durations)
                           : (id == net->blank ? 1 : 0);
  if (id == net->blank)
    *on = MAX (*on, 1);
}

/* NeMo's search: several tokens of a frame, one after the other. */
static gboolean
push_symbols (TransducerSearch *s, const float *frame, GError **error)
{
  const float *row = s->paths[0].row;
  guint on = 0;

  if (s->skip > 0) {
    s->skip--;
    s->frame++;
    return TRUE;
  }
  for (guint i = 0; i < s->net->most_symbols && on == 0; i++) {
    if (!transducer_steps_join (&s->steps, frame, &row, 1, error))
      return FALSE;
    push_symbol (s, &on);
    if (!update_rows (s, error))
      return FALSE;
  }
  s->skip = MAX (on, 1) - 1;
  s->frame++;
  return TRUE;
}

gboolean
transducer_search_push (TransducerSearch *s, const float *frame, GError **error)
{
  const float *rows[TRANSDUCER_MOST_PATHS];

  if (s->net->nemo)
    return push_symbols (s, frame, error);
  for (guint i = 0; i < s->n; i++)
    rows[i] = s->paths[i].row;
  if (!transducer_steps_join (&s->steps, frame, rows, s->n, error))
    return FALSE;
  if (s->most == 1 && s->n == 1)
    push_greedy (s);
  else
    push_beam (s);
  s->frame++;
  return update_rows (s, error);
}

void
transducer_search_finish (TransducerSearch *s)
{
  if (s->phrases == NULL)
    return;
  for (guint i = 0; i < s->n; i++) {
    s->paths[i].score += infer_phrases_end (s->phrases, s->paths[i].phrase);
    s->paths[i].phrase = 0;
  }
}

/* --- the best path --- */

/* Scores are compared per token, as icefall does: else short paths win. */
static guint
best_path (const TransducerSearch *s)
{
  guint best = 0;
  double most = -INFINITY;

  for (guint i = 0; i < s->n; i++) {
    const Path *path = &s->paths[i];
    double score = path->score / (path->taken + path->n + s->net->context);

    if (score > most) {
      most = score;
      best = i;
    }
  }
  return best;
}

const TransducerToken *
transducer_search_best (TransducerSearch *s, guint *n)
{
  const Path *path = &s->paths[best_path (s)];

  *n = path->n;
  return path->tokens;
}

guint64
transducer_search_silence (TransducerSearch *s)
{
  const Path *path = &s->paths[best_path (s)];

  return path->n == 0 ? s->frame
                      : s->frame - path->tokens[path->n - 1].frame - 1;
}

void
transducer_search_take (TransducerSearch *s, guint n)
{
  guint best = best_path (s);

  if (best > 0)
    copy_path (s, &s->paths[0], &s->paths[best]);
  s->n = 1;
  Path *path = &s->paths[0];
  path->n -= n;
  path->taken += n;
  memmove (path->tokens, path->tokens + n, path->n * sizeof *path->tokens);
}
