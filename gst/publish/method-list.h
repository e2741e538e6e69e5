/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every way to publish that this build has, one line each.
 *
 * To add way NAME: write gst/publish/NAME.c with
 * `const GstInferPublishMethod gst_infer_publish_NAME` (see publish.h), a line
 * here (behind INFER_HAVE_… where it needs a library that is a Meson option),
 * the file in gst/meson.build and a case in
 * tests/check/elements/inferpublish.c. */

METHOD (file)
#ifdef INFER_HAVE_KAFKA
METHOD (kafka)
#endif
#ifdef INFER_HAVE_MQTT
METHOD (mqtt)
#endif
