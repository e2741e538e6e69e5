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
  OclUsm usm;  /* where host is OCL_HOST_USM */
  guint chunk; /* elements of a row per work-item */
  guint tile;  /* vectors of 16 floats that fit the registers */
} OclDevice;

guint ocl_device_count (void);
/* NULL if there is no such device. */
const OclDevice *ocl_device_get (guint index);
/* "usm", "svm-fine", "svm-coarse", "pinned". */
const char *ocl_host_kind_name (OclHostKind kind);
