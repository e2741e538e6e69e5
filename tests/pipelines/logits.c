/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The digits model's logits, step by step, equal the reference's, a NumPy
 * program over whole files.
 *
 * Usage: logits MODEL.xml FOLDER: each ref-*.features.npy of the folder, in
 * buffers of 10, 5 and mixed numbers of frames. */

#include "inference/base/npy.h"
#include "infer/request.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BANDS 40
#define CLASSES 11
#define FRAMES_PER_STEP 5
#define TOLERANCE 1e-4f
#define SKIPPED 77

static const gint64 patterns[][4] = { { 10, 10, 10, 10 }, { 5, 5, 5, 5 },
  { 5, 20, 10, 35 } };

static float
compare (const float *got, const float *want, gsize n)
{
  float worst = 0;

  for (gsize i = 0; i < n; i++)
    worst = isnan (got[i]) ? INFINITY : fmaxf (worst, fabsf (got[i] - want[i]));
  return worst;
}

/* The largest difference; -1 with @error. */
static float
run_file (InferRequest *request, const InferTensor *features,
    const InferTensor *logits, const gint64 *pattern, GError **error)
{
  const gint64 frames = features->shape.dims[0];
  const float *want = logits->data;
  float worst = 0;
  gint64 done = 0;

  infer_state_set_reset (infer_request_get_states (request));
  for (guint turn = 0; done < frames; turn++) {
    gint64 n = MIN (pattern[turn % 4], frames - done);
    InferShape shape = infer_shape_make (3, (gint64) 1, n, (gint64) BANDS);
    InferTensor *input =
        infer_request_set_input_shape (request, 0, &shape, error);

    if (input == NULL)
      return -1;
    memcpy (input->data, (const float *) features->data + done * BANDS,
        input->size);
    if (!infer_request_infer (request, error))
      return -1;
    const InferTensor *output = infer_request_get_output (request, 0, error);
    if (output == NULL)
      return -1;
    worst = fmaxf (
        worst, compare (output->data, want + done / FRAMES_PER_STEP * CLASSES,
                   (gsize) (n / FRAMES_PER_STEP) * CLASSES));
    done += n;
  }
  return worst;
}

static gboolean
check_file (
    InferRequest *request, const char *folder, const char *name, GError **error)
{
  g_autofree char *stem = g_strndup (name, strlen (name) - 13);
  g_autofree char *in = g_strdup_printf ("%s/%s.features.npy", folder, stem);
  g_autofree char *out = g_strdup_printf ("%s/%s.logits.npy", folder, stem);
  g_autoptr (InferTensor) features = infer_npy_read (in, error);
  g_autoptr (InferTensor) logits = NULL;
  gboolean ok = TRUE;

  if (features != NULL)
    logits = infer_npy_read (out, error);
  if (logits == NULL)
    return FALSE;
  for (guint p = 0; p < G_N_ELEMENTS (patterns); p++) {
    float worst = run_file (request, features, logits, patterns[p], error);

    if (worst < 0)
      return FALSE;
    printf ("%s, buffers of %d…: max abs difference %g\n", stem,
        (int) patterns[p][0], (double) worst);
    ok = ok && worst <= TOLERANCE;
  }
  if (!ok)
    g_set_error (error, INFER_ERROR, INFER_ERROR_FAILED,
        "%s differs by more than %g", stem, (double) TOLERANCE);
  return ok;
}

static InferRequest *
make_request (const char *path, GError **error)
{
  g_autoptr (InferModel) model = infer_model_load (path, NULL, error);
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, NULL);
  g_autoptr (InferExecutable) executable = NULL;

  if (model != NULL)
    executable = infer_executable_new (model, runtime, error);
  return executable != NULL ? infer_request_new (executable, error) : NULL;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = argc == 3 ? g_dir_open (argv[2], 0, NULL) : NULL;
  const char *name;
  guint files = 0;

  if (dir == NULL) {
    printf ("skipped: there is no folder of references\n");
    return SKIPPED;
  }
  g_autoptr (InferRequest) request = make_request (argv[1], &error);
  while (error == NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".features.npy")) {
      files++;
      check_file (request, argv[2], name, &error);
    }
  if (error != NULL)
    fprintf (stderr, "%s\n", error->message);
  return error != NULL || files == 0;
}
