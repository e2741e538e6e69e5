/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The OpenCL devices of this machine: GPUs first, then the others, each kind in
 * the order of the platforms.  Immutable once found; any thread. */

#pragma once

#include "ocl/cl.h"

G_BEGIN_DECLS

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
  gsize max_group; /* work-items of a group */
  guint chunk;     /* elements of a row that a work-item goes through */
  guint tile;      /* how many vectors of 16 floats registers hold */
} OclDevice;

guint ocl_device_count (void);
/* NULL: there is none such. */
const OclDevice *ocl_device_get (guint index);

G_END_DECLS
