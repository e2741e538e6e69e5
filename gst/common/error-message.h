/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GErrors of the runtime as element messages. */

#pragma once

#include <gst/gst.h>

/* Posts @error as the element's error message, with its text and the code that
 * fits its INFER_ERROR code.  Any thread, no lock held. */
void gst_infer_post_error (gpointer element, const GError *error);

/* The same for @caps that cannot be taken, which the message names. */
void gst_infer_post_caps_error (
    gpointer element, const GstCaps *caps, const GError *error);

/* Answers a CAPS query with @caps.  Where upstream offers none of them, its own
 * error will only say "not negotiated", so a warning says what is offered and
 * wanted: once until *@warned (atomic) is FALSE again (NULL: never). */
void gst_infer_answer_caps (
    gpointer element, GstQuery *query, GstCaps *caps, int *warned);

/* TRUE: upstream has sent the caps that the ACCEPT_CAPS @query of sink @pad
 * asks for.  They must be accepted then, so that the CAPS event that brings
 * them can say in words what is wrong with them; GStreamer drops it otherwise.
 */
gboolean gst_infer_are_caps_sent (GstPad *pad, GstQuery *query);
/* Answers it with whether they are a subset of @caps. */
void gst_infer_answer_accept_caps (GstQuery *query, const GstCaps *caps);
