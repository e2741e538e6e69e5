/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Contexts, memory, programs and kernels of the fake driver. */

#include "tests/check/support/fake-icd/private.h"

#include <stdlib.h>
#include <string.h>

/* --- contexts, queues, memory --- */

cl_context
fake_clCreateContext (const cl_context_properties *properties, cl_uint n,
    const cl_device_id *devices,
    void (CL_CALLBACK *notify) (const char *, const void *, size_t, void *),
    void *data, cl_int *code)
{
  *code = CL_OUT_OF_HOST_MEMORY;
  if (FAILS (clCreateContext))
    return NULL;
  fake_check (devices[0], DEVICE);
  *code = CL_SUCCESS;
  return fake_object_new (CONTEXT, sizeof (Object), NULL, NULL);
}

static void
buffer_clear (gpointer data)
{
  Buffer *buffer = data;

  free (buffer->data);
  free (buffer->mapped);
}

/* FAKE_ICD_MEMORY: the largest block of memory that there is. */
static gboolean
is_too_large (gsize size)
{
  static gsize most;

  if (g_once_init_enter (&most)) {
    const char *text = g_getenv ("FAKE_ICD_MEMORY");

    g_once_init_leave (&most,
        text != NULL ? (gsize) g_ascii_strtoull (text, NULL, 10) : G_MAXSIZE);
  }
  return size > most;
}

cl_mem
fake_clCreateBuffer (cl_context context, cl_mem_flags flags, size_t size,
    void *host, cl_int *code)
{
  Buffer *buffer;

  *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
  if (FAILS (clCreateBuffer))
    return NULL;
  g_assert_true (host == NULL && size > 0);
  guchar *data = is_too_large (size) ? NULL : calloc (1, size);
  if (data == NULL)
    return NULL;
  buffer = fake_object_new (
      BUFFER, sizeof *buffer, fake_check (context, CONTEXT), buffer_clear);
  buffer->data = data;
  buffer->size = size;
  *code = CL_SUCCESS;
  return (cl_mem) buffer;
}

/* NULL: no memory. */
static void *
share (gsize size)
{
  guchar *data =
      is_too_large (size)
          ? NULL
          : aligned_alloc (PAGE, PAGE + (size + PAGE - 1) / PAGE * PAGE);

  if (data == NULL)
    return NULL;
  *(Shared *) (gpointer) data = (Shared){ .size = size };
  fake_count (1);
  return data + PAGE;
}

void *
fake_clSVMAlloc (
    cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
  fake_check (context, CONTEXT);
  return FAILS (clSVMAlloc) ? NULL : share (size);
}

void
fake_clSVMFree (cl_context context, void *data)
{
  fake_check (context, CONTEXT);
  free ((guchar *) data - PAGE);
  fake_count (-1);
}

void *
fake_clHostMemAllocINTEL (cl_context context, const cl_bitfield *properties,
    size_t size, cl_uint alignment, cl_int *code)
{
  fake_check (context, CONTEXT);
  *code = CL_OUT_OF_HOST_MEMORY;
  if (FAILS (clHostMemAllocINTEL))
    return NULL;
  void *data = share (size);
  if (data != NULL)
    *code = CL_SUCCESS;
  return data;
}

/* Released even if the call is to return an error. */
cl_int
fake_clMemFreeINTEL (cl_context context, void *data)
{
  fake_clSVMFree (context, data);
  return FAILS (clMemFreeINTEL) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

#define RELEASE(name, type, kind)                                              \
  cl_int fake_##name (type object)                                             \
  {                                                                            \
    fake_object_unref (fake_check (object, kind));                             \
    return FAILS (name) ? CL_OUT_OF_RESOURCES : CL_SUCCESS;                    \
  }

RELEASE (clReleaseCommandQueue, cl_command_queue, QUEUE)
RELEASE (clReleaseContext, cl_context, CONTEXT)
RELEASE (clReleaseEvent, cl_event, EVENT)
RELEASE (clReleaseKernel, cl_kernel, KERNEL)
RELEASE (clReleaseMemObject, cl_mem, BUFFER)
RELEASE (clReleaseProgram, cl_program, PROGRAM)

#define RETAIN(name, type, kind)                                               \
  cl_int fake_##name (type object)                                             \
  {                                                                            \
    if (FAILS (name))                                                          \
      return CL_OUT_OF_RESOURCES;                                              \
    fake_object_ref (fake_check (object, kind));                               \
    return CL_SUCCESS;                                                         \
  }

RETAIN (clRetainCommandQueue, cl_command_queue, QUEUE)
RETAIN (clRetainContext, cl_context, CONTEXT)

/* --- programs, kernels --- */

static void
program_clear (gpointer data)
{
  free (((Program *) data)->text);
}

cl_program
fake_clCreateProgramWithSource (cl_context context, cl_uint n,
    const char **texts, const size_t *sizes, cl_int *code)
{
  Program *program;

  *code = CL_OUT_OF_HOST_MEMORY;
  if (FAILS (clCreateProgramWithSource))
    return NULL;
  g_assert_true (n == 1 && sizes == NULL);
  program = fake_object_new (
      PROGRAM, sizeof *program, fake_check (context, CONTEXT), program_clear);
  program->text = strdup (texts[0]);
  *code = CL_SUCCESS;
  return (cl_program) program;
}

/* A binary is the source text. */
cl_program
fake_clCreateProgramWithBinary (cl_context context, cl_uint n,
    const cl_device_id *devices, const size_t *sizes,
    const unsigned char **binaries, cl_int *status, cl_int *code)
{
  Program *program;

  *code = CL_OUT_OF_HOST_MEMORY;
  if (FAILS (clCreateProgramWithBinary))
    return NULL;
  g_assert_cmpuint (n, ==, 1);
  program = fake_object_new (
      PROGRAM, sizeof *program, fake_check (context, CONTEXT), program_clear);
  program->text = strndup ((const char *) binaries[0], sizes[0]);
  *status = *code = CL_SUCCESS;
  return (cl_program) program;
}

cl_int
fake_clBuildProgram (cl_program handle, cl_uint n, const cl_device_id *devices,
    const char *options, void (CL_CALLBACK *notify) (cl_program, void *),
    void *data)
{
  Program *program = fake_check (handle, PROGRAM);

  if (FAILS (clBuildProgram))
    return CL_BUILD_PROGRAM_FAILURE;
  program->built = TRUE;
  return CL_SUCCESS;
}

cl_int
fake_give (const void *answer, gsize n, gsize size, void *value, size_t *given)
{
  if (given != NULL)
    *given = n;
  if (value == NULL)
    return CL_SUCCESS;
  if (size < n)
    return CL_INVALID_VALUE;
  memcpy (value, answer, n);
  return CL_SUCCESS;
}

cl_int
fake_clGetProgramBuildInfo (cl_program program, cl_device_id id,
    cl_program_build_info what, size_t size, void *value, size_t *given)
{
  static const char log[] = "the log of the compiler";

  fake_check (program, PROGRAM);
  if (FAILS (clGetProgramBuildInfo))
    return CL_OUT_OF_RESOURCES;
  return fake_give (log, sizeof log, size, value, given);
}

cl_int
fake_clGetProgramInfo (cl_program handle, cl_program_info what, size_t size,
    void *value, size_t *given)
{
  const Program *program = fake_check (handle, PROGRAM);
  const gsize n = strlen (program->text);

  if (FAILS (clGetProgramInfo))
    return CL_OUT_OF_RESOURCES;
  if (what == CL_PROGRAM_BINARY_SIZES)
    return fake_give (&n, sizeof n, size, value, given);
  g_assert_cmpuint (what, ==, CL_PROGRAM_BINARIES);
  memcpy (*(guchar **) value, program->text, n);
  return CL_SUCCESS;
}

cl_kernel
fake_clCreateKernel (cl_program handle, const char *name, cl_int *code)
{
  Program *program = fake_check (handle, PROGRAM);
  Kernel *kernel;

  *code = CL_OUT_OF_HOST_MEMORY;
  if (FAILS (clCreateKernel))
    return NULL;
  g_assert_true (program->built);
  g_assert_nonnull (strstr (program->text, name));
  kernel = fake_object_new (KERNEL, sizeof *kernel, &program->object, NULL);
  kernel->hash = fake_mix (1, (const guchar *) name, strlen (name));
  *code = CL_SUCCESS;
  return (cl_kernel) kernel;
}

cl_int
fake_clSetKernelArg (
    cl_kernel handle, cl_uint i, size_t size, const void *value)
{
  Kernel *kernel = fake_check (handle, KERNEL);
  guint64 address = 0;

  if (FAILS (clSetKernelArg))
    return CL_OUT_OF_RESOURCES;
  g_assert_cmpuint (i, <, MAX_ARGUMENTS);
  kernel->arguments[i] = (Argument){ .size = size };
  if (value == NULL)
    return CL_SUCCESS;
  g_assert_cmpuint (size, <=, sizeof kernel->arguments[i].bytes);
  memcpy (kernel->arguments[i].bytes, value, size);
  if (size == sizeof address)
    memcpy (&address, value, size);
  if (address >= LEAST_ADDRESS || fake_is_buffer (address))
    kernel->arguments[i].buffer =
        fake_check ((gpointer) (gsize) address, BUFFER);
  return CL_SUCCESS;
}

static cl_int
set_pointer (cl_kernel handle, cl_uint i, const void *pointer)
{
  Kernel *kernel = fake_check (handle, KERNEL);

  g_assert_cmpuint (i, <, MAX_ARGUMENTS);
  kernel->arguments[i] = (Argument){ .size = sizeof pointer };
  kernel->arguments[i].pointer = (guchar *) (gsize) pointer;
  return CL_SUCCESS;
}

cl_int
fake_clSetKernelArgSVMPointer (cl_kernel kernel, cl_uint i, const void *pointer)
{
  return FAILS (clSetKernelArgSVMPointer) ? CL_OUT_OF_RESOURCES
                                          : set_pointer (kernel, i, pointer);
}

cl_int
fake_clSetKernelArgMemPointerINTEL (
    cl_kernel kernel, cl_uint i, const void *pointer)
{
  return FAILS (clSetKernelArgMemPointerINTEL)
             ? CL_OUT_OF_RESOURCES
             : set_pointer (kernel, i, pointer);
}
