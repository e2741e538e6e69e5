/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which tokens may follow, as in OpenAI's decoding.py (MIT): tokens that are
 * never said, no blank at the beginning, timestamps in pairs and in order, and
 * a timestamp where that is likelier than any text. */

#pragma once

#include "inference/speech/whisper/config.h"

/* Sets @logits [vocabulary] of tokens that may not follow @tokens [@n], those
 * sampled so far, to -INFINITY. */
void whisper_rules_apply (
    const WhisperConfig *config, const guint *tokens, guint n, float *logits);
