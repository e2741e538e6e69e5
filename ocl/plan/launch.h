/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Launches of kernels as passes and `ocl_plan_enqueue` see them; operations
 * append them through step.h. */

#pragma once

#include "ocl/plan/step.h"

typedef struct
{
  OclValue *value;       /* NULL: a constant or local memory */
  OclConstant *constant; /* owned where value is NULL */
  gsize local;           /* bytes of local memory; 0: a buffer */
  guint index;           /* of the kernel's argument */
  guint64 serial;        /* of the buffer that is set */
  gboolean bare;         /* no offset follows; the constant is borrowed */
} OclArg;

struct _OclLaunch
{
  OclStep *step;
  OclProgram *program;
  const char *name;
  cl_kernel kernel;
  GArray *args;             /* (element-type OclArg) */
  GPtrArray *scalars;       /* (element-type GBytes), NULL where an OclArg is */
  guint64 reals;            /* bit i: scalar i is a float */
  gboolean unknown_scalars; /* more scalars than bits */
  gsize global[3], local[3];
  gsize work;       /* besides reading and writing its values */
  gboolean chained; /* runs as part of another launch */
  cl_event event;   /* of the last run, with PERF_COUNT */
};

OclLaunch *ocl_launch_new (
    OclStep *step, const char *kernel, OclProgram *program);

/* No work-items: not enqueued. */
static inline gboolean
ocl_launch_is_empty (const OclLaunch *launch)
{
  return launch->global[0] == 0 || launch->global[1] == 0
         || launch->global[2] == 0;
}
