/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The forms of output, the first that fits is used.  Meson reads the lines.
 *
 * To add form NAME: write gst/filter/output/NAME.c with
 * `const GstInferForm gst_infer_form_NAME` (see form.h), and a line here. */

FORM (tensors)
FORM (meta)
FORM (audio)
FORM (video)
