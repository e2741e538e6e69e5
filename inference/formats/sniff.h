/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Formats of model files, by how they begin. */

#pragma once

#include <glib.h>

#define INFER_SNIFF_BYTES 512

typedef enum
{
  INFER_FORMAT_IR,
  INFER_FORMAT_ONNX,
} InferFormat;

/* The format of a file that begins with @bytes [@n]; FALSE: none that can be
 * read, with an error that says what it is and what to do. */
gboolean infer_sniff (
    const guint8 *bytes, gsize n, InferFormat *format, GError **error);
