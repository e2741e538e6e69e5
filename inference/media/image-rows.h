/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Preprocessing of images, a row at a time: plain loops that the compiler
 * vectorises.  Rows do not overlap unless they are the same; n may be 0. */

#pragma once

#include <glib.h>

/* to = above + weight · (below − above) */
void infer_rows_blend_u8 (
    const guint8 *above, const guint8 *below, float weight, gsize n, float *to);
void infer_rows_blend_u16 (const guint16 *above, const guint16 *below,
    float weight, gsize n, float *to);
void infer_rows_blend_f32 (
    const float *above, const float *below, float weight, gsize n, float *to);

/* to [x] = line [first [x]] + weight [x] · (line [second [x]] − …) */
void infer_rows_pick (
    const float *line, const gint32 *first, gsize n, float *to);
void infer_rows_mix (const float *line, const gint32 *first,
    const gint32 *second, const float *weight, gsize n, float *to);
/* The mean of samples 2x and 2x + 1. */
void infer_rows_halve (const float *line, gsize n, float *to);
/* Every @step-th value. */
void infer_rows_take (const float *line, guint step, gsize n, float *to);

/* The mix of samples of both rows, blended by @down; indices in bytes. */
void infer_rows_gather_u8 (const char *above, const char *below, float down,
    const gint32 *first, const gint32 *second, const float *weight, gsize n,
    float *to);
void infer_rows_gather_u16 (const char *above, const char *below, float down,
    const gint32 *first, const gint32 *second, const float *weight, gsize n,
    float *to);
void infer_rows_gather_f32 (const char *above, const char *below, float down,
    const gint32 *first, const gint32 *second, const float *weight, gsize n,
    float *to);

/* r = y·ky + v·rv + r0, …, clamped to 0 … 255; r, g, b replace y, u, v. */
typedef struct
{
  float ky, rv, gu, gv, bu, r0, g0, b0;
} InferYuv;
void infer_rows_rgb (
    const InferYuv *yuv, float *y, float *u, float *v, gsize n);
void infer_rows_scale (float factor, gsize n, float *x);
/* x = a·x + b, clamped to 0 … 255 */
void infer_rows_clamp (float a, float b, gsize n, float *x);
/* to = r·kr + g·kg + b·kb */
void infer_rows_luma (const float *r, const float *g, const float *b, float kr,
    float kg, float kb, gsize n, float *to);

/* to += (from − to) · part / 255, rounded to nearest */
void infer_rows_mix_u8 (
    const guint8 *from, const guint8 *part, gsize n, guint8 *to);

/* to [x · step] = row [x] · factor + offset */
void infer_rows_store (const float *row, float factor, float offset, gsize n,
    guint step, float *to);
/* Rounded to nearest, saturated. */
void infer_rows_round_u8 (const float *from, gsize n, guint8 *to);
void infer_rows_round_i8 (const float *from, gsize n, gint8 *to);
