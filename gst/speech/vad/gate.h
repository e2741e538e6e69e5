/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Buffers that wait for the decision whether they are speech: parts that are
 * leave as they are, GAP events take the place of the others.  Frames are
 * counted from the last reset.  One thread at a time. */

#pragma once

#include <gst/audio/audio.h>

typedef struct
{
  GQueue held;      /* buffers and events in order */
  guint64 taken;    /* frames that came */
  guint64 given;    /* frames that left, or were replaced */
  gboolean discont; /* what was replaced began anew: so does the next buffer */
} GstInferVadGate;

/* Adds @buffer of @frames (transfer full). */
void gst_infer_vad_gate_take (
    GstInferVadGate *gate, GstBuffer *buffer, gsize frames);
/* Adds @event (transfer full) behind what is held.  FALSE: nothing is held, and
 * the caller keeps it. */
gboolean gst_infer_vad_gate_take_event (GstInferVadGate *gate, GstEvent *event);
/* Takes the next object that covers frames before number @until, which are
 * @speech or not: a buffer, a GAP event, or an event between them.  NULL: all
 * have left. (transfer full) */
GstMiniObject *gst_infer_vad_gate_next (GstInferVadGate *gate,
    const GstAudioInfo *info, guint64 until, gboolean speech);
/* The sticky events that are held: after a flush those that stay valid
 * (@flushed), else all but EOS.  (transfer full) (element-type GstEvent) */
GPtrArray *gst_infer_vad_gate_take_sticky (
    GstInferVadGate *gate, gboolean flushed);
/* Forgets all, and counts from 0. */
void gst_infer_vad_gate_reset (GstInferVadGate *gate);
