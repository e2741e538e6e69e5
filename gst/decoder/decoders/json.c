/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A line of JSON for each buffer:
 * {"pts":0,"duration":100000000,"tensors":[{"name":"logits",
 * "type":"float32","shape":[1,2,11],"values":[…]}]}
 * Times are in nanoseconds, null if not known; NaN and infinities are null. */

#include <string.h>

#include "gst/decoder/decoders/decoder.h"
#include "gst/common/json-text.h"

typedef struct
{
  GStrv names;
} Json;

static gpointer
json_create (const GstInferDecoderConfig *config, GError **error)
{
  Json *json = g_new0 (Json, 1);

  if (config->info != NULL)
    gst_structure_get (
        config->info, "outputs", G_TYPE_STRV, &json->names, NULL);
  return json;
}

static void
json_free (gpointer decoder)
{
  Json *json = decoder;

  g_strfreev (json->names);
  g_free (json);
}

/* @element lies at any address: tensors of a buffer follow each other. */
static void
append_value (GString *line, InferType type, gconstpointer element)
{
  double real = 0;
  gint64 integer = 0;
  guint64 natural = 0;

  switch (type) {
    case INFER_TYPE_F64:
    case INFER_TYPE_F32:
    case INFER_TYPE_F16:
      infer_convert (&real, INFER_TYPE_F64, element, type, 1);
      gst_infer_json_real (line, real,
          type == INFER_TYPE_F64   ? "%.17g"
          : type == INFER_TYPE_F32 ? "%.9g"
                                   : "%.5g");
      return;
    case INFER_TYPE_U64:
      memcpy (&natural, element, sizeof natural);
      g_string_append_printf (line, "%" G_GUINT64_FORMAT, natural);
      return;
    default:
      infer_convert (&integer, INFER_TYPE_I64, element, type, 1);
      g_string_append_printf (line, "%" G_GINT64_FORMAT, integer);
  }
}

static void
append_tensor (GString *line, const Json *json, guint index,
    const InferDesc *desc, gconstpointer data)
{
  gboolean named = json->names != NULL && index < g_strv_length (json->names);
  g_autofree char *number = g_strdup_printf ("%u", index);
  gsize n = infer_shape_count (&desc->shape);

  g_string_append (line, index > 0 ? ",{\"name\":" : "{\"name\":");
  gst_infer_json_string (line, named ? json->names[index] : number);
  g_string_append_printf (
      line, ",\"type\":\"%s\",\"shape\":[", gst_infer_type_name (desc->type));
  for (int i = 0; i < desc->shape.rank; i++)
    g_string_append_printf (
        line, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", desc->shape.dims[i]);
  g_string_append (line, "],\"values\":[");
  for (gsize i = 0; i < n; i++) {
    if (i > 0)
      g_string_append_c (line, ',');
    append_value (line, desc->type,
        (const guint8 *) data + i * infer_type_size (desc->type));
  }
  g_string_append (line, "]}");
}

#define LONGEST_NUMBER 25   /* with its comma */
#define FRAME_OF_TENSOR 500 /* type, shape and what is around them */

/* Enough for all of them. */
static gsize
size_of_line (const Json *json, const GstInferTensors *tensors)
{
  gsize size = FRAME_OF_TENSOR;

  for (guint i = 0; i < tensors->n; i++)
    size += infer_shape_count (&tensors->descs[i].shape) * LONGEST_NUMBER
            + FRAME_OF_TENSOR;
  for (guint i = 0; json->names != NULL && json->names[i] != NULL; i++)
    size += GST_INFER_JSON_LONGEST (strlen (json->names[i]));
  return size;
}

static gboolean
json_decode (gpointer decoder, const GstInferDecoderInput *input,
    GstInferDecoderOutput *output, GError **error)
{
  GString *line = g_string_new ("{");
  const gsize most = size_of_line (decoder, input->tensors);

  if (!gst_infer_json_reserve (line, most)) {
    g_string_free (line, TRUE);
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "no memory for a line of up to %" G_GSIZE_FORMAT " bytes of JSON",
        most);
  }
  gst_infer_json_key (line, "pts");
  gst_infer_json_time (line, input->pts);
  gst_infer_json_key (line, "duration");
  gst_infer_json_time (line, input->duration);
  gst_infer_json_key (line, "tensors");
  g_string_append_c (line, '[');
  for (guint i = 0; i < input->tensors->n; i++)
    append_tensor (line, decoder, i, &input->tensors->descs[i], input->data[i]);
  g_string_append (line, "]}\n");

  gsize size = line->len;
  GstBuffer *buffer =
      gst_buffer_new_wrapped (g_string_free (line, FALSE), size);
  GST_BUFFER_PTS (buffer) = input->pts;
  GST_BUFFER_DURATION (buffer) = input->duration;
  g_queue_push_tail (output, buffer);
  return TRUE;
}

const GstInferDecoderKind gst_infer_decoder_json = {
  .name = "json",
  .description = "The tensors as a line of JSON each buffer",
  .model_types = (const char *const[]){ NULL },
  .caps = "application/json",
  .create = json_create,
  .free = json_free,
  .decode = json_decode,
};
