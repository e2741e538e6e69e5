/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/ocl/faulty-opencl.h"

#include <dlfcn.h>
#include <string.h>

#include "ocl/device/device.h"

static gint n_calls, n_transfers, n_maps, n_sources, n_alive, fail_at;
static gint n_launches, n_recordings, n_replays;
static gboolean fail_all, announced_gpu;
static const char *announced = "";
static cl_ulong required_of_queues;

void
faulty_opencl_set (guint at, gboolean all)
{
  g_atomic_int_set (&n_calls, 0);
  g_atomic_int_set (&n_transfers, 0);
  g_atomic_int_set (&n_maps, 0);
  g_atomic_int_set (&n_sources, 0);
  g_atomic_int_set (&n_launches, 0);
  g_atomic_int_set (&n_recordings, 0);
  g_atomic_int_set (&n_replays, 0);
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
faulty_opencl_n_maps (void)
{
  return (guint) g_atomic_int_get (&n_maps);
}

void
faulty_opencl_announce (const char *memory)
{
  announced = memory;
}

guint
faulty_opencl_n_sources (void)
{
  return (guint) g_atomic_int_get (&n_sources);
}

guint
faulty_opencl_n_launches (void)
{
  return (guint) g_atomic_int_get (&n_launches);
}

guint
faulty_opencl_n_recordings (void)
{
  return (guint) g_atomic_int_get (&n_recordings);
}

guint
faulty_opencl_n_replays (void)
{
  return (guint) g_atomic_int_get (&n_replays);
}

void
faulty_opencl_announce_gpu (guint64 properties)
{
  announced_gpu = TRUE;
  required_of_queues = properties;
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
  if (strcmp (name, "clEnqueueMapBuffer") == 0
      || strcmp (name, "clEnqueueSVMMap") == 0)
    g_atomic_int_inc (&n_maps);
  if (strcmp (name, "clCreateProgramWithSource") == 0)
    g_atomic_int_inc (&n_sources);
  if (strcmp (name, "clEnqueueNDRangeKernel") == 0)
    g_atomic_int_inc (&n_launches);

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

/* Returns an event on request. */
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
/* A failed device does not compute. */
cl_int
clFinish (cl_command_queue queue)
{
  REAL (clFinish);
  cl_int code = call (queue);

  return fails () ? CL_OUT_OF_RESOURCES : code;
}

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

CODE (clSetKernelArgSVMPointer,
    (cl_kernel kernel, cl_uint i, const void *value), (kernel, i, value))

ENQUEUE (clEnqueueSVMMap,
    (cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void *data,
        size_t size, cl_uint n, const cl_event *list, cl_event *event),
    (queue, blocking, flags, data, size, n, list, event))
ENQUEUE (clEnqueueSVMUnmap,
    (cl_command_queue queue, void *data, cl_uint n, const cl_event *list,
        cl_event *event),
    (queue, data, n, list, event))
ENQUEUE (clEnqueueUnmapMemObject,
    (cl_command_queue queue, cl_mem buffer, void *data, cl_uint n,
        const cl_event *list, cl_event *event),
    (queue, buffer, data, n, list, event))
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

#define RETAIN(name, type)                                                     \
  cl_int name (type object)                                                    \
  {                                                                            \
    REAL (name);                                                               \
    cl_int code = fails () ? CL_OUT_OF_RESOURCES : call (object);              \
    if (code == CL_SUCCESS)                                                    \
      g_atomic_int_inc (&n_alive);                                             \
    return code;                                                               \
  }

RETAIN (clRetainContext, cl_context)
RETAIN (clRetainCommandQueue, cl_command_queue)

RELEASE (clReleaseContext, cl_context)
RELEASE (clReleaseCommandQueue, cl_command_queue)
RELEASE (clReleaseMemObject, cl_mem)
RELEASE (clReleaseProgram, cl_program)
RELEASE (clReleaseKernel, cl_kernel)
RELEASE (clReleaseEvent, cl_event)
/* clang-format on */

/* --- shared memory --- */

void *
clEnqueueMapBuffer (cl_command_queue queue, cl_mem buffer, cl_bool blocking,
    cl_map_flags flags, size_t offset, size_t size, cl_uint n,
    const cl_event *list, cl_event *event, cl_int *code)
{
  REAL (clEnqueueMapBuffer);

  if (!fails ())
    return call (
        queue, buffer, blocking, flags, offset, size, n, list, event, code);
  *code = CL_MAP_FAILURE;
  return NULL;
}

void *
clSVMAlloc (
    cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
  REAL (clSVMAlloc);
  void *data = fails () ? NULL : call (context, flags, size, alignment);

  if (data != NULL)
    g_atomic_int_inc (&n_alive);
  return data;
}

void
clSVMFree (cl_context context, void *data)
{
  REAL (clSVMFree);

  g_atomic_int_add (&n_alive, -1);
  call (context, data);
}

static void *
usm_alloc (cl_context context, const cl_bitfield *properties, size_t size,
    cl_uint alignment, cl_int *code)
{
  void *data = clSVMAlloc (
      context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, size, 0);

  g_assert_null (properties);
  *code = data != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
  return data;
}

static cl_int
usm_free (cl_context context, void *data)
{
  clSVMFree (context, data);
  return CL_SUCCESS;
}

static cl_int
usm_set_argument (cl_kernel kernel, cl_uint i, const void *data)
{
  return clSetKernelArgSVMPointer (kernel, i, data);
}

/* --- command buffers --- */

static OclCommandBuffers driver;

static gpointer
commands_create (cl_uint n, const cl_command_queue *queues,
    const cl_bitfield *properties, cl_int *code)
{
  gpointer made = NULL;

  g_atomic_int_inc (&n_recordings);
  if (fails ())
    *code = CL_OUT_OF_HOST_MEMORY;
  else
    made = driver.create (n, queues, properties, code);
  if (made != NULL)
    g_atomic_int_inc (&n_alive);
  return made;
}

static cl_int
commands_launch (gpointer commands, cl_command_queue queue,
    const cl_bitfield *properties, cl_kernel kernel, cl_uint dims,
    const size_t *offset, const size_t *global, const size_t *local, cl_uint n,
    const cl_uint *points, cl_uint *point, gpointer *handle)
{
  return fails () ? CL_OUT_OF_RESOURCES
                  : driver.launch (commands, queue, properties, kernel, dims,
                      offset, global, local, n, points, point, handle);
}

static cl_int
commands_finalize (gpointer commands)
{
  return fails () ? CL_OUT_OF_RESOURCES : driver.finalize (commands);
}

static cl_int
commands_enqueue (cl_uint n, cl_command_queue *queues, gpointer commands,
    cl_uint n_events, const cl_event *events, cl_event *event)
{
  g_atomic_int_inc (&n_replays);
  if (fails ())
    return CL_OUT_OF_RESOURCES;
  cl_int code = driver.enqueue (n, queues, commands, n_events, events, event);
  if (code == CL_SUCCESS && event != NULL)
    g_atomic_int_inc (&n_alive);
  return code;
}

static cl_int
commands_release (gpointer commands)
{
  g_atomic_int_add (&n_alive, -1);
  return driver.release (commands);
}

/* --- extensions --- */

void *
clGetExtensionFunctionAddressForPlatform (
    cl_platform_id platform, const char *name)
{
  REAL (clGetExtensionFunctionAddressForPlatform);
  gpointer found = NULL;

#define REPLACE(function, ours)                                                \
  if (strcmp (name, function) == 0)                                            \
  *(__typeof__ (&ours) *) &found = ours
#define WRAP(function, member)                                                 \
  REPLACE (function, commands_##member);                                       \
  if (strcmp (name, function) == 0)                                            \
  *(gpointer *) &driver.member = call (platform, name)

  REPLACE ("clHostMemAllocINTEL", usm_alloc);
  REPLACE ("clMemFreeINTEL", usm_free);
  REPLACE ("clSetKernelArgMemPointerINTEL", usm_set_argument);
  WRAP ("clCreateCommandBufferKHR", create);
  WRAP ("clCommandNDRangeKernelKHR", launch);
  WRAP ("clFinalizeCommandBufferKHR", finalize);
  WRAP ("clEnqueueCommandBufferKHR", enqueue);
  WRAP ("clReleaseCommandBufferKHR", release);
#undef WRAP
#undef REPLACE
  return found != NULL ? found : call (platform, name);
}

#define QUEUE_PROPERTIES 0x12aa /* …_COMMAND_BUFFER_REQUIRED_QUEUE_… */

/* Replaces what the device reports; FALSE: not replaced. */
static gboolean
pretend (cl_device_info what, cl_ulong *answer)
{
  if (what == CL_DEVICE_TYPE || what == QUEUE_PROPERTIES) {
    *answer = what == CL_DEVICE_TYPE ? CL_DEVICE_TYPE_GPU : required_of_queues;
    return announced_gpu;
  }
  if (what == CL_DEVICE_HOST_UNIFIED_MEMORY)
    *answer = CL_FALSE;
  else if (what == CL_DEVICE_SVM_CAPABILITIES)
    *answer = strcmp (announced, "svm-fine") == 0
                  ? CL_DEVICE_SVM_COARSE_GRAIN_BUFFER
                        | CL_DEVICE_SVM_FINE_GRAIN_BUFFER
              : strcmp (announced, "svm-coarse") == 0
                  ? CL_DEVICE_SVM_COARSE_GRAIN_BUFFER
                  : 0;
  else if (what == 0x4190)
    *answer = strcmp (announced, "usm") == 0;
  else if (what == CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT)
    *answer = 8; /* the same kernels under valgrind */
  else
    return FALSE;
  return what == CL_DEVICE_HOST_UNIFIED_MEMORY
             ? strcmp (announced, "discrete") == 0
             : *announced != '\0';
}

cl_int
clGetDeviceInfo (cl_device_id device, cl_device_info what, size_t size,
    void *value, size_t *given)
{
  static const char extra[] = " cl_intel_unified_shared_memory";
  REAL (clGetDeviceInfo);
  const gboolean usm =
      what == CL_DEVICE_EXTENSIONS && strcmp (announced, "usm") == 0;
  cl_ulong answer = 0;

  if (pretend (what, &answer)) {
    memcpy (value, &answer, size); /* little-endian, of 4 or 8 bytes */
    return CL_SUCCESS;
  }
  cl_int code = call (device, what,
      usm && value != NULL ? size - sizeof extra + 1 : size, value, given);
  if (usm && code == CL_SUCCESS && value != NULL)
    strcat (value, extra);
  if (usm && given != NULL)
    *given += sizeof extra - 1;
  return code;
}
