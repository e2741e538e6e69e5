/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every decoder of inferdecoder, one line each: its name and its number in the
 * property `mode`, which never changes.  Meson reads the lines.
 *
 * To add decoder NAME_X: write gst/decoder/decoders/NAME-X.c with
 * `const GstInferDecoderKind gst_infer_decoder_NAME_X` (see decoder.h), a line
 * here with the next number, and cases in
 * tests/check/elements/decoder/inferdecoder.c (tensors) or inferdecoder-video.c.
 * A decoder whose results are of a new kind: see gst/results/kind-list.h. */

DECODER (classification, 0)
DECODER (ctc, 1)
DECODER (detection, 2)
DECODER (json, 3)
DECODER (keypoints, 4)
DECODER (segmentation, 5)
DECODER (text_detection, 6)
DECODER (vad, 7)
DECODER (anomaly, 8)
