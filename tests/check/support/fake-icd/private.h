/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the files of the fake driver: objects and failures. */

#pragma once

#include <glib.h>
#include <pthread.h>

#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>

#define PAGE 4096
#define MAX_ARGUMENTS 64
/* Offsets are smaller, and so are addresses under valgrind, which are told from
 * them by fake_is_buffer (). */
#define LEAST_ADDRESS ((guint64) 1 << 44)

/* Functions that the backend calls: those in the loader's dispatch table, and
 * those looked up by name. */
#define TABLE(F)                                                               \
  F (clBuildProgram)                                                           \
  F (clCreateBuffer)                                                           \
  F (clCreateCommandQueue)                                                     \
  F (clCreateContext)                                                          \
  F (clCreateKernel)                                                           \
  F (clCreateProgramWithBinary)                                                \
  F (clCreateProgramWithSource)                                                \
  F (clEnqueueCopyBuffer)                                                      \
  F (clEnqueueMapBuffer)                                                       \
  F (clEnqueueMarkerWithWaitList)                                              \
  F (clEnqueueNDRangeKernel)                                                   \
  F (clEnqueueReadBuffer)                                                      \
  F (clEnqueueSVMMap)                                                          \
  F (clEnqueueSVMUnmap)                                                        \
  F (clEnqueueUnmapMemObject)                                                  \
  F (clEnqueueWriteBuffer)                                                     \
  F (clFinish)                                                                 \
  F (clFlush)                                                                  \
  F (clGetDeviceIDs)                                                           \
  F (clGetDeviceInfo)                                                          \
  F (clGetEventProfilingInfo)                                                  \
  F (clGetExtensionFunctionAddressForPlatform)                                 \
  F (clGetPlatformInfo)                                                        \
  F (clGetProgramBuildInfo)                                                    \
  F (clGetProgramInfo)                                                         \
  F (clReleaseCommandQueue)                                                    \
  F (clReleaseContext)                                                         \
  F (clReleaseEvent)                                                           \
  F (clReleaseKernel)                                                          \
  F (clReleaseMemObject)                                                       \
  F (clReleaseProgram)                                                         \
  F (clRetainCommandQueue)                                                     \
  F (clRetainContext)                                                          \
  F (clSVMAlloc)                                                               \
  F (clSetKernelArg)                                                           \
  F (clSetKernelArgSVMPointer)                                                 \
  F (clWaitForEvents)
#define NAMED(F)                                                               \
  F (clCommandNDRangeKernelKHR)                                                \
  F (clCreateCommandBufferKHR)                                                 \
  F (clEnqueueCommandBufferKHR)                                                \
  F (clFinalizeCommandBufferKHR)                                               \
  F (clGetPlatformIDs)                                                         \
  F (clHostMemAllocINTEL)                                                      \
  F (clMemFreeINTEL)                                                           \
  F (clReleaseCommandBufferKHR)                                                \
  F (clSetKernelArgMemPointerINTEL)

#define F(name) N_##name,
enum
{
  TABLE (F) NAMED (F) N_FUNCTIONS
};
#undef F

/* TRUE if this call of @function must fail. */
gboolean fake_fails (gint function);
#define FAILS(name) fake_fails (N_##name)
/* TRUE if this command must fail. */
gboolean fake_command_fails (void);
/* Advances the device's clock and returns it. */
guint64 fake_tick (void);
/* Adds @n to the count of living objects. */
void fake_count (gint n);
/* Answers a clGet…Info call. */
cl_int fake_give (
    const void *answer, gsize n, gsize size, void *value, gsize *given);

/* Continues the hash @hash with @bytes. */
static inline guint64
fake_mix (guint64 hash, const guchar *bytes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    hash = (hash ^ bytes[i]) * 0x100000001b3;
  return hash ^ hash >> 29;
}

/* Relaxed, so that the counters do not synchronise threads. */
#define ADD(x, n) __atomic_add_fetch (&(x), n, __ATOMIC_RELAXED)
#define GET(x) __atomic_load_n (&(x), __ATOMIC_RELAXED)
#define SET(x, n) __atomic_store_n (&(x), n, __ATOMIC_RELAXED)

/* --- objects --- */

typedef enum
{
  PLATFORM = 1,
  DEVICE,
  CONTEXT,
  QUEUE,
  BUFFER,
  PROGRAM,
  KERNEL,
  EVENT,
  COMMANDS,
} Kind;

typedef struct _Object Object;

struct _Object
{
  const struct _cl_icd_dispatch
      *dispatch; /* at the place where loaders expect it */
  Kind kind;
  gint refs;
  Object *owner; /* referenced; nullable */
  void (*clear) (gpointer object);
};

/* Allocated with malloc, for sanitizers and valgrind. */
gpointer fake_object_new (
    Kind kind, gsize size, Object *owner, void (*clear) (gpointer));
void fake_object_ref (gpointer object);
void fake_object_unref (gpointer object); /* NULL is fine */
/* @object, which must be alive and of @kind. */
gpointer fake_check (gconstpointer object, Kind kind);
/* Whether it is the address of a buffer that has not been freed. */
gboolean fake_is_buffer (guint64 address);

typedef struct
{
  Object object;
  guchar *data, *mapped; /* seen by kernels; seen by the host */
  gsize size;
  gboolean is_mapped;
} Buffer;

/* Header of shared memory. */
typedef struct
{
  gsize size;
  gboolean is_mapped;
} Shared;

typedef struct
{
  Object object;
  char *text;
  gboolean built;
} Program;

typedef struct
{
  gsize size; /* 0: not set */
  guchar bytes[64];
  Buffer *buffer;  /* a buffer, */
  guchar *pointer; /* or shared memory */
} Argument;

typedef struct
{
  Object object;
  guint64 hash;
  Argument arguments[MAX_ARGUMENTS];
} Kernel;

typedef struct
{
  Object object;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  gboolean done;
  cl_int code;
  guint64 begin, end;
} Event;

/* --- commands --- */

typedef struct _Command Command;

struct _Command
{
  Command *next;
  Event *event;
  void (*run) (Command *command);
  guchar *to;
  const guchar *from;
  gsize size;
  Object *kept[2];
  guint64 hash;
  guint n_arguments;
  Argument *arguments;
  gint *pending; /* nullable: decremented at the end, even if it fails */
};

/* Keeps @a and @b, which are nullable. */
Command *fake_command_new (
    void (*run) (Command *command), Object *a, Object *b);
void fake_command_free (Command *command);
/* A launch of @kernel with its present arguments. */
Command *fake_command_of_kernel (cl_kernel kernel, cl_uint dims,
    const size_t *offset, const size_t *global, const size_t *local);
/* The same command once more. */
Command *fake_command_copy (const Command *command);
/* Appends @command to @queue; *@event is nullable. */
cl_int fake_submit (
    cl_command_queue queue, Command *command, cl_bool wait, cl_event *event);

/* --- the driver's functions --- */

#define F(name) __typeof__ (name) fake_##name;
TABLE (F)
F (clSVMFree)
#undef F
void *fake_clHostMemAllocINTEL (cl_context context,
    const cl_bitfield *properties, size_t size, cl_uint alignment,
    cl_int *code);
cl_int fake_clMemFreeINTEL (cl_context context, void *data);
cl_int fake_clSetKernelArgMemPointerINTEL (
    cl_kernel kernel, cl_uint i, const void *pointer);
gpointer fake_clCreateCommandBufferKHR (cl_uint n,
    const cl_command_queue *queues, const cl_bitfield *properties,
    cl_int *code);
cl_int fake_clCommandNDRangeKernelKHR (gpointer commands,
    cl_command_queue queue, const cl_bitfield *properties, cl_kernel kernel,
    cl_uint dims, const size_t *offset, const size_t *global,
    const size_t *local, cl_uint n, const cl_uint *list, cl_uint *point,
    gpointer *handle);
cl_int fake_clFinalizeCommandBufferKHR (gpointer commands);
cl_int fake_clEnqueueCommandBufferKHR (cl_uint n, cl_command_queue *queues,
    gpointer commands, cl_uint n_events, const cl_event *events,
    cl_event *event);
cl_int fake_clReleaseCommandBufferKHR (gpointer commands);
