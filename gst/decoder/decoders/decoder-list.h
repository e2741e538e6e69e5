/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every decoder of inferdecoder, one line each, in alphabetical order.
 *
 * To add decoder NAME: write gst/decoders/NAME.c with
 * `const GstInferDecoderKind gst_infer_decoder_NAME` (see decoder.h), add the
 * file to gst/meson.build, a line here, and its cases to
 * tests/check/elements/inferdecoder.c (of tensors) or inferdecoder-video.c.
 * `mode=NAME` and the choice by model_type follow from the line. */

DECODER (classification)
DECODER (ctc)
DECODER (detection)
DECODER (json)
DECODER (keypoints)
DECODER (segmentation)
DECODER (text_detection)
