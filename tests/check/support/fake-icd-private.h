/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Between the files of the fake driver: objects, and what fails. */

#pragma once

#include "tests/check/support/fake-icd.h"

#include <pthread.h>

#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>

#define PAGE 4096
#define MAX_ARGUMENTS 64
/* Tests' offsets are below it, addresses above. */
#define LEAST_ADDRESS ((guint64) 1 << 24)

/* What the backend calls: those that loaders find in the table of a driver, and
 * those that are asked for by name. */
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
  F (clGetPlatformIDs)                                                         \
  F (clHostMemAllocINTEL)                                                      \
  F (clMemFreeINTEL)                                                           \
  F (clSetKernelArgMemPointerINTEL)

#define F(name) N_##name,
enum
{
  TABLE (F) NAMED (F) N_FUNCTIONS
};
#undef F

/* Whether this call of @function is to fail. */
gboolean fake_fails (gint function);
#define FAILS(name) fake_fails (N_##name)
/* Whether this command is. */
gboolean fake_command_fails (void);
/* The device's clock, which it moves on. */
guint64 fake_tick (void);
/* @n more objects are there. */
void fake_count (gint n);
/* As clGet…Info answer. */
cl_int fake_give (
    const void *answer, gsize n, gsize size, void *value, gsize *given);

/* A hash of @bytes and what was before them. */
static inline guint64
fake_mix (guint64 hash, const guchar *bytes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    hash = (hash ^ bytes[i]) * 0x100000001b3;
  return hash ^ hash >> 29;
}

/* Relaxed, so that no thread waits for another on their account. */
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
} Kind;

typedef struct _Object Object;

struct _Object
{
  const struct _cl_icd_dispatch *dispatch; /* loaders expect it here */
  Kind kind;
  gint refs;
  Object *owner; /* kept by this; nullable */
  void (*clear) (gpointer object);
};

/* Memory of malloc, which sanitizers and valgrind watch. */
gpointer fake_object_new (
    Kind kind, gsize size, Object *owner, void (*clear) (gpointer));
void fake_object_ref (gpointer object);
void fake_object_unref (gpointer object); /* NULL is fine */
/* @object, which must be one of these. */
gpointer fake_check (gconstpointer object, Kind kind);

typedef struct
{
  Object object;
  guchar *data, *mapped; /* what kernels and what the host see */
  gsize size;
  gboolean is_mapped;
} Buffer;

/* Before the memory that is shared. */
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
  Buffer *buffer;  /* a buffer instead, */
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
