/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The OpenCL header, the functions of the OpenCL library, which is loaded when
 * devices are first looked for, and OpenCL error codes as GError.  Functions of
 * OpenCL 2.0 are called only on devices that have them. */

#pragma once

#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include "infer/error.h"

typedef struct
{
#define CALL(name) __typeof__ (name) *name;
#define CALL_2_0(name) CALL (name)
#include "ocl/device/api-list.h"
#undef CALL_2_0
#undef CALL
} OclApi;

/* Complete once ocl_api_load() has returned TRUE, and never written again. */
extern OclApi ocl_api;

/* FALSE: this machine has no OpenCL library.  Call it once. */
gboolean ocl_api_load (void);

/* TRUE for CL_SUCCESS; else FALSE with INFER_ERROR_NO_MEMORY or
 * INFER_ERROR_DEVICE, naming @function and the code. */
gboolean ocl_check (cl_int code, const char *function, GError **error);
