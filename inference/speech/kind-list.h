/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every kind of speech model, one line each, in the order in which they are
 * probed: a kind that asks for more files comes before one that asks for less.
 *
 * To add a kind NAME: write inference/speech/kinds/NAME.c with
 * `const InferSpeechKind infer_speech_NAME`, and add a line here. */
SPEECH_KIND (whisper)
SPEECH_KIND (transducer)
SPEECH_KIND (moonshine)
SPEECH_KIND (ctc)
