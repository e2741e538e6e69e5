/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tiny ONNX files, written byte by byte. */

#pragma once

#include <glib.h>

/* A model from an f32 input [1,3,@height,@width] to the means of its channels,
 * "means" [1,3], whose id in the metadata is @id.  (transfer full) */
GByteArray *test_onnx_means (int height, int width, const char *id);

/* A tensor of f32, as the .pb files of ONNX's backend tests hold it. */
GByteArray *test_onnx_tensor (guint n, const int *dims, const float *values);
