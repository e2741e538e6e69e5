/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every kind of result on video frames, one line each, in the order in which
 * inferpublish writes them.  inferoverlay draws the shapes of the last first,
 * then the texts of the first first.  Meson reads the lines.
 *
 * To add kind NAME_X: write gst/results/NAME-X.c with
 * `const GstInferResultKind gst_infer_result_NAME_X` (see kind.h), a line here,
 * and cases in tests/check/elements/inferoverlay.c and inferpublish.c.  If it
 * needs a meta of its own, which is public API: include/gst/infer/X-meta.h,
 * gst/meta/X-meta.c with its line in gst/meta/meson.build, and
 * tests/check/gst/meta/result-metas.c.  If GStreamer's analytics library has a
 * counterpart: a function in gst/meta/relations.c and relations-none.c. */

RESULT (object)
RESULT (label)
RESULT (keypoints)
RESULT (mask)
RESULT (scene)
