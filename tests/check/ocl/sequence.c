/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Ten thousand buffers through stateful models, with resets: OpenCL and the CPU
 * agree.
 *
 * Arguments: model files with static inputs, or folders of conformance cases
 * with their inputs. */

#include "inference/base/npy.h"
#include "infer/request.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define N_BUFFERS 10000
#define N_RECORDED 16

typedef struct
{
  InferRuntime *runtime;
  InferExecutable *executable;
  InferRequest *request;
} Device;

static gboolean
open_device (Device *device, const char *name, InferModel *model)
{
  g_autoptr (GError) error = NULL;

  device->runtime = infer_runtime_new (name, NULL, &error);
  if (device->runtime == NULL)
    return FALSE;
  device->executable = infer_executable_new (model, device->runtime, &error);
  g_assert_no_error (error);
  device->request = infer_request_new (device->executable, &error);
  g_assert_no_error (error);
  return TRUE;
}

static void
close_device (Device *device)
{
  infer_request_free (device->request);
  infer_executable_unref (device->executable);
  infer_runtime_unref (device->runtime);
}

/* Inputs: recorded tensors, else numbers between -1 and 1. */
static InferTensor *
make_input (
    GPtrArray *recorded, const InferModel *model, guint input, GRand *random)
{
  const guint n = infer_model_n_inputs (model);

  if (recorded->len > 0) {
    const guint step =
        (guint) g_rand_int_range (random, 0, (gint32) (recorded->len / n));

    return infer_tensor_ref (recorded->pdata[step * n + input]);
  }
  InferTensor *tensor = infer_tensor_new (
      INFER_TYPE_F32, &infer_model_input_desc (model, input)->shape, NULL);
  g_assert_nonnull (tensor);
  float *data = tensor->data;
  for (gsize k = 0; k < tensor->size / sizeof *data; k++)
    data[k] = (float) g_rand_double_range (random, -1, 1);
  return tensor;
}

static void
step_device (
    Device *device, InferTensor *const *inputs, guint n_inputs, gboolean reset)
{
  g_autoptr (GError) error = NULL;

  if (reset)
    infer_state_set_reset (infer_request_get_states (device->request));
  for (guint i = 0; i < n_inputs; i++)
    infer_request_set_input (device->request, i, inputs[i], &error);
  g_assert_no_error (error);
  infer_request_infer (device->request, &error);
  g_assert_no_error (error);
}

static void
compare (const Device *a, const Device *b, guint n_outputs, guint step)
{
  for (guint k = 0; k < n_outputs; k++) {
    const InferTensor *x = infer_request_get_output (a->request, k, NULL);
    const InferTensor *y = infer_request_get_output (b->request, k, NULL);
    const float *want = x->data, *got = y->data;

    g_assert_true (infer_shape_equal (&x->shape, &y->shape));
    if (x->type != INFER_TYPE_F32)
      continue;
    for (gsize i = 0; i < x->size / sizeof *want; i++)
      if (!(fabsf (got[i] - want[i]) <= 2e-5f + 1e-4f * fabsf (want[i])))
        g_error ("step %u, output %u[%" G_GSIZE_FORMAT "]: %g, not %g", step, k,
            i, (double) got[i], (double) want[i]);
  }
}

/* step_<t>_in_<k>.npy. */
static GPtrArray *
read_recorded (const char *folder, guint n_inputs)
{
  GPtrArray *recorded =
      g_ptr_array_new_with_free_func ((GDestroyNotify) infer_tensor_unref);

  for (guint t = 0; t < N_RECORDED; t++)
    for (guint k = 0; k < n_inputs; k++) {
      g_autofree char *name = g_strdup_printf ("step_%u_in_%u.npy", t, k);
      g_autofree char *path = g_build_filename (folder, name, NULL);
      InferTensor *tensor = infer_npy_read (path, NULL);

      if (tensor == NULL)
        return recorded;
      g_ptr_array_add (recorded, tensor);
    }
  return recorded;
}

/* A case's files may hold just the names of others. */
static char *
follow (char *path)
{
  g_autofree char *text = NULL;
  g_autofree char *folder = g_path_get_dirname (path);
  gsize size;

  if (!g_file_get_contents (path, &text, &size, NULL) || size == 0 || size > 200
      || strlen (text) != size)
    return path;
  g_autofree char *target = g_build_filename (folder, g_strstrip (text), NULL);
  if (!g_file_test (target, G_FILE_TEST_IS_REGULAR))
    return path;
  g_free (path);
  return follow (g_steal_pointer (&target));
}

static InferModel *
load (const char *path, GError **error)
{
  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return infer_model_load (path, NULL, error);
  g_autofree char *xml = follow (g_build_filename (path, "model.xml", NULL));
  g_autofree char *weights =
      follow (g_build_filename (path, "model.bin", NULL));
  return infer_model_load (xml, weights, error);
}

static gboolean
check (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = load (path, &error);
  g_autoptr (GRand) random = g_rand_new_with_seed (42);
  Device cpu = { 0 }, opencl = { 0 };
  guint n_inputs, resets = 0;

  g_assert_no_error (error);
  if (!open_device (&opencl, "OPENCL", model))
    return FALSE;
  open_device (&cpu, "CPU", model);
  n_inputs = infer_model_n_inputs (model);
  g_autoptr (GPtrArray) recorded = read_recorded (path, n_inputs);
  for (guint step = 0; step < N_BUFFERS; step++) {
    const gboolean reset = g_rand_int_range (random, 0, 50) == 0;
    g_autoptr (GPtrArray) inputs =
        g_ptr_array_new_with_free_func ((GDestroyNotify) infer_tensor_unref);

    for (guint i = 0; i < n_inputs; i++)
      g_ptr_array_add (inputs, make_input (recorded, model, i, random));
    step_device (&cpu, (InferTensor *const *) inputs->pdata, n_inputs, reset);
    step_device (
        &opencl, (InferTensor *const *) inputs->pdata, n_inputs, reset);
    compare (&cpu, &opencl, infer_model_n_outputs (model), step);
    resets += reset ? 1 : 0;
  }
  printf ("%s: %u buffers, %u resets, equal\n", path, N_BUFFERS, resets);
  close_device (&cpu);
  close_device (&opencl);
  return TRUE;
}

int
main (int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    if (!g_file_test (argv[i], G_FILE_TEST_EXISTS))
      printf ("skipped: no %s\n", argv[i]);
    else if (!check (argv[i])) {
      printf ("skipped: no OpenCL device\n");
      return 77;
    }
  }
  return 0;
}
