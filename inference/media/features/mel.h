/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Triangular filters, equally wide on a mel scale. */

#pragma once

#include <glib.h>

typedef enum
{
  INFER_MEL_HTK,    /* 2595 log10 (1 + f / 700); triangles over Hz */
  INFER_MEL_KALDI,  /* 1127 ln (1 + f / 700); triangles over mel; without the
                     * last bin */
  INFER_MEL_SLANEY, /* linear up to 1 kHz, logarithmic above; triangles over Hz
                     * of equal area */
} InferMelScale;

typedef struct _InferMelBank InferMelBank;

/* A bank for spectra of @points / 2 + 1 values.  NULL: memory is short.
 * (transfer full) */
InferMelBank *infer_mel_bank_new (InferMelScale scale, guint bands,
    guint points, guint sample_rate, double fmin, double fmax);
void infer_mel_bank_free (InferMelBank *bank); /* NULL is fine */

/* Sums @power [points / 2 + 1] into @energies [bands]. */
void infer_mel_bank_apply (
    const InferMelBank *bank, const double *power, double *energies);
