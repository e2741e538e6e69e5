/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CTC models as folders, and what a stream hears with them. */

#pragma once

#include <math.h>
#include <string.h>

#include "infer/request.h"
#include "tests/check/inference/speech/session.h"
#include "tests/check/support/folder.h"
#include "tests/check/support/onnx.h"

#define CTC_TOKENS                                                             \
  "<blk> 0\n\xe2\x96\x81"                                                      \
  "a 1\nb 2\n\xe2\x96\x81"                                                     \
  "c 3\nd 4\n. 5\n"

static const char *const ctc_pieces[] = { "", " a", "b", " c", "d", "." };

static inline char *
ctc_folder (const char *model, const char *tokens)
{
  char *folder = g_dir_make_tmp ("infer-ctc-XXXXXX", NULL);
  g_autofree char *file = g_build_filename (folder, "model.onnx", NULL);
  g_autofree char *list = g_build_filename (folder, "tokens.txt", NULL);
  g_autoptr (GBytes) bytes = onnx_text_bytes (model);

  g_assert_true (g_file_set_contents (file, g_bytes_get_data (bytes, NULL),
      (gssize) g_bytes_get_size (bytes), NULL));
  g_assert_true (g_file_set_contents (list, tokens, -1, NULL));
  return folder;
}

static inline void
ctc_set (Session *s, const char *key, const char *value)
{
  g_autoptr (GError) error = NULL;

  infer_speech_stream_set (s->stream, key, value, &error);
  g_assert_no_error (error);
}

static inline void
ctc_print_words (
    GString *text, const InferTranscript *transcript, gboolean times)
{
  g_assert_cmpuint (transcript->n_words, >, 0);
  g_assert_cmpuint (transcript->start, ==, transcript->words[0].start);
  for (guint i = 0; i < transcript->n_words; i++) {
    const InferWord *word = &transcript->words[i];

    g_string_append_printf (text, "%s%s%s", text->len > 0 ? " " : "",
        word->joined ? "+" : "", word->text);
    if (times)
      g_string_append_printf (text, "@%" G_GUINT64_FORMAT "-%" G_GUINT64_FORMAT,
          word->start, word->end);
    g_assert_cmpfloat (word->probability, >, 0);
    g_assert_cmpfloat (word->probability, <=, 1.00001);
    g_assert_cmpuint (word->start, <=, word->end);
  }
}

static inline void
ctc_pop_all (Session *s, GString *text, gboolean times)
{
  InferTranscript *final;

  while ((final = infer_speech_stream_pop (s->stream)) != NULL) {
    ctc_print_words (text, final, times);
    infer_transcript_free (final);
  }
}

/* @most: samples of a push, whose sizes are random below that.  @partials: asks
 * for them in between.  (transfer full) */
static inline char *
ctc_hear (Session *s, const float *samples, gsize n, gsize most,
    gboolean partials, gboolean times)
{
  g_autoptr (GRand) random = g_rand_new_with_seed ((guint32) most);
  g_autoptr (GError) error = NULL;
  GString *text = g_string_new (NULL);

  g_assert_true (infer_speech_stream_begin (s->stream, 1000, &error));
  for (gsize at = 0, size; at < n; at += size) {
    size = (gsize) g_rand_int_range (random, 1, (int) most + 1);
    size = MIN (size, n - at);
    infer_speech_stream_push (s->stream, samples + at, size, &error);
    g_assert_no_error (error);
    /* The first model needs whole steps. */
    if (partials && (at + size) % 6 == 0) {
      g_autoptr (InferTranscript) guess =
          infer_speech_stream_partial (s->stream, &error);
      g_assert_no_error (error);
    }
    ctc_pop_all (s, text, times);
  }
  infer_speech_stream_end (s->stream, &error);
  g_assert_no_error (error);
  ctc_pop_all (s, text, times);
  return g_string_free (text, FALSE);
}

static inline void
ctc_assert_hears (Session *s, const float *samples, gsize n,
    const char *expected, gboolean times)
{
  static const gsize sizes[] = { 1000000, 7, 160, 1601, 5000 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
    const gboolean partials = i % 2 == 1 && n < 20000;
    g_autofree char *text = ctc_hear (s, samples, n, sizes[i], partials, times);

    g_assert_cmpstr (text, ==, expected);
  }
}
