/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Voice activity detectors: silero-like.xml (energy, smoothed by a state) and
 * the level detector everywhere, silero itself where ../shared has it. */

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "inference/base/npy.h"
#include "infer/voice.h"

#define WINDOW 512
#define CONTEXT 64
#define LIKE SOURCE_ROOT "/tests/data/silero-like.xml"

static InferVoiceModel *
load (const char *path)
{
  g_autoptr (GError) error = NULL;
  InferVoiceModel *model = infer_voice_model_load (path, NULL, &error);

  g_assert_no_error (error);
  return model;
}

static InferVoiceDetector *
open_detector (InferVoiceModel *model)
{
  g_autoptr (GError) error = NULL;
  InferVoiceDetector *detector = infer_voice_detector_new (model, &error);

  g_assert_no_error (error);
  return detector;
}

static GArray *
make_windows (void)
{
  return g_array_new (FALSE, FALSE, sizeof (InferVoiceWindow));
}

/* Bursts of noise of random lengths and levels. */
static GArray *
make_sound (guint32 seed, guint n)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  GArray *samples = g_array_sized_new (FALSE, FALSE, sizeof (float), n);
  double level = 0;

  for (guint i = 0; i < n; i++) {
    if (g_rand_int_range (random, 0, 3000) == 0)
      level = g_rand_boolean (random) ? g_rand_double (random) * 0.2 : 0.0003;
    float x = (float) (level * g_rand_double_range (random, -1, 1));
    g_array_append_val (samples, x);
  }
  return samples;
}

/* In parts of at most @part samples, of random sizes. */
static GArray *
judge (InferVoiceDetector *detector, const GArray *samples, guint part)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (part);
  g_autoptr (GError) error = NULL;
  GArray *windows = make_windows ();

  for (guint at = 0; at < samples->len;) {
    guint n = (guint) g_rand_int_range (random, 0, (int) part) + 1;
    n = MIN (n, samples->len - at);

    infer_voice_detector_push (
        detector, &g_array_index (samples, float, at), n, windows, &error);
    g_assert_no_error (error);
    at += n;
  }
  infer_voice_detector_finish (detector, windows, &error);
  g_assert_no_error (error);
  return windows;
}

static void
assert_same (const GArray *a, const GArray *b)
{
  g_assert_cmpuint (a->len, ==, b->len);
  for (guint i = 0; i < a->len; i++) {
    const InferVoiceWindow *x = &g_array_index (a, InferVoiceWindow, i);
    const InferVoiceWindow *y = &g_array_index (b, InferVoiceWindow, i);

    g_assert_cmpuint (x->begin, ==, y->begin);
    g_assert_cmpuint (x->end, ==, y->end);
    g_assert_true (x->probability == y->probability);
    g_assert_true (x->energy == y->energy);
  }
}

/* --- windows, context, state --- */

/* What silero-like.xml gives by its definition. */
static void
test_definition (void)
{
  g_autoptr (InferVoiceModel) model = load (LIKE);
  g_autoptr (InferVoiceDetector) detector = open_detector (model);
  g_autoptr (GArray) samples = make_sound (1, 40 * WINDOW + 100);
  g_autoptr (GArray) windows = judge (detector, samples, 4000);
  const float *x = (const float *) (gpointer) samples->data;
  double p = 0;

  g_assert_cmpstr (infer_voice_model_get_kind (model), ==, "silero");
  g_assert_cmpuint (infer_voice_model_get_rate (model), ==, 16000);
  g_assert_cmpuint (infer_voice_model_get_window (model), ==, WINDOW);
  g_assert_cmpuint (windows->len, ==, 41);
  for (guint w = 0; w < 41; w++) {
    const InferVoiceWindow *got = &g_array_index (windows, InferVoiceWindow, w);
    guint end = MIN ((w + 1) * WINDOW, samples->len);
    double energy = 0, own = 0;

    for (guint i = w > 0 ? w * WINDOW - CONTEXT : 0; i < end; i++) {
      energy += (double) x[i] * x[i];
      own += i >= w * WINDOW ? (double) x[i] * x[i] : 0;
    }
    p = (MIN (energy, 1) + p) / 2;
    g_assert_cmpuint (got->begin, ==, w * WINDOW);
    g_assert_cmpuint (got->end, ==, end);
    g_assert_cmpfloat_with_epsilon (got->probability, p, 1e-4);
    g_assert_cmpfloat_with_epsilon (
        got->energy, own / (end - w * WINDOW), 1e-6);
  }
}

/* The same for any division into calls, on a detector that has been used, and
 * beside another stream of the same model. */
static void
test_chunks (gconstpointer path)
{
  static const guint parts[] = { 1, 37, 512, 1600, 100000 };
  g_autoptr (InferVoiceModel) model = load (path);
  g_autoptr (InferVoiceDetector) first = open_detector (model);
  g_autoptr (InferVoiceDetector) used = open_detector (model);
  g_autoptr (GArray) samples = make_sound (2, 100 * WINDOW + 7);
  g_autoptr (GArray) other = make_sound (3, 20 * WINDOW + 300);
  g_autoptr (GArray) want = judge (first, samples, 5000);

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (GArray) windows = make_windows ();

    infer_voice_detector_push (used, (const float *) (gpointer) other->data,
        other->len, windows, &error);
    g_assert_no_error (error);
    infer_voice_detector_reset (used);
    g_autoptr (GArray) got = judge (used, samples, parts[i]);
    assert_same (got, want);
  }
}

static void
test_wrong_samples (gconstpointer path)
{
  g_autoptr (InferVoiceModel) model = load (path);
  g_autoptr (InferVoiceDetector) detector = open_detector (model);
  g_autoptr (GArray) samples = make_sound (4, 20 * WINDOW);
  g_autoptr (GArray) zeros = make_sound (4, 20 * WINDOW);

  for (guint i = 0; i < samples->len; i += 50) {
    g_array_index (samples, float, i) =
        i % 100 == 0 ? NAN : (i % 150 == 0 ? INFINITY : -INFINITY);
    g_array_index (zeros, float, i) = 0;
  }
  g_autoptr (GArray) got = judge (detector, samples, 999);
  g_autoptr (GArray) want = judge (detector, zeros, 999);
  assert_same (got, want);
}

static void
test_cancel (void)
{
  g_autoptr (InferVoiceModel) model = load (LIKE);
  g_autoptr (InferVoiceDetector) detector = open_detector (model);
  g_autoptr (GArray) samples = make_sound (5, 10 * WINDOW);
  g_autoptr (GArray) windows = make_windows ();
  g_autoptr (GArray) want = judge (detector, samples, 777);
  g_autoptr (GError) error = NULL;

  infer_voice_detector_set_cancelled (detector, TRUE);
  g_assert_false (infer_voice_detector_push (detector,
      (const float *) (gpointer) samples->data, 100, windows, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_false (infer_voice_detector_finish (detector, windows, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_CANCELLED);
  g_assert_cmpuint (windows->len, ==, 0);
  infer_voice_detector_set_cancelled (detector, FALSE);
  infer_voice_detector_reset (detector);
  g_autoptr (GArray) got = judge (detector, samples, 777);
  assert_same (got, want);
}

/* --- models --- */

static void
test_shared (void)
{
  g_autoptr (InferVoiceModel) a = load (LIKE);
  g_autoptr (InferVoiceModel) b = load (LIKE);
  g_autoptr (InferVoiceModel) level = load (NULL);
  g_autoptr (InferVoiceModel) empty = load ("");

  g_assert_true (a == b);
  g_assert_true (level == empty && level != a);
  g_assert_cmpstr (infer_voice_model_get_kind (level), ==, "level");
  g_assert_null (infer_voice_model_get_path (level));
  g_assert_cmpstr (infer_voice_model_get_path (a), ==, LIKE);
}

static gpointer
load_and_judge (gpointer data)
{
  for (guint i = 0; i < 20; i++) {
    g_autoptr (InferVoiceModel) model = load (LIKE);
    g_autoptr (InferVoiceDetector) detector = open_detector (model);
    g_autoptr (GArray) got = judge (detector, data, 3000);

    g_assert_cmpuint (got->len, ==, 10);
  }
  return NULL;
}

static void
test_threads (void)
{
  g_autoptr (GArray) samples = make_sound (6, 10 * WINDOW);
  GThread *threads[4];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("load", load_and_judge, samples);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

static void
assert_refused (const char *path, int code, const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (infer_voice_model_load (path, NULL, &error));
  g_assert_error (error, INFER_ERROR, code);
  g_assert_nonnull (strstr (error->message, path));
  g_assert_nonnull (strstr (error->message, part));
}

static void
test_refused (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("voice-XXXXXX", &error);

  g_assert_no_error (error);
  assert_refused ("/nowhere/silero_vad.onnx", INFER_ERROR_NOT_FOUND, "");
  assert_refused (folder, INFER_ERROR_NOT_FOUND, "get-model silero-vad");
  assert_refused (SOURCE_ROOT "/tests/data/double-wave.xml",
      INFER_ERROR_UNSUPPORTED, "'stateN'");
  g_assert_null (infer_voice_model_load (LIKE, "TOASTER", &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NOT_FOUND);
  g_remove (folder);
}

/* A folder's file is found by its name. */
static void
test_folder (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("voice-XXXXXX", &error);
  static const char *const ends[] = { "xml", "bin" };

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    g_autofree char *from =
        g_strconcat (SOURCE_ROOT "/tests/data/silero-like.", ends[i], NULL);
    g_autofree char *to = g_strconcat (folder, "/model.", ends[i], NULL);
    g_autoptr (GFile) source = g_file_new_for_path (from);
    g_autoptr (GFile) target = g_file_new_for_path (to);

    g_file_copy (source, target, 0, NULL, NULL, NULL, &error);
    g_assert_no_error (error);
  }
  g_assert_null (infer_voice_model_find (folder));
  g_autoptr (InferVoiceModel) model = load (folder);
  g_assert_true (
      g_str_has_suffix (infer_voice_model_get_path (model), "/model.xml"));
  g_autofree char *onnx = g_strconcat (folder, "/silero_vad.onnx", NULL);
  g_file_set_contents (onnx, "no model", -1, &error);
  g_assert_no_error (error);
  g_autofree char *found = infer_voice_model_find (folder);
  g_assert_cmpstr (found, ==, onnx);
  assert_refused (onnx, INFER_ERROR_INVALID_MODEL, "");
  g_remove (onnx);
  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    g_autofree char *file = g_strconcat (folder, "/model.", ends[i], NULL);
    g_remove (file);
  }
  g_remove (folder);
}

/* --- silero itself --- */

static char *
find_shared (const char *name)
{
  const char *shared = g_getenv ("INFER_SHARED");
  g_autofree char *path =
      g_build_filename (shared != NULL ? shared : SOURCE_ROOT "/../shared",
          "models/silero_vad_16k", name, NULL);

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&path);
  g_test_skip ("no silero_vad_16k in the shared models");
  return NULL;
}

/* silero's IR with a variable, beside its weights, which its own folder does
 * not have under its name. */
static char *
link_stateful (const char *folder)
{
  static const char *const files[][2] = { { "model_stateful.xml", "model.xml" },
    { "model.bin", "model.bin" } };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *from = find_shared (files[i][0]);
    g_autofree char *to = g_build_filename (folder, files[i][1], NULL);

    if (from == NULL)
      return NULL;
    g_assert_cmpint (symlink (from, to), ==, 0);
  }
  return g_build_filename (folder, "model.xml", NULL);
}

static void
remove_links (const char *folder)
{
  static const char *const files[] = { "model.xml", "model.bin" };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *file = g_build_filename (folder, files[i], NULL);
    g_remove (file);
  }
  g_rmdir (folder);
}

static InferTensor *
read_shared (const char *name)
{
  g_autofree char *path = find_shared (name);

  return path != NULL ? infer_npy_read (path, NULL) : NULL;
}

/* What onnxruntime gives. */
static void
check_silero (const char *path)
{
  g_autoptr (InferTensor) input = read_shared ("inputs/input.seq.npy");
  g_autoptr (InferTensor) want = read_shared ("outputs/output.seq.npy");
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (float));

  if (input == NULL || want == NULL || path == NULL)
    return;
  guint n = (guint) input->shape.dims[0];
  for (guint i = 0; i < n; i++)
    g_array_append_vals (samples,
        (const float *) input->data + i * (WINDOW + CONTEXT) + CONTEXT, WINDOW);
  g_autoptr (InferVoiceModel) model = load (path);
  g_autoptr (InferVoiceDetector) detector = open_detector (model);
  g_autoptr (GArray) windows = judge (detector, samples, 1600);
  g_assert_cmpuint (windows->len, ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (
        g_array_index (windows, InferVoiceWindow, i).probability,
        ((const float *) want->data)[i], 1e-4);
}

static void
test_ties (void)
{
  g_autofree char *folder = find_shared ("");

  check_silero (folder);
}

static void
test_variable (void)
{
  g_autofree char *folder = g_dir_make_tmp ("voice-XXXXXX", NULL);
  g_autofree char *path = link_stateful (folder);

  check_silero (path);
  remove_links (folder);
}

/* The ONNX files of its wheel, where get-model has put them. */
static void
test_onnx (void)
{
  const char *models = g_getenv ("INFER_MODELS");
  g_autofree char *cache =
      g_build_filename (g_get_user_cache_dir (), "inferfilter/models", NULL);
  g_autofree char *folder =
      g_build_filename (models != NULL ? models : cache, "silero-vad", NULL);
  g_autoptr (GDir) files = g_dir_open (folder, 0, NULL);
  const char *name;

  if (files == NULL) {
    g_test_skip ("pipelines/get-model silero-vad was not run");
    return;
  }
  while ((name = g_dir_read_name (files)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (!g_str_has_suffix (name, ".onnx"))
      continue;
    g_test_message ("%s", path);
    check_silero (path);
  }
}

/* No speech in silence, white noise, pink noise and hum. */
static void
test_noise (void)
{
  g_autofree char *path = find_shared ("model.xml");
  const guint n = 16000 * 30;

  if (path == NULL)
    return;
  g_autoptr (InferVoiceModel) model = load (path);
  g_autoptr (InferVoiceDetector) detector = open_detector (model);
  for (guint kind = 0; kind < 4; kind++) {
    g_autoptr (GRand) random = g_rand_new_with_seed (kind);
    g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (float));
    double pink[3] = { 0 };

    for (guint i = 0; i < n; i++) {
      double white = g_rand_double_range (random, -1, 1), x = 0;

      pink[0] = 0.99765 * pink[0] + white * 0.0990460;
      pink[1] = 0.96300 * pink[1] + white * 0.2965164;
      pink[2] = 0.57000 * pink[2] + white * 1.0526913;
      if (kind == 1)
        x = 0.1 * white;
      else if (kind == 2)
        x = 0.05 * (pink[0] + pink[1] + pink[2] + white * 0.1848);
      else if (kind == 3)
        x = 0.1 * sin (2 * G_PI * 50 * i / 16000)
            + 0.05 * sin (2 * G_PI * 150 * i / 16000);
      float value = (float) x;
      g_array_append_val (samples, value);
    }
    g_autoptr (GArray) windows = judge (detector, samples, 1600);
    float most = 0;
    for (guint i = 0; i < windows->len; i++)
      most =
          MAX (most, g_array_index (windows, InferVoiceWindow, i).probability);
    g_test_message ("kind %u: at most %.3f", kind, most);
    g_assert_cmpfloat (most, <, 0.5f);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/voice/definition", test_definition);
  g_test_add_data_func ("/voice/chunks/silero-like", LIKE, test_chunks);
  g_test_add_data_func ("/voice/chunks/level", "", test_chunks);
  g_test_add_data_func ("/voice/samples/silero-like", LIKE, test_wrong_samples);
  g_test_add_data_func ("/voice/samples/level", "", test_wrong_samples);
  g_test_add_func ("/voice/cancel", test_cancel);
  g_test_add_func ("/voice/shared", test_shared);
  g_test_add_func ("/voice/threads", test_threads);
  g_test_add_func ("/voice/refused", test_refused);
  g_test_add_func ("/voice/folder", test_folder);
  g_test_add_func ("/voice/silero/ties", test_ties);
  g_test_add_func ("/voice/silero/variable", test_variable);
  g_test_add_func ("/voice/silero/onnx", test_onnx);
  g_test_add_func ("/voice/noise", test_noise);
  return g_test_run ();
}
