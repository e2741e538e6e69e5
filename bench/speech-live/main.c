/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infertranscriber on live streams at the pace of the clock: how soon words
 * come, and what they cost, beside the goals.
 *
 *   speech-live [SECONDS [CASE…]]       default 120 s of sound for each case
 *
 * INFER_MODELS has whisper-tiny-en and silero-vad (pipelines/get-model),
 * INFER_SHARED the recordings.  Exit status 1: a goal is missed. */

#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/speech-live/stream.h"
#include "infer/voice.h"

#define MIN_SILENCE 500   /* ms */
#define LONG_SILENCE 1500 /* ms; the pauses between recordings are longer */
#define N_STREAMS 4
/* Shares of a core: milliseconds of each PERIOD_MS. */
#define QUARTER_MS 25
#define TENTH_MS 10
#define PERIOD_MS 100

typedef struct
{
  char *program;
  char *model, *vad, *speech;
  guint seconds;
  gboolean missed;
} Bench;

/* --- the table --- */

static void
print_row (Bench *bench, const char *name, double value, const char *unit,
    double goal, guint n)
{
  gboolean met = value <= goal;

  g_print ("  %-52s %9.3f %-2s  goal %7.3f  %s  (%u)\n", name, value, unit,
      goal, met ? "met   " : "MISSED", n);
  bench->missed |= !met;
}

static int
compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

static double
percentile (GArray *values, guint percent)
{
  g_array_sort (values, compare);
  return values->len > 0
             ? g_array_index (values, double, (values->len - 1) * percent / 100)
             : 0;
}

static void
print_percentiles (Bench *bench, const char *name, GArray *values, guint p,
    double goal_p, guint q, double goal_q)
{
  if (values->len == 0)
    return;
  for (guint i = 0; i < 2; i++) {
    double goal = i == 0 ? goal_p : goal_q;
    guint percent = i == 0 ? p : q;
    g_autofree char *row = g_strdup_printf ("%s, p%u", name, percent);

    if (goal > 0)
      print_row (
          bench, row, percentile (values, percent), "s", goal, values->len);
    else
      g_print ("  %-52s %9.3f s  (%u)\n", row, percentile (values, percent),
          values->len);
  }
}

/* --- what was measured --- */

/* Seconds from the end of each utterance to its last final, of those from
 * @least to @most seconds.  Utterances without a final count as missing. */
static void
collect_finals (const Stream *stream, double least, double most, GArray *delays,
    guint *missing)
{
  const GArray *utterances = stream->sound->utterances;

  for (guint i = 0; i < utterances->len; i++) {
    const Utterance *u = &g_array_index (utterances, Utterance, i);
    double begin = (double) u->begin / SOUND_RATE;
    double end = (double) u->end / SOUND_RATE, last = 0;

    if (end - begin < least || end - begin >= most)
      continue;
    for (guint k = 0; k < stream->finals->len; k++) {
      const Arrival *final = &g_array_index (stream->finals, Arrival, k);

      if (final->begin < end && final->end > begin)
        last = MAX (last, final->arrived);
    }
    double delay = last - end;
    if (last > 0)
      g_array_append_val (delays, delay);
    else
      (*missing)++;
  }
}

static GArray *
new_values (void)
{
  return g_array_new (FALSE, FALSE, sizeof (double));
}

static void
print_finals (Bench *bench, const Stream *streams, guint n, double min_silence)
{
  g_autoptr (GArray) brief = new_values (), whole = new_values ();
  guint missing = 0;

  for (guint i = 0; i < n; i++) {
    collect_finals (&streams[i], 0, 10, brief, &missing);
    collect_finals (&streams[i], 10, 31, whole, &missing);
  }
  print_percentiles (bench, "end of speech to final, up to 10 s", brief, 50, 0,
      95, min_silence + 0.35);
  print_percentiles (bench, "end of speech to final, 10 s to 30 s", whole, 50,
      0, 95, min_silence + 1.2);
  g_print ("  %-52s %9u\n", "utterances in which no word was found", missing);
}

static void
print_partials (Bench *bench, const Stream *stream)
{
  g_autoptr (GArray) lags = new_values (), firsts = new_values ();
  guint n_early = 0, at = 0;

  for (guint i = 0; i < stream->words->len; i++) {
    const Arrival *word = &g_array_index (stream->words, Arrival, i);
    double lag = word->arrived - word->end;

    g_array_append_val (lags, lag);
    n_early += word->of_partial;
  }
  print_percentiles (
      bench, "end of a word to its being stable", lags, 50, 0.8, 90, 1.1);
  g_print ("  %-52s %9.1f %%\n", "words that were stable before the final",
      100. * n_early / MAX (1, stream->words->len));
  g_print ("  %-52s %9.1f %%\n", "of these, words that the final lacks",
      100. * stream->n_lost / MAX (1, stream->n_shown));
  for (guint i = 0; i < stream->sound->utterances->len; i++) {
    const Utterance *u =
        &g_array_index (stream->sound->utterances, Utterance, i);
    double begin = (double) u->begin / SOUND_RATE;

    while (at < stream->shown->len
           && g_array_index (stream->shown, Arrival, at).arrived < begin)
      at++;
    if (at == stream->shown->len)
      break;
    double first = g_array_index (stream->shown, Arrival, at).arrived - begin;
    if (first < 0.5 + (double) (u->end - u->begin) / SOUND_RATE)
      g_array_append_val (firsts, first);
  }
  print_percentiles (
      bench, "beginning of speech to its first word", firsts, 50, 1.1, 90, 0);
}

/* --- cases --- */

/* (transfer full) */
static GStrv
make_settings (const Bench *bench, guint min_silence, guint partials)
{
  GStrv settings = g_new0 (char *, 5);

  settings[0] = g_strconcat ("model=", bench->model, NULL);
  settings[1] = g_strconcat ("vad-model=", bench->vad, NULL);
  settings[2] = g_strdup_printf ("min-silence=%u", min_silence);
  settings[3] = g_strdup_printf ("partial-interval=%u", partials);
  return settings;
}

static void
hear (const Bench *bench, Stream *streams, const Sound *sounds, guint n,
    guint min_silence, guint partials)
{
  g_auto (GStrv) settings = make_settings (bench, min_silence, partials);

  for (guint i = 0; i < n; i++)
    stream_begin (&streams[i], &sounds[i], (const char *const *) settings);
  for (guint i = 0; i < n; i++)
    stream_end (&streams[i]);
}

static void
sound_of (const Bench *bench, Sound *sound, guint first, guint min_silence)
{
  sound_init (
      sound, bench->speech, bench->vad, first, bench->seconds, min_silence);
}

static void
run_partials (Bench *bench)
{
  Sound sound;
  Stream stream = { 0 };

  sound_of (bench, &sound, 0, MIN_SILENCE);
  hear (bench, &stream, &sound, 1, MIN_SILENCE, 500);
  print_finals (bench, &stream, 1, MIN_SILENCE / 1e3);
  print_partials (bench, &stream);
  print_row (bench, "of a core while somebody speaks",
      100 * stream.busy / stream.spoken, "%", 45, 1);
  stream_clear (&stream);
  sound_clear (&sound);
}

static void
run_long (Bench *bench)
{
  Sound sound;
  Stream stream = { 0 };

  sound_of (bench, &sound, 12, LONG_SILENCE - 100);
  hear (bench, &stream, &sound, 1, LONG_SILENCE - 100, 0);
  print_finals (bench, &stream, 1, (LONG_SILENCE - 100) / 1e3);
  stream_clear (&stream);
  sound_clear (&sound);
}

static void
run_silence (Bench *bench)
{
  Sound sound;
  Stream stream = { 0 };

  sound_init_quiet (&sound, MIN (bench->seconds, 30));
  hear (bench, &stream, &sound, 1, MIN_SILENCE, 500);
  print_row (bench, "of a core in silence", 100 * stream.idle / stream.quiet,
      "%", 1, 1);
  print_row (bench, "words in silence", stream.words->len, "", 0, 1);
  stream_clear (&stream);
  sound_clear (&sound);
}

static void
run_streams (Bench *bench)
{
  Sound sounds[N_STREAMS];
  Stream streams[N_STREAMS] = { 0 };

  for (guint i = 0; i < N_STREAMS; i++)
    sound_of (bench, &sounds[i], 10 * i, MIN_SILENCE);
  hear (bench, streams, sounds, N_STREAMS, MIN_SILENCE, 0);
  print_finals (bench, streams, N_STREAMS, MIN_SILENCE / 1e3);
  for (guint i = 0; i < N_STREAMS; i++) {
    stream_clear (&streams[i]);
    sound_clear (&sounds[i]);
  }
}

/* --- a part of a core --- */

/* The throttled process, whose threads share one core: its texts, then
 * "WARNINGS PARTIALS SKIPPED MS". */
static void
run_child (Bench *bench)
{
  Sound sound;
  Stream stream = { 0 };
  cpu_set_t one;

  CPU_ZERO (&one);
  CPU_SET (sched_getcpu (), &one);
  if (sched_setaffinity (0, sizeof one, &one) != 0)
    g_error ("cannot stay on one core");
  sound_of (bench, &sound, 0, MIN_SILENCE);
  hear (bench, &stream, &sound, 1, MIN_SILENCE, 500);
  g_print ("%s= %u %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
           " %" G_GUINT64_FORMAT "\n",
      stream.text->str, stream.warnings, stream_stat (&stream, "partials"),
      stream_stat (&stream, "partials-skipped"),
      stream_stat (&stream, "max-delay") / GST_MSECOND);
  stream_clear (&stream);
  sound_clear (&sound);
}

/* Lets @pid run for @share of each PERIOD_MS, until it ends. */
static void
throttle (GPid pid, guint share)
{
  int status;

  while (waitpid (pid, &status, WNOHANG) == 0) {
    g_usleep (share * 1000);
    if (share >= PERIOD_MS)
      continue;
    kill (pid, SIGSTOP);
    g_usleep ((PERIOD_MS - share) * 1000);
    kill (pid, SIGCONT);
  }
  if (!WIFEXITED (status) || WEXITSTATUS (status) != 0)
    g_error ("the throttled process failed");
}

/* (transfer full): what the child printed. */
static char *
run_throttled (const Bench *bench, guint share)
{
  g_autofree char *seconds = g_strdup_printf ("%u", bench->seconds);
  char child[] = "child";
  char *arguments[] = { bench->program, seconds, child, NULL };
  g_autoptr (GError) error = NULL;
  GPid pid;
  int out;

  if (!g_spawn_async_with_pipes (NULL, arguments, NULL,
          G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid, NULL, &out, NULL,
          &error))
    g_error ("%s", error->message);
  throttle (pid, share);
  GString *text = g_string_new (NULL);
  char part[4096];
  gssize n;
  while ((n = read (out, part, sizeof part)) > 0)
    g_string_append_len (text, part, n);
  close (out);
  return g_string_free (text, FALSE);
}

typedef struct
{
  char *text;
  guint warnings, partials, skipped, delay_ms;
} Throttled;

static Throttled
run_share (const Bench *bench, guint share)
{
  Throttled run = { .text = run_throttled (bench, share) };
  char *end = strrchr (run.text, '=');

  if (end == NULL
      || sscanf (end, "= %u %u %u %u", &run.warnings, &run.partials,
             &run.skipped, &run.delay_ms)
             != 4)
    g_error ("the throttled process said: %s", run.text);
  *end = '\0';
  g_print ("  %3u %% of a core        %u warnings, %u partial results, %u left "
           "out, text at most %u ms after its first sample\n",
      share * 100 / PERIOD_MS, run.warnings, run.partials, run.skipped,
      run.delay_ms);
  return run;
}

/* A quarter may be enough; then nothing is said. */
static void
run_shares (Bench *bench)
{
  Throttled whole = run_share (bench, PERIOD_MS);
  Throttled quarter = run_share (bench, QUARTER_MS);
  Throttled tenth = run_share (bench, TENTH_MS);

  print_row (bench, "finals that differ at a quarter (0: none, 1: some)",
      strcmp (whole.text, quarter.text) != 0, "", 0, 1);
  print_row (bench, "finals that differ at a tenth (0: none, 1: some)",
      strcmp (whole.text, tenth.text) != 0, "", 0, 1);
  print_row (bench, "partial results at a quarter, of those on a whole core",
      100. * quarter.partials / MAX (1, whole.partials), "%", 99,
      quarter.partials);
  print_row (bench, "warnings at a quarter", quarter.warnings, "", 1,
      quarter.warnings);
  print_row (bench, "partial results at a tenth, of those at a quarter",
      100. * tenth.partials / MAX (1, quarter.partials), "%", 90,
      tenth.partials);
  print_row (bench, "warnings at a tenth beyond one",
      MAX (tenth.warnings, 1) - 1., "", 0, tenth.warnings);
  print_row (bench, "warnings at a tenth too few", 1. - MIN (tenth.warnings, 1),
      "", 0, tenth.warnings);
  g_free (whole.text);
  g_free (quarter.text);
  g_free (tenth.text);
}

/* --- all --- */

static const struct
{
  const char *name, *title;
  void (*run) (Bench *bench);
  gboolean hidden;
} cases[] = {
  { "partials", "one stream, partial results every 0.5 s", run_partials,
      FALSE },
  { "long", "one stream, finals only, pauses of 1.4 s end an utterance",
      run_long, FALSE },
  { "silence", "silence", run_silence, FALSE },
  { "streams", "four streams, finals only", run_streams, FALSE },
  { "shares", "a quarter and a tenth of a core, partial results every 0.5 s",
      run_shares, FALSE },
  { "child", NULL, run_child, TRUE },
};

static gboolean
is_wanted (guint i, int argc, char **argv)
{
  for (int k = 2; k < argc; k++)
    if (strcmp (argv[k], cases[i].name) == 0)
      return TRUE;
  return argc < 3 && !cases[i].hidden;
}

static char *
find_folder (void)
{
  const char *shared = g_getenv ("INFER_SHARED");

  return g_build_filename (
      shared != NULL ? shared : BENCH_ROOT "/../shared", "speech", NULL);
}

int
main (int argc, char **argv)
{
  const char *models = g_getenv ("INFER_MODELS");
  g_autofree char *cache =
      g_build_filename (g_get_user_cache_dir (), "inferfilter/models", NULL);
  g_autofree char *voice = NULL;
  Bench bench = { .program = argv[0],
    .seconds = argc > 1 ? (guint) atoi (argv[1]) : 120 };

  gst_init (NULL, NULL);
  models = models != NULL ? models : cache;
  voice = g_build_filename (models, "silero-vad", NULL);
  bench.model = g_build_filename (models, "whisper-tiny-en", NULL);
  bench.vad = infer_voice_model_find (voice);
  bench.speech = find_folder ();
  if (bench.vad == NULL || !g_file_test (bench.model, G_FILE_TEST_IS_DIR)
      || !g_file_test (bench.speech, G_FILE_TEST_IS_DIR)) {
    g_print ("skipped: pipelines/get-model whisper-tiny-en silero-vad, and "
             "INFER_SHARED with recordings, are needed\n");
    return 0;
  }
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    if (!is_wanted (i, argc, argv))
      continue;
    if (cases[i].title != NULL)
      g_print ("%s: %s\n", cases[i].name, cases[i].title);
    cases[i].run (&bench);
  }
  g_free (bench.model);
  g_free (bench.vad);
  g_free (bench.speech);
  return bench.missed ? 1 : 0;
}
