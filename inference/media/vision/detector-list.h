/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every family of detectors, one line each, in the order in which they are
 * asked whether they suit.
 *
 * To add family NAME: write inference/vision/detect-NAME.c with
 * `const InferDetector infer_detector_NAME` (see detect.h), add the file to
 * inference/meson.build, a line here, and cases to
 * tests/check/inference/media/detect.c. */

DETECTOR (ssd)
DETECTOR (boxes_labels)
DETECTOR (center)
DETECTOR (anchors)
DETECTOR (boxes_scores)
DETECTOR (distances)
DETECTOR (yolo_grid)
DETECTOR (end_to_end)
DETECTOR (yolo)
