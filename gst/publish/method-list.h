/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every method of inferpublish that this build has, one line each: its name and
 * its number in the property `method`, which never changes.  Meson reads the
 * lines.
 *
 * To add method NAME: write gst/publish/NAME.c with
 * `const GstInferPublishMethod gst_infer_publish_NAME` (see publish.h), a line
 * here with the next number and a case in tests/check/elements/inferpublish.c.
 * If it needs a library: an option in meson_options.txt, its dependency in
 * publish_deps of gst/meson.build, #ifdef INFER_HAVE_NAME round the line, and
 * its functions through gst/common/library.h. */

METHOD (file, 0)
#ifdef INFER_HAVE_KAFKA
METHOD (kafka, 1)
#endif
#ifdef INFER_HAVE_MQTT
METHOD (mqtt, 2)
#endif
