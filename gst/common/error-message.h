/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Where a GError of the runtime becomes an element message.  (GStreamer has a
 * gst/gsterror.h, so this is not called that.) */

#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Posts @error as the element's error message: its text is what the user reads,
 * the code follows from the INFER_ERROR code.  Any thread, no lock held. */
void gst_infer_post_error (gpointer element, const GError *error);

/* The same for caps that cannot be taken: one message that names them. */
void gst_infer_post_caps_error (
    gpointer element, const GstCaps *caps, const GError *error);

/* Answers a CAPS query with @caps.  Where upstream offers nothing of them, its
 * own error will only say "not negotiated": says what is offered and wanted in
 * a warning, once until *@warned (atomic) is FALSE again (NULL: never). */
void gst_infer_answer_caps (
    gpointer element, GstQuery *query, GstCaps *caps, int *warned);

G_END_DECLS
