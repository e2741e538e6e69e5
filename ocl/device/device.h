/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The OpenCL devices of this machine: GPUs first, then the others, each kind in
 * the order of the platforms.  Immutable once found; any thread. */

#pragma once

#include "ocl/device/cl.h"

/* Memory that host and device share, best first. */
typedef enum
{
  OCL_HOST_USM,        /* cl_intel_unified_shared_memory */
  OCL_HOST_SVM_FINE,   /* shared virtual memory, coherent */
  OCL_HOST_SVM_COARSE, /* shared virtual memory, mapped for the host */
  OCL_HOST_PINNED,     /* a buffer in host memory, mapped for the host */
} OclHostKind;

/* Functions of cl_intel_unified_shared_memory. */
typedef struct
{
  void *(CL_API_CALL *alloc) (cl_context context, const cl_bitfield *properties,
      size_t size, cl_uint alignment, cl_int *code);
  cl_int (CL_API_CALL *free) (cl_context context, void *data);
  cl_int (CL_API_CALL *set_argument) (
      cl_kernel kernel, cl_uint index, const void *data);
} OclUsm;

/* Functions of cl_khr_command_buffer; a pointer is a cl_command_buffer_khr.
 * Their parameters are the same in all revisions of the extension, 0.9.0 to
 * 1.0; those of others that record commands changed in 0.9.5. */
typedef struct
{
  gpointer (CL_API_CALL *create) (cl_uint n_queues,
      const cl_command_queue *queues, const cl_bitfield *properties,
      cl_int *code);
  cl_int (CL_API_CALL *launch) (gpointer commands, cl_command_queue queue,
      const cl_bitfield *properties, cl_kernel kernel, cl_uint dims,
      const size_t *offset, const size_t *global, const size_t *local,
      cl_uint n_points, const cl_uint *points, cl_uint *point,
      gpointer *handle);
  cl_int (CL_API_CALL *finalize) (gpointer commands);
  cl_int (CL_API_CALL *enqueue) (cl_uint n_queues, cl_command_queue *queues,
      gpointer commands, cl_uint n_events, const cl_event *events,
      cl_event *event);
  cl_int (CL_API_CALL *release) (gpointer commands);
  gboolean simultaneous; /* CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR */
} OclCommandBuffers;

typedef struct
{
  cl_platform_id platform;
  cl_device_id id;
  char *name;
  char *identity;   /* platform, device and driver versions: for caches */
  gboolean unified; /* shares the host's memory */
  gboolean cpu;     /* shares the host's memory and caches */
  gboolean f64;
  gboolean fast_fma;
  gsize max_group;    /* work-items of a group */
  guint units;        /* compute units */
  gsize local_memory; /* bytes on the chip for a group; 0: it has none */
  OclHostKind host;
  OclUsm usm;                        /* where host is OCL_HOST_USM */
  gboolean records;                  /* launches into command buffers */
  OclCommandBuffers command_buffers; /* where it records */
  guint chunk;                       /* elements of a row per work-item */
  guint tile; /* vectors of 16 floats that fit the registers */
} OclDevice;

guint ocl_device_count (void);
/* NULL if there is no such device. */
const OclDevice *ocl_device_get (guint index);
/* "usm", "svm-fine", "svm-coarse", "pinned". */
const char *ocl_host_kind_name (OclHostKind kind);
