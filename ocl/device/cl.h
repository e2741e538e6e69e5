/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The OpenCL header, and OpenCL error codes as GError.  Functions of OpenCL 2.0
 * are called only on devices that have them. */

#pragma once

#define CL_TARGET_OPENCL_VERSION 200
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include "infer/error.h"

/* TRUE for CL_SUCCESS; else FALSE with INFER_ERROR_NO_MEMORY or
 * INFER_ERROR_DEVICE, naming @function and the code. */
gboolean ocl_check (cl_int code, const char *function, GError **error);
