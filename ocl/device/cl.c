/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/device/cl.h"

#include <dlfcn.h>

/* --- the library --- */

/* The name that the ABI has on Linux: every loader and driver keeps it. */
#define LIBRARY "libOpenCL.so.1"

OclApi ocl_api;

gboolean
ocl_api_load (void)
{
  /* Global, and looked up as a linked library's functions are: a tracer that is
   * preloaded sees the calls. */
  if (dlopen (LIBRARY, RTLD_NOW | RTLD_GLOBAL) == NULL)
    return FALSE;
#define CALL_2_0(name)                                                         \
  *(gpointer *) &ocl_api.name = dlsym (RTLD_DEFAULT, #name);
#define CALL(name)                                                             \
  CALL_2_0 (name)                                                              \
  if (ocl_api.name == NULL)                                                    \
    return FALSE;
#include "ocl/device/api-list.h"
#undef CALL
#undef CALL_2_0
  return TRUE;
}

/* --- errors --- */

static const struct
{
  cl_int code;
  InferErrorCode kind;
  const char *text;
} codes[] = {
  { CL_DEVICE_NOT_FOUND, INFER_ERROR_DEVICE, "device not found" },
  { CL_DEVICE_NOT_AVAILABLE, INFER_ERROR_DEVICE, "device not available" },
  { CL_COMPILER_NOT_AVAILABLE, INFER_ERROR_DEVICE,
      "the driver has no "
      "compiler" },
  { CL_MEM_OBJECT_ALLOCATION_FAILURE, INFER_ERROR_NO_MEMORY,
      "no device memory" },
  { CL_OUT_OF_RESOURCES, INFER_ERROR_NO_MEMORY, "out of resources" },
  { CL_OUT_OF_HOST_MEMORY, INFER_ERROR_NO_MEMORY, "out of host memory" },
  { CL_INVALID_BUFFER_SIZE, INFER_ERROR_NO_MEMORY,
      "more than the device gives at once" },
  { CL_BUILD_PROGRAM_FAILURE, INFER_ERROR_DEVICE, "a kernel does not build" },
  { CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, INFER_ERROR_DEVICE,
      "a command failed on the device" },
};

gboolean
ocl_check (cl_int code, const char *function, GError **error)
{
  if (code == CL_SUCCESS)
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (codes); i++)
    if (codes[i].code == code)
      return infer_fail (
          error, codes[i].kind, "%s: %s (%d)", function, codes[i].text, code);
  return infer_fail (
      error, INFER_ERROR_DEVICE, "%s: OpenCL error %d", function, code);
}
