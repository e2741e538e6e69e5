/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/network.h"
#include "inference/speech/transducer/networks.h"

#include <string.h>

#include "inference/speech/transducer/files.h"
#include "inference/speech/transducer/nemo.h"

#define MOST_FRAMES 4096 /* of features in a window */
#define MOST_BANDS 4096
#define WHOLE_FRAMES 3000 /* of an utterance at once: 30 s */
#define DEFAULT_RATE 16000

gboolean
transducer_networks_probe (const SpeechFolder *folder)
{
  return transducer_files_probe (folder);
}

/* --- what a model says of itself --- */

/* *@number stays as it is where the model does not say. */
static gboolean
read_number (const InferModel *model, const char *key, guint most,
    guint *number, GError **error)
{
  const char *value = speech_network_info (model, key);
  guint64 n;

  if (value == NULL)
    return TRUE;
  if (!g_ascii_string_to_unsigned (value, 10, 1, most, &n, NULL))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: its metadata say %s = '%.40s', which is no number from 1 to %u",
        infer_model_get_path (model), key, value, most);
  *number = (guint) n;
  return TRUE;
}

static gboolean
require_rank (const InferModel *model, const char *what, const InferDesc *desc,
    int rank, GError **error)
{
  g_autofree char *text = infer_shape_to_string (&desc->shape);

  return desc->shape.rank == rank
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%s: its %s is %s; a transducer's has %d dimensions",
             infer_model_get_path (model), what, text, rank);
}

/* *@size: what the model says elsewhere, 0: nothing. */
static gboolean
read_dim (const InferModel *model, const char *what, const InferDesc *desc,
    int axis, guint most, guint *size, GError **error)
{
  gint64 dim = desc->shape.dims[axis];

  if (dim == INFER_DYNAMIC && *size > 0)
    return TRUE;
  if (dim < 1 || dim > most || (*size > 0 && dim != *size)) {
    g_autofree char *text = infer_shape_to_string (&desc->shape);
    g_autofree char *wanted = *size > 0
                                  ? g_strdup_printf ("%u", *size)
                                  : g_strdup_printf ("from 1 to %u", most);

    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: its %s is %s, but dimension %d should be %s",
        infer_model_get_path (model), what, text, axis, wanted);
  }
  *size = (guint) dim;
  return TRUE;
}

static gboolean
load_model (const SpeechFolder *folder, const char *name, const char *part,
    guint inputs, guint outputs, InferRuntime *runtime, InferModel **model,
    GError **error)
{
  g_autofree char *what = g_strconcat ("a transducer's ", part, NULL);

  *model =
      speech_network_load (folder, name, what, inputs, outputs, runtime, error);
  return *model != NULL;
}

/* --- encoder --- */

static gboolean
check_features (const InferModel *model, GError **error)
{
  const char *features = speech_network_info (model, "feature");

  return features == NULL || strcmp (features, "whisper") != 0
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "%s: it takes Whisper's features; only Kaldi's filter banks are "
             "supported for transducers",
             infer_model_get_path (model));
}

/* Inputs are features and their number, outputs frames and theirs. */
static gboolean
is_whole (const InferModel *model)
{
  return speech_network_info (model, "decode_chunk_len") == NULL
         && infer_model_n_inputs (model) == 2
         && infer_model_n_outputs (model) == 2
         && infer_model_input_desc (model, 1)->shape.rank == 1;
}

/* States are the inputs after the first, in the order of the outputs after the
 * first. */
static gboolean
read_window (TransducerNetworks *net, const InferModel *model, GError **error)
{
  const InferDesc *x = infer_model_input_desc (model, 0);
  guint n_in = infer_model_n_inputs (model);
  guint n_out = infer_model_n_outputs (model);

  if (speech_network_info (model, "decode_chunk_len") == NULL
      || (n_in != n_out && n_in != n_out + 1))
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: it has %u inputs, %u outputs and %s decode_chunk_len in its "
        "metadata; an encoder takes features and states and gives frames and "
        "states, or takes features and their number",
        infer_model_get_path (model), n_in, n_out,
        speech_network_info (model, "decode_chunk_len") == NULL ? "no" : "a");
  net->counts = n_in == n_out + 1;
  return read_number (model, "T", MOST_FRAMES, &net->window, error)
         && read_number (
             model, "decode_chunk_len", MOST_FRAMES, &net->shift, error)
         && read_dim (
             model, "first input", x, 1, MOST_FRAMES, &net->window, error)
         && (net->shift <= net->window
             || infer_fail (error, INFER_ERROR_INVALID_MODEL,
                 "%s: its metadata say decode_chunk_len = %u, which is more "
                 "than the %u frames it takes",
                 infer_model_get_path (model), net->shift, net->window));
}

static gboolean
read_encoder_shape (
    TransducerNetworks *net, const InferModel *model, GError **error)
{
  const InferDesc *x = infer_model_input_desc (model, 0);

  net->rate = DEFAULT_RATE;
  net->whole = is_whole (model);
  if (!require_rank (model, "first input", x, 3, error)
      || !check_features (model, error)
      || !read_number (model, "sample_rate", 768000, &net->rate, error)
      || !read_dim (model, "first input", x, 2, MOST_BANDS, &net->bands, error))
    return FALSE;
  if (!net->whole)
    return read_window (net, model, error);
  net->counts = TRUE;
  net->window = net->shift = WHOLE_FRAMES;
  return x->shape.dims[1] == INFER_DYNAMIC
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "%s: it takes utterances of one length only",
             infer_model_get_path (model));
}

/* The batch is 1. */
static InferModel *
fix_encoder_shape (
    const TransducerNetworks *net, const InferModel *model, GError **error)
{
  guint n = infer_model_n_inputs (model);
  g_autofree guint *inputs = g_new (guint, n);
  g_autofree InferShape *shapes = g_new (InferShape, n);

  for (guint i = 0; i < n; i++) {
    guint dynamic = 0;

    inputs[i] = i;
    shapes[i] = infer_model_input_desc (model, i)->shape;
    if (i == 0)
      shapes[i] = infer_shape_make (3, (gint64) 1,
          net->whole ? (gint64) INFER_DYNAMIC : (gint64) net->window,
          (gint64) net->bands);
    for (int d = 0; d < shapes[i].rank; d++)
      if (i > 0 && shapes[i].dims[d] == INFER_DYNAMIC) {
        shapes[i].dims[d] = 1;
        dynamic++;
      }
    if (shapes[i].rank < 0 || dynamic > 1) {
      infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "%s: the shape of its input '%s' is not known but for the batch",
          infer_model_get_path (model), infer_model_input_name (model, i));
      return NULL;
    }
  }
  return infer_model_reshape (model, n, inputs, shapes, error);
}

static InferModel *
tie_encoder_states (
    const TransducerNetworks *net, const InferModel *model, GError **error)
{
  guint n = infer_model_n_inputs (model) - net->counts;
  g_autoptr (GStrvBuilder) pairs = g_strv_builder_new ();

  for (guint i = 1; i < n; i++) {
    g_autofree char *pair = g_strconcat (infer_model_input_name (model, i), "=",
        infer_model_output_name (model, i), NULL);

    g_strv_builder_add (pairs, pair);
  }
  g_auto (GStrv) list = g_strv_builder_end (pairs);
  return infer_model_tie_states (model, (const char *const *) list, error);
}

/* Numbers that only a run of the encoder shows stay 0. */
static gboolean
read_frames (TransducerNetworks *net, const InferModel *model, GError **error)
{
  const InferDesc *out = infer_model_output_desc (model, 0);

  return require_rank (model, "first output", out, 3, error)
         && (net->whole || out->shape.dims[1] == INFER_DYNAMIC
             || read_dim (model, "first output", out, 1, net->window,
                 &net->frames, error))
         && (out->shape.dims[2] == INFER_DYNAMIC
             || read_dim (model, "first output", out, 2, G_MAXINT16,
                 &net->width, error));
}

static gboolean
load_encoder (TransducerNetworks *net, const SpeechFolder *folder,
    const char *name, gboolean joint, InferRuntime *runtime, GError **error)
{
  g_autoptr (InferModel) model = NULL;

  if (!load_model (folder, name, "encoder", 2, 2, runtime, &model, error))
    return FALSE;
  if (joint || transducer_nemo_is_encoder (model))
    return transducer_nemo_take_encoder (net, model, joint, runtime, error);
  if (!read_encoder_shape (net, model, error))
    return FALSE;
  g_autoptr (InferModel) fixed = fix_encoder_shape (net, model, error);
  if (fixed == NULL)
    return FALSE;
  g_autoptr (InferModel) tied = net->whole
                                    ? infer_model_ref (fixed)
                                    : tie_encoder_states (net, fixed, error);
  if (tied == NULL)
    return FALSE;
  if (!read_frames (net, tied, error))
    return FALSE;
  net->encoder = infer_executable_new (tied, runtime, error);
  return net->encoder != NULL;
}

/* --- decoder --- */

static gboolean
load_decoder (TransducerNetworks *net, const SpeechFolder *folder,
    const char *name, InferRuntime *runtime, GError **error)
{
  g_autoptr (InferModel) model = NULL;

  if (!load_model (folder, name, "decoder", 1, 1, runtime, &model, error))
    return FALSE;
  if (net->nemo)
    return transducer_nemo_take_decoder (net, model, runtime, error);
  if (infer_model_n_inputs (model) != 1)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: it has %u inputs; only decoders of the last tokens are supported, "
        "not those with states of their own",
        infer_model_get_path (model), infer_model_n_inputs (model));
  const InferDesc *y = infer_model_input_desc (model, 0);
  if (!require_rank (model, "input", y, 2, error)
      || !read_number (
          model, "context_size", TRANSDUCER_MOST_CONTEXT, &net->context, error)
      || !read_number (model, "vocab_size", G_MAXINT32, &net->classes, error)
      || !read_dim (
          model, "input", y, 1, TRANSDUCER_MOST_CONTEXT, &net->context, error))
    return FALSE;
  net->batch_steps = y->shape.dims[0] == INFER_DYNAMIC;
  net->decoder = infer_executable_new (model, runtime, error);
  return net->decoder != NULL;
}

/* --- joiner --- */

static gboolean
check_width (const InferModel *joiner, guint input, const char *from,
    guint width, GError **error)
{
  const InferDesc *desc = infer_model_input_desc (joiner, input);

  if (!require_rank (joiner, "input", desc, 2, error))
    return FALSE;
  gint64 taken = desc->shape.dims[1];
  return taken == INFER_DYNAMIC || taken == width
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%s: its input '%s' takes %" G_GINT64_FORMAT
             " values, but %s gives %u; they are not of one model",
             infer_model_get_path (joiner),
             infer_model_input_name (joiner, input), taken, from, width);
}

/* The joiner knows the width of a frame where the encoder does not. */
static gboolean
read_width (TransducerNetworks *net, const InferModel *joiner, GError **error)
{
  const InferDesc *desc = infer_model_input_desc (joiner, 0);

  return net->width > 0
         || (require_rank (joiner, "input", desc, 2, error)
             && read_dim (
                 joiner, "input", desc, 1, G_MAXINT16, &net->width, error));
}

/* The decoder's rows may have another dimension of 1 in the middle. */
static gboolean
read_row (TransducerNetworks *net, const InferModel *joiner, GError **error)
{
  const InferModel *decoder = infer_executable_get_model (net->decoder);
  const InferDesc *out = infer_model_output_desc (decoder, 0);

  if (out->shape.rank < 2)
    return require_rank (decoder, "output", out, 2, error);
  gint64 row = out->shape.dims[out->shape.rank - 1];
  if (row == INFER_DYNAMIC)
    row = infer_model_input_desc (joiner, 1)->shape.dims[1];
  if (row < 1 || row > G_MAXINT16)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: the size of its rows is not known, in %s neither",
        infer_model_get_path (decoder), infer_model_get_path (joiner));
  net->row = (guint) row;
  net->row_shape = infer_shape_make (2, (gint64) 1, row);
  return check_width (
      joiner, 1, infer_model_get_path (decoder), net->row, error);
}

static gboolean
load_joiner (TransducerNetworks *net, const SpeechFolder *folder,
    const char *name, InferRuntime *runtime, GError **error)
{
  g_autoptr (InferModel) model = NULL;
  const InferModel *encoder = infer_executable_get_model (net->encoder);

  if (!load_model (folder, name, "joiner", 2, 1, runtime, &model, error))
    return FALSE;
  if (net->nemo)
    return transducer_nemo_take_joiner (net, model, runtime, error);
  if (!read_width (net, model, error)
      || !check_width (
          model, 0, infer_model_get_path (encoder), net->width, error)
      || !read_row (net, model, error))
    return FALSE;
  const InferDesc *out = infer_model_output_desc (model, 0);
  if (out->shape.rank < 2)
    return require_rank (model, "output", out, 2, error);
  if (!read_dim (model, "output", out, out->shape.rank - 1, G_MAXINT32,
          &net->classes, error))
    return FALSE;
  if (infer_model_input_desc (model, 0)->shape.dims[0] != INFER_DYNAMIC
      || infer_model_input_desc (model, 1)->shape.dims[0] != INFER_DYNAMIC)
    net->batch_steps = FALSE;
  net->joiner = infer_executable_new (model, runtime, error);
  return net->joiner != NULL;
}

/* --- decoder and joiner in one --- */

static gboolean
load_joint (TransducerNetworks *net, const SpeechFolder *folder,
    const char *name, const InferVocabulary *vocabulary, InferRuntime *runtime,
    GError **error)
{
  g_autoptr (InferModel) model = NULL;

  return load_model (folder, name, "decoder with its joiner", 5, 4, runtime,
             &model, error)
         && transducer_nemo_take_joint (net, model, vocabulary, runtime, error);
}

/* --- all --- */

gboolean
transducer_networks_load (TransducerNetworks *net, const SpeechFolder *folder,
    const InferVocabulary *vocabulary, InferRuntime *runtime, GError **error)
{
  TransducerFiles files;

  net->most_symbols = 1;
  if (!transducer_files_find (&files, folder, error)
      || !load_encoder (
          net, folder, files.encoder, files.joint != NULL, runtime, error))
    return FALSE;
  if (files.joint != NULL)
    return load_joint (net, folder, files.joint, vocabulary, runtime, error);
  return load_decoder (net, folder, files.decoder, runtime, error)
         && load_joiner (net, folder, files.joiner, runtime, error);
}

void
transducer_networks_clear (TransducerNetworks *net)
{
  g_clear_pointer (&net->encoder, infer_executable_unref);
  g_clear_pointer (&net->decoder, infer_executable_unref);
  g_clear_pointer (&net->joiner, infer_executable_unref);
}
