/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/device/scope.h"

/* --- buffers --- */

static OclBuffer *
buffer_new (gsize size)
{
  static gsize last_serial;
  OclBuffer *buffer = g_new0 (OclBuffer, 1);

  buffer->refs = 1;
  buffer->size = MAX (size, 64);
  buffer->serial = 1 + (gsize) g_atomic_pointer_add (&last_serial, 1);
  return buffer;
}

OclBuffer *
ocl_buffer_new (
    cl_context context, OclMemory memory, gsize size, GError **error)
{
  OclBuffer *buffer = buffer_new (size);
  cl_int code;

  buffer->mem = ocl_api.clCreateBuffer (context,
      CL_MEM_READ_WRITE
          | (memory == OCL_MEMORY_HOST ? CL_MEM_ALLOC_HOST_PTR : 0),
      buffer->size, NULL, &code);
  if (ocl_check (code, "clCreateBuffer", error))
    return buffer;
  g_prefix_error (error, "%" G_GSIZE_FORMAT " bytes: ", buffer->size);
  g_free (buffer);
  return NULL;
}

OclBuffer *
ocl_buffer_new_pointer (gpointer pointer, gsize size)
{
  OclBuffer *buffer = buffer_new (size);

  buffer->pointer = pointer;
  return buffer;
}

gboolean
ocl_buffer_set_argument (const OclBuffer *buffer, const OclDevice *device,
    cl_kernel kernel, guint index, GError **error)
{
  if (buffer->pointer == NULL)
    return ocl_check (ocl_api.clSetKernelArg (
                          kernel, index, sizeof buffer->mem, &buffer->mem),
        "clSetKernelArg", error);
  if (device->host == OCL_HOST_USM)
    return ocl_check (device->usm.set_argument (kernel, index, buffer->pointer),
        "clSetKernelArgMemPointerINTEL", error);
  return ocl_check (
      ocl_api.clSetKernelArgSVMPointer (kernel, index, buffer->pointer),
      "clSetKernelArgSVMPointer", error);
}

OclBuffer *
ocl_buffer_ref (OclBuffer *buffer)
{
  g_atomic_int_inc (&buffer->refs);
  return buffer;
}

void
ocl_buffer_unref (OclBuffer *buffer)
{
  if (buffer == NULL || !g_atomic_int_dec_and_test (&buffer->refs))
    return;
  if (buffer->mem != NULL)
    ocl_api.clReleaseMemObject (buffer->mem);
  g_free (buffer);
}

gboolean
ocl_buffer_reserve (OclScope *scope, OclMemory memory, OclBuffer **buffer,
    gsize size, GError **error)
{
  if (*buffer != NULL && (*buffer)->size >= size)
    return TRUE;
  OclBuffer *bigger = ocl_buffer_new (scope->context, memory, size, error);
  if (bigger == NULL)
    return FALSE;
  ocl_buffer_unref (*buffer);
  *buffer = bigger;
  return TRUE;
}

/* --- scope --- */

static gboolean
stream_init (OclScope *scope, OclStream *stream, GError **error)
{
  cl_command_queue_properties properties =
      scope->config.perf_count ? CL_QUEUE_PROFILING_ENABLE : 0;
  cl_command_queue *queues[] = { &stream->copy, &stream->run };
  cl_int code;

  for (guint i = 0; i < G_N_ELEMENTS (queues); i++) {
    *queues[i] = ocl_api.clCreateCommandQueue (
        scope->context, scope->device->id, properties, &code);
    if (!ocl_check (code, "clCreateCommandQueue", error)) {
      *queues[i] = NULL;
      return FALSE;
    }
  }
  return TRUE;
}

static void
stream_clear (OclStream *stream)
{
  cl_command_queue queues[] = { stream->copy, stream->run };

  for (guint i = 0; i < G_N_ELEMENTS (queues); i++)
    if (queues[i] != NULL)
      ocl_api.clReleaseCommandQueue (queues[i]);
  ocl_buffer_unref (stream->arena);
  pthread_mutex_destroy (&stream->lock);
}

static gboolean
open_device (OclScope *scope, GError **error)
{
  cl_context_properties properties[] = { CL_CONTEXT_PLATFORM,
    (cl_context_properties) scope->device->platform, 0 };
  cl_int code;

  scope->context = ocl_api.clCreateContext (
      properties, 1, &scope->device->id, NULL, NULL, &code);
  if (!ocl_check (code, "clCreateContext", error)) {
    scope->context = NULL;
    return FALSE;
  }
  for (guint i = 0; i < scope->n_streams; i++)
    if (!stream_init (scope, &scope->streams[i], error))
      return FALSE;
  return TRUE;
}

OclScope *
ocl_scope_new (guint index, const InferConfig *config, GError **error)
{
  const OclDevice *device = ocl_device_get (index);

  if (device == NULL) {
    infer_fail (
        error, INFER_ERROR_NOT_FOUND, "there is no OpenCL device %u", index);
    return NULL;
  }
  OclScope *scope = g_new0 (OclScope, 1);
  scope->device = device;
  scope->config = *config;
  scope->n_streams = config->streams;
  scope->streams = g_new0 (OclStream, scope->n_streams);
  pthread_mutex_init (&scope->lock, NULL);
  for (guint i = 0; i < scope->n_streams; i++)
    pthread_mutex_init (&scope->streams[i].lock, NULL);
  scope->programs = g_hash_table_new_full (ocl_program_text_hash, g_str_equal,
      NULL, (GDestroyNotify) ocl_program_free);
  scope->constants = g_hash_table_new (ocl_constant_hash, ocl_constant_equal);
  if (!open_device (scope, error)) {
    g_prefix_error (error, "%s: ", device->name);
    ocl_scope_free (scope);
    return NULL;
  }
  return scope;
}

void
ocl_scope_free (OclScope *scope)
{
  if (scope == NULL)
    return;
  for (guint i = 0; i < scope->n_streams; i++)
    stream_clear (&scope->streams[i]);
  g_free (scope->streams);
  g_hash_table_unref (scope->programs);
  g_assert (g_hash_table_size (scope->constants) == 0);
  g_hash_table_unref (scope->constants);
  if (scope->context != NULL)
    ocl_api.clReleaseContext (scope->context);
  pthread_mutex_destroy (&scope->lock);
  g_free (scope);
}
