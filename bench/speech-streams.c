/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Several streams on one speech model, as fast as they go: processor time and
 * memory for 1, 2, 4 and 8 of them, and whether all find the same text.
 *
 *   speech-streams MODEL FILE.wav…
 *
 * Each stream hears all files, beginning with another one.  Exit status 1: some
 * text depends on the number of streams. */

#include <string.h>

#include "infer/speech.h"
#include "tools/files/wav.h"
#include "tools/usage.h"

#define MOST_STREAMS 8

typedef struct
{
  InferSpeechStream *stream;
  const ToolWav *files;
  char **texts; /* [n_files] */
  guint n_files, first;
} Stream;

static void
fail (const char *what, const GError *error)
{
  g_printerr ("%s: %s\n", what, error->message);
  exit (1);
}

/* (transfer full) */
static char *
hear (InferSpeechStream *stream, const ToolWav *wav)
{
  GString *text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;

  infer_speech_stream_reset (stream);
  if (!infer_speech_stream_begin (stream, 0, &error)
      || !infer_speech_stream_push (stream, wav->samples, wav->n, &error)
      || !infer_speech_stream_end (stream, &error))
    fail ("a stream", error);
  for (InferTranscript *t; (t = infer_speech_stream_pop (stream)) != NULL;) {
    g_string_append_printf (
        text, "%" G_GUINT64_FORMAT " %s\n", t->start, t->text);
    infer_transcript_free (t);
  }
  return g_string_free (text, FALSE);
}

static gpointer
run (gpointer data)
{
  Stream *s = data;

  for (guint i = 0; i < s->n_files; i++) {
    guint at = (s->first + i) % s->n_files;

    s->texts[at] = hear (s->stream, &s->files[at]);
  }
  return NULL;
}

static double
length_of (const ToolWav *files, guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += (double) files[i].n / files[i].rate;
  return sum;
}

static guint
count_different (char **texts, char **expected, guint n)
{
  guint different = 0;

  for (guint i = 0; i < n; i++)
    different += strcmp (texts[i], expected[i]) != 0;
  return different;
}

/* Returns how many texts differ from *@expected, which the first call sets. */
static guint
measure (InferSpeechModel *model, const ToolWav *files, guint n_files, guint n,
    char ***expected)
{
  Stream streams[MOST_STREAMS];
  GThread *threads[MOST_STREAMS];
  guint different = 0;
  double cpu = tool_processor_seconds ();
  gint64 begin = g_get_monotonic_time ();

  for (guint i = 0; i < n; i++) {
    g_autoptr (GError) error = NULL;

    streams[i] = (Stream){ infer_speech_stream_new (model, &error), files,
      g_new0 (char *, n_files + 1), n_files, i * n_files / n };
    if (streams[i].stream == NULL)
      fail ("a stream", error);
    threads[i] = g_thread_new ("stream", run, &streams[i]);
  }
  for (guint i = 0; i < n; i++)
    g_thread_join (threads[i]);
  const double length = n * length_of (files, n_files);
  cpu = (tool_processor_seconds () - cpu) / length;
  const double wall =
      (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC / length;
  g_print (
      "%7u %18.5f %12.5f %15.1f\n", n, cpu, wall, tool_resident_megabytes ());
  for (guint i = 0; i < n; i++) {
    if (*expected == NULL)
      *expected = g_strdupv (streams[i].texts);
    different += count_different (streams[i].texts, *expected, n_files);
    g_strfreev (streams[i].texts);
    infer_speech_stream_free (streams[i].stream);
  }
  return different;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  const guint n_files = (guint) MAX (argc - 2, 0);
  g_auto (GStrv) expected = NULL;
  guint different = 0;

  if (n_files == 0) {
    g_printerr ("usage: speech-streams MODEL FILE.wav…\n");
    return 2;
  }
  g_autofree ToolWav *files = g_new0 (ToolWav, n_files);
  for (guint i = 0; i < n_files; i++)
    if (!tool_wav_read (&files[i], argv[2 + i], &error))
      fail (argv[2 + i], error);
  const double before = tool_resident_megabytes ();
  InferRuntime *runtime =
      infer_runtime_new ("CPU", "INFERENCE_NUM_THREADS=1", &error);
  if (runtime == NULL)
    fail ("CPU", error);
  InferSpeechModel *model =
      infer_speech_model_load (argv[1], NULL, runtime, &error);
  if (model == NULL)
    fail (argv[1], error);
  g_print ("%.1f MB before the model, %.1f MB with it, %u files\n\n"
           "streams processor s per s     wall s/s     resident MB\n",
      before, tool_resident_megabytes (), n_files);
  for (guint n = 1; n <= MOST_STREAMS; n *= 2)
    different += measure (model, files, n_files, n, &expected);
  g_print ("\n%u texts differ from those of a stream alone\n", different);
  for (guint i = 0; i < n_files; i++)
    tool_wav_clear (&files[i]);
  infer_speech_model_unref (model);
  infer_runtime_unref (runtime);
  return different > 0 ? 1 : 0;
}
