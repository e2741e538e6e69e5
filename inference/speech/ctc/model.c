/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/ctc/model.h"

#include <string.h>

#include "inference/speech/ctc/describe.h"

/* Where the model says nothing. */
#define RATE 16000
#define RUN_MS 100   /* of a stream */
#define LONGEST_S 30 /* of an utterance */
#define TAIL_MS 300  /* a streaming model gives a word after it was heard */

/* --- files --- */

static gboolean
is_network (const char *name)
{
  return g_str_has_suffix (name, ".xml") || g_str_has_suffix (name, ".onnx");
}

const char *
ctc_model_file (const SpeechFolder *folder)
{
  static const char *const others[] = { "*encoder*.onnx", "*decoder*.onnx",
    "*joiner*.onnx", "*encoder*.xml", "*decoder*.xml" };
  static const char *const patterns[] = { "openvino_model.xml", "model.xml",
    "model*.onnx", "*ctc*.onnx", "*ctc*.xml" };

  if (folder->file != NULL)
    return is_network (folder->file) ? folder->file : NULL;
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (speech_folder_find (folder, others[i], NULL) != NULL)
      return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (patterns); i++) {
    const char *name = speech_folder_find (folder, patterns[i], NULL);

    if (name != NULL)
      return name;
  }
  return NULL;
}

/* --- states --- */

static gboolean
is_state (const char *name)
{
  return strstr (name, "cache") != NULL || g_str_has_prefix (name, "state")
         || strstr (name, "states") != NULL;
}

/* States that are inputs and outputs become variables.  (transfer full) */
static InferModel *
tie_states (InferModel *model, GError **error)
{
  static const char *const automatic[] = { "auto", NULL };

  for (guint i = 0; i < infer_model_n_inputs (model); i++)
    if (is_state (infer_model_input_name (model, i)))
      return infer_model_tie_states (model, automatic, error);
  return infer_model_ref (model);
}

/* --- the vocabulary --- */

/* As they are written in model_info: separated by spaces, commas or lines; "_"
 * is a space. */
static InferVocabulary *
parse_labels (const char *path, const char *text, GError **error)
{
  const char *separators = strchr (text, '\n')  ? "\n\r"
                           : strchr (text, ',') ? ","
                                                : " \t";
  g_auto (GStrv) parts = g_strsplit_set (text, separators, -1);
  guint n = 0;

  for (guint i = 0; parts[i] != NULL; i++) {
    if (parts[i][0] == '\0') {
      g_free (parts[i]);
      continue;
    }
    parts[n] = parts[i];
    g_strdelimit (parts[n++], "_", ' ');
  }
  parts[n] = NULL;
  return infer_vocabulary_new (path, (const char *const *) parts, error);
}

static gboolean
find_blank (CtcModel *self, const InferModel *model, GError **error)
{
  const guint size = infer_vocabulary_size (self->vocabulary);
  gint64 blank = infer_vocabulary_blank (self->vocabulary);

  if (!ctc_describe_integer (model, "blank", 0, size - 1, &blank, error))
    return FALSE;
  if (blank < 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: none of its %u tokens is CTC's blank ('<blk>', '<blank>', '<pad>', "
        "'[PAD]'), and %s does not say which is (model_info 'blank')",
        infer_vocabulary_name (self->vocabulary), size, self->path);
  self->blank = (guint) blank;
  return TRUE;
}

static gboolean
are_whole_words (const InferVocabulary *vocabulary)
{
  for (guint id = 0; id < infer_vocabulary_size (vocabulary); id++) {
    const guint flags = infer_vocabulary_flags (vocabulary, id);
    gsize length;

    infer_vocabulary_bytes (vocabulary, id, &length);
    if ((flags & INFER_PIECE_SPECIAL) == 0
        && ((flags & INFER_PIECE_BEGINS_WORD) == 0 || length < 2))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_vocabulary (CtcModel *self, const InferModel *model,
    const SpeechFolder *folder, GError **error)
{
  const char *labels = infer_model_get_info (model, "labels");

  self->vocabulary = labels != NULL ? parse_labels (self->path, labels, error)
                                    : infer_vocabulary_load (folder, error);
  if (self->vocabulary == NULL)
    return FALSE;
  self->whole_words = are_whole_words (self->vocabulary);
  return find_blank (self, model, error);
}

/* --- ports --- */

static gboolean
is_float (InferType type)
{
  return type == INFER_TYPE_F32 || type == INFER_TYPE_F16
         || type == INFER_TYPE_BF16 || type == INFER_TYPE_F64;
}

static gboolean
find_inputs (CtcModel *self, const InferModel *model, GError **error)
{
  self->input = self->length = self->mask = -1;
  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    const InferDesc *desc = infer_model_input_desc (model, i);
    int *port = is_float (desc->type)   ? &self->input
                : desc->shape.rank == 2 ? &self->mask
                                        : &self->length;

    if (*port >= 0)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "%s: the inputs '%s' and '%s' are more than CTC needs: one for sound "
          "or features, one for their length",
          self->path, infer_model_input_name (model, (guint) *port),
          infer_model_input_name (model, i));
    *port = (int) i;
  }
  return self->input >= 0
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "%s: it has no input for sound or features", self->path);
}

static gboolean
fail_classes (const CtcModel *self, const InferModel *model, guint output,
    gint64 classes, GError **error)
{
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "%s: output '%s' has %" G_GINT64_FORMAT
      " scores per step, but %s has %u tokens",
      self->path, infer_model_output_name (model, output), classes,
      infer_vocabulary_name (self->vocabulary),
      infer_vocabulary_size (self->vocabulary));
}

/* The scores: of floats, as many in a row as there are tokens. */
static gboolean
find_outputs (CtcModel *self, const InferModel *model, GError **error)
{
  const gint64 size = infer_vocabulary_size (self->vocabulary);
  int wrong = -1;

  self->scores = self->steps = -1;
  for (guint i = 0; i < infer_model_n_outputs (model); i++) {
    const InferDesc *desc = infer_model_output_desc (model, i);
    const int rank = desc->shape.rank;
    const gint64 last = rank > 0 ? desc->shape.dims[rank - 1] : INFER_DYNAMIC;

    if (!is_float (desc->type)) {
      if (rank <= 1)
        self->steps = (int) i;
    } else if (rank == 1 || (last >= 0 && last != size))
      wrong = (int) i;
    else if (self->scores < 0)
      self->scores = (int) i;
  }
  if (self->scores >= 0)
    return TRUE;
  if (wrong < 0)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: it has no output with scores", self->path);
  const InferShape *shape =
      &infer_model_output_desc (model, (guint) wrong)->shape;
  return fail_classes (
      self, model, (guint) wrong, shape->dims[shape->rank - 1], error);
}

/* --- rows --- */

/* Which dimension of a feature input is time, by what is known of them. */
static gboolean
find_width (
    CtcModel *self, const InferShape *shape, gint64 bands, GError **error)
{
  const gint64 second = shape->dims[1], last = shape->dims[2];

  self->bands_first =
      bands > 0 ? last != bands && second == bands : last < 0 && second > 0;
  const gint64 width = self->bands_first ? second : last;
  if (bands > 0 && width >= 0 && width != bands)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: its input takes rows of %" G_GINT64_FORMAT
        " values, but the features it wants have %" G_GINT64_FORMAT,
        self->path, width, bands);
  if (MAX (bands, width) < 1 || MAX (bands, width) > 4096)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: nothing says how many features its input takes", self->path);
  self->width = (guint) MAX (bands, width);
  return TRUE;
}

static gboolean
read_features (CtcModel *self, const InferModel *model, const InferShape *shape,
    GError **error)
{
  gint64 bands = -1;

  if (!ctc_describe_features (
          model, self->path, self->rate, &self->features, &self->config, error))
    return FALSE;
  if (self->config.bands > 0)
    bands = self->config.bands;
  if (!find_width (self, shape, bands, error))
    return FALSE;
  self->config.bands = self->width;
  self->config.sample_rate = self->rate;
  infer_features_fill (self->features, &self->config);
  g_autoptr (InferFeatures) check =
      infer_features_new (self->features, &self->config, error);
  if (check == NULL)
    return FALSE;
  self->row = self->config.hop;
  if (infer_features_width (check) != self->width)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: its features have %u values, not %u", self->path,
        infer_features_width (check), self->width);
  return TRUE;
}

static gboolean
read_rows (CtcModel *self, const InferModel *model, GError **error)
{
  const InferShape *shape =
      &infer_model_input_desc (model, (guint) self->input)->shape;

  self->flat = shape->rank == 1;
  self->width = self->row = 1;
  if (shape->rank == 1 || shape->rank == 2)
    return TRUE;
  if (shape->rank == 3)
    return read_features (self, model, shape, error);
  g_autofree char *text = infer_shape_to_string (shape);
  return infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "%s: an input %s is neither sound [1,samples] nor features "
      "[1,frames,bands]",
      self->path, text);
}

/* --- runs --- */

/* The rows that the model's shape fixes; -1: any. */
static gint64
fixed_rows (const CtcModel *self, const InferModel *model)
{
  const InferShape *shape =
      &infer_model_input_desc (model, (guint) self->input)->shape;

  return shape->dims[shape->rank == 1 ? 0 : self->bands_first ? 2 : 1];
}

static gboolean
read_runs (CtcModel *self, const InferModel *model, GError **error)
{
  const gint64 fixed = fixed_rows (self, model);
  gint64 multiple = 1, run = fixed, shift = -1;

  if (!ctc_describe_integer (model,
          self->features != NULL ? "frames_multiple" : "samples_multiple", 1,
          1 << 20, &multiple, error)
      || !ctc_describe_integer (model, "T", 1, 1 << 20, &run, error)
      || !ctc_describe_integer (model, "window_size", 1, 1 << 20, &run, error)
      || !ctc_describe_integer (model, "chunk_shift", 1, 1 << 20, &shift, error)
      || !ctc_describe_integer (
          model, "decode_chunk_len", 1, 1 << 20, &shift, error))
    return FALSE;
  if (fixed >= 0 && run != fixed)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%s: its metadata say %" G_GINT64_FORMAT
        " frames per run (T, window_size), its input %" G_GINT64_FORMAT,
        self->path, run, fixed);
  if (run < 0) {
    const gint64 rows = (gint64) self->rate * RUN_MS / 1000 / self->row;

    run = MAX ((rows + multiple / 2) / multiple, 1) * multiple;
    self->multiple = (guint) multiple;
  }
  if (shift < 0 || shift > run)
    shift = run;
  self->run = (guint) run;
  self->shift = (guint) shift;
  self->tail = (guint64) self->rate * TAIL_MS / 1000;
  return TRUE;
}

static gboolean
read_whole (CtcModel *self, const InferModel *model, GError **error)
{
  const gint64 fixed = fixed_rows (self, model);

  /* A fixed length is filled with silence. */
  self->longest = fixed > 0 ? (guint64) fixed * self->row
                            : (guint64) self->rate * LONGEST_S;
  self->run = fixed > 0 ? (guint) fixed : 0;
  return TRUE;
}

static gboolean
read_step (CtcModel *self, const InferModel *model, GError **error)
{
  double ms = 0;
  gint64 factor = 0;

  if (!ctc_describe_number (model, "step_ms", 0, 10000, &ms, error)
      || !ctc_describe_integer (
          model, "subsampling_factor", 1, 1000, &factor, error))
    return FALSE;
  self->step =
      ms > 0
          ? ms * self->rate / 1000
          : (double) (factor * (gint64) self->row * (self->features != NULL));
  return TRUE;
}

/* --- loading --- */

void
ctc_model_free (CtcModel *model)
{
  if (model == NULL)
    return;
  g_clear_pointer (&model->executable, infer_executable_unref);
  g_clear_pointer (&model->vocabulary, infer_vocabulary_unref);
  g_free (model->path);
  g_free (model);
}

static gboolean
describe (CtcModel *self, const InferModel *model, const SpeechFolder *folder,
    GError **error)
{
  gint64 rate = RATE;

  if (!read_vocabulary (self, model, folder, error)
      || !ctc_describe_rate (
          model, folder, self->path, &rate, &self->unit_variance, error))
    return FALSE;
  self->rate = (guint) rate;
  self->streaming = infer_model_n_variables (model) > 0;
  if (!find_inputs (self, model, error) || !find_outputs (self, model, error)
      || !read_rows (self, model, error)
      || !(self->streaming ? read_runs : read_whole) (self, model, error)
      || !read_step (self, model, error))
    return FALSE;
  self->per_feature = ctc_describe_per_feature (model);
  if (self->per_feature && (self->streaming || self->features == NULL))
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: features are normalised over an utterance (normalize_type "
        "per_feature), which a model %s has not",
        self->path, self->streaming ? "with states" : "of samples");
  if (self->features != NULL)
    self->pad = ctc_describe_pad (self->features, &self->config);
  else
    self->unit_variance &= !self->streaming;
  return TRUE;
}

CtcModel *
ctc_model_load (
    const SpeechFolder *folder, InferRuntime *runtime, GError **error)
{
  const char *name = ctc_model_file (folder);

  if (name == NULL) {
    infer_fail (error, INFER_ERROR_NOT_FOUND,
        "%s: a CTC model is one network, as 'model.onnx', 'openvino_model.xml' "
        "or 'model.xml'; there is none, or there is an encoder with a decoder",
        folder->path);
    return NULL;
  }
  g_autoptr (CtcModel) self = g_new0 (CtcModel, 1);
  self->path = speech_folder_file (folder, name);
  g_autoptr (InferModel) read =
      infer_runtime_load (runtime, self->path, NULL, error);
  if (read == NULL)
    return NULL;
  g_autoptr (InferModel) model = tie_states (read, error);
  if (model == NULL || !describe (self, model, folder, error))
    return NULL;
  self->executable = infer_executable_new (model, runtime, error);
  return self->executable != NULL ? g_steal_pointer (&self) : NULL;
}
