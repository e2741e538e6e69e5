/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Preloaded into a program: each OpenCL device says that it is a GPU of two
 * compute units, with local memory on its chip.  The plans are then those that
 * GPUs get, on a driver for processors. */

#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 120

#include <CL/cl.h>
#include <dlfcn.h>

__attribute__ ((visibility ("default"))) cl_int
clGetDeviceInfo (cl_device_id device, cl_device_info what, size_t size,
    void *value, size_t *size_ret)
{
  static __typeof__ (clGetDeviceInfo) *call;

  if (call == NULL)
    *(void **) &call = dlsym (RTLD_NEXT, "clGetDeviceInfo");
  const cl_int code = call (device, what, size, value, size_ret);
  if (code != CL_SUCCESS || value == NULL)
    return code;
  if (what == CL_DEVICE_TYPE)
    *(cl_device_type *) value = CL_DEVICE_TYPE_GPU;
  if (what == CL_DEVICE_LOCAL_MEM_TYPE)
    *(cl_device_local_mem_type *) value = CL_LOCAL;
  if (what == CL_DEVICE_MAX_COMPUTE_UNITS)
    *(cl_uint *) value = 2;
  return code;
}
