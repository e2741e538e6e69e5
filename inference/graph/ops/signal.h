/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of STFT and ISTFT, and the sizes of all Fourier transforms. */

#pragma once

#include "inference/graph/op.h"

typedef struct
{
  gboolean transpose_frames;   /* STFT */
  gboolean center, normalized; /* ISTFT */
} InferStft;

typedef enum
{
  INFER_FOURIER_COMPLEX,      /* DFT, IDFT */
  INFER_FOURIER_REAL,         /* RDFT: real to complex */
  INFER_FOURIER_INVERSE_REAL, /* IRDFT: complex to real */
} InferFourier;

typedef struct
{
  guint n;
  int axes[INFER_MAX_RANK];     /* in the order given */
  gint64 sizes[INFER_MAX_RANK]; /* of the transform; -1: not known */
} InferFourierAxes;

/* Axes and sizes of a transform of data of shape @data (known rank, complex dim
 * included).  @sizes is NULL without signal_size. */
gboolean infer_fourier_axes (InferFourier kind, const InferShape *data,
    const GArray *axes, const GArray *sizes, InferFourierAxes *out,
    GError **error);
