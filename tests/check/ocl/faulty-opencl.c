/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/ocl/faulty-opencl.h"

#include <dlfcn.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

static gint n_calls, n_transfers, n_sources, n_alive, fail_at;
static gboolean fail_all;

void
faulty_opencl_set (guint at, gboolean all)
{
  g_atomic_int_set (&n_calls, 0);
  g_atomic_int_set (&n_transfers, 0);
  g_atomic_int_set (&n_sources, 0);
  fail_at = (gint) at;
  fail_all = all;
}

guint
faulty_opencl_n_calls (void)
{
  return (guint) g_atomic_int_get (&n_calls);
}

guint
faulty_opencl_n_transfers (void)
{
  return (guint) g_atomic_int_get (&n_transfers);
}

guint
faulty_opencl_n_sources (void)
{
  return (guint) g_atomic_int_get (&n_sources);
}

int
faulty_opencl_n_alive (void)
{
  return g_atomic_int_get (&n_alive);
}

static gboolean
fails (void)
{
  gint n = g_atomic_int_add (&n_calls, 1) + 1;

  return fail_at > 0 && (n == fail_at || (fail_all && n > fail_at));
}

static gpointer
real (const char *name)
{
  gpointer function = dlsym (RTLD_NEXT, name);

  if (strcmp (name, "clEnqueueReadBuffer") == 0
      || strcmp (name, "clEnqueueWriteBuffer") == 0)
    g_atomic_int_inc (&n_transfers);
  if (strcmp (name, "clCreateProgramWithSource") == 0)
    g_atomic_int_inc (&n_sources);

  g_assert_nonnull (function);
  return function;
}

/* clang-format off */
#define REAL(name)                                                             \
  __typeof__ (name) *call;                                                     \
  *(gpointer *) &call = real (#name)

#define CODE(name, parameters, arguments)                                      \
  cl_int name parameters                                                       \
  {                                                                            \
    REAL (name);                                                               \
    return fails () ? CL_OUT_OF_RESOURCES : call arguments;                    \
  }

/* Gives an event where it is asked for. */
#define ENQUEUE(name, parameters, arguments)                                   \
  cl_int name parameters                                                       \
  {                                                                            \
    REAL (name);                                                               \
    cl_int code = fails () ? CL_OUT_OF_RESOURCES : call arguments;             \
    if (code == CL_SUCCESS && event != NULL)                                   \
      g_atomic_int_inc (&n_alive);                                             \
    return code;                                                               \
  }

#define CREATE(type, name, parameters, arguments)                              \
  type name parameters                                                         \
  {                                                                            \
    REAL (name);                                                               \
    type made = NULL;                                                          \
    if (fails ())                                                              \
      *code = CL_OUT_OF_HOST_MEMORY;                                           \
    else                                                                       \
      made = call arguments;                                                   \
    if (made != NULL)                                                          \
      g_atomic_int_inc (&n_alive);                                             \
    return made;                                                               \
  }

#define RELEASE(name, type)                                                    \
  cl_int name (type object)                                                    \
  {                                                                            \
    REAL (name);                                                               \
    g_atomic_int_add (&n_alive, -1);                                           \
    return call (object);                                                      \
  }

CODE (clBuildProgram,
    (cl_program program, cl_uint n, const cl_device_id *devices,
        const char *options, void (CL_CALLBACK *notify) (cl_program, void *),
        void *data),
    (program, n, devices, options, notify, data))
CODE (clSetKernelArg,
    (cl_kernel kernel, cl_uint i, size_t size, const void *value),
    (kernel, i, size, value))
CODE (clFinish, (cl_command_queue queue), (queue))
CODE (clFlush, (cl_command_queue queue), (queue))
CODE (clWaitForEvents, (cl_uint n, const cl_event *events), (n, events))
CODE (clGetProgramBuildInfo,
    (cl_program program, cl_device_id device, cl_program_build_info what,
        size_t size, void *value, size_t *given),
    (program, device, what, size, value, given))
CODE (clGetProgramInfo,
    (cl_program program, cl_program_info what, size_t size, void *value,
        size_t *given),
    (program, what, size, value, given))
CODE (clGetEventProfilingInfo,
    (cl_event event, cl_profiling_info what, size_t size, void *value,
        size_t *given),
    (event, what, size, value, given))

ENQUEUE (clEnqueueNDRangeKernel,
    (cl_command_queue queue, cl_kernel kernel, cl_uint dims,
        const size_t *offset, const size_t *global, const size_t *local,
        cl_uint n, const cl_event *list, cl_event *event),
    (queue, kernel, dims, offset, global, local, n, list, event))
ENQUEUE (clEnqueueReadBuffer,
    (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
        size_t size, void *data, cl_uint n, const cl_event *list,
        cl_event *event),
    (queue, buffer, blocking, offset, size, data, n, list, event))
ENQUEUE (clEnqueueWriteBuffer,
    (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
        size_t size, const void *data, cl_uint n, const cl_event *list,
        cl_event *event),
    (queue, buffer, blocking, offset, size, data, n, list, event))
ENQUEUE (clEnqueueCopyBuffer,
    (cl_command_queue queue, cl_mem src, cl_mem dst, size_t src_offset,
        size_t dst_offset, size_t size, cl_uint n, const cl_event *list,
        cl_event *event),
    (queue, src, dst, src_offset, dst_offset, size, n, list, event))
ENQUEUE (clEnqueueMarkerWithWaitList,
    (cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event),
    (queue, n, list, event))

CREATE (cl_context, clCreateContext,
    (const cl_context_properties *properties, cl_uint n,
        const cl_device_id *devices,
        void (CL_CALLBACK *notify) (const char *, const void *, size_t, void *),
        void *data, cl_int *code),
    (properties, n, devices, notify, data, code))
CREATE (cl_command_queue, clCreateCommandQueue,
    (cl_context context, cl_device_id device,
        cl_command_queue_properties properties, cl_int *code),
    (context, device, properties, code))
CREATE (cl_mem, clCreateBuffer,
    (cl_context context, cl_mem_flags flags, size_t size, void *host,
        cl_int *code),
    (context, flags, size, host, code))
CREATE (cl_program, clCreateProgramWithSource,
    (cl_context context, cl_uint n, const char **texts, const size_t *sizes,
        cl_int *code),
    (context, n, texts, sizes, code))
CREATE (cl_program, clCreateProgramWithBinary,
    (cl_context context, cl_uint n, const cl_device_id *devices,
        const size_t *sizes, const unsigned char **binaries, cl_int *status,
        cl_int *code),
    (context, n, devices, sizes, binaries, status, code))
CREATE (cl_kernel, clCreateKernel,
    (cl_program program, const char *name, cl_int *code),
    (program, name, code))

cl_int
clRetainCommandQueue (cl_command_queue queue)
{
  REAL (clRetainCommandQueue);
  cl_int code = fails () ? CL_OUT_OF_RESOURCES : call (queue);

  if (code == CL_SUCCESS)
    g_atomic_int_inc (&n_alive);
  return code;
}

RELEASE (clReleaseContext, cl_context)
RELEASE (clReleaseCommandQueue, cl_command_queue)
RELEASE (clReleaseMemObject, cl_mem)
RELEASE (clReleaseProgram, cl_program)
RELEASE (clReleaseKernel, cl_kernel)
RELEASE (clReleaseEvent, cl_event)
/* clang-format on */
