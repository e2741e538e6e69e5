/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Loads, compiles and runs a model on the CPU and on the fake OpenCL driver.
 * The input is in the format of container.h. */

#include "tests/fuzz/support/execute.h"
#include "tests/fuzz/support/fuzz.h"
#include "tests/fuzz/support/watch.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input;
  g_autoptr (GError) error = NULL;

  fuzz_watch ();
  fuzz_input_init (&input, data, size);
  g_autoptr (GBytes) xml = g_bytes_new (input.xml, input.xml_size);
  g_autoptr (GBytes) weights = g_bytes_new (input.weights, input.n_weights);
  g_autoptr (InferModel) model =
      infer_model_load_bytes (xml, weights, "fuzz", &error);
  if ((model == NULL) != (error != NULL))
    g_error ("a failure has an error, a success has none");
  if (model != NULL)
    fuzz_execute (model, &input);
  return 0;
}
