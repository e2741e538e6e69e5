/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every decoder on any tensors, and what is then done with its results.
 *
 * Bytes: the decoder, what it decodes, its settings, the number of tensors,
 * type and shape of each; model_info as text "KEY=value;…" up to a NUL; then
 * as in the control bytes of container.h, and bytes for values. */

#include "tests/fuzz/support/bytes.h"
#include "tests/fuzz/support/container.h"
#include "tests/fuzz/support/fuzz.h"
#include "tests/fuzz/support/results.h"

#include "gst/decoder/decoders/decoder.h"

#define MAX_TENSORS 5
#define MAX_ELEMENTS 20000

static const InferType types[] = { INFER_TYPE_F32, INFER_TYPE_F32,
  INFER_TYPE_F32, INFER_TYPE_I64, INFER_TYPE_I32, INFER_TYPE_F16, INFER_TYPE_U8,
  INFER_TYPE_F64, INFER_TYPE_BOOLEAN, INFER_TYPE_I8, INFER_TYPE_BF16,
  INFER_TYPE_U64, INFER_TYPE_U16 };
static const gint64 dims[] = { 1, 2, 3, 4, 5, 6, 7, 8, 0, 10, 17, 20, 21, 33,
  51, 56, 64, 80, 84, 85, 100, 133, 255 };

typedef struct
{
  guint n;
  InferTensor *tensors[MAX_TENSORS];
  GstInferTensors described;
} Tensors;

static InferShape
read_shape (FuzzBytes *bytes)
{
  InferShape shape = infer_shape_of_rank ((int) fuzz_below (bytes, 6));
  gint64 n = 1;

  for (int d = 0; d < shape.rank; d++) {
    shape.dims[d] = dims[fuzz_below (bytes, G_N_ELEMENTS (dims))];
    if (n * shape.dims[d] > MAX_ELEMENTS)
      shape.dims[d] = 1;
    n *= shape.dims[d];
  }
  return shape;
}

static void
read_tensors (Tensors *tensors, FuzzBytes *bytes)
{
  g_autoptr (GError) error = NULL;

  tensors->n = 1 + fuzz_below (bytes, MAX_TENSORS);
  tensors->described = (GstInferTensors){ .n = tensors->n, .fps_d = 1 };
  for (guint i = 0; i < tensors->n; i++) {
    const InferType type = types[fuzz_below (bytes, G_N_ELEMENTS (types))];
    const InferShape shape = read_shape (bytes);

    tensors->tensors[i] = infer_tensor_new (type, &shape, &error);
    g_assert_no_error (error);
    tensors->described.descs[i] = (InferDesc){ type, shape };
  }
}

static GstStructure *
read_info (FuzzBytes *bytes)
{
  g_autofree char *text = fuzz_text (bytes, 2000);
  g_auto (GStrv) words = NULL;
  GstStructure *info = gst_structure_new_empty ("inferfilter/model-info");

  if (!g_utf8_validate (text, -1, NULL))
    return info;
  words = g_strsplit (text, ";", 20);
  for (guint i = 0; words[i] != NULL; i++) {
    char *equals = strchr (words[i], '=');

    if (equals == NULL)
      continue;
    *equals = '\0';
    if (g_ascii_isalpha (words[i][0]))
      gst_structure_set (info, words[i], G_TYPE_STRING, equals + 1, NULL);
  }
  return info;
}

static void
fill (const Tensors *tensors, const FuzzBytes *bytes)
{
  FuzzInput input = { .weights = bytes->data, .n_weights = bytes->left };

  if (bytes->left > 0)
    memcpy (input.control, bytes->data, MIN (bytes->left, FUZZ_CONTROL));
  for (guint i = 0; i < tensors->n; i++)
    fuzz_input_fill (&input, tensors->tensors[i]);
}

static void
check (gboolean ok, GError **error)
{
  if (ok && *error != NULL)
    g_error ("a success with an error: %s", (*error)->message);
  if (!ok && *error == NULL)
    g_error ("a failure without an error");
}

/* --- streams --- */

static void
drop (GstInferDecoderOutput *output)
{
  GstMiniObject *object;

  while ((object = g_queue_pop_head (output)) != NULL)
    gst_mini_object_unref (object);
}

static void
decode_stream (const GstInferDecoderKind *kind, gpointer decoder,
    const Tensors *tensors, FuzzBytes *bytes)
{
  GstInferDecoderOutput output = G_QUEUE_INIT;
  GstInferDecoderInput input = { .tensors = &tensors->described };

  for (guint i = 0; i < tensors->n; i++)
    input.data[i] = tensors->tensors[i]->data;
  for (guint i = 0; i < 3; i++) {
    g_autoptr (GError) error = NULL;

    input.pts = i == 1 ? GST_CLOCK_TIME_NONE : (GstClockTime) fuzz_i64 (bytes);
    input.duration =
        i == 2 ? GST_CLOCK_TIME_NONE : fuzz_u8 (bytes) * GST_MSECOND;
    check (kind->decode (decoder, &input, &output, &error), &error);
  }
  if (kind->latency != NULL)
    kind->latency (decoder);
  if (kind->finish != NULL)
    kind->finish (decoder, &output);
  if (kind->reset != NULL)
    kind->reset (decoder);
  drop (&output);
}

/* --- frames --- */

static void
decode_frame (const GstInferDecoderKind *kind, gpointer decoder,
    const Tensors *tensors, const GstInferDecoderConfig *config,
    FuzzBytes *bytes)
{
  g_autoptr (GError) error = NULL;
  GstVideoInfo video;
  GstVideoRegionOfInterestMeta *roi = NULL;

  gst_video_info_set_format (&video,
      fuzz_below (bytes, 2) ? GST_VIDEO_FORMAT_I420 : GST_VIDEO_FORMAT_RGB, 64,
      48);
  g_autoptr (GstBuffer) buffer = fuzz_new_frame (&video);
  GstInferTensorMeta *meta = gst_buffer_add_infer_tensor_meta (
      buffer, tensors->n, (InferTensor *const *) tensors->tensors, NULL);
  meta->input_width = config->input_width;
  meta->input_height = config->input_height;
  if (fuzz_below (bytes, 2))
    meta->map = (GstInferMap){ fuzz_u8 (bytes), -fuzz_u8 (bytes),
      fuzz_u8 (bytes) / 32.0, fuzz_u8 (bytes) / 32.0 };
  if (fuzz_below (bytes, 2))
    roi = gst_buffer_add_video_region_of_interest_meta (
        buffer, "face", 10, 10, 30, 20);
  meta->roi_id = roi != NULL ? roi->id : -1;
  const GstInferDecoderFrame frame = { buffer, &video, meta, roi, "a model" };
  check (kind->decode_frame (decoder, &frame, &error), &error);
  fuzz_use_results (buffer, &video);
}

static void
decode (const GstInferDecoderKind *kind, const GstInferDecoderConfig *config,
    const Tensors *tensors, gboolean video, FuzzBytes *bytes)
{
  g_autoptr (GError) error = NULL;

  if (kind->fit != NULL)
    kind->fit (config);
  gpointer decoder = kind->create (config, &error);
  check (decoder != NULL, &error);
  if (decoder == NULL)
    return;
  fill (tensors, bytes);
  if (video)
    decode_frame (kind, decoder, tensors, config, bytes);
  else
    decode_stream (kind, decoder, tensors, bytes);
  kind->free (decoder);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  static const double levels[] = { -1, 0, 0.25, 0.5, 1 };
  FuzzBytes bytes = { data, size };
  guint n = 0;
  Tensors tensors;

  if (!gst_is_initialized ()) {
    gst_init (NULL, NULL);
    gst_infer_results_init ();
  }
  while (gst_infer_decoders ()[n] != NULL)
    n++;
  const GstInferDecoderKind *kind =
      gst_infer_decoders ()[fuzz_below (&bytes, n)];
  const gboolean video =
      kind->decode == NULL
      || (kind->decode_frame != NULL && fuzz_below (&bytes, 2));
  GstInferDecoderConfig config = {
    .beam_width = 1 + fuzz_below (&bytes, 8),
    .separator = "\n",
    .threshold = levels[fuzz_below (&bytes, G_N_ELEMENTS (levels))],
    .iou_threshold = levels[fuzz_below (&bytes, G_N_ELEMENTS (levels))],
    .max_results = 1 + fuzz_below (&bytes, 40),
    .top_k = 1 + fuzz_below (&bytes, 5),
    .input_width = fuzz_below (&bytes, 65),
    .input_height = fuzz_below (&bytes, 65),
  };
  read_tensors (&tensors, &bytes);
  g_autoptr (GstStructure) info = read_info (&bytes);
  config.info = info;
  config.type = gst_structure_get_string (info, "model_type");
  config.tensors = &tensors.described;
  decode (kind, &config, &tensors, video, &bytes);
  for (guint i = 0; i < tensors.n; i++)
    infer_tensor_unref (tensors.tensors[i]);
  return 0;
}
