/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Device names: "CPU", "OPENCL.1", or several: "AUTO", "AUTO:OPENCL,CPU",
 * "MULTI:CPU,OPENCL", "HETERO:OPENCL,CPU". */

#pragma once

#include "inference/runtime/backend.h"

typedef enum
{
  INFER_DEVICE_PLAIN,
  INFER_DEVICE_AUTO,
  INFER_DEVICE_MULTI,
  INFER_DEVICE_HETERO,
} InferDeviceKind;

typedef struct
{
  const InferBackend *backend;
  guint index;
} InferDevice;

#define INFER_MAX_DEVICES 8

typedef struct
{
  InferDeviceKind kind;
  guint n;
  InferDevice devices[INFER_MAX_DEVICES]; /* no duplicates */
} InferDeviceName;

/* @text NULL: the first backend's first device.  AUTO without a list: all
 * devices, best first.  INFER_ERROR_NOT_FOUND for a missing device, listing
 * all; INFER_ERROR_INVALID_ARGUMENT for an invalid list. */
gboolean infer_device_name_parse (
    const char *text, InferDeviceName *name, GError **error);

/* "OPENCL.1", or "OPENCL" if it is the only one; (transfer full). */
char *infer_device_to_string (const InferDevice *device);
const char *infer_device_kind_name (InferDeviceKind kind);
