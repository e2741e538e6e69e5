/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Folders of speech models: the first byte chooses one of tests/speech, then
 * its files are changed (`edit`); what loads hears noise. */

#include "tests/fuzz/support/bytes.h"
#include "tests/fuzz/support/fuzz.h"
#include "tests/fuzz/support/temp-file.h"
#include "tests/fuzz/support/watch.h"

#include <glib/gstdio.h>

#include <math.h>
#include <unistd.h>

#include "infer/speech.h"

#define MOST_FILES 16
#define MOST_EDITS 8
#define MOST_TEXT 20000
#define N_SAMPLES 8000

typedef struct
{
  const char *folder, *kind;
  char *names[MOST_FILES];
  GBytes *contents[MOST_FILES];
  guint n;
} Base;

static Base bases[] = {
  { .folder = "whisper/tiny", .kind = "whisper" },
  { .folder = "transducer/zipformer", .kind = "transducer" },
  { .folder = "transducer/conformer", .kind = "transducer" },
  { .folder = "transducer/whole", .kind = "transducer" },
  { .folder = "moonshine/merged", .kind = "moonshine" },
  { .folder = "moonshine/separate", .kind = "moonshine" },
  { .folder = "ctc/zipformer", .kind = "ctc" },
  { .folder = "whisper/stacked", .kind = "whisper" },
  { .folder = "nemo/tdt", .kind = "transducer" },
  { .folder = "nemo/streaming", .kind = "transducer" },
  { .folder = "nemo/joint-tdt", .kind = "transducer" },
};

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(char *const *) a, *(char *const *) b);
}

static char *
path_of (const Base *base, const char *name)
{
  return g_build_filename (
      SOURCE_ROOT "/tests/speech", base->folder, name, NULL);
}

static void
read_base (Base *base)
{
  g_autofree char *path = path_of (base, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  g_assert_cmpuint (names->len, <=, MOST_FILES);
  for (base->n = 0; base->n < names->len; base->n++) {
    g_autofree char *file = path_of (base, names->pdata[base->n]);
    char *data;
    gsize size;

    g_assert_true (g_file_get_contents (file, &data, &size, NULL));
    base->names[base->n] = names->pdata[base->n];
    base->contents[base->n] = g_bytes_new_take (data, size);
  }
}

/* --- changes --- */

typedef struct
{
  const Base *base;
  GByteArray *files[MOST_FILES]; /* NULL: as in the base */
  gboolean missing[MOST_FILES];
} Folder;

/* The file's bytes, which may be changed. */
static GByteArray *
open_file (Folder *folder, guint i)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (folder->base->contents[i], &size);

  if (folder->files[i] == NULL) {
    folder->files[i] = g_byte_array_new ();
    g_byte_array_append (folder->files[i], data, (guint) size);
  }
  return folder->files[i];
}

static void
append_text (GByteArray *file, char tag, const char *text)
{
  const gsize n = MIN (strlen (text), 100);
  const guint8 head[2] = { (guint8) tag, (guint8) n };

  g_byte_array_append (file, head, 2);
  g_byte_array_append (file, (const guint8 *) text, (guint) n);
}

/* An entry of the metadata at the end of an ONNX file: field 14 of ModelProto,
 * with key and value. */
static void
add_metadata (GByteArray *file, const char *key, const char *value)
{
  g_autoptr (GByteArray) entry = g_byte_array_new ();
  guint8 head[3] = { 0x72 };

  append_text (entry, 0x0a, key);
  append_text (entry, 0x12, value);
  head[1] = (guint8) (entry->len | 0x80);
  head[2] = (guint8) (entry->len >> 7);
  g_byte_array_append (file, head, 3);
  g_byte_array_append (file, entry->data, entry->len);
}

/* The first @from in the file becomes @to. */
static void
replace (GByteArray *file, const char *from, const char *to)
{
  const guint n = (guint) strlen (from);
  guint at = 0;

  while (at + n <= file->len && memcmp (file->data + at, from, n) != 0)
    at++;
  if (n == 0 || at + n > file->len)
    return;
  const guint after = at + n, left = file->len - after;
  g_autofree guint8 *rest = g_memdup2 (file->data + after, left);
  g_byte_array_set_size (file, at);
  g_byte_array_append (file, (const guint8 *) to, (guint) strlen (to));
  if (left > 0)
    g_byte_array_append (file, rest, left);
}

static void
overwrite (FuzzBytes *bytes, GByteArray *file)
{
  const gsize at = (gsize) fuzz_u8 (bytes) << 8 | fuzz_u8 (bytes);
  const guint n = fuzz_below (bytes, 16);

  for (guint i = 0; i < n && file->len > 0; i++)
    file->data[(at + i) % file->len] = fuzz_u8 (bytes);
}

/* A byte says which file, one what is done with it. */
static void
edit (FuzzBytes *bytes, Folder *folder)
{
  const guint file = fuzz_below (bytes, folder->base->n);
  g_autofree char *one = NULL, *other = NULL;

  switch (fuzz_below (bytes, 6)) {
    case 0: /* another text */
      one = fuzz_text (bytes, MOST_TEXT);
      g_byte_array_set_size (open_file (folder, file), 0);
      g_byte_array_append (
          open_file (folder, file), (const guint8 *) one, (guint) strlen (one));
      break;
    case 1: /* a part of it replaced */
      one = fuzz_text (bytes, 200);
      other = fuzz_text (bytes, 200);
      replace (open_file (folder, file), one, other);
      break;
    case 2: /* more metadata */
      one = fuzz_text (bytes, 100);
      other = fuzz_text (bytes, 100);
      add_metadata (open_file (folder, file), one, other);
      break;
    case 3: { /* the contents of another */
      const Base *base = &bases[fuzz_below (bytes, G_N_ELEMENTS (bases))];
      GBytes *content = base->contents[fuzz_below (bytes, base->n)];
      gsize size;
      const guint8 *data = g_bytes_get_data (content, &size);

      g_byte_array_set_size (open_file (folder, file), 0);
      g_byte_array_append (open_file (folder, file), data, (guint) size);
      break;
    }
    case 4:
      folder->missing[file] = TRUE;
      break;
    default:
      overwrite (bytes, open_file (folder, file));
  }
}

/* Files that are as they were are links. */
static void
write_folder (const Folder *folder)
{
  for (guint i = 0; i < folder->base->n; i++) {
    const GByteArray *file = folder->files[i];
    const char *name = folder->base->names[i];

    if (folder->missing[i])
      continue;
    if (file != NULL) {
      g_free (fuzz_file (name, file->data, file->len));
      continue;
    }
    g_autofree char *from = g_build_filename (fuzz_folder (), name, NULL);
    g_autofree char *to = path_of (folder->base, name);
    g_assert_cmpint (symlink (to, from), ==, 0);
  }
}

static void
remove_files (Folder *folder)
{
  for (guint i = 0; i < folder->base->n; i++) {
    g_autofree char *path =
        g_build_filename (fuzz_folder (), folder->base->names[i], NULL);

    g_unlink (path);
    g_clear_pointer (&folder->files[i], g_byte_array_unref);
  }
}

/* --- hearing --- */

static void
check_transcript (const InferTranscript *transcript)
{
  guint64 at = transcript->start;

  g_assert_true (g_utf8_validate (transcript->text, -1, NULL));
  g_assert_cmpuint (transcript->n_words, >, 0);
  g_assert_cmpuint (transcript->start, <=, transcript->end);
  for (guint i = 0; i < transcript->n_words; i++) {
    const InferWord *word = &transcript->words[i];

    g_assert_true (g_utf8_validate (word->text, -1, NULL));
    g_assert_cmpuint (word->start, >=, at);
    g_assert_cmpuint (word->end, >=, word->start);
    at = word->start;
  }
}

/* Whatever a call says: no error where it succeeds, one where it fails. */
static gboolean
check (gboolean done, GError **error)
{
  g_assert_true (done == (*error == NULL));
  g_clear_error (error);
  return done;
}

static gboolean
hear_partial (InferSpeechStream *stream)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferTranscript) partial =
      infer_speech_stream_partial (stream, &error);
  const gboolean ok = error == NULL;

  g_assert_true (partial == NULL || ok);
  if (partial != NULL)
    check_transcript (partial);
  return ok;
}

/* A partial result after the first half, and, if @twice, one that goes on from
 * it. */
static void
hear (InferSpeechStream *stream, gboolean twice)
{
  static float samples[N_SAMPLES];
  g_autoptr (GError) error = NULL;
  gboolean ok = check (infer_speech_stream_begin (stream, 0, &error), &error);
  gboolean prepared;

  for (guint i = 0; i < N_SAMPLES; i++)
    samples[i] = (float) (0.3 * sin (0.001 * i * i));
  for (guint i = 0; ok && i < 2; i++)
    ok = check (infer_speech_stream_push (
                    stream, samples + i * N_SAMPLES / 2, N_SAMPLES / 2, &error),
             &error)
         && ((i > 0 && !twice) || hear_partial (stream))
         && (!twice
             || check (
                 infer_speech_stream_prepare_end (stream, &prepared, &error),
                 &error));
  if (ok)
    check (infer_speech_stream_end (stream, &error), &error);
  for (InferTranscript *final;
       (final = infer_speech_stream_pop (stream)) != NULL;) {
    check_transcript (final);
    infer_transcript_free (final);
  }
  infer_speech_stream_reset (stream);
}

static void
set (InferSpeechStream *stream, FuzzBytes *bytes)
{
  static const char *const keys[] = { "beam", "phrases", "language", "task",
    "initial-prompt", "word-times", "context-margin", "trailing-silence",
    "tokens-per-second", "temperature" };
  g_autoptr (GError) error = NULL;
  const char *key = keys[fuzz_below (bytes, G_N_ELEMENTS (keys))];
  g_autofree char *value = fuzz_text (bytes, 50);

  check (infer_speech_stream_set (stream, key, value, &error), &error);
}

static void
run (const char *kind, FuzzBytes *bytes)
{
  static InferRuntime *runtime;
  g_autoptr (GError) error = NULL;

  if (runtime == NULL)
    runtime = infer_runtime_new ("CPU", NULL, NULL);
  g_autoptr (InferSpeechModel) model =
      infer_speech_model_load (fuzz_folder (), kind, runtime, &error);
  if (!check (model != NULL, &error))
    return;
  g_autoptr (InferSpeechStream) stream =
      infer_speech_stream_new (model, &error);
  if (!check (stream != NULL, &error))
    return;
  /* Where a kind tries again at random, one attempt is enough. */
  check (infer_speech_stream_set (stream, "temperature", "0", &error), &error);
  for (guint i = 0; i < 2 && bytes->left > 0; i++)
    set (stream, bytes);
  hear (stream, fuzz_below (bytes, 2) == 1);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes bytes = { data, size };
  Folder folder = { 0 };

  fuzz_watch ();
  for (guint i = 0; bases[0].n == 0 && i < G_N_ELEMENTS (bases); i++)
    read_base (&bases[G_N_ELEMENTS (bases) - 1 - i]);
  const guint first = fuzz_u8 (&bytes);
  folder.base = &bases[first % G_N_ELEMENTS (bases)];
  const guint n = fuzz_below (&bytes, MOST_EDITS + 1);
  for (guint i = 0; i < n && bytes.left > 0; i++)
    edit (&bytes, &folder);
  write_folder (&folder);
  /* Sometimes the files decide. */
  run (first < 192 ? folder.base->kind : NULL, &bytes);
  remove_files (&folder);
  return 0;
}
