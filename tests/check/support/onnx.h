/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A tiny ONNX file for other projects' elements. */

#pragma once

#include <glib.h>

/* A model from an f32 input [1,3,@height,@width] to the means of its channels,
 * "means" [1,3], whose id in the metadata is @id.  (transfer full) */
GByteArray *test_onnx_means (int height, int width, const char *id);
