/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GErrors of the runtime as element messages. */

#pragma once

#include <gst/gst.h>

/* The caller's code line, for the debug text of a message. */
typedef struct
{
  const char *file, *function;
  int line;
} GstInferCodeLine;
#define GST_INFER_HERE                                                         \
  (&(const GstInferCodeLine){ __FILE__, GST_FUNCTION, __LINE__ })

/* Posts @error as the element's error message, with its text and the code that
 * fits its INFER_ERROR code.  Any thread, no lock held. */
#define gst_infer_post_error(element, error)                                   \
  gst_infer_post_error_from (element, error, GST_INFER_HERE)
void gst_infer_post_error_from (
    gpointer element, const GError *error, const GstInferCodeLine *place);

/* The same for @caps that cannot be taken, which the message names. */
#define gst_infer_post_caps_error(element, caps, error)                        \
  gst_infer_post_caps_error_from (element, caps, error, GST_INFER_HERE)
void gst_infer_post_caps_error_from (gpointer element, const GstCaps *caps,
    const GError *error, const GstInferCodeLine *place);

/* Answers a CAPS query with @caps.  FALSE: it asks for others only. */
gboolean gst_infer_answer_caps (GstQuery *query, GstCaps *caps);

/* A stream has begun at this sink pad that has no caps yet. */
gboolean gst_infer_lacks_caps (GstPad *pad);

/* After FALSE for a query at the sink pad @pad: where a stream has begun that
 * has no caps yet, *@unmet (guarded by the object lock) becomes the reason why
 * it cannot go on: @advice, or (NULL) what is offered and @taken, and that
 * there are converters. */
void gst_infer_note_offer (gpointer element, GstPad *pad, GstQuery *query,
    const GstCaps *taken, const char *advice, char **unmet);
/* PAUSED → READY. */
void gst_infer_forget_unmet (gpointer element, char **unmet);
/* Posts the noted reason as an error when the stream ends without caps:
 * upstream's own error says only "not negotiated". */
#define gst_infer_post_unmet(element, pad, unmet)                              \
  gst_infer_post_unmet_from (element, pad, unmet, GST_INFER_HERE)
void gst_infer_post_unmet_from (
    gpointer element, GstPad *pad, char **unmet, const GstInferCodeLine *place);

/* TRUE: upstream has sent the caps that the ACCEPT_CAPS @query of sink @pad
 * asks for.  They must be accepted then, so that the CAPS event that brings
 * them can say in words what is wrong with them; GStreamer drops it otherwise.
 */
gboolean gst_infer_are_caps_sent (GstPad *pad, GstQuery *query);
/* Answers it with whether they are a subset of @caps. */
void gst_infer_answer_accept_caps (GstQuery *query, const GstCaps *caps);
