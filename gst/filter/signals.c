/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The action signals reset-state, get-state and set-state. */

#include "gst/filter/filter.h"
#include "infer/error.h"

#define GST_CAT_DEFAULT gst_infer_filter_debug

static InferStateSet *
ref_states (GstInferFilter *self)
{
  GST_OBJECT_LOCK (self);
  InferStateSet *states =
      self->use.states != NULL ? infer_state_set_ref (self->use.states) : NULL;
  GST_OBJECT_UNLOCK (self);
  return states;
}

/* While the queue is held. */
static void
apply_reset (GstInferFilter *self, InferStateSet *states)
{
  if (gst_infer_states_apply_reset (&self->states, states))
    gst_infer_stats_count (&self->stats, &self->stats.counters.resets);
}

static gboolean
reset_state (GstInferFilter *self)
{
  g_autoptr (InferStateSet) states = ref_states (self);

  if (states == NULL)
    return FALSE;
  GST_INFO_OBJECT (self, "reset-state");
  gst_infer_states_reset_all (&self->states);
  return TRUE;
}

static GstSample *
tensor_to_sample (const InferTensor *tensor, GError **error)
{
  GstInferTensors tensors = { .n = 1, .fps_d = 1 };
  InferType type = gst_infer_wire_type (tensor->type);

  GstMemory *memory = gst_infer_tensor_to_memory (tensor, type, error);
  if (memory == NULL)
    return NULL;
  tensors.descs[0] = (InferDesc){ type, tensor->shape };
  g_autoptr (GstCaps) caps = gst_infer_tensors_to_caps (&tensors);
  g_autoptr (GstBuffer) buffer = gst_buffer_new ();
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
    gst_infer_batch_begin_flush (&self->batch);
    gst_infer_queue_hold (self->queue);
    apply_reset (self, states);
    value = infer_state_get_value (state, &error);
    gst_infer_queue_release (self->queue);
    gst_infer_batch_end_flush (&self->batch);
  }
  if (value != NULL)
    sample = tensor_to_sample (value, &error);
  if (sample == NULL)
    GST_WARNING_OBJECT (self, "get-state %s: %s", GST_STR_NULL (name),
        error != NULL ? error->message : "no model is loaded");
  return sample;
}

/* The tensor of a sample as get-state returns it. */
static InferTensor *
sample_to_tensor (GstSample *sample, GError **error)
{
  GstCaps *caps = gst_sample_get_caps (sample);
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  GstInferTensors tensors;

  if (caps == NULL || buffer == NULL || !gst_caps_is_fixed (caps)) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the sample has no buffer or no caps");
    return NULL;
  }
  if (!gst_infer_tensors_from_caps (caps, &tensors, error))
    return NULL;
  if (tensors.n != 1) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "the sample has %u tensors, not 1", tensors.n);
    return NULL;
  }
  g_autoptr (InferTensor) tensor =
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
  apply_reset (self, states);
  if (!infer_state_set_value (state, value, error))
    return FALSE;
  GST_INFO_OBJECT (self, "state '%s' is set", name);
  gst_infer_states_note_written (&self->states);
  return TRUE;
}

void
gst_infer_filter_restore_states (GstInferFilter *self)
{
  g_autoptr (GHashTable) restore = gst_infer_states_take_stored (&self->states);
  GHashTableIter iter;
  gpointer name, sample;

  if (restore == NULL)
    return;
  g_hash_table_iter_init (&iter, restore);
  while (g_hash_table_iter_next (&iter, &name, &sample)) {
    g_autoptr (GError) error = NULL;

    if (!write_state (self, self->use.states, name, sample, &error))
      GST_ELEMENT_WARNING (self, STREAM, FAILED,
          ("State '%s' is not restored: %s", (const char *) name,
              error->message),
          (NULL));
  }
}

static gboolean
set_state (GstInferFilter *self, const char *name, GstSample *sample)
{
  g_autoptr (InferStateSet) states = ref_states (self);
  g_autoptr (GError) error = NULL;

  if (name == NULL || sample == NULL)
    return FALSE;
  if (states == NULL) {
    GST_INFO_OBJECT (self, "set-state %s: kept for the next model", name);
    gst_infer_states_store (&self->states, name, sample);
    return TRUE;
  }
  gst_infer_batch_begin_flush (&self->batch);
  gst_infer_queue_hold (self->queue);
  gboolean done = write_state (self, states, name, sample, &error);
  gst_infer_queue_release (self->queue);
  gst_infer_batch_end_flush (&self->batch);
  if (!done)
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("State '%s' is not set: %s", name, error->message), (NULL));
  return done;
}

void
gst_infer_filter_install_signals (GObjectClass *klass)
{
  GType type = G_OBJECT_CLASS_TYPE (klass);
  GSignalFlags flags = G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION;

  /**
   * GstInferFilter::reset-state:
   * @filter: the element
   *
   * The next inference starts from fresh states.
   *
   * Returns: %FALSE if no model is loaded
   */
  g_signal_new_class_handler ("reset-state", type, flags,
      G_CALLBACK (reset_state), NULL, NULL, NULL, G_TYPE_BOOLEAN, 0);
  /**
   * GstInferFilter::get-state:
   * @filter: the element
   * @name: a variable of the model
   *
   * Waits for the inferences under way, and reads the variable.
   *
   * Returns: (transfer full) (nullable): its value, with `other/tensors` caps;
   *   %NULL if there is no such variable, or it has no value yet
   */
  g_signal_new_class_handler ("get-state", type, flags, G_CALLBACK (get_state),
      NULL, NULL, NULL, GST_TYPE_SAMPLE, 1, G_TYPE_STRING);
  /**
   * GstInferFilter::set-state:
   * @filter: the element
   * @name: a variable of the model
   * @sample: as #GstInferFilter::get-state gives it
   *
   * The next inference starts from this value.  Before PAUSED it is kept for
   * the first one.
   *
   * Returns: %FALSE, with a WARNING on the bus, if the model has no such
   *   variable, or @sample is not of its type and shape
   */
  g_signal_new_class_handler ("set-state", type, flags, G_CALLBACK (set_state),
      NULL, NULL, NULL, G_TYPE_BOOLEAN, 2, G_TYPE_STRING, GST_TYPE_SAMPLE);
}
