/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/transducer/nemo.h"

#include <string.h>

#include "inference/media/features/kind.h"
#include "inference/speech/network.h"
#include "inference/speech/transducer/joint.h"

#define RATE 16000
#define MOST_FRAMES 4096 /* of features in a window */
#define WHOLE_FRAMES 3000
#define MOST_SYMBOLS 10 /* tokens of a frame, as NeMo's own search has it */
#define MOST_SYMBOLS_TDT 5
#define MOST_DURATIONS 64
#define BLANK "<blk>"
#define STATES 2 /* of the decoder: the first inputs and outputs are others */

gboolean
transducer_nemo_is_encoder (const InferModel *encoder)
{
  return speech_network_info (encoder, "pred_hidden") != NULL;
}

/* --- what a model says of itself --- */

/* 0: it does not say. */
static gboolean
read_number (const InferModel *model, const char *key, guint most,
    guint *number, GError **error)
{
  const char *text = speech_network_info (model, key);
  guint64 n = 0;

  if (text != NULL && !g_ascii_string_to_unsigned (text, 10, 1, most, &n, NULL))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: its metadata say %s = '%.40s', which is no number from 1 to %u",
        infer_model_get_path (model), key, text, most);
  *number = (guint) n;
  return TRUE;
}

static gboolean
require (
    const InferModel *model, gboolean met, const char *wanted, GError **error)
{
  return met
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%s: %s, as NeMo's transducers have it",
             infer_model_get_path (model), wanted);
}

/* --- batch of one, states as variables --- */

/* Input 0 gets @shape, dimensions that are not known of others 1. */
static InferModel *
fix_shapes (const InferModel *model, const InferShape *shape, GError **error)
{
  const guint n = infer_model_n_inputs (model);
  g_autofree guint *inputs = g_new (guint, n);
  g_autofree InferShape *shapes = g_new (InferShape, n);

  for (guint i = 0; i < n; i++) {
    inputs[i] = i;
    shapes[i] = i == 0 ? *shape : infer_model_input_desc (model, i)->shape;
    for (int d = 0; i > 0 && d < shapes[i].rank; d++)
      if (shapes[i].dims[d] == INFER_DYNAMIC)
        shapes[i].dims[d] = 1;
    if (shapes[i].rank < 0) {
      infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "%s: the shape of its input '%s' is not known",
          infer_model_get_path (model), infer_model_input_name (model, i));
      return NULL;
    }
  }
  return infer_model_reshape (model, n, inputs, shapes, error);
}

/* Inputs from number 2 on are states, in the order of the outputs. */
static InferModel *
tie_states (const InferModel *model, const InferShape *shape, GError **error)
{
  g_autoptr (InferModel) fixed = fix_shapes (model, shape, error);
  g_autoptr (GStrvBuilder) pairs = g_strv_builder_new ();

  if (fixed == NULL)
    return NULL;
  for (guint i = STATES; i < infer_model_n_inputs (fixed); i++) {
    g_autofree char *pair = g_strconcat (infer_model_input_name (fixed, i), "=",
        infer_model_output_name (fixed, i), NULL);

    g_strv_builder_add (pairs, pair);
  }
  g_auto (GStrv) list = g_strv_builder_end (pairs);
  return infer_model_tie_states (fixed, (const char *const *) list, error);
}

/* --- encoder --- */

/* "per_feature": each band of an utterance is normalised; "NA" or "": none.
 * NeMo's own export does not say; its recipes have per_feature. */
static gboolean
read_normalisation (TransducerNetworks *net, const InferModel *model,
    gboolean joint, GError **error)
{
  const char *type = speech_network_info (model, "normalize_type");
  const char *gigaam = speech_network_info (model, "is_giga_am");

  if (type == NULL && joint)
    type = "per_feature";
  net->per_feature = g_strcmp0 (type, "per_feature") == 0;
  if (gigaam != NULL && strcmp (gigaam, "0") != 0)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: it takes GigaAM's features, which are not known here",
        infer_model_get_path (model));
  return net->per_feature || type == NULL || *type == '\0'
         || strcmp (type, "NA") == 0
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "%s: its features are normalised '%.40s', only per_feature or "
             "nothing is known here",
             infer_model_get_path (model), type);
}

static gboolean
read_window (TransducerNetworks *net, const InferModel *model, GError **error)
{
  net->whole = infer_model_n_inputs (model) == 2;
  net->window = net->shift = WHOLE_FRAMES;
  if (net->whole)
    return TRUE;
  return read_number (model, "window_size", MOST_FRAMES, &net->window, error)
         && read_number (model, "chunk_shift", MOST_FRAMES, &net->shift, error)
         && require (model,
             net->shift > 0 && net->window >= net->shift && !net->per_feature,
             "its metadata should have window_size and a chunk_shift that is "
             "not more, and no normalize_type",
             error);
}

static gboolean
read_encoder (TransducerNetworks *net, const InferModel *model, gboolean joint,
    GError **error)
{
  const guint n = infer_model_n_inputs (model);
  const InferShape *in = &infer_model_input_desc (model, 0)->shape;
  const InferShape *out = &infer_model_output_desc (model, 0)->shape;

  if (!require (model,
          n >= 2 && infer_model_n_outputs (model) == n && in->rank == 3
              && in->dims[1] > 0 && in->dims[1] <= 4096 && out->rank == 3
              && infer_model_input_desc (model, 1)->shape.rank == 1,
          "it should take [batch, bands, frames], their number and states, and "
          "give [batch, width, frames], their number and states",
          error)
      || !read_normalisation (net, model, joint, error)
      || !read_window (net, model, error))
    return FALSE;
  net->nemo = TRUE;
  net->counts = TRUE;
  net->rate = RATE;
  net->bands = (guint) in->dims[1];
  net->width =
      out->dims[1] > 0 && out->dims[1] <= G_MAXINT16 ? (guint) out->dims[1] : 0;
  if (joint) /* the vocabulary says how many tokens there are */
    return TRUE;
  if (!read_number (model, "vocab_size", G_MAXINT32 - 1, &net->classes, error)
      || !require (model, net->classes > 0,
          "its metadata should have vocab_size", error))
    return FALSE;
  net->blank = net->classes++; /* vocab_size is without the blank */
  return TRUE;
}

gboolean
transducer_nemo_take_encoder (TransducerNetworks *net, const InferModel *model,
    gboolean joint, InferRuntime *runtime, GError **error)
{
  if (!read_encoder (net, model, joint, error))
    return FALSE;
  const InferShape shape = infer_shape_make (3, (gint64) 1, (gint64) net->bands,
      net->whole ? (gint64) INFER_DYNAMIC : (gint64) net->window);
  g_autoptr (InferModel) fixed = net->whole ? fix_shapes (model, &shape, error)
                                            : tie_states (model, &shape, error);
  if (fixed != NULL)
    net->encoder = infer_executable_new (fixed, runtime, error);
  return net->encoder != NULL;
}

/* --- decoder --- */

/* With states in place. */
static gboolean
compile_decoder (TransducerNetworks *net, const InferModel *model,
    InferRuntime *runtime, GError **error)
{
  const InferShape shape = infer_shape_make (2, (gint64) 1, (gint64) 1);
  g_autoptr (InferModel) tied = tie_states (model, &shape, error);

  net->context = 1;
  net->batch_steps = FALSE;
  if (tied != NULL)
    net->decoder = infer_executable_new (tied, runtime, error);
  return net->decoder != NULL;
}

gboolean
transducer_nemo_take_decoder (TransducerNetworks *net, const InferModel *model,
    InferRuntime *runtime, GError **error)
{
  const guint n = infer_model_n_inputs (model);

  if (!require (model,
          n > STATES && infer_model_n_outputs (model) == n
              && infer_model_input_desc (model, 0)->shape.rank == 2
              && infer_model_output_desc (model, 0)->shape.rank == 3,
          "it should take [batch, 1] tokens, their number and states, and give "
          "[batch, width, 1], their number and states",
          error))
    return FALSE;
  const gint64 row = infer_model_output_desc (model, 0)->shape.dims[1];
  net->row = row > 0 && row <= G_MAXINT16 ? (guint) row : 0;
  return compile_decoder (net, model, runtime, error);
}

/* --- joiner --- */

/* *@width: 0 where the network before does not say. */
static gboolean
agree_width (const InferModel *joiner, guint input, const InferModel *from,
    guint *width, GError **error)
{
  const InferShape *shape = &infer_model_input_desc (joiner, input)->shape;
  const gint64 taken = shape->rank == 3 ? shape->dims[1] : 0;

  if (*width == 0 && taken > 0 && taken <= G_MAXINT16)
    *width = (guint) taken;
  return (*width > 0 && (taken == INFER_DYNAMIC || taken == *width))
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%s: its input '%s' takes %" G_GINT64_FORMAT
             " values, but %s gives %u; they are not of one model",
             infer_model_get_path (joiner),
             infer_model_input_name (joiner, input), taken,
             infer_model_get_path (from), *width);
}

/* @classes: tokens and the blank, as @from says. */
static gboolean
read_scores (TransducerNetworks *net, const InferModel *model, guint classes,
    const char *from, GError **error)
{
  const InferShape *out = &infer_model_output_desc (model, 0)->shape;
  const gint64 scores = out->rank > 0 ? out->dims[out->rank - 1] : 0;
  const gint64 durations = scores - (gint64) classes;

  /* One duration alone would never go on. */
  if (durations < 0 || durations == 1 || durations > MOST_DURATIONS)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: it gives %" G_GINT64_FORMAT
        " scores, but %s has %u tokens and a blank; they are not of one model",
        infer_model_get_path (model), scores, from, classes - 1);
  net->classes = classes;
  net->blank = classes - 1;
  net->durations = (guint) durations;
  net->most_symbols = net->durations > 0 ? MOST_SYMBOLS_TDT : MOST_SYMBOLS;
  return TRUE;
}

gboolean
transducer_nemo_take_joiner (TransducerNetworks *net, InferModel *model,
    InferRuntime *runtime, GError **error)
{
  const InferModel *encoder = infer_executable_get_model (net->encoder);
  const InferModel *decoder = infer_executable_get_model (net->decoder);

  if (!agree_width (model, 0, encoder, &net->width, error)
      || !agree_width (model, 1, decoder, &net->row, error)
      || !read_scores (
          net, model, net->classes, infer_model_get_path (encoder), error))
    return FALSE;
  net->row_shape =
      infer_shape_make (3, (gint64) 1, (gint64) net->row, (gint64) 1);
  net->joiner = infer_executable_new (model, runtime, error);
  return net->joiner != NULL;
}

/* --- decoder and joiner in one --- */

static gboolean
check_joint (TransducerNetworks *net, const InferModel *model, GError **error)
{
  const guint n = infer_model_n_inputs (model);

  return require (model,
             n > STATES + 1 && infer_model_n_outputs (model) == n - 1
                 && infer_model_input_desc (model, 0)->shape.rank == 3
                 && infer_model_input_desc (model, 1)->shape.rank == 2,
             "it should take [batch, width, frames], [batch, 1] tokens, their "
             "number and states, and give scores, the number and states",
             error)
         && agree_width (model, 0, infer_executable_get_model (net->encoder),
             &net->width, error);
}

static gboolean
read_row (TransducerNetworks *net, const InferModel *joiner, GError **error)
{
  const InferShape *row = &infer_model_input_desc (joiner, 1)->shape;
  const gsize n = infer_shape_is_static (row) ? infer_shape_count (row) : 0;

  net->row = n <= G_MAXINT16 ? (guint) n : 0;
  net->row_shape = *row;
  return require (joiner, net->row > 0,
      "the decoder's row in it should have a known size", error);
}

gboolean
transducer_nemo_take_joint (TransducerNetworks *net, const InferModel *model,
    const InferVocabulary *vocabulary, InferRuntime *runtime, GError **error)
{
  const guint n = infer_vocabulary_size (vocabulary);
  g_autoptr (InferModel) decoder = NULL, joiner = NULL;

  if (!check_joint (net, model, error))
    return FALSE;
  if (n == 0 || infer_vocabulary_find (vocabulary, BLANK) != (int) n - 1)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: its last token should be '" BLANK "', as %s has it",
        infer_vocabulary_name (vocabulary), infer_model_get_path (model));
  const InferShape frame =
      infer_shape_make (3, (gint64) 1, (gint64) net->width, (gint64) 1);
  g_autoptr (InferModel) fixed = fix_shapes (model, &frame, error);
  if (fixed == NULL || !transducer_joint_cut (fixed, &decoder, &joiner, error)
      || !read_row (net, joiner, error)
      || !read_scores (
          net, joiner, n, infer_vocabulary_name (vocabulary), error)
      || !compile_decoder (net, decoder, runtime, error))
    return FALSE;
  net->joiner = infer_executable_new (joiner, runtime, error);
  return net->joiner != NULL;
}
