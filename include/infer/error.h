/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The error domain of the runtime.  Messages name the file, tensor or operation
 * and the offending value. */

#pragma once

#include <glib.h>

#include "infer/api.h"

G_BEGIN_DECLS

#define INFER_ERROR (infer_error_quark ())

/* New codes may be added: treat unknown ones as INFER_ERROR_FAILED. */
typedef enum
{
  INFER_ERROR_FAILED,
  INFER_ERROR_NOT_FOUND,     /* no such file, port, variable, device */
  INFER_ERROR_INVALID_MODEL, /* the model file is malformed or inconsistent */
  INFER_ERROR_UNSUPPORTED,   /* well-formed, but this build cannot run it */
  INFER_ERROR_INVALID_ARGUMENT, /* a tensor, shape, type or option is wrong */
  INFER_ERROR_INVALID_DATA, /* values in a tensor make the step impossible */
  INFER_ERROR_BUSY,         /* the request is running */
  INFER_ERROR_CANCELLED,
  INFER_ERROR_NO_MEMORY,
  INFER_ERROR_DEVICE, /* a device failed or was lost */
} InferErrorCode;

INFER_API GQuark infer_error_quark (void);

/* Sets @error (nullable) with a printf-style message, in which control
 * characters become spaces.  Returns FALSE, so that a check reads
 * `return infer_fail (error, INFER_ERROR_…, "…");`. */
INFER_API gboolean infer_fail (GError **error, InferErrorCode code,
    const char *format, ...) G_GNUC_PRINTF (3, 4);

G_END_DECLS
