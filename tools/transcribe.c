/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <math.h>

#include "infer/error.h"
#include "infer/speech.h"
#include "tools/options.h"
#include "tools/progress/progress.h"
#include "tools/files/wav.h"
#include "tools/usage.h"

typedef struct
{
  ToolRuntimeOptions runtime;
  char *kind;
  GStrv settings;
  double block, partials;
  gboolean json, words, times;
} Options;

static void
clear_options (Options *options)
{
  tool_runtime_options_clear (&options->runtime);
  g_free (options->kind);
  g_strfreev (options->settings);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, clear_options)

/* --- printing --- */

static void
append_number (GString *out, const char *key, double value, const char *format)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (value))
    return;
  g_string_append_printf (out, ", \"%s\": %s", key,
      g_ascii_formatd (text, sizeof text, format, value));
}

static void
append_words (GString *out, const InferTranscript *t, double rate)
{
  g_string_append (out, ", \"words\": [");
  for (guint i = 0; i < t->n_words; i++) {
    const InferWord *word = &t->words[i];

    g_string_append (out, i > 0 ? ", {\"text\": " : "{\"text\": ");
    tool_json_string (out, word->text);
    append_number (out, "start", (double) word->start / rate, "%.3f");
    append_number (out, "end", (double) word->end / rate, "%.3f");
    append_number (out, "probability", (double) word->probability, "%.4f");
    g_string_append_c (out, '}');
  }
  g_string_append_c (out, ']');
}

static void
print_json (
    const char *path, const char *kind, const InferTranscript *t, double rate)
{
  g_autoptr (GString) out = g_string_new ("{\"file\": ");

  tool_json_string (out, path);
  g_string_append_printf (out, ", \"%s\": ", kind);
  tool_json_string (out, t->text);
  append_number (out, "start", (double) t->start / rate, "%.3f");
  append_number (out, "end", (double) t->end / rate, "%.3f");
  if (t->language != NULL) {
    g_string_append (out, ", \"language\": ");
    tool_json_string (out, t->language);
  }
  append_number (out, "log_probability", (double) t->log_probability, "%.4f");
  append_number (out, "no_speech", (double) t->no_speech, "%.4f");
  append_words (out, t, rate);
  g_print ("%s}\n", out->str);
}

static void
print_text (const Options *options, gboolean final, const InferTranscript *t,
    double rate)
{
  g_print ("%s%.2f–%.2f\t%s\n", final ? "" : "… ", (double) t->start / rate,
      (double) t->end / rate, t->text);
  for (guint i = 0; options->words && i < t->n_words; i++)
    g_print ("\t%.2f–%.2f\t%s\t%.0f %%\n", (double) t->words[i].start / rate,
        (double) t->words[i].end / rate, t->words[i].text,
        100 * (double) t->words[i].probability);
}

static void
print (const Options *options, const char *path, gboolean final,
    const InferTranscript *t, double rate)
{
  if (options->json)
    print_json (path, final ? "text" : "partial", t, rate);
  else
    print_text (options, final, t, rate);
}

/* --- running --- */

static void
print_finals (const Options *options, const char *path,
    InferSpeechStream *stream, double rate)
{
  for (InferTranscript *t; (t = infer_speech_stream_pop (stream)) != NULL;) {
    print (options, path, TRUE, t, rate);
    infer_transcript_free (t);
  }
}

static gboolean
print_partial (const Options *options, const char *path,
    InferSpeechStream *stream, double rate, GError **error)
{
  GError *failed = NULL;
  g_autoptr (InferTranscript) t = infer_speech_stream_partial (stream, &failed);

  if (failed != NULL) {
    g_propagate_error (error, failed);
    return FALSE;
  }
  if (t != NULL)
    print (options, path, FALSE, t, rate);
  return TRUE;
}

static gboolean
push_all (const Options *options, const char *path, InferSpeechStream *stream,
    const ToolWav *wav, GError **error)
{
  double rate = wav->rate, next = options->partials;
  gsize block = (gsize) MAX (1, options->block * rate);

  for (gsize at = 0; at < wav->n; at += MIN (block, wav->n - at)) {
    gsize n = MIN (block, wav->n - at);

    if (!infer_speech_stream_push (stream, wav->samples + at, n, error))
      return FALSE;
    print_finals (options, path, stream, rate);
    if (options->partials <= 0 || (double) (at + n) / rate < next)
      continue;
    next += options->partials;
    if (!print_partial (options, path, stream, rate, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
transcribe (const Options *options, InferSpeechModel *model,
    InferSpeechStream *stream, const char *path, GError **error)
{
  const InferSpeechInfo *info = infer_speech_model_get_info (model);
  g_auto (ToolWav) wav = { 0 };

  if (!tool_wav_read (&wav, path, error))
    return FALSE;
  if (wav.rate != info->rate)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s has samples of %u Hz, the model takes %u Hz", path, wav.rate,
        info->rate);
  infer_speech_stream_reset (stream);
  if (!infer_speech_stream_begin (stream, 0, error)
      || !push_all (options, path, stream, &wav, error)
      || !infer_speech_stream_end (stream, error))
    return FALSE;
  print_finals (options, path, stream, info->rate);
  return TRUE;
}

static gboolean
apply_settings (
    const Options *options, InferSpeechStream *stream, GError **error)
{
  for (guint i = 0; options->settings != NULL && options->settings[i] != NULL;
       i++) {
    g_autofree char *key = NULL;
    const char *value;

    if (!tool_split (options->settings[i], &key, &value))
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "--setting %s is not KEY=VALUE", options->settings[i]);
    if (!infer_speech_stream_set (stream, key, value, error))
      return FALSE;
  }
  return TRUE;
}

static int
transcribe_all (const Options *options, GStrv arguments)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRuntime) runtime =
      tool_open_runtime (&options->runtime, 1, FALSE, &error);

  if (runtime == NULL)
    return tool_fail (error);
  tool_progress_begin ("loading %s", arguments[0]);
  g_autoptr (InferSpeechModel) model =
      infer_speech_model_load (arguments[0], options->kind, runtime, &error);
  tool_progress_end ();
  if (model == NULL)
    return tool_fail (error);
  g_autoptr (InferSpeechStream) stream =
      infer_speech_stream_new (model, &error);
  if (stream == NULL || !apply_settings (options, stream, &error))
    return tool_fail (error);
  for (guint i = 1; arguments[i] != NULL; i++) {
    double before = tool_processor_seconds ();

    if (!options->json && arguments[2] != NULL)
      g_print ("%s\n", arguments[i]);
    if (!transcribe (options, model, stream, arguments[i], &error))
      return tool_fail (error);
    if (options->times)
      g_printerr ("%s: %.3f s of a processor\n", arguments[i],
          tool_processor_seconds () - before);
  }
  return TOOL_DONE;
}

static int
run (int argc, char **argv)
{
  g_auto (Options) options = { .runtime.threads = 1, .block = 0.1 };
  g_auto (GStrv) arguments = NULL;
  const GOptionEntry entries[] = { TOOL_RUNTIME_OPTIONS (&options.runtime),
    TOOL_OPTION ("kind", STRING, &options.kind,
        "Kind of model (default: what its files are)", "KIND"),
    TOOL_OPTION ("setting", STRING_ARRAY, &options.settings,
        "A setting of the stream (docs/guides/speech.md)", "KEY=VALUE"),
    TOOL_OPTION ("block", DOUBLE, &options.block,
        "Seconds that are given at a time (default: 0.1)", "S"),
    TOOL_OPTION ("partials", DOUBLE, &options.partials,
        "Print a guess at what was said so far every so many seconds", "S"),
    TOOL_OPTION ("words", NONE, &options.words, "Print words with times", NULL),
    TOOL_OPTION ("times", NONE, &options.times,
        "Print what each file took, on stderr", NULL),
    TOOL_OPTION (
        "json", NONE, &options.json, "Print a line of JSON each", NULL),
    G_OPTION_ENTRY_NULL };

  if (!tool_parse_options (&tool_transcribe, entries, &options.runtime, argc,
          argv, 2, G_MAXINT, &arguments))
    return TOOL_USAGE;
  return transcribe_all (&options, arguments);
}

const ToolCommand tool_transcribe = {
  .name = "transcribe",
  .arguments = "MODEL FILE.wav… [OPTION…]",
  .summary = "what is said in recordings, with a speech model (a folder)",
  .run = run,
};
