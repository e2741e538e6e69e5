/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/device/host-memory.h"

#include <string.h>

/* Alignment: drivers do not copy whole pages. */
#define PAGE 4096

struct _OclHostMemory
{
  gint refs;
  const OclDevice *device;
  cl_context context;
  cl_command_queue queue; /* for maps */
  OclBuffer *buffer;
  gpointer data; /* mapped, unless lent */
  gsize size;
  pthread_mutex_t lock;
  guint users;     /* under lock */
  gboolean mapped; /* under lock */
};

static gboolean
needs_maps (const OclDevice *device)
{
  return device->host == OCL_HOST_SVM_COARSE || device->host == OCL_HOST_PINNED;
}

/* --- mapping --- */

static gboolean
map (OclHostMemory *self, GError **error)
{
  cl_int code;

  if (self->device->host == OCL_HOST_SVM_COARSE) {
    self->mapped = ocl_check (
        ocl_api.clEnqueueSVMMap (self->queue, CL_TRUE,
            CL_MAP_READ | CL_MAP_WRITE, self->data, self->size, 0, NULL, NULL),
        "clEnqueueSVMMap", error);
    return self->mapped;
  }
  gpointer data = ocl_api.clEnqueueMapBuffer (self->queue, self->buffer->mem,
      CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, self->size, 0, NULL, NULL, &code);
  if (!ocl_check (code, "clEnqueueMapBuffer", error))
    return FALSE;
  if (self->data == NULL || data == self->data) {
    self->data = data;
    self->mapped = TRUE;
    return TRUE;
  }
  ocl_api.clEnqueueUnmapMemObject (
      self->queue, self->buffer->mem, data, 0, NULL, NULL);
  return infer_fail (
      error, INFER_ERROR_DEVICE, "clEnqueueMapBuffer: pinned memory has moved");
}

/* Kernels run on another queue: waits until the memory is unmapped. */
static gboolean
unmap (OclHostMemory *self, GError **error)
{
  gboolean ok;

  /* Without an event: PoCL 6 crashes with one. */
  if (self->device->host == OCL_HOST_SVM_COARSE)
    ok = ocl_check (
        ocl_api.clEnqueueSVMUnmap (self->queue, self->data, 0, NULL, NULL),
        "clEnqueueSVMUnmap", error);
  else
    ok = ocl_check (ocl_api.clEnqueueUnmapMemObject (self->queue,
                        self->buffer->mem, self->data, 0, NULL, NULL),
        "clEnqueueUnmapMemObject", error);
  self->mapped = !ok;
  if (ok && !ocl_check (ocl_api.clFinish (self->queue), "clFinish", error)) {
    map (self, NULL);
    ok = FALSE;
  }
  return ok;
}

/* --- memory --- */

static void
unref (gpointer data)
{
  OclHostMemory *self = data;

  if (!g_atomic_int_dec_and_test (&self->refs))
    return;
  if (self->mapped)
    unmap (self, NULL);
  ocl_buffer_unref (self->buffer);
  if (self->device->host != OCL_HOST_PINNED && self->data != NULL) {
    if (self->device->host == OCL_HOST_USM)
      self->device->usm.free (self->context, self->data);
    else
      ocl_api.clSVMFree (self->context, self->data);
  }
  if (self->queue != NULL)
    ocl_api.clReleaseCommandQueue (self->queue);
  if (self->context != NULL)
    ocl_api.clReleaseContext (self->context);
  pthread_mutex_destroy (&self->lock);
  g_free (self);
}

static gboolean
allocate_pinned (OclHostMemory *self, GError **error)
{
  self->buffer =
      ocl_buffer_new (self->context, OCL_MEMORY_HOST, self->size, error);
  return self->buffer != NULL && map (self, error);
}

static gboolean
allocate_pointer (OclHostMemory *self, GError **error)
{
  const OclDevice *device = self->device;
  cl_svm_mem_flags flags = CL_MEM_READ_WRITE;
  cl_int code = CL_SUCCESS;

  if (device->host == OCL_HOST_USM) {
    self->data =
        device->usm.alloc (self->context, NULL, self->size, PAGE, &code);
    if (!ocl_check (code, "clHostMemAllocINTEL", error)) {
      self->data = NULL;
      return FALSE;
    }
  } else {
    if (device->host == OCL_HOST_SVM_FINE)
      flags |= CL_MEM_SVM_FINE_GRAIN_BUFFER;
    self->data = ocl_api.clSVMAlloc (self->context, flags, self->size, 0);
    if (self->data == NULL)
      return infer_fail (error, INFER_ERROR_NO_MEMORY,
          "clSVMAlloc: no memory for %" G_GSIZE_FORMAT " bytes", self->size);
  }
  if (device->host == OCL_HOST_SVM_COARSE && !map (self, error)) {
    ocl_api.clSVMFree (self->context, self->data);
    self->data = NULL;
    return FALSE;
  }
  self->buffer = ocl_buffer_new_pointer (self->data, self->size);
  return TRUE;
}

static gboolean
retain (OclHostMemory *self, cl_context context, cl_command_queue queue,
    GError **error)
{
  if (!ocl_check (ocl_api.clRetainContext (context), "clRetainContext", error))
    return FALSE;
  self->context = context;
  if (!ocl_check (
          ocl_api.clRetainCommandQueue (queue), "clRetainCommandQueue", error))
    return FALSE;
  self->queue = queue;
  return TRUE;
}

static OclHostMemory *
memory_new (const OclDevice *device, cl_context context, cl_command_queue queue,
    gsize bytes, GError **error)
{
  OclHostMemory *self = g_new0 (OclHostMemory, 1);

  self->refs = 1;
  self->device = device;
  pthread_mutex_init (&self->lock, NULL);
  if (bytes < G_MAXSIZE - PAGE) {
    self->size = (MAX (bytes, 1) + PAGE - 1) / PAGE * PAGE;
    if (retain (self, context, queue, error)
        && (device->host == OCL_HOST_PINNED ? allocate_pinned (self, error)
                                            : allocate_pointer (self, error))) {
      memset (self->data, 0, self->size);
      return self;
    }
  } else {
    infer_fail (error, INFER_ERROR_NO_MEMORY,
        "%" G_GSIZE_FORMAT " bytes are more than memory has", bytes);
  }
  unref (self);
  return NULL;
}

static gpointer
grow (gpointer owner, gsize bytes, gpointer *data)
{
  const OclHostMemory *self = owner;
  OclHostMemory *more =
      memory_new (self->device, self->context, self->queue, bytes, NULL);

  if (more != NULL)
    *data = more->data;
  return more;
}

static const InferTensorMemory host_memory = { grow, unref };

InferTensor *
ocl_host_tensor_new (
    OclScope *scope, InferType type, const InferShape *shape, GError **error)
{
  gsize bytes;

  /* infer_tensor_new sets the error. */
  if (!infer_shape_is_static (shape) || infer_type_bits (type) == 0
      || !infer_tensor_bytes (type, shape, &bytes))
    return infer_tensor_new (type, shape, error);
  OclHostMemory *memory = memory_new (
      scope->device, scope->context, scope->streams[0].copy, bytes, error);
  if (memory == NULL)
    return NULL;
  return infer_tensor_new_in (
      &host_memory, memory, memory->data, memory->size, type, shape, error);
}

OclHostMemory *
ocl_host_memory_of (const InferTensor *tensor, const OclScope *scope)
{
  OclHostMemory *memory = infer_tensor_peek_owner (tensor, &host_memory);

  return memory != NULL && memory->context == scope->context
                 && scope->device->unified
             ? memory
             : NULL;
}

OclBuffer *
ocl_host_memory_buffer (const OclHostMemory *memory)
{
  return memory->buffer;
}

/* --- lending --- */

gboolean
ocl_host_memory_lend (OclHostMemory *self, InferTensor *tensor, GError **error)
{
  gboolean ok, lost;

  pthread_mutex_lock (&self->lock);
  ok = self->users > 0 || !needs_maps (self->device) || unmap (self, error);
  if (ok) {
    self->users++;
    g_atomic_int_inc (&self->refs);
  }
  lost = !ok && !self->mapped;
  pthread_mutex_unlock (&self->lock);
  if (lost)
    infer_tensor_leave_memory (tensor, NULL);
  return ok;
}

gboolean
ocl_host_memory_give_back (
    OclHostMemory *self, InferTensor *tensor, GError **error)
{
  gboolean ok = TRUE;

  pthread_mutex_lock (&self->lock);
  if (self->users == 1 && needs_maps (self->device))
    ok = map (self, error);
  /* If mapping failed, a user remains: the memory is not unmapped again. */
  if (ok)
    self->users--;
  pthread_mutex_unlock (&self->lock);
  if (!ok)
    infer_tensor_leave_memory (tensor, NULL);
  unref (self);
  return ok;
}
