/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every element, one line each, in alphabetical order.
 *
 * To add an element NAME: write gst/WING/gstNAME.c with
 * GST_ELEMENT_REGISTER_DECLARE (NAME) and GST_ELEMENT_REGISTER_DEFINE (NAME,
 * "NAME", …), add the file to gst/WING/meson.build (a new wing to
 * gst/meson.build and to ARROWS of tests/check-includes), a line here and
 * tests/check/elements/NAME.c. */

ELEMENT (inferdecoder)
ELEMENT (inferfeatures)
ELEMENT (inferfilter)
ELEMENT (infermotion)
ELEMENT (inferoverlay)
ELEMENT (inferpublish)
ELEMENT (inferscene)
ELEMENT (infertrack)
ELEMENT (infertranscriber)
ELEMENT (infervad)
