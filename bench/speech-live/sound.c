/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench/speech-live/sound.h"

#include <stdlib.h>
#include <string.h>

#include "infer/voice.h"
#include "inference/media/vad.h"
#include "tools/files/wav.h"

#define PAUSE (3 * SOUND_RATE / 2)

static void
add_silence (Sound *sound, guint n, double level)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (n);

  for (guint i = 0; i < n; i++) {
    float value = (float) (level * g_rand_double_range (random, -1, 1));

    g_array_append_val (sound->samples, value);
  }
}

static void
add_recording (Sound *sound, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_auto (ToolWav) wav = { 0 };

  if (!tool_wav_read (&wav, path, &error))
    g_error ("%s", error->message);
  if (wav.rate != SOUND_RATE)
    g_error ("%s: it has samples of %u Hz", path, wav.rate);
  g_array_append_vals (sound->samples, wav.samples, (guint) wav.n);
  add_silence (sound, PAUSE, 1e-4);
}

static void
add_recordings (Sound *sound, const char *folder, guint first, guint seconds)
{
  g_autofree char *list = g_build_filename (folder, "manifest.tsv", NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;

  if (!g_file_get_contents (list, &text, NULL, &error))
    g_error ("%s", error->message);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint n = g_strv_length (lines);
  for (guint i = 0; i < n && sound->samples->len < seconds * SOUND_RATE; i++) {
    const char *line = lines[1 + (first + i) % (n - 1)];
    g_auto (GStrv) fields = g_strsplit (line, "\t", -1);

    if (g_strv_length (fields) < 8 || strcmp (fields[7], "yes") != 0)
      continue;
    g_autofree char *path = g_build_filename (folder, fields[1], NULL);
    add_recording (sound, path);
  }
}

/* By the rules of infertranscriber. */
static void
find_utterances (Sound *sound, const char *vad_model, guint min_silence)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferVoiceModel) model =
      infer_voice_model_load (vad_model, NULL, &error);
  g_autoptr (InferVoiceDetector) detector =
      model != NULL ? infer_voice_detector_new (model, &error) : NULL;
  g_autoptr (GArray) windows =
      g_array_new (FALSE, FALSE, sizeof (InferVoiceWindow));
  g_autoptr (GArray) events =
      g_array_new (FALSE, FALSE, sizeof (InferVadEvent));
  InferVad vad = { .config = { 0.5, 0.35, SOUND_RATE / 10,
                       min_silence * SOUND_RATE / 1000, 0 } };

  if (detector == NULL
      || !infer_voice_detector_push (detector,
          (const float *) (gpointer) sound->samples->data, sound->samples->len,
          windows, &error))
    g_error ("%s", error->message);
  for (guint i = 0; i < windows->len; i++) {
    const InferVoiceWindow *w = &g_array_index (windows, InferVoiceWindow, i);

    infer_vad_push (&vad, w->probability, w->begin, w->end, events);
  }
  infer_vad_finish (&vad, events);
  for (guint i = 0; i + 1 < events->len; i += 2) {
    Utterance utterance = { g_array_index (events, InferVadEvent, i).time,
      g_array_index (events, InferVadEvent, i + 1).time };

    g_array_append_val (sound->utterances, utterance);
  }
}

static void
init (Sound *sound)
{
  sound->samples = g_array_new (FALSE, FALSE, sizeof (float));
  sound->utterances = g_array_new (FALSE, FALSE, sizeof (Utterance));
}

void
sound_init (Sound *sound, const char *folder, const char *vad_model,
    guint first, guint seconds, guint min_silence)
{
  init (sound);
  add_recordings (sound, folder, first, seconds);
  add_silence (sound, min_silence * SOUND_RATE / 1000, 1e-4);
  find_utterances (sound, vad_model, min_silence);
}

void
sound_init_quiet (Sound *sound, guint seconds)
{
  init (sound);
  add_silence (sound, seconds * SOUND_RATE, 1e-3);
}

void
sound_clear (Sound *sound)
{
  g_clear_pointer (&sound->samples, g_array_unref);
  g_clear_pointer (&sound->utterances, g_array_unref);
}
