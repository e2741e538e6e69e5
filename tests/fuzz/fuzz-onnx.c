/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ONNX: read, compiled and run as in fuzz-run.c.  The control bytes of
 * container.h come first, then the file. */

#include "tests/fuzz/support/execute.h"
#include "tests/fuzz/support/fuzz.h"
#include "tests/fuzz/support/watch.h"

#include <string.h>

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzInput input = { 0 };
  const gsize n = MIN (size, FUZZ_CONTROL);
  g_autoptr (GError) error = NULL;

  fuzz_watch ();
  if (n > 0)
    memcpy (input.control, data, n);
  input.actions = input.control[0];
  g_autoptr (GBytes) file = g_bytes_new (data + n, size - n);
  g_autoptr (InferModel) model =
      infer_model_load_bytes (file, NULL, "fuzz", &error);
  if ((model == NULL) != (error != NULL))
    g_error ("a failure has an error, a success has none");
  if (model != NULL)
    fuzz_execute (model, &input);
  return 0;
}
