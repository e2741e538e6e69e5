/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every family of detectors, one line each: the first that suits is chosen.
 * Meson reads the lines.
 *
 * To add family NAME_X: write inference/media/vision/detect-NAME-X.c with
 * `const InferDetector infer_detector_NAME_X` (see detect.h), a line here and
 * cases in tests/check/inference/media/detect.c. */

DETECTOR (ssd)
DETECTOR (detr)
DETECTOR (rotated)
DETECTOR (boxes_labels)
DETECTOR (center)
DETECTOR (anchors)
DETECTOR (boxes_scores)
DETECTOR (distances)
DETECTOR (yolo_grid)
DETECTOR (end_to_end)
DETECTOR (yolo)
