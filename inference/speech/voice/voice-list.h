/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every kind of voice activity detector, one line each, asked in this order.
 * Meson reads the lines.
 *
 * To add kind NAME: write inference/speech/voice/NAME.c with `const
 * InferVoiceKind infer_voice_NAME` (see kind.h), a line here and a test in
 * tests/check/inference/speech/voice.c. */

VOICE (level)
VOICE (silero)
