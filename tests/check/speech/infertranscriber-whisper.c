/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infertranscriber with Whisper tiny.en and silero's detector on recordings of
 * people (../shared). */

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "gst/speech/gstinfertranscriber.h"
#include "tests/check/support/folder.h"
#include "tests/check/support/process.h"
#include "tests/check/support/stream.h"

#define RATE 16000

/* Recordings and what is said, as people write it. */
static const struct
{
  const char *name, *text;
} recordings[] = {
  { "jfk",
      "and so my fellow americans ask not what your country can do for you "
      "ask what you can do for your country" },
  { "austen-0870",
      "and mr john dashwood had then leisure to consider how much there might be "
      "prudently in his power to do for them" },
  { "sb-spk1_snt1", "the child almost hurt the small dog" },
};
/* Words of them that may be wrong. */
#define MOST_WRONG 2

static char *shared, *folder, *model;

static void
add_link (const char *to, const char *name)
{
  g_autofree char *target = g_build_filename (shared, "models", to, NULL);
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_cmpint (symlink (target, path), ==, 0);
}

/* FALSE: they are not there, and the test is skipped. */
static gboolean
find_models (void)
{
  const char *given = g_getenv ("INFER_SHARED");

  if (model != NULL)
    return TRUE;
  shared = g_strdup (given != NULL ? given : SOURCE_ROOT "/../shared");
  g_autofree char *tokens =
      g_build_filename (shared, "models/whisper_tiny_en/tokenizer.json", NULL);
  if (!g_file_test (tokens, G_FILE_TEST_EXISTS)) {
    g_test_skip ("no Whisper among the shared models");
    return FALSE;
  }
  folder = g_dir_make_tmp ("infer-whisper-XXXXXX", NULL);
  add_link ("whisper_tiny_en/config.json", "config.json");
  add_link ("whisper_tiny_en/tokenizer.json", "tokenizer.json");
  add_link ("whisper_tiny_en/generation_config.json", "generation_config.json");
  add_link (
      "whisper_tiny_en/preprocessor_config.json", "preprocessor_config.json");
  add_link ("whisper_tiny_en_encoder/model.xml", "openvino_encoder_model.xml");
  add_link ("whisper_tiny_en_encoder/model.bin", "openvino_encoder_model.bin");
  add_link (
      "whisper_tiny_en_decoder_w8/model.xml", "openvino_decoder_model.xml");
  add_link (
      "whisper_tiny_en_decoder_w8/model.bin", "openvino_decoder_model.bin");
  model = g_strdup_printf (
      "infertranscriber name=t model=%s vad-model=%s/models/silero_vad_16k/"
      "model.xml ",
      folder, shared);
  return TRUE;
}

/* --- streams --- */

typedef struct
{
  GstHarness *harness;
  GString *log; /* texts and their times */
  guint n_texts;
  GstClockTime longest_gap, until;
} Session;

static GstPadProbeReturn
watch (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Session *s = data;

  if (GST_IS_BUFFER (info->data)) {
    GstBuffer *buffer = info->data;
    gsize size = gst_buffer_get_size (buffer);
    g_autofree char *text = g_malloc0 (size + 1);

    gst_buffer_extract (buffer, 0, text, size);
    g_string_append_printf (s->log,
        "%" G_GUINT64_FORMAT "+%" G_GUINT64_FORMAT " %s",
        GST_BUFFER_PTS (buffer), GST_BUFFER_DURATION (buffer), text);
    s->n_texts++;
    s->until = GST_BUFFER_PTS (buffer) + GST_BUFFER_DURATION (buffer);
  } else if (GST_EVENT_TYPE (info->data) == GST_EVENT_GAP) {
    GstClockTime pts, duration;

    gst_event_parse_gap (info->data, &pts, &duration);
    g_assert_cmpuint (pts, ==, s->until);
    __atomic_store_n (&s->until, pts + duration, __ATOMIC_RELAXED);
    s->longest_gap = MAX (s->longest_gap, duration);
  }
  return GST_PAD_PROBE_OK;
}

static void
begin (Session *s, const char *properties)
{
  g_autofree char *description = g_strconcat (model, properties, NULL);

  *s = (Session){ .log = g_string_new (NULL) };
  s->harness = test_harness (description);
  g_autoptr (GstPad) pad =
      gst_element_get_static_pad (s->harness->element, "src");
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, watch, s,
      NULL);
  gst_harness_set_live (s->harness, FALSE);
  gst_harness_push_event (s->harness, gst_event_new_stream_start ("speech"));
  gst_harness_set_src_caps_str (s->harness, TEST_AUDIO_CAPS);
}

static void
push (Session *s, const float *samples, gsize n, gsize part)
{
  for (gsize i = 0; i < n; i += part) {
    gsize m = MIN (part, n - i);
    GstBuffer *buffer = gst_buffer_new_memdup (samples + i, m * sizeof (float));

    GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (i, GST_SECOND, RATE);
    g_assert_cmpint (gst_harness_push (s->harness, buffer), ==, GST_FLOW_OK);
  }
}

static void
drain (Session *s)
{
  gst_harness_push_event (s->harness, gst_event_new_eos ());
  test_wait_eos (s->harness);
}

static void
end (Session *s)
{
  gst_element_set_state (s->harness->element, GST_STATE_NULL);
  test_teardown (s->harness);
  g_string_free (s->log, TRUE);
}

static float *
load (const char *name, gsize *n)
{
  g_autofree char *file = g_strconcat (name, ".wav", NULL);
  g_autofree char *path =
      g_build_filename (shared, "speech", "wav", file, NULL);

  return test_load_wav (path, n);
}

/* --- words --- */

/* Lower case, without punctuation and times. */
static GStrv
words_of (const char *text)
{
  g_autofree char *lower = g_utf8_strdown (text, -1);
  g_autoptr (GRegex) others =
      g_regex_new ("[0-9]+\\+[0-9]+|[^a-z ]", 0, 0, NULL);
  g_autofree char *plain =
      g_regex_replace_literal (others, lower, -1, 0, " ", 0, NULL);
  g_auto (GStrv) parts = g_strsplit (plain, " ", -1);
  GPtrArray *found = g_ptr_array_new ();

  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] != '\0')
      g_ptr_array_add (found, g_strdup (parts[i]));
  g_ptr_array_add (found, NULL);
  return (GStrv) g_ptr_array_free (found, FALSE);
}

/* Words added, lacking and wrong. */
static guint
count_wrong (const char *said, const char *heard)
{
  g_auto (GStrv) a = words_of (said), b = words_of (heard);
  guint n = g_strv_length (b);
  g_autofree guint *row = g_new (guint, n + 1);

  for (guint k = 0; k <= n; k++)
    row[k] = k;
  for (guint i = 0; a[i] != NULL; i++) {
    guint diagonal = row[0];

    row[0] = i + 1;
    for (guint k = 1; k <= n; k++) {
      guint equal = diagonal + !g_str_equal (a[i], b[k - 1]);

      diagonal = row[k];
      row[k] = MIN (equal, MIN (row[k], row[k - 1]) + 1);
    }
  }
  return row[n];
}

static void
test_recordings (void)
{
  guint wrong = 0;
  Session s;

  if (!find_models ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (recordings); i++) {
    gsize n;
    g_autofree float *samples = load (recordings[i].name, &n);

    begin (&s, "");
    push (&s, samples, n, 1600);
    drain (&s);
    guint here = count_wrong (recordings[i].text, s.log->str);
    g_test_message ("%s: %u wrong: %s", recordings[i].name, here, s.log->str);
    g_assert_cmpuint (s.longest_gap, <=, 250 * GST_MSECOND);
    wrong += here;
    end (&s);
  }
  g_assert_cmpuint (wrong, <=, MOST_WRONG);
}

/* The same for any size of buffers, with partial results and without. */
static void
test_same (void)
{
  gsize n;
  Session s;

  if (!find_models ())
    return;
  g_autofree float *samples = load ("jfk", &n);
  begin (&s, "granularity=word");
  push (&s, samples, n, 1600);
  drain (&s);
  g_autofree char *expected = g_strdup (s.log->str);
  end (&s);
  begin (&s, "granularity=word partial-interval=1000");
  push (&s, samples, n, 12345);
  drain (&s);
  g_assert_cmpstr (s.log->str, ==, expected);
  end (&s);
}

/* --- without words --- */

#define MINUTES 10
#define SECONDS (MINUTES * 60)

/* What there is to hear in @second. */
typedef void SoundFn (float *samples, guint second, GRand *rand);

static void
silence (float *samples, guint second, GRand *rand)
{
  memset (samples, 0, RATE * sizeof (float));
}

static void
white (float *samples, guint second, GRand *rand)
{
  for (guint i = 0; i < RATE; i++)
    samples[i] = (float) g_rand_double_range (rand, -0.1, 0.1);
}

/* White noise through three poles: 3 dB less per octave. */
static void
pink (float *samples, guint second, GRand *rand)
{
  static double b[3];

  for (guint i = 0; i < RATE; i++) {
    double w = g_rand_double_range (rand, -0.1, 0.1);

    b[0] = 0.99765 * b[0] + 0.0990460 * w;
    b[1] = 0.96300 * b[1] + 0.2965164 * w;
    b[2] = 0.57000 * b[2] + 1.0526913 * w;
    samples[i] = (float) ((b[0] + b[1] + b[2] + 0.1848 * w) / 4);
  }
}

static void
hum (float *samples, guint second, GRand *rand)
{
  for (guint i = 0; i < RATE; i++)
    samples[i] = 0.1f * sinf ((float) i * 2 * (float) G_PI * 50 / RATE)
                 + 0.05f * sinf ((float) i * 2 * (float) G_PI * 150 / RATE);
}

/* A chord of three tones with harmonics each second, which fades. */
static void
music (float *samples, guint second, GRand *rand)
{
  static const int scale[] = { 0, 2, 4, 5, 7, 9, 11 };
  double step[3];

  for (guint k = 0; k < 3; k++)
    step[k] = 220
              * pow (2, scale[g_rand_int_range (rand, 0, 7)] / 12. + (k > 1))
              * 2 * G_PI / RATE;
  for (guint i = 0; i < RATE; i++) {
    double sum = 0;

    for (guint k = 0; k < 3; k++)
      for (guint harmonic = 1; harmonic <= 4; harmonic++)
        sum += sin (i * step[k] * harmonic) / harmonic;
    samples[i] = (float) (0.06 * sum * exp (-2. * i / RATE));
  }
}

/* Gaps up to the last three seconds have left, before the stream ends. */
static void
wait_for_gaps (Session *s)
{
  while (__atomic_load_n (&s->until, __ATOMIC_RELAXED)
         < (SECONDS - 3) * GST_SECOND)
    g_usleep (1000); /* or the test's limit */
}

static void
hear_nothing (SoundFn *sound, const char *properties)
{
  g_autofree float *samples = g_new (float, RATE);
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  Session s;

  begin (&s, properties);
  for (guint second = 0; second < SECONDS; second++) {
    sound (samples, second, rand);
    for (guint i = 0; i < RATE; i += 1600) {
      GstBuffer *buffer =
          gst_buffer_new_memdup (samples + i, 1600 * sizeof (float));

      GST_BUFFER_PTS (buffer) = second * GST_SECOND + i * GST_SECOND / RATE;
      g_assert_cmpint (gst_harness_push (s.harness, buffer), ==, GST_FLOW_OK);
    }
  }
  wait_for_gaps (&s);
  drain (&s);
  g_assert_cmpuint (s.n_texts, ==, 0);
  g_assert_cmpuint (s.longest_gap, <=, 250 * GST_MSECOND);
  g_assert_cmpuint (s.until, ==, SECONDS * GST_SECOND);
  end (&s);
}

/* Ten minutes of each, with every detector. */
static void
test_silence (void)
{
  static SoundFn *const sounds[] = { silence, white, pink, hum, music };

  if (!find_models ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (sounds); i++)
    hear_nothing (sounds[i], "vad=silero");
  hear_nothing (silence, "vad=level");
  hear_nothing (silence, "vad=none");
}

/* --- flush --- */

static gboolean
has_begun (Session *s)
{
  g_autoptr (GstElement) t =
      gst_bin_get_by_name (GST_BIN (s->harness->element), "t");
  g_autoptr (GstStructure) stats = NULL;
  guint64 n = 0;

  g_object_get (t, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "utterances", &n);
  return n > 0;
}

/* At any moment of a decode. */
static void
test_flushed (void)
{
  gint64 worst = 0;
  guint n_slow = 0;
  gsize n;
  Session s;

  if (!find_models ())
    return;
  g_autofree float *samples = load ("jfk", &n);
  begin (&s, "partial-interval=100 max-utterance=4000");
  for (guint i = 0; i < 8; i++) {
    GstSegment segment;

    push (&s, samples, n / 2, 1600);
    while (!has_begun (&s))
      g_usleep (1000);
    g_usleep (i * 23000);
    gint64 start = g_get_monotonic_time ();
    gst_harness_push_event (s.harness, gst_event_new_flush_start ());
    gst_harness_push_event (s.harness, gst_event_new_flush_stop (TRUE));
    gint64 took = g_get_monotonic_time () - start;
    g_test_message ("%d us", (int) took);
    worst = MAX (worst, took);
    n_slow += took > 50000;
    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_harness_push_event (s.harness, gst_event_new_segment (&segment));
    s.until = 0;
  }
  /* The machine has other work. */
  if (!TEST_IS_SANITIZED) {
    g_assert_cmpint (worst, <=, 500000);
    g_assert_cmpuint (n_slow, <=, 2);
  }
  end (&s);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  g_test_init (&argc, &argv, NULL);
  GST_ELEMENT_REGISTER (infertranscriber, NULL);
  g_test_add_func ("/whisper/recordings", test_recordings);
  g_test_add_func ("/whisper/same", test_same);
  g_test_add_func ("/whisper/silence", test_silence);
  g_test_add_func ("/whisper/flush", test_flushed);
  int failed = g_test_run ();
  if (folder != NULL)
    test_remove_folder (folder);
  g_free (folder);
  g_free (shared);
  g_free (model);
  return failed;
}
