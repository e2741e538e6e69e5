/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The small streaming transducer of tests/speech/digits on the recordings of
 * ../shared/digits/test, whose speakers it never heard. */

#include <stdlib.h>
#include <string.h>

#include "infer/speech.h"
#include "tests/check/support/folder.h"

#define FOLDER SOURCE_ROOT "/tests/speech/digits"
#define RATE 16000
#define PIECE 320
#define MOST_DELAY (RATE * 3 / 10) /* from the end of a word to its partial */
#define LEAST_GAP 320              /* zeros between words */

static char *test_folder; /* NULL: there is none */

typedef struct
{
  const char *kind;
  guint most_errors; /* measured, and 2 more */
  guint words, errors;
} Group;

/* --- recordings --- */

/* Where the takes of a clean recording end: digital silence follows. */
static GArray *
find_ends (const float *samples, gsize n)
{
  GArray *ends = g_array_new (FALSE, FALSE, sizeof (gsize));
  gsize zeros = LEAST_GAP;

  for (gsize i = 0; i < n; i++) {
    zeros = samples[i] == 0 ? zeros + 1 : 0;
    if (zeros == LEAST_GAP && i >= LEAST_GAP) {
      gsize end = i + 1 - LEAST_GAP;
      g_array_append_val (ends, end);
    }
  }
  return ends;
}

/* Substitutions, insertions and deletions. */
static guint
count_errors (GStrv spoken, GStrv heard)
{
  guint n = g_strv_length (heard);
  g_autofree guint *row = g_new (guint, n + 1);

  for (guint k = 0; k <= n; k++)
    row[k] = k;
  for (guint i = 0; spoken[i] != NULL; i++) {
    guint diagonal = row[0]++;

    for (guint k = 0; k < n; k++) {
      guint change = diagonal + (strcmp (spoken[i], heard[k]) != 0);

      diagonal = row[k + 1];
      row[k + 1] = MIN (change, MIN (diagonal, row[k]) + 1);
    }
  }
  return row[n];
}

/* --- recognition --- */

typedef struct
{
  InferSpeechStream *stream;
  GString *text; /* of the finals */
  GArray *times; /* samples pushed when word i was first in a partial (gsize) */
} Listener;

static void
take_finals (Listener *l)
{
  InferTranscript *final;

  while ((final = infer_speech_stream_pop (l->stream)) != NULL) {
    g_string_append_printf (
        l->text, "%s%s", l->text->len > 0 ? " " : "", final->text);
    infer_transcript_free (final);
  }
}

static void
note_times (Listener *l, gsize pushed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferTranscript) partial =
      infer_speech_stream_partial (l->stream, &error);

  g_assert_no_error (error);
  while (partial != NULL && l->times->len < partial->n_words)
    g_array_append_val (l->times, pushed);
}

static void
listen (Listener *l, const float *samples, gsize n)
{
  g_autoptr (GError) error = NULL;

  g_string_truncate (l->text, 0);
  g_array_set_size (l->times, 0);
  infer_speech_stream_begin (l->stream, 0, &error);
  for (gsize i = 0; i < n; i += PIECE) {
    infer_speech_stream_push (
        l->stream, samples + i, MIN (PIECE, n - i), &error);
    g_assert_no_error (error);
    note_times (l, MIN (i + PIECE, n));
    take_finals (l);
  }
  infer_speech_stream_end (l->stream, &error);
  g_assert_no_error (error);
  take_finals (l);
}

/* Returns the words whose time was looked at. */
static guint
check_times (const Listener *l, const char *name, const float *samples, gsize n)
{
  g_autoptr (GArray) ends = find_ends (samples, n);

  /* A take with silence of its own would end twice. */
  if (ends->len != l->times->len)
    return 0;
  for (guint i = 0; i < ends->len; i++) {
    gsize end = g_array_index (ends, gsize, i);
    gsize time = g_array_index (l->times, gsize, i);

    g_test_message ("%s: word %u, %d ms after its end", name, i,
        ((int) time - (int) end) * 1000 / RATE);
    g_assert_cmpuint (time, <=, end + MOST_DELAY);
  }
  return ends->len;
}

static void
test_recordings (void)
{
  Group groups[] = { { .kind = "human", .most_errors = 21 },
    { .kind = "synthetic", .most_errors = 12 }, { .kind = "flite" },
    { .kind = "noise" } };
  g_autoptr (GError) error = NULL;
  g_autofree char *list = NULL;
  guint timed = 0;

  if (test_folder == NULL) {
    g_test_skip ("needs ../shared/digits/test");
    return;
  }
  g_autofree char *path =
      g_build_filename (test_folder, "transcripts.tsv", NULL);
  g_assert_true (g_file_get_contents (path, &list, NULL, NULL));
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, &error);
  g_autoptr (InferSpeechModel) model =
      infer_speech_model_load (FOLDER, NULL, runtime, &error);
  g_assert_no_error (error);
  Listener l = { infer_speech_stream_new (model, &error), g_string_new (NULL),
    g_array_new (FALSE, FALSE, sizeof (gsize)) };
  g_assert_no_error (error);
  g_assert_true (
      infer_speech_stream_set (l.stream, "trailing-silence", "0", NULL));

  g_auto (GStrv) lines = g_strsplit (list, "\n", -1);
  for (guint i = 1; lines[i] != NULL && *lines[i] != '\0'; i++) {
    g_auto (GStrv) fields = g_strsplit (lines[i], "\t", -1);
    g_auto (GStrv) spoken = g_strsplit (fields[1], " ", -1);
    gsize n;
    g_autofree char *wav = g_build_filename (test_folder, fields[0], NULL);
    g_autofree float *samples = test_read_wav (wav, &n);
    Group *group = groups;

    while (strcmp (group->kind, fields[4]) != 0) {
      group++;
      g_assert_true (group < groups + G_N_ELEMENTS (groups));
    }
    listen (&l, samples, n);
    g_auto (GStrv) heard = g_strsplit (l.text->str, " ", -1);
    guint errors = count_errors (spoken, heard);
    g_test_message ("%s: '%s', heard '%s'", fields[0], fields[1], l.text->str);
    group->words += g_strv_length (spoken);
    group->errors += errors;
    if (l.times->len == g_strv_length (spoken)
        && strcmp (fields[5], "clean") == 0)
      timed += check_times (&l, fields[0], samples, n);
  }
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++) {
    g_test_message ("%s: %u errors in %u words", groups[i].kind,
        groups[i].errors, groups[i].words);
    g_assert_cmpuint (groups[i].errors, <=, groups[i].most_errors);
  }
  g_assert_cmpuint (timed, >=, 20);
  infer_speech_stream_free (l.stream);
  g_string_free (l.text, TRUE);
  g_array_unref (l.times);
}

int
main (int argc, char **argv)
{
  const char *shared = g_getenv ("INFER_SHARED");

  g_test_init (&argc, &argv, NULL);
  test_folder = g_build_filename (
      shared != NULL ? shared : SOURCE_ROOT "/../shared", "digits/test", NULL);
  if (!g_file_test (test_folder, G_FILE_TEST_IS_DIR))
    g_clear_pointer (&test_folder, g_free);
  g_test_add_func ("/digits/recordings", test_recordings);
  int result = g_test_run ();
  g_free (test_folder);
  return result;
}
