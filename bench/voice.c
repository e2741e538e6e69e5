/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The level detector beside silero: how much of the speech that silero finds it
 * misses, how much of the rest it takes for speech, what both find in sounds
 * without speech, and what a second of sound costs.
 *
 * Usage: voice MODEL FILE.wav…      mono, 16 kHz, 16 bit */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "infer/voice.h"
#include "inference/media/vad.h"

#define RATE 16000
#define MINUTES 10 /* of each sound */

typedef struct
{
  InferVoiceModel *model;
  InferVoiceDetector *detector;
  GArray *windows; /* (element-type InferVoiceWindow) */
  GArray *speech;  /* (element-type gboolean), of each window */
  guint starts;
  double seconds; /* of processor time, in all */
} Side;

static double
processor_time (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static void
open_side (Side *side, const char *path)
{
  g_autoptr (GError) error = NULL;

  side->model = infer_voice_model_load (path, NULL, &error);
  if (side->model != NULL)
    side->detector = infer_voice_detector_new (side->model, &error);
  if (side->detector == NULL)
    g_error ("%s", error->message);
  side->windows = g_array_new (FALSE, FALSE, sizeof (InferVoiceWindow));
  side->speech = g_array_new (FALSE, TRUE, sizeof (gboolean));
}

static void
close_side (Side *side)
{
  infer_voice_detector_free (side->detector);
  infer_voice_model_unref (side->model);
  g_array_unref (side->windows);
  g_array_unref (side->speech);
}

/* Windows from sample @from to @to are speech. */
static void
mark (Side *side, guint64 from, guint64 to)
{
  guint window = infer_voice_model_get_window (side->model);

  for (guint64 i = from / window; i * window < to && i < side->speech->len; i++)
    g_array_index (side->speech, gboolean, i) = TRUE;
}

/* By the rules and defaults of infervad. */
static void
judge (Side *side, const GArray *samples)
{
  InferVad vad = { .config = {
                       0.5, 0.35, RATE / 4, RATE / 10, RATE * 30 / 1000 } };
  g_autoptr (GArray) events =
      g_array_new (FALSE, FALSE, sizeof (InferVadEvent));
  g_autoptr (GError) error = NULL;
  double before = processor_time ();

  g_array_set_size (side->windows, 0);
  if (!infer_voice_detector_push (side->detector,
          (const float *) (gpointer) samples->data, samples->len, side->windows,
          &error)
      || !infer_voice_detector_finish (side->detector, side->windows, &error))
    g_error ("%s", error->message);
  side->seconds += processor_time () - before;
  g_array_set_size (side->speech, 0);
  g_array_set_size (side->speech, side->windows->len);
  for (guint i = 0; i < side->windows->len; i++) {
    const InferVoiceWindow *w =
        &g_array_index (side->windows, InferVoiceWindow, i);

    infer_vad_push (&vad, w->probability, w->begin, w->end, events);
  }
  infer_vad_finish (&vad, events);
  side->starts = events->len / 2;
  for (guint i = 0; i + 1 < events->len; i += 2)
    mark (side, g_array_index (events, InferVadEvent, i).time,
        g_array_index (events, InferVadEvent, i + 1).time);
}

static guint
count_speech (const Side *side)
{
  guint n = 0;

  for (guint i = 0; i < side->speech->len; i++)
    n += g_array_index (side->speech, gboolean, i) ? 1 : 0;
  return n;
}

/* --- recordings --- */

static gboolean
read_wav (const char *path, GArray *samples)
{
  g_autofree char *bytes = NULL;
  gsize size;

  g_array_set_size (samples, 0);
  if (!g_file_get_contents (path, &bytes, &size, NULL) || size < 44)
    return FALSE;
  for (gsize at = 12; at + 8 <= size;) {
    guint32 length;

    memcpy (&length, bytes + at + 4, sizeof length);
    length = GUINT32_FROM_LE (length);
    if (memcmp (bytes + at, "data", 4) != 0) {
      at += 8 + (gsize) length + (length & 1);
      continue;
    }
    for (gsize i = at + 8; i + 2 <= MIN (size, at + 8 + length); i += 2) {
      gint16 value;

      memcpy (&value, bytes + i, sizeof value);
      float x = (float) (gint16) GINT16_FROM_LE (value) / 32768.f;
      g_array_append_val (samples, x);
    }
    return TRUE;
  }
  return FALSE;
}

static void
compare (Side *silero, Side *level, int n, char **paths, double noise)
{
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (float));
  guint speech = 0, other = 0, missed = 0, wrong = 0, starts = 0;
  g_autoptr (GRand) random = g_rand_new_with_seed (1);

  for (int k = 0; k < n; k++) {
    if (!read_wav (paths[k], samples))
      g_error ("%s: no WAV file", paths[k]);
    for (guint i = 0; i < samples->len; i++)
      g_array_index (samples, float, i) +=
          (float) (noise * g_rand_double_range (random, -1, 1));
    judge (silero, samples);
    judge (level, samples);
    for (guint i = 0; i < silero->speech->len; i++) {
      gboolean a = g_array_index (silero->speech, gboolean, i);
      gboolean b = g_array_index (level->speech, gboolean, i);

      speech += a ? 1 : 0;
      other += a ? 0 : 1;
      missed += a && !b ? 1 : 0;
      wrong += b && !a ? 1 : 0;
    }
    starts += silero->starts;
    if (g_getenv ("VOICE_VERBOSE") != NULL)
      g_print ("%-40s silero %5.1f %%  level %5.1f %%\n", paths[k],
          100. * count_speech (silero) / silero->speech->len,
          100. * count_speech (level) / level->speech->len);
  }
  g_print ("recordings%s: %u windows, %u of them speech as silero says, in %u "
           "pieces\n  level misses %.1f %% of the speech, takes %.1f %% of the "
           "rest for speech\n",
      noise > 0 ? " in white noise" : "", speech + other, speech, starts,
      100. * missed / MAX (speech, 1), 100. * wrong / MAX (other, 1));
}

/* --- sounds --- */

typedef struct
{
  GRand *random;
  double pink[3];
  double phase[4], step[4], fade;
} Sound;

static double
white (Sound *s, guint i)
{
  return 0.05 * g_rand_double_range (s->random, -1, 1);
}

static double
silence (Sound *s, guint i)
{
  return 0;
}

/* Three first-order sections (Paul Kellet's approximation). */
static double
pink (Sound *s, guint i)
{
  double w = g_rand_double_range (s->random, -1, 1);

  s->pink[0] = 0.99765 * s->pink[0] + w * 0.0990460;
  s->pink[1] = 0.96300 * s->pink[1] + w * 0.2965164;
  s->pink[2] = 0.57000 * s->pink[2] + w * 1.0526913;
  return 0.02 * (s->pink[0] + s->pink[1] + s->pink[2] + w * 0.1848);
}

static double
hum (Sound *s, guint i)
{
  double t = (double) i / RATE, sum = 0;

  for (int k = 1; k <= 7; k += 2)
    sum += sin (2 * G_PI * 50 * k * t) / k;
  return 0.1 * sum + 0.001 * g_rand_double_range (s->random, -1, 1);
}

/* Chords of four tones with five harmonics, struck twice a second. */
static double
music (Sound *s, guint i)
{
  static const int scale[] = { 0, 2, 4, 5, 7, 9, 11, 12, 14, 16 };
  double sum = 0;

  if (i % (RATE / 2) == 0) {
    for (guint k = 0; k < 4; k++)
      s->step[k] = 130.8
                   * pow (2, scale[g_rand_int_range (s->random, 0, 10)] / 12.)
                   * (k == 0 ? 0.5 : 1) / RATE;
    s->fade = 0.15;
  }
  s->fade *= 1 - 2.5 / RATE;
  for (guint k = 0; k < 4; k++) {
    s->phase[k] = fmod (s->phase[k] + s->step[k], 1);
    for (int h = 1; h <= 5; h++)
      sum += sin (2 * G_PI * h * s->phase[k]) / (h * h);
  }
  return s->fade * sum;
}

/* White noise in which something falls twice a second. */
static double
clatter (Sound *s, guint i)
{
  guint since = i % (RATE / 2);

  return (0.002 + 0.3 * exp (-(double) since / (0.03 * RATE)))
         * g_rand_double_range (s->random, -1, 1);
}

static void
run_sounds (Side *silero, Side *level)
{
  static const struct
  {
    const char *name;
    double (*sample) (Sound *s, guint i);
  } sounds[] = { { "silence", silence }, { "white noise", white },
    { "pink noise", pink }, { "hum", hum }, { "clatter", clatter },
    { "music", music } };

  for (guint k = 0; k < G_N_ELEMENTS (sounds); k++) {
    g_autoptr (GRand) random = g_rand_new_with_seed (k);
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (float));
    Sound sound = { .random = random };

    for (guint i = 0; i < MINUTES * 60 * RATE; i++) {
      float x = (float) sounds[k].sample (&sound, i);
      g_array_append_val (samples, x);
    }
    judge (silero, samples);
    judge (level, samples);
    g_print ("%-12s silero %6.2f s in %3u pieces, level %6.2f s in %3u\n",
        sounds[k].name, count_speech (silero) * 0.032, silero->starts,
        count_speech (level) * 0.032, level->starts);
  }
}

int
main (int argc, char **argv)
{
  Side silero = { 0 }, level = { 0 };
  const double seconds = 6. * MINUTES * 60;

  if (argc < 3) {
    g_printerr ("Usage: voice MODEL FILE.wav…\n");
    return 2;
  }
  open_side (&silero, argv[1]);
  open_side (&level, NULL);
  compare (&silero, &level, argc - 2, argv + 2, 0);
  compare (&silero, &level, argc - 2, argv + 2, 0.01);
  silero.seconds = level.seconds = 0;
  g_print ("%d minutes each of sounds without speech:\n", MINUTES);
  run_sounds (&silero, &level);
  g_print ("processor time of a second of sound: silero %.2f ms, level %.3f "
           "ms\n",
      1000 * silero.seconds / seconds, 1000 * level.seconds / seconds);
  close_side (&silero);
  close_side (&level);
  return 0;
}
