/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A tiny ONNX file for elements of others. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The means of the channels of an f32 input [1,3,@height,@width], as an output
 * "means" [1,3] that the file's metadata calls @id.  (transfer full) */
GByteArray *test_onnx_means (int height, int width, const char *id);

G_END_DECLS
