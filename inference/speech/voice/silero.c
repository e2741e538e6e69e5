/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Silero's detector, versions 5 and 6 (MIT,
 * https://github.com/snakers4/silero-vad): 512 samples at 16 kHz after the 64
 * before them, and a state [2, 1, 128]. */

#include <string.h>

#include "inference/speech/voice/kind.h"

#define RATE 16000
#define WINDOW 512
#define CONTEXT 64
#define STATE_SIZE 128

static const char *const file_names[] = { "silero_vad_16k.onnx",
  "silero_vad_openvino_16k.onnx", "silero_vad_16k_op15.onnx", "silero_vad.onnx",
  "silero_vad_half.onnx", "silero_vad_op18_ifless.onnx", NULL };

typedef struct
{
  InferRequest *request;
  InferTensor *input; /* [1, CONTEXT + WINDOW], given to the request */
} Silero;

/* --- model --- */

static gboolean
has_input (const InferModel *model, const char *name, InferType type,
    const InferShape *shape)
{
  int i = infer_model_find_input (model, name, NULL);

  if (i < 0)
    return FALSE;
  const InferDesc *desc = infer_model_input_desc (model, (guint) i);
  return desc->type == type
         && (desc->shape.rank < 0 || infer_shape_matches (&desc->shape, shape));
}

static gboolean
fits (const InferModel *model)
{
  InferShape samples =
      infer_shape_make (2, (gint64) 1, (gint64) CONTEXT + WINDOW);
  InferShape state =
      infer_shape_make (3, (gint64) 2, (gint64) 1, (gint64) STATE_SIZE);
  guint known = 1;

  if (!has_input (model, "input", INFER_TYPE_F32, &samples))
    return FALSE;
  if (infer_model_find_input (model, "sr", NULL) >= 0)
    known++;
  if (infer_model_n_variables (model) > 0)
    return infer_model_n_inputs (model) == known
           && infer_model_n_outputs (model) == 1;
  return infer_model_n_inputs (model) == known + 1
         && infer_model_n_outputs (model) == 2
         && has_input (model, "state", INFER_TYPE_F32, &state)
         && infer_model_find_output (model, "stateN", NULL) >= 0;
}

/* Fixes the shapes and turns the state into a variable. */
static InferModel *
arrange (const InferModel *model, GError **error)
{
  static const char *const pairs[] = { "state=stateN", NULL };
  InferShape shapes[2] = {
    infer_shape_make (2, (gint64) 1, (gint64) CONTEXT + WINDOW),
    infer_shape_make (3, (gint64) 2, (gint64) 1, (gint64) STATE_SIZE),
  };
  int input = infer_model_find_input (model, "input", error);
  int state = infer_model_find_input (model, "state", NULL);
  guint indices[2] = { (guint) input, (guint) state };

  g_autoptr (InferModel) fixed =
      infer_model_reshape (model, state >= 0 ? 2 : 1, indices, shapes, error);
  if (fixed == NULL || state < 0)
    return g_steal_pointer (&fixed);
  return infer_model_tie_states (fixed, pairs, error);
}

/* --- stream --- */

static void
close_stream (gpointer stream)
{
  Silero *self = stream;

  g_clear_pointer (&self->request, infer_request_free);
  g_clear_pointer (&self->input, infer_tensor_unref);
  g_free (self);
}

static gboolean
set_inputs (Silero *self, const InferModel *model, GError **error)
{
  InferShape shape =
      infer_shape_make (2, (gint64) 1, (gint64) CONTEXT + WINDOW);
  int input = infer_model_find_input (model, "input", error);
  int rate = infer_model_find_input (model, "sr", NULL);

  self->input = infer_tensor_new (INFER_TYPE_F32, &shape, error);
  if (self->input == NULL
      || !infer_request_set_input (
          self->request, (guint) input, self->input, error))
    return FALSE;
  if (rate < 0)
    return TRUE;
  InferShape scalar = infer_model_input_desc (model, (guint) rate)->shape;
  if (!infer_shape_is_static (&scalar))
    scalar = infer_shape_make (1, (gint64) 1);
  g_autoptr (InferTensor) value =
      infer_tensor_new (INFER_TYPE_I64, &scalar, error);
  if (value == NULL)
    return FALSE;
  *(gint64 *) value->data = RATE;
  return infer_request_set_input (self->request, (guint) rate, value, error);
}

static gpointer
open_stream (InferExecutable *executable, GError **error)
{
  Silero *self = g_new0 (Silero, 1);

  self->request = infer_request_new (executable, error);
  if (self->request != NULL
      && set_inputs (self, infer_executable_get_model (executable), error))
    return self;
  close_stream (self);
  return NULL;
}

static void
reset (gpointer stream)
{
  Silero *self = stream;

  memset (self->input->data, 0, self->input->size);
  infer_state_set_reset (infer_request_get_states (self->request));
}

static gboolean
judge (
    gpointer stream, const float *samples, float *probability, GError **error)
{
  Silero *self = stream;
  float *input = self->input->data;

  memmove (input, input + WINDOW, CONTEXT * sizeof (float));
  memcpy (input + CONTEXT, samples, WINDOW * sizeof (float));
  if (!infer_request_infer (self->request, error))
    return FALSE;
  const InferTensor *output =
      infer_request_get_output (self->request, 0, error);
  if (output == NULL)
    return FALSE;
  if (infer_shape_count (&output->shape) != 1)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: silero gives one probability per window, this model %" G_GINT64_FORMAT,
        infer_model_get_path (infer_executable_get_model (
            infer_request_get_executable (self->request))),
        (gint64) infer_shape_count (&output->shape));
  return infer_convert (
             probability, INFER_TYPE_F32, output->data, output->type, 1)
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "a probability of type %s", infer_type_name (output->type));
}

const InferVoiceKind infer_voice_silero = {
  .name = "silero",
  .rate = RATE,
  .window = WINDOW,
  .fits = fits,
  .files = file_names,
  .wants = "the inputs 'input' [1,576] and 'state' [2,1,128] (or a variable), "
           "and the outputs 'output' and 'stateN'; versions before 5 have not",
  .arrange = arrange,
  .open = open_stream,
  .close = close_stream,
  .reset = reset,
  .judge = judge,
};
