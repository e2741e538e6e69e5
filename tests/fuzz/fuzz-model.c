/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The IR reader, shape inference and graph passes. */

#include "tests/fuzz/support/fuzz.h"

#include "inference/passes/pass.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const guint8 zeros[4096];
  g_autoptr (GBytes) xml = g_bytes_new (data, size);
  g_autoptr (GBytes) weights = g_bytes_new_static (zeros, sizeof zeros);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = NULL, smaller = NULL;

  model = infer_model_load_bytes (xml, weights, "fuzz", &error);
  if ((model == NULL) != (error != NULL))
    g_error ("a failure has an error, a success has none");
  if (model == NULL)
    return 0;
  smaller = infer_passes_run (model, NULL, &error);
  if ((smaller == NULL) != (error != NULL))
    g_error ("a failure has an error, a success has none");
  return 0;
}
