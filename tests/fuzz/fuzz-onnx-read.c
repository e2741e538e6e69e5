/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The ONNX reader and shape inference alone, for many executions.  The format
 * is that of fuzz-onnx.c, whose corpora fit; the control bytes are skipped. */

#include "tests/fuzz/support/container.h"
#include "tests/fuzz/support/fuzz.h"
#include "tests/fuzz/support/watch.h"

#include "infer/model.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  const gsize n = MIN (size, FUZZ_CONTROL);
  g_autoptr (GError) error = NULL;

  fuzz_watch ();
  g_autoptr (GBytes) file = g_bytes_new_static (data + n, size - n);
  g_autoptr (InferModel) model =
      infer_model_load_bytes (file, NULL, "fuzz.onnx", &error);
  if ((model == NULL) != (error != NULL))
    g_error ("a failure has an error, a success has none");
  return 0;
}
