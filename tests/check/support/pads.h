/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An element between two pads, without a pipeline: tests and benchmarks push
 * into it from their own threads and get its output in a function. */

#pragma once

#include <gst/gst.h>

typedef struct
{
  GstElement *element;
  GstPad *src;  /* pushes to the element */
  GstPad *sink; /* receives from it; drops events */
} TestPads;

/* Sets @element (transfer floating) to PLAYING.  @take finds @data in the pad's
 * element-private.  FALSE if the element does not start; call test_pads_end()
 * even then. */
gboolean test_pads_begin (TestPads *pads, GstElement *element,
    GstPadChainFunction take, gpointer data);
/* Sends stream-start, caps, and a time segment from 0. */
void test_pads_send_beginning (
    TestPads *pads, const char *stream_id, const char *caps);
void test_pads_send_segment (TestPads *pads);
void test_pads_end (TestPads *pads);
