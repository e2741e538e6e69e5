/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Floats of 16, 8 and 4 bits: single values, and rows of f16.
 * f16 and bf16 are declared in tensor.h. */

#pragma once

#include <glib.h>

void infer_f16_to_f32_n (float *dst, const guint16 *src, gsize n);
void infer_f32_to_f16_n (guint16 *dst, const float *src, gsize n);

float infer_nf4_to_f32 (guint code);    /* 0 … 15 */
float infer_f4e2m1_to_f32 (guint code); /* 0 … 15 */
float infer_f8e4m3_to_f32 (guint8 code);
float infer_f8e5m2_to_f32 (guint8 code);
float infer_f8e8m0_to_f32 (guint8 code);
float infer_f8e4m3fnuz_to_f32 (guint8 code);
float infer_f8e5m2fnuz_to_f32 (guint8 code);

/* Round to nearest, ties to even codes (nf4: its codes have no such order).
 * On overflow f4 and nf4 saturate (they have neither infinity nor NaN), f8e4m3
 * gives NaN, f8e5m2 infinity, those of fnuz NaN. */
guint infer_f32_to_nf4 (float value);
guint infer_f32_to_f4e2m1 (float value);
guint8 infer_f32_to_f8e4m3 (float value);
guint8 infer_f32_to_f8e5m2 (float value);
guint8 infer_f32_to_f8e8m0 (float value);
guint8 infer_f32_to_f8e4m3fnuz (float value);
guint8 infer_f32_to_f8e5m2fnuz (float value);
