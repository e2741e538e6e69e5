/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For networks.c, aligner.c and verifier.c. */

#pragma once

#include "inference/speech/whisper/networks/networks.h"

/* Inputs of a decoder's @request. */
gboolean whisper_session_set_cross (const GPtrArray *cross,
    InferRequest *request, const WhisperPorts *ports, GError **error);
gboolean whisper_session_set_tokens (InferRequest *request,
    const WhisperPorts *ports, const gint64 *tokens, guint sequences, guint n,
    GError **error);
gboolean whisper_session_set_beams (InferRequest *request,
    const WhisperPorts *ports, guint sequences, const gint32 *from,
    GError **error);
