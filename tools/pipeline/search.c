/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/pipeline/search.h"

#include <math.h>
#include <stdlib.h>

#include "infer/error.h"
#include "tools/pipeline/line.h"
#include "tools/pipeline/trial.h"
#include "tools/pipeline/verdict.h"
#include "tools/progress/progress.h"

/* Settings, besides what is given, in the final; its rounds; the part of the
 * time that it takes. */
#define MOST_FINALISTS 3
#define FINAL_ROUNDS 5
#define FINAL_PART 0.5
/* However little time there is. */
#define LEAST_SLOT 0.25
#define BATCH 4

typedef struct
{
  ToolSettings settings;
  ToolMeasure measures[TOOL_MOST_ROUNDS];
  double scores[TOOL_MOST_ROUNDS];
  guint n_scores;
  GError *failure; /* nullable */
  guint order;
} Candidate;

typedef struct
{
  const ToolSearch *what;
  GStrv words;
  GPtrArray *candidates; /* (element-type Candidate) 0: as given */
} Search;

static const char *const goals[] = { "latency", "throughput", "streams",
  "power" };

gboolean
tool_goal_parse (const char *text, ToolGoal *goal)
{
  for (guint i = 0; i < G_N_ELEMENTS (goals); i++)
    if (g_str_equal (text, goals[i])) {
      *goal = (ToolGoal) i;
      return TRUE;
    }
  return FALSE;
}

static void
free_candidate (gpointer data)
{
  Candidate *candidate = data;

  g_clear_error (&candidate->failure);
  g_free (candidate);
}

/* --- what is tried --- */

static void
add (Search *search, const ToolSettings *settings)
{
  Candidate *candidate = g_new0 (Candidate, 1);

  candidate->settings = *settings;
  candidate->order = search->candidates->len;
  g_ptr_array_add (search->candidates, candidate);
}

static void
add_of_device (Search *search, const char *device)
{
  guint n = g_get_num_processors ();
  gboolean latency = search->what->goal == TOOL_GOAL_LATENCY;

  for (guint streams = 1; streams <= n; streams *= 2)
    for (guint threads = 1; streams * threads <= n; threads *= 2) {
      ToolSettings s = { device, streams, 0, streams, threads };

      /* Another request hides what is done around the inference. */
      add (search, &s);
      s.nireq = 2 * streams;
      add (search, &s);
    }
  if (latency)
    return;
  ToolSettings s = { device, 2 * BATCH, BATCH, 1, n };
  add (search, &s);
}

/* Simple settings first: of equals, the first one is taken. */
static void
add_all (Search *search)
{
  static const ToolSettings given = { 0 };
  GStrv devices = search->what->devices;

  add (search, &given);
  for (guint i = 0; devices != NULL && devices[i] != NULL; i++)
    add_of_device (search, devices[i]);
  if (devices == NULL)
    add_of_device (search, NULL);
}

/* --- measuring --- */

/* Larger is better. */
static double
score (const ToolSearch *what, const ToolMeasure *m)
{
  switch (what->goal) {
    case TOOL_GOAL_LATENCY:
      return 1e9 / MAX (m->p50, 1);
    case TOOL_GOAL_STREAMS:
      return g_get_num_processors () * 1e9 / (MAX (m->cpu, 1) * what->rate);
    case TOOL_GOAL_POWER:
      return 1 / MAX (m->joules, 1e-12);
    default:
      return m->per_second;
  }
}

static gboolean
measure (Search *search, Candidate *candidate, double seconds)
{
  g_auto (GStrv) words = tool_line_with (
      search->words, search->what->element, &candidate->settings);

  guint n = candidate->n_scores;

  g_assert (n < TOOL_MOST_ROUNDS);
  if (!tool_trial_run (words, MAX (seconds, LEAST_SLOT),
          &candidate->measures[n], &candidate->failure))
    return FALSE;
  candidate->scores[n] = score (search->what, &candidate->measures[n]);
  candidate->n_scores++;
  return TRUE;
}

static double
last_score (const Candidate *candidate)
{
  return candidate->failure != NULL
             ? 0
             : candidate->scores[candidate->n_scores - 1];
}

static int
compare_scores (gconstpointer a, gconstpointer b)
{
  double x = last_score (*(Candidate *const *) a);
  double y = last_score (*(Candidate *const *) b);

  return x > y ? -1 : x < y;
}

static int
compare_order (gconstpointer a, gconstpointer b)
{
  guint x = (*(Candidate *const *) a)->order;
  guint y = (*(Candidate *const *) b)->order;

  return x < y ? -1 : x > y;
}

static void
show_progress (const Search *search, const char *part, const Candidate *c,
    guint i, guint n)
{
  g_autofree char *settings = tool_settings_to_string (&c->settings);

  tool_progress_update ("%s, %u of %u: %s", part, i + 1, n, settings);
}

/* Halves @left, (element-type Candidate), until the final. */
static void
halve (Search *search, GPtrArray *left)
{
  guint rounds = 0;

  for (guint n = left->len; n > MOST_FINALISTS; n = (n + 1) / 2)
    rounds++;
  for (guint r = 0; left->len > MOST_FINALISTS; r++) {
    double seconds =
        search->what->seconds * (1 - FINAL_PART) / rounds / left->len;

    for (guint i = 0; i < left->len; i++) {
      g_autofree char *part = g_strdup_printf ("round %u", r + 1);

      show_progress (search, part, left->pdata[i], i, left->len);
      measure (search, left->pdata[i], seconds);
    }
    g_ptr_array_sort (left, compare_scores);
    guint keep = MAX ((left->len + 1) / 2, MOST_FINALISTS);
    while (left->len > keep
           || (left->len > 0
               && ((Candidate *) left->pdata[left->len - 1])->failure != NULL))
      g_ptr_array_remove_index (left, left->len - 1);
  }
}

/* Measures the settings as given and those in @left in turn, several times. */
static ToolVerdict
play_final (Search *search, GPtrArray *left)
{
  ToolRounds rounds[TOOL_MOST_CONTENDERS] = { 0 };
  ToolVerdict none = { 0, 0, 0, 0 };
  double seconds =
      search->what->seconds * FINAL_PART / FINAL_ROUNDS / (left->len + 1);

  g_ptr_array_sort (left, compare_order);
  g_ptr_array_insert (left, 0, search->candidates->pdata[0]);
  for (guint r = 0; r < FINAL_ROUNDS; r++)
    for (guint i = 0; i < left->len; i++) {
      Candidate *candidate = left->pdata[i];
      g_autofree char *part = g_strdup_printf ("final round %u", r + 1);

      show_progress (search, part, candidate, i, left->len);
      if (candidate->failure != NULL || !measure (search, candidate, seconds)) {
        if (i == 0)
          return none;
        g_ptr_array_remove_index (left, i--);
        continue;
      }
    }
  for (guint i = 0; i < left->len; i++) {
    Candidate *candidate = left->pdata[i];

    for (guint r = 0; r < FINAL_ROUNDS; r++)
      rounds[i].scores[r] =
          candidate->scores[candidate->n_scores - FINAL_ROUNDS + r];
  }
  return tool_judge (rounds, left->len, FINAL_ROUNDS);
}

/* --- what is printed --- */

/* The place of the median of the last rounds. */
static guint
typical (const Candidate *c)
{
  guint n = MIN (c->n_scores, FINAL_ROUNDS), first = c->n_scores - n;

  for (guint i = first; i < c->n_scores; i++) {
    guint below = 0, equal = 0;

    for (guint k = first; k < c->n_scores; k++) {
      below += c->scores[k] < c->scores[i];
      equal += c->scores[k] == c->scores[i];
    }
    if (below <= n / 2 && below + equal > n / 2)
      return i;
  }
  return c->n_scores - 1; /* where a score is NaN */
}

static void
print_candidate (const Search *search, const Candidate *c, gboolean is_finalist)
{
  g_autofree char *settings = tool_settings_to_string (&c->settings);

  if (c->failure != NULL) {
    g_print ("%-40s %s\n", settings, c->failure->message);
    return;
  }
  const ToolMeasure *m = &c->measures[typical (c)];
  g_print ("%-40s %10.1f %8.2f %8.2f %8.2f", settings, m->per_second,
      m->p50 / 1e6, m->p99 / 1e6, m->cpu / 1e6);
  if (search->what->goal == TOOL_GOAL_POWER)
    g_print (" %8.2f", m->joules * 1e3);
  if (search->what->goal == TOOL_GOAL_STREAMS)
    g_print (" %8.1f", c->scores[typical (c)]);
  g_print ("%s\n", is_finalist ? "  final" : "");
}

static void
print_table (const Search *search, GPtrArray *finalists)
{
  g_print ("%-40s %10s %8s %8s %8s", "settings", "per second", "p50 ms",
      "p99 ms", "CPU ms");
  if (search->what->goal == TOOL_GOAL_POWER)
    g_print (" %8s", "mJ");
  if (search->what->goal == TOOL_GOAL_STREAMS)
    g_print (" %8s", "streams");
  g_print ("\n");
  for (guint i = 0; i < search->candidates->len; i++) {
    Candidate *c = search->candidates->pdata[i];

    print_candidate (search, c, g_ptr_array_find (finalists, c, NULL));
  }
}

static void
print_verdict (
    const Search *search, const ToolVerdict *verdict, GPtrArray *finalists)
{
  const Candidate *winner = finalists->pdata[verdict->winner];
  const char *goal = goals[search->what->goal];
  g_auto (GStrv) words =
      tool_line_with (search->words, search->what->element, &winner->settings);
  g_autofree char *line = tool_line_to_string (words);
  g_autofree char *settings = tool_settings_to_string (&winner->settings);

  if (verdict->winner == 0)
    g_print ("%s: nothing is better than the pipeline as it is by the %.0f %% "
             "that it takes, as measurements differ\n",
        goal, verdict->least * 100);
  else
    g_print ("%s: %s is better by %.0f %%, where measurements differ by %.0f "
             "%%\n",
        goal, settings, verdict->gain * 100, verdict->noise * 100);
  g_print ("%s\n", line);
}

/* --- all --- */

static gboolean
find_best (Search *search, GError **error)
{
  g_autoptr (GPtrArray) left = g_ptr_array_new ();
  Candidate *given = search->candidates->pdata[0];
  double first =
      search->what->seconds * (1 - FINAL_PART) / (2 * search->candidates->len);

  tool_progress_begin ("as given");
  gboolean works = measure (search, given, first);
  if (works) {
    for (guint i = 1; i < search->candidates->len; i++)
      g_ptr_array_add (left, search->candidates->pdata[i]);
    halve (search, left);
  }
  ToolVerdict verdict = { 0, 0, 0, 0 };
  if (works)
    verdict = play_final (search, left);
  tool_progress_end ();
  if (given->failure != NULL) {
    g_propagate_error (error, g_steal_pointer (&given->failure));
    return FALSE;
  }
  print_table (search, left);
  print_verdict (search, &verdict, left);
  return TRUE;
}

gboolean
tool_search_run (const ToolSearch *what, GError **error)
{
  Search search = { .what = what };

  if (what->goal == TOOL_GOAL_POWER && !tool_trial_can_measure_energy (error))
    return FALSE;
  if (what->goal == TOOL_GOAL_STREAMS && what->rate <= 0)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "--goal streams needs --rate: how many inferences each stream needs in "
        "a second, such as 30 for video of 30 frames per second");
  search.words = tool_line_parse (what->pipeline, what->element, error);
  if (search.words == NULL)
    return FALSE;
  search.candidates = g_ptr_array_new_with_free_func (free_candidate);
  add_all (&search);
  gboolean ok = find_best (&search, error);
  g_ptr_array_unref (search.candidates);
  g_strfreev (search.words);
  return ok;
}
