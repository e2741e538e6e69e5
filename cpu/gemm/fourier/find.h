/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Recognises matrices of weights that are Fourier transforms: models of sound
 * begin with one that was exported as a convolution or a product. */

#pragma once

#include <glib.h>

typedef struct
{
  const float *data; /* weight (r, j) is data[r * row + j * tap] */
  gsize rows, taps;
  gsize row, tap;
} CpuFourierMatrix;

/* One row: scale times the window times cos or, if `sine`, sin of 2 pi bin j /
 * length. */
typedef struct
{
  double scale; /* 0: the row is zero */
  guint32 bin;  /* <= length / 2 */
  gboolean sine;
} CpuFourierRow;

typedef struct
{
  gsize length;
  double *window;      /* [taps], about 1 at most; NAN: any, all waves are 0 */
  CpuFourierRow *rows; /* [rows] */
} CpuFourierFound;

/* TRUE if @matrix is such a transform, of a length that @is_good_length
 * accepts: no weight differs from that by more than @tolerance times twice the
 * root of its row's mean square, about its largest.  Of @found, both arrays are
 * to be freed with g_free. */
gboolean cpu_fourier_find (const CpuFourierMatrix *matrix, double tolerance,
    gboolean (*is_good_length) (gsize length), CpuFourierFound *found);
