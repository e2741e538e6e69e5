/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A program of a stranger: one inference with the installed libinfer-1. */

#include <infer/infer.h>
#include <stdio.h>

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", NULL, &error);
  g_autoptr (InferModel) model = infer_model_load (argv[1], NULL, &error);
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, &error);
  g_autoptr (InferRequest) request = infer_request_new (executable, &error);
  const InferShape shape =
      infer_shape_make (3, (gint64) 1, (gint64) 20, (gint64) 40);
  InferTensor *in = infer_request_set_input_shape (request, 0, &shape, &error);

  for (int i = 0; i < 800; i++)
    ((float *) in->data)[i] = (float) (i % 40) / 40 - 0.5f;
  if (!infer_request_infer (request, &error))
    return fprintf (stderr, "%s\n", error->message), 1;
  const InferTensor *out = infer_request_get_output (request, 0, &error);
  printf ("%s %s %.1f\n", INFER_VERSION_STRING,
      infer_model_output_name (model, 0), ((const float *) out->data)[0]);
  return 0;
}
