/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A line of JSON for each buffer:
 * {"pts":0,"duration":100000000,"tensors":[{"name":"logits",
 * "type":"float32","shape":[1,2,11],"values":[…]}]}
 * Times are in nanoseconds, null if not known; NaN and infinities are null. */

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

static void
append_value (GString *line, InferType type, gconstpointer data, gsize i)
{
  switch (type) {
    case INFER_TYPE_F64:
      gst_infer_json_real (line, ((const double *) data)[i], "%.17g");
      return;
    case INFER_TYPE_F32:
      gst_infer_json_real (line, ((const float *) data)[i], "%.9g");
      return;
    case INFER_TYPE_F16:
      gst_infer_json_real (
          line, infer_f16_to_f32 (((const guint16 *) data)[i]), "%.5g");
      return;
    case INFER_TYPE_U64:
      g_string_append_printf (
          line, "%" G_GUINT64_FORMAT, ((const guint64 *) data)[i]);
      return;
    default: {
      const guint8 *element =
          (const guint8 *) data + i * infer_type_size (type);
      gint64 value = 0;

      infer_convert (&value, INFER_TYPE_I64, element, type, 1);
      g_string_append_printf (line, "%" G_GINT64_FORMAT, value);
    }
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
    append_value (line, desc->type, data, i);
  }
  g_string_append (line, "]}");
}

static gboolean
json_decode (gpointer decoder, const GstInferDecoderInput *input,
    GstInferDecoderOutput *output, GError **error)
{
  GString *line = g_string_new ("{");

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
