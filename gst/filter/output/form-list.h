/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The forms of output.  A new one: its file NAME.c, which defines
 * gst_infer_form_NAME, here and in gst/filter/meson.build. */

FORM (tensors)
FORM (meta)
FORM (audio)
FORM (video)
