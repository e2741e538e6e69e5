/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Operations that graphs.c adds, beyond those of speech/edit.h. */

#pragma once

#include "inference/speech/edit.h"

InferOperation *whisper_add_ints (InferModel *model, const char *name,
    gboolean scalar, gint64 n, const gint64 *values, GError **error);
/* The last element of @port along @axis, which stays as a dimension of 1. */
gboolean whisper_add_last (
    InferModel *model, InferPort *port, gint64 axis, GError **error);

/* Sequences may continue others: variables are read through a Gather of an
 * input WHISPER_BEAMS along @axis, that of the sequences. */
gboolean whisper_add_beams (InferModel *model, gint64 axis, GError **error);
