/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* When the model's states (variables) start afresh, and values from set-state
 * that arrived before there was a model.  Any thread. */

#pragma once

#include <gst/gst.h>

#include "infer/state.h"

typedef struct
{
  /* Atomic booleans. */
  int reset_pending; /* the next inference starts from fresh states */
  int unused;        /* no inference has started since READY → PAUSED */
  int preset;        /* set before the first inference: survives the initial
                        DISCONT reset */
  GMutex lock;
  GHashTable *restore; /* guarded by the lock: name → GstSample; nullable */
} GstInferStates;

/* READY → PAUSED. */
void gst_infer_states_start (GstInferStates *states);

/* A new sequence begins. */
void gst_infer_states_reset (GstInferStates *states);
/* The user asked for a reset: values set before are lost, too. */
void gst_infer_states_reset_all (GstInferStates *states);
/* After a flush or with another model, preset values get no special care. */
void gst_infer_states_forget_preset (GstInferStates *states);

/* Streaming thread, an inference starts: TRUE: with fresh states. */
gboolean gst_infer_states_take_reset (GstInferStates *states);
/* While nothing is inferred: carries out a pending reset on @set, so that what
 * is read is what the next inference starts from, and what is written is not
 * undone.  TRUE: there was one. */
gboolean gst_infer_states_apply_reset (
    GstInferStates *states, InferStateSet *set);
/* A value has been written. */
void gst_infer_states_note_written (GstInferStates *states);

/* Stores a value for the model that is loaded next; take: (transfer full)
 * (nullable). */
void gst_infer_states_store (
    GstInferStates *states, const char *name, GstSample *sample);
GHashTable *gst_infer_states_take_stored (GstInferStates *states);
