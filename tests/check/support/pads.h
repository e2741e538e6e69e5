/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An element between two pads, without a pipeline: tests and benchmarks push
 * into it from threads of their own and take what comes out in a function. */

#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;
  GstPad *src;  /* pushes into the element */
  GstPad *sink; /* takes from it; swallows events */
} TestPads;

/* @element (transfer floating) plays then; @take finds @data as the pad's
 * element private. Returns: %FALSE where the element does not start, and
 * test_pads_end() is needed all the same. */
gboolean test_pads_begin (TestPads *pads, GstElement *element,
    GstPadChainFunction take, gpointer data);
/* stream-start, caps, a segment in time from 0 */
void test_pads_send_beginning (
    TestPads *pads, const char *stream_id, const char *caps);
void test_pads_send_segment (TestPads *pads);
void test_pads_end (TestPads *pads);

G_END_DECLS
