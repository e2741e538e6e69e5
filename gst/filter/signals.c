/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/signals.h"

#include <string.h>

#include "gst/filter/filter-private.h"

#define GST_CAT_DEFAULT gst_infer_filter_debug

static InferStateSet *
ref_states (GstInferFilter *self)
{
  InferStateSet *states;

  GST_OBJECT_LOCK (self);
  states = self->states != NULL ? infer_state_set_ref (self->states) : NULL;
  GST_OBJECT_UNLOCK (self);
  return states;
}

/* While held.  A reset that still waits comes first: what is read is what the
 * next inference starts from, and what is written is not undone. */
static void
settle_reset (GstInferFilter *self, InferStateSet *states)
{
  if (!g_atomic_int_compare_and_exchange (&self->reset_pending, TRUE, FALSE)
      || g_atomic_int_get (&self->restored))
    return;
  infer_state_set_reset (states);
  GST_OBJECT_LOCK (self);
  self->counters.resets++;
  GST_OBJECT_UNLOCK (self);
}

static gboolean
reset_state (GstInferFilter *self)
{
  g_autoptr (InferStateSet) states = ref_states (self);

  if (states == NULL)
    return FALSE;
  g_atomic_int_set (&self->restored, FALSE);
  g_atomic_int_set (&self->reset_pending, TRUE);
  return TRUE;
}

static GstSample *
tensor_to_sample (const InferTensor *tensor, GError **error)
{
  GstInferTensors tensors = { .n = 1, .fps_d = 1 };
  InferType type = gst_infer_wire_type (tensor->type);
  g_autoptr (GstCaps) caps = NULL;
  g_autoptr (GstBuffer) buffer = NULL;
  GstMemory *memory;

  memory = gst_infer_tensor_to_memory (tensor, type, error);
  if (memory == NULL)
    return NULL;
  tensors.descs[0] = (InferDesc){ type, tensor->shape };
  caps = gst_infer_tensors_to_caps (&tensors);
  buffer = gst_buffer_new ();
  gst_buffer_append_memory (buffer, memory);
  return gst_sample_new (buffer, caps, NULL, NULL);
}

static GstSample *
get_state (GstInferFilter *self, const char *name)
{
  g_autoptr (InferStateSet) states = ref_states (self);
  g_autoptr (InferTensor) value = NULL;
  g_autoptr (GError) error = NULL;
  InferState *state = NULL;
  GstSample *sample = NULL;

  if (states != NULL && name != NULL)
    state = infer_state_set_find (states, name, &error);
  if (state != NULL) {
    gst_infer_filter_urge (self);
    gst_infer_queue_hold (self->queue);
    settle_reset (self, states);
    value = infer_state_get_value (state, &error);
    gst_infer_queue_release (self->queue);
    gst_infer_filter_relax (self);
  }
  if (value != NULL)
    sample = tensor_to_sample (value, &error);
  if (sample == NULL)
    GST_WARNING_OBJECT (self, "get-state %s: %s", GST_STR_NULL (name),
        error != NULL ? error->message : "no model is loaded");
  return sample;
}

/* The tensor that a sample from get-state describes. */
static InferTensor *
sample_to_tensor (GstSample *sample, GError **error)
{
  GstCaps *caps = gst_sample_get_caps (sample);
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  g_autoptr (InferTensor) tensor = NULL;
  GstInferTensors tensors;

  if (caps == NULL || buffer == NULL || !gst_caps_is_fixed (caps)) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the sample has no buffer or no caps");
    return NULL;
  }
  if (!gst_infer_tensors_from_caps (caps, &tensors, error))
    return NULL;
  tensor =
      infer_tensor_new (tensors.descs[0].type, &tensors.descs[0].shape, error);
  if (tensor == NULL)
    return NULL;
  if (gst_buffer_get_size (buffer) != tensor->size
      || gst_buffer_extract (buffer, 0, tensor->data, tensor->size)
             != tensor->size) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the sample has %" G_GSIZE_FORMAT
        " bytes, its caps say %" G_GSIZE_FORMAT,
        gst_buffer_get_size (buffer), tensor->size);
    return NULL;
  }
  return g_steal_pointer (&tensor);
}

/* While nothing computes. */
static gboolean
write_state (GstInferFilter *self, InferStateSet *states, const char *name,
    GstSample *sample, GError **error)
{
  InferState *state = infer_state_set_find (states, name, error);
  g_autoptr (InferTensor) value =
      state != NULL ? sample_to_tensor (sample, error) : NULL;

  if (value == NULL)
    return FALSE;
  settle_reset (self, states);
  if (!infer_state_set_value (state, value, error))
    return FALSE;
  /* What makes a beginning is not to undo what was set for it. */
  if (g_atomic_int_get (&self->pristine))
    g_atomic_int_set (&self->restored, TRUE);
  return TRUE;
}

void
gst_infer_filter_restore_states (GstInferFilter *self, InferStateSet *states)
{
  g_autoptr (GHashTable) restore = NULL;
  GHashTableIter iter;
  gpointer name, sample;

  GST_OBJECT_LOCK (self);
  restore = g_steal_pointer (&self->restore);
  GST_OBJECT_UNLOCK (self);
  if (restore == NULL)
    return;
  g_hash_table_iter_init (&iter, restore);
  while (g_hash_table_iter_next (&iter, &name, &sample)) {
    g_autoptr (GError) error = NULL;

    if (!write_state (self, states, name, sample, &error))
      GST_ELEMENT_WARNING (self, STREAM, FAILED,
          ("State '%s' is not restored: %s", (const char *) name,
              error->message),
          (NULL));
  }
}

/* For when a model is there. */
static void
keep_for_start (GstInferFilter *self, const char *name, GstSample *sample)
{
  GST_OBJECT_LOCK (self);
  if (self->restore == NULL)
    self->restore = g_hash_table_new_full (
        g_str_hash, g_str_equal, g_free, (GDestroyNotify) gst_sample_unref);
  g_hash_table_insert (self->restore, g_strdup (name), gst_sample_ref (sample));
  GST_OBJECT_UNLOCK (self);
}

static gboolean
set_state (GstInferFilter *self, const char *name, GstSample *sample)
{
  g_autoptr (InferStateSet) states = ref_states (self);
  g_autoptr (GError) error = NULL;
  gboolean done;

  if (name == NULL || sample == NULL)
    return FALSE;
  if (states == NULL) {
    keep_for_start (self, name, sample);
    return TRUE;
  }
  gst_infer_filter_urge (self);
  gst_infer_queue_hold (self->queue);
  done = write_state (self, states, name, sample, &error);
  gst_infer_queue_release (self->queue);
  gst_infer_filter_relax (self);
  if (!done)
    GST_WARNING_OBJECT (self, "set-state %s: %s", name, error->message);
  return done;
}

void
gst_infer_filter_install_signals (GObjectClass *klass)
{
  GType type = G_OBJECT_CLASS_TYPE (klass);
  GSignalFlags flags = G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION;

  /* The next inference begins with fresh states.  FALSE: no model loaded. */
  g_signal_new_class_handler ("reset-state", type, flags,
      G_CALLBACK (reset_state), NULL, NULL, NULL, G_TYPE_BOOLEAN, 0);
  /* (name) → a sample with other/tensors caps, NULL: no such state or not
   * computed yet.  Waits for the inferences under way. */
  g_signal_new_class_handler ("get-state", type, flags, G_CALLBACK (get_state),
      NULL, NULL, NULL, GST_TYPE_SAMPLE, 1, G_TYPE_STRING);
  /* (name, sample from get-state) → TRUE: the next inference starts from it, or
   * the first one if none has been made: before PAUSED it is kept for then. */
  g_signal_new_class_handler ("set-state", type, flags, G_CALLBACK (set_state),
      NULL, NULL, NULL, G_TYPE_BOOLEAN, 2, G_TYPE_STRING, GST_TYPE_SAMPLE);
}
