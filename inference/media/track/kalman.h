/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Kalman filter of a coordinate of an object with constant velocity.  Noise is
 * in proportion to @height, that of the object.  Pure functions. */

#pragma once

#include <glib.h>

/* A value, its speed (per frame), and their covariance. */
typedef struct
{
  float value, speed;
  float vv, vs, ss; /* covariance */
} InferKalman;

/* @value was measured for the first time. */
void infer_kalman_begin (InferKalman *f, float value, float height);
/* @frames pass. */
void infer_kalman_predict (InferKalman *f, float frames, float height);
/* @value was measured. */
void infer_kalman_update (InferKalman *f, float value, float height);
