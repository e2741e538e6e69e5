/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Finds the kind of a speech model, and calls it. */

#include "infer/bindings.h"
#include "inference/speech/kind.h"

#include <string.h>

#include "inference/base/cancel.h"

struct _InferSpeechModel
{
  gint refs;
  const InferSpeechKind *kind;
  InferSpeechInfo info;
  gpointer data; /* the kind's */
};

struct _InferSpeechStream
{
  gatomicrefcount refs;
  InferSpeechModel *model;
  gpointer data; /* the kind's */
  SpeechFinals finals;
  SpeechFinals dropped;
  gboolean begun;
  gint cancelled;
};

/* --- kinds --- */

#define MAX_ADDED 4

static const InferSpeechKind *added[MAX_ADDED];

void
infer_speech_add_kind (const InferSpeechKind *kind)
{
  guint i = 0;

  while (i < MAX_ADDED && added[i] != NULL && added[i] != kind)
    i++;
  g_return_if_fail (i < MAX_ADDED);
  added[i] = kind;
}

static const InferSpeechKind *
kind_at (guint index)
{
  static const InferSpeechKind *const kinds[] = {
#define SPEECH_KIND(name) &infer_speech_##name,
#include "inference/speech/kind-list.h"
#undef SPEECH_KIND
    NULL,
  };
  guint n_added = 0;

  while (n_added < MAX_ADDED && added[n_added] != NULL)
    n_added++;
  return index < n_added ? added[index] : kinds[index - n_added];
}

static const InferSpeechKind *
find_kind (const SpeechFolder *folder, const char *name, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);
  const InferSpeechKind *kind;

  for (guint i = 0; (kind = kind_at (i)) != NULL; i++) {
    if (name != NULL ? strcmp (kind->name, name) == 0 : kind->probe (folder))
      return kind;
    g_string_append_printf (
        known, "%s%s", known->len > 0 ? ", " : "", kind->name);
  }
  if (name != NULL)
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "there is no kind of speech model called '%s', only %s", name,
        known->str);
  else
    infer_fail (error, INFER_ERROR_NOT_FOUND,
        "%s: its files are those of no kind of speech model known here (%s)",
        folder->path, known->str);
  return NULL;
}

/* --- models --- */

InferSpeechModel *
infer_speech_model_load (
    const char *path, const char *kind, InferRuntime *runtime, GError **error)
{
  g_auto (SpeechFolder) folder = { 0 };

  if (!speech_folder_open (&folder, path, error))
    return NULL;
  const InferSpeechKind *found = find_kind (&folder, kind, error);
  if (found == NULL)
    return NULL;
  InferSpeechInfo info = { .kind = found->name };
  gpointer data = found->load (&folder, runtime, &info, error);
  if (data == NULL)
    return NULL;
  InferSpeechModel *model = g_new0 (InferSpeechModel, 1);
  model->refs = 1;
  model->kind = found;
  model->info = info;
  model->data = data;
  return model;
}

InferSpeechModel *
infer_speech_model_ref (InferSpeechModel *model)
{
  g_atomic_int_inc (&model->refs);
  return model;
}

void
infer_speech_model_unref (InferSpeechModel *model)
{
  if (!g_atomic_int_dec_and_test (&model->refs))
    return;
  model->kind->unload (model->data);
  g_free (model);
}

const InferSpeechInfo *
infer_speech_model_get_info (const InferSpeechModel *model)
{
  return &model->info;
}

/* --- streams --- */

/* Not only punctuation, which models write where they heard something that is
 * no speech. */
static gboolean
has_words (const InferTranscript *transcript)
{
  const char *c = transcript->text;

  while (*c != '\0' && !g_unichar_isalnum (g_utf8_get_char (c)))
    c += g_utf8_skip[(guchar) *c];
  return *c != '\0';
}

InferSpeechStream *
infer_speech_stream_new (InferSpeechModel *model, GError **error)
{
  gpointer data = model->kind->open (model->data, error);

  if (data == NULL)
    return NULL;
  InferSpeechStream *stream = g_new0 (InferSpeechStream, 1);
  g_atomic_ref_count_init (&stream->refs);
  stream->model = infer_speech_model_ref (model);
  stream->data = data;
  g_queue_init (&stream->finals);
  g_queue_init (&stream->dropped);
  return stream;
}

static void
drop_all (SpeechFinals *transcripts)
{
  InferTranscript *transcript;

  while ((transcript = g_queue_pop_head (transcripts)) != NULL)
    infer_transcript_free (transcript);
}

/* At most so many that nobody asks for are kept. */
#define MAX_DROPPED 64

/* Takes what was dropped out of what is final. */
static void
sort_out_dropped (InferSpeechStream *stream)
{
  for (GList *link = stream->finals.head, *next; link != NULL; link = next) {
    InferTranscript *transcript = link->data;

    next = link->next;
    if (transcript->dropped == NULL)
      continue;
    g_queue_delete_link (&stream->finals, link);
    g_queue_push_tail (&stream->dropped, transcript);
    if (stream->dropped.length > MAX_DROPPED)
      infer_transcript_free (g_queue_pop_head (&stream->dropped));
  }
}

InferSpeechStream *
infer_speech_stream_ref (InferSpeechStream *stream)
{
  g_atomic_ref_count_inc (&stream->refs);
  return stream;
}

void
infer_speech_stream_free (InferSpeechStream *stream)
{
  if (stream == NULL || !g_atomic_ref_count_dec (&stream->refs))
    return;
  stream->model->kind->close (stream->data);
  drop_all (&stream->finals);
  drop_all (&stream->dropped);
  infer_speech_model_unref (stream->model);
  g_free (stream);
}

gboolean
infer_speech_stream_set (InferSpeechStream *stream, const char *key,
    const char *value, GError **error)
{
  if (stream->begun)
    return infer_fail (error, INFER_ERROR_BUSY,
        "the setting '%s' cannot change within an utterance", key);
  return stream->model->kind->set (stream->data, key, value, error);
}

/* A cancelled stream may not have begun just because it was cancelled. */
static gboolean
require_begun (const InferSpeechStream *stream, GError **error)
{
  if (!infer_cancel_check (&stream->cancelled, error))
    return FALSE;
  return stream->begun
         || infer_fail (
             error, INFER_ERROR_INVALID_ARGUMENT, "no utterance has begun");
}

gboolean
infer_speech_stream_begin (
    InferSpeechStream *stream, guint64 first, GError **error)
{
  const gint *before;

  if (stream->begun)
    return infer_fail (
        error, INFER_ERROR_BUSY, "an utterance has begun and not ended yet");
  if (!infer_cancel_check (&stream->cancelled, error))
    return FALSE;
  before = infer_cancel_enter (&stream->cancelled);
  stream->begun = stream->model->kind->begin (stream->data, first, error);
  infer_cancel_enter (before);
  return stream->begun;
}

gboolean
infer_speech_stream_push (
    InferSpeechStream *stream, const float *samples, gsize n, GError **error)
{
  if (!require_begun (stream, error))
    return FALSE;
  const gint *before = infer_cancel_enter (&stream->cancelled);
  gboolean ok = stream->model->kind->push (
      stream->data, samples, n, &stream->finals, error);
  infer_cancel_enter (before);
  sort_out_dropped (stream);
  return ok;
}

InferTranscript *
infer_speech_stream_partial (InferSpeechStream *stream, GError **error)
{
  InferTranscript *transcript = NULL;

  if (!require_begun (stream, error))
    return NULL;
  const gint *before = infer_cancel_enter (&stream->cancelled);
  if (!stream->model->kind->partial (stream->data, &transcript, error)
      || (transcript != NULL && !has_words (transcript)))
    g_clear_pointer (&transcript, infer_transcript_free);
  infer_cancel_enter (before);
  return transcript;
}

gboolean
infer_speech_stream_prepare_end (
    InferSpeechStream *stream, gboolean *prepared, GError **error)
{
  *prepared = FALSE;
  if (!require_begun (stream, error))
    return FALSE;
  if (stream->model->kind->prepare_end == NULL)
    return TRUE;
  const gint *before = infer_cancel_enter (&stream->cancelled);
  gboolean ok =
      stream->model->kind->prepare_end (stream->data, prepared, error);
  infer_cancel_enter (before);
  return ok;
}

gboolean
infer_speech_stream_end (InferSpeechStream *stream, GError **error)
{
  if (!require_begun (stream, error))
    return FALSE;
  const gint *before = infer_cancel_enter (&stream->cancelled);
  gboolean ok = stream->model->kind->end (stream->data, &stream->finals, error);
  infer_cancel_enter (before);
  sort_out_dropped (stream);
  stream->begun = !ok;
  return ok;
}

InferTranscript *
infer_speech_stream_pop (InferSpeechStream *stream)
{
  InferTranscript *final = g_queue_pop_head (&stream->finals);

  while (final != NULL && !has_words (final)) {
    infer_transcript_free (final);
    final = g_queue_pop_head (&stream->finals);
  }
  return final;
}

InferTranscript *
infer_speech_stream_pop_dropped (InferSpeechStream *stream)
{
  return g_queue_pop_head (&stream->dropped);
}

void
infer_speech_stream_reset (InferSpeechStream *stream)
{
  stream->model->kind->reset (stream->data);
  drop_all (&stream->finals);
  drop_all (&stream->dropped);
  stream->begun = FALSE;
}

void
infer_speech_stream_set_cancelled (
    InferSpeechStream *stream, gboolean cancelled)
{
  g_atomic_int_set (&stream->cancelled, cancelled);
}
