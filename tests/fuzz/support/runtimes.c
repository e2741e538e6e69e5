/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/fuzz/support/runtimes.h"

typedef struct
{
  const char *device, *config;
} Place;

/* Control byte 1 chooses. */
static const Place places[] = {
  { "CPU", NULL },
  { "CPU", "INFERENCE_PRECISION_HINT=f16,DYNAMIC_QUANTIZATION_GROUP_SIZE=32" },
  { "CPU", "PERF_COUNT=YES" },
#ifdef FUZZ_ICD
  { "OPENCL", NULL },
#endif
};

InferRuntime *
fuzz_runtime (const FuzzInput *input)
{
  static InferRuntime *runtimes[G_N_ELEMENTS (places)];
  g_autoptr (GError) error = NULL;
  const guint i = input->control[1] % G_N_ELEMENTS (places);

  if (runtimes[i] != NULL)
    return runtimes[i];
#ifdef FUZZ_ICD
  g_setenv ("OCL_ICD_VENDORS", FUZZ_ICD, TRUE);
  g_setenv ("FAKE_ICD_MOST", "4096", TRUE);
  g_setenv ("FAKE_ICD_MEMORY", "268435456", TRUE);
#endif
  runtimes[i] = infer_runtime_new (places[i].device, places[i].config, &error);
  if (runtimes[i] == NULL)
    g_error ("%s: %s", places[i].device, error->message);
  return runtimes[i];
}
