/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Without an OpenCL platform: OPENCL is reported as missing, other devices
 * work. */

#include "infer/error.h"
#include "infer/runtime.h"

#include <string.h>

int
main (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("OPENCL", NULL, &error);
  g_auto (GStrv) names = infer_runtime_list_devices ();

  g_assert_null (runtime);
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "CPU"));
  g_assert_false (g_strv_contains ((const char *const *) names, "OPENCL"));
  g_clear_error (&error);
  g_assert_null (infer_runtime_new ("GPU", NULL, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message,
      "'GPU': it stands for a GPU with an OpenCL driver, and there is no such "
      "GPU; there are: CPU ("));
  g_clear_error (&error);
  g_autoptr (InferRuntime) cpu = infer_runtime_new ("CPU", NULL, &error);
  g_assert_no_error (error);
  return 0;
}
