/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The words recognised in every recording, with both models and buffers of many
 * sizes, equal the reference's in transcripts.tsv; two recordings with a flush
 * between give what each gives alone.
 *
 * usage: test-digits bundled|shared [DEVICE]; shared: the models beside the
 * project (INFER_SHARED, else ../shared); exit status 77 if missing. */

#include "infer/runtime.h"
#include <stdio.h>

#include "tests/check/support/stream.h"

#define MODELS SOURCE_ROOT "/pipelines/models/digits/"

static const char *const chains[] = {
  "inferfilter model=" MODELS "digits-wave.xml ! inferdecoder",
  "inferfeatures ! inferfilter model=" MODELS "digits.xml ! inferdecoder",
};

static const gsize parts[] = { 37, 160, 1600, 48000 };

typedef struct
{
  char *words;
  float *samples;
  gsize n;
} Recording;

static void
recording_free (gpointer data)
{
  Recording *recording = data;

  g_free (recording->words);
  g_free (recording->samples);
  g_free (recording);
}

static char *
find_folder (const char *which)
{
  const char *shared = g_getenv ("INFER_SHARED");

  if (g_str_equal (which, "bundled"))
    return g_strdup (SOURCE_ROOT "/pipelines/recordings");
  return g_build_filename (
      shared != NULL ? shared : SOURCE_ROOT "/../shared", "digits/test", NULL);
}

/* (element-type Recording) */
static GPtrArray *
load (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "transcripts.tsv", NULL);
  GPtrArray *recordings = g_ptr_array_new_with_free_func (recording_free);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents (path, &text, NULL, NULL)) {
    printf ("skipped: no %s\n", path);
    exit (77);
  }
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 1; lines[i] != NULL && lines[i][0] != '\0'; i++) {
    g_auto (GStrv) fields = g_strsplit (lines[i], "\t", -1);
    Recording *recording = g_new0 (Recording, 1);

    g_assert_cmpuint (g_strv_length (fields), >=, 3);
    g_autofree char *wav = g_build_filename (folder, fields[0], NULL);
    recording->words = g_strdup (fields[2]);
    recording->samples = test_load_wav (wav, &recording->n);
    g_ptr_array_add (recordings, recording);
  }
  g_assert_cmpuint (recordings->len, >, 0);
  return recordings;
}

static GstHarness *
start (const char *chain)
{
  GstHarness *h = test_harness (chain);

  gst_harness_set_src_caps_str (h, TEST_AUDIO_CAPS);
  return h;
}

/* The words up to EOS, separated by single spaces. */
static char *
finish (GstHarness *h)
{
  g_autofree char *text = test_finish_text (h);

  return g_strdup (g_strchomp (g_strdelimit (text, "\n", ' ')));
}

static guint
check (const Recording *recording, const char *chain, gsize part)
{
  GstHarness *h = start (chain);

  test_push_samples (h, recording->samples, recording->n, part, 0);
  g_autofree char *words = finish (h);
  gst_harness_teardown (h);
  if (g_str_equal (words, recording->words))
    return 0;
  printf ("%s, buffers of %" G_GSIZE_FORMAT ": '%s' instead of '%s'\n", chain,
      part, words, recording->words);
  return 1;
}

static guint
check_flush (const Recording *first, const Recording *second, const char *chain)
{
  GstHarness *h = start (chain);

  test_push_samples (h, first->samples, first->n * 2 / 3, 1600, 0);
  test_flush (h);
  test_push_samples (h, second->samples, second->n, 160, 0);
  g_autofree char *words = finish (h);
  gst_harness_teardown (h);
  if (g_str_equal (words, second->words))
    return 0;
  printf (
      "%s, after a flush: '%s' instead of '%s'\n", chain, words, second->words);
  return 1;
}

/* Without a flush: the second recording's first buffer has DISCONT. */
static guint
check_discont (
    const Recording *first, const Recording *second, const char *chain)
{
  g_autofree char *want = g_strchug (
      g_strchomp (g_strjoin (" ", first->words, second->words, NULL)));
  GstHarness *h = start (chain);

  test_push_samples (h, first->samples, first->n, 1600, 0);
  test_push_samples (h, second->samples, second->n, 160, 100 * GST_SECOND);
  g_autofree char *words = finish (h);
  gst_harness_teardown (h);
  if (g_str_equal (words, want))
    return 0;
  printf ("%s, after DISCONT: '%s' instead of '%s'\n", chain, words, want);
  return 1;
}

/* The chains with another device; FALSE if it is missing. */
static gboolean
take_device (const char *device, char **on_device)
{
  g_autoptr (InferRuntime) runtime = infer_runtime_new (device, NULL, NULL);

  for (guint c = 0; runtime != NULL && c < G_N_ELEMENTS (chains); c++) {
    g_auto (GStrv) parts_of_chain = g_strsplit (chains[c], "inferfilter ", 2);

    on_device[c] = g_strdup_printf ("%sinferfilter device=%s %s",
        parts_of_chain[0], device, parts_of_chain[1]);
  }
  return runtime != NULL;
}

int
main (int argc, char **argv)
{
  char *on_device[G_N_ELEMENTS (chains)] = { NULL };
  guint checked = 0, wrong = 0;

  gst_init (&argc, &argv);
  g_log_set_always_fatal (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING);
  g_assert_cmpint (argc, >=, 2);
  if (!take_device (argc > 2 ? argv[2] : "CPU", on_device)) {
    printf ("skipped: no device %s\n", argv[2]);
    return 77;
  }
  g_autofree char *folder = find_folder (argv[1]);
  g_autoptr (GPtrArray) recordings = load (folder);
  for (guint r = 0; r < recordings->len; r++) {
    const Recording *one = g_ptr_array_index (recordings, r);
    const Recording *next =
        g_ptr_array_index (recordings, (r + 1) % recordings->len);

    for (guint c = 0; c < G_N_ELEMENTS (chains); c++) {
      for (guint p = 0; p < G_N_ELEMENTS (parts); p++)
        wrong += check (one, on_device[c], parts[p]);
      wrong += check_flush (one, next, on_device[c]);
      wrong += check_discont (one, next, on_device[c]);
      checked += G_N_ELEMENTS (parts) + 2;
    }
  }
  for (guint c = 0; c < G_N_ELEMENTS (chains); c++)
    g_free (on_device[c]);
  printf ("%u checked, %u wrong\n", checked, wrong);
  return wrong > 0;
}
