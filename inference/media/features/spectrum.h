/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The power spectrum of real samples, by a Fourier transform of any length:
 * fast where its prime factors are small. */

#pragma once

#include <glib.h>

typedef struct _InferSpectrum InferSpectrum;

/* @points > 0.  NULL: memory is short.  (transfer full) */
InferSpectrum *infer_spectrum_new (guint points);
void infer_spectrum_free (InferSpectrum *spectrum); /* NULL is fine */

/* Of @samples [@n], followed by zeros: points / 2 + 1 values, valid until the
 * next call. */
const double *infer_spectrum_power (
    InferSpectrum *spectrum, const double *samples, guint n);
