/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/json.h"
#include "protocol/datatype.h"
#include "protocol/json-text.h"
#include "protocol/metadata.h"

/* --- writing --- */

static void
write_dims (const InferShape *shape, GString *json)
{
  g_string_append_c (json, '[');
  for (int i = 0; i < shape->rank; i++) {
    protocol_json_next (json);
    g_string_append_printf (json, "%" G_GINT64_FORMAT, shape->dims[i]);
  }
  g_string_append_c (json, ']');
}

/* @config: as the configuration names types and shapes. */
static void
write_ports (
    const GArray *ports, const char *key, gboolean config, GString *json)
{
  protocol_json_key (json, key);
  g_string_append_c (json, '[');
  for (guint i = 0; i < ports->len; i++) {
    const ProtocolPort *port = &g_array_index (ports, ProtocolPort, i);
    const char *datatype = protocol_datatype_name (port->desc.type);
    const InferType type = port->desc.type;

    protocol_json_next (json);
    g_string_append_c (json, '{');
    protocol_json_add_string (json, "name", port->name);
    if (config) {
      g_autofree char *name = g_strconcat ("TYPE_",
          datatype == NULL            ? "INVALID"
          : type == INFER_TYPE_STRING ? "STRING"
                                      : datatype,
          NULL);
      protocol_json_add_string (json, "data_type", name);
    } else {
      protocol_json_add_string (
          json, "datatype", datatype != NULL ? datatype : "");
    }
    protocol_json_key (json, config ? "dims" : "shape");
    write_dims (&port->desc.shape, json);
    g_string_append_c (json, '}');
  }
  g_string_append_c (json, ']');
}

void
protocol_rest_write_metadata (const ProtocolMetadata *metadata, GString *json)
{
  g_string_append_c (json, '{');
  protocol_json_add_string (json, "name", metadata->name);
  protocol_json_key (json, "versions");
  g_string_append_c (json, '[');
  for (guint i = 0; i < metadata->versions->len; i++) {
    protocol_json_next (json);
    protocol_json_string (json, g_ptr_array_index (metadata->versions, i));
  }
  g_string_append_c (json, ']');
  protocol_json_add_string (json, "platform", metadata->platform);
  write_ports (metadata->inputs, "inputs", FALSE, json);
  write_ports (metadata->outputs, "outputs", FALSE, json);
  g_string_append_c (json, '}');
}

void
protocol_rest_write_config (const ProtocolMetadata *metadata, GString *json)
{
  g_string_append_c (json, '{');
  protocol_json_add_string (json, "name", metadata->name);
  protocol_json_add_string (json, "platform", metadata->platform);
  protocol_json_add_string (json, "backend", "inferfilter");
  protocol_json_key (json, "max_batch_size");
  g_string_append_printf (json, "%d", metadata->batch);
  write_ports (metadata->inputs, "input", TRUE, json);
  write_ports (metadata->outputs, "output", TRUE, json);
  if (metadata->sequences) {
    protocol_json_key (json, "sequence_batching");
    g_string_append_printf (json,
        "{\"max_sequence_idle_microseconds\":%" G_GUINT64_FORMAT
        ",\"direct\":{}}",
        metadata->idle_us);
  }
  protocol_json_key (json, "parameters");
  g_string_append_c (json, '{');
  for (guint i = 0; i + 1 < metadata->settings->len; i += 2) {
    protocol_json_key (json, g_ptr_array_index (metadata->settings, i));
    g_string_append_c (json, '{');
    protocol_json_add_string (
        json, "string_value", g_ptr_array_index (metadata->settings, i + 1));
    g_string_append_c (json, '}');
  }
  g_string_append (json, "}}");
}

/* --- reading --- */

static gboolean
read_port (GArray *ports, InferJsonValue item, GError **error)
{
  const char *name, *datatype;
  InferJsonValue dims;
  InferDesc desc;

  if (!infer_json_get_string (item, "name", &name, error)
      || !infer_json_get_string (item, "datatype", &datatype, error)
      || !infer_json_get_array (item, "shape", &dims, error))
    return FALSE;
  if (!protocol_datatype_parse (datatype, &desc.type))
    return infer_json_fail (item, error,
        "tensor '%s' has the unknown datatype '%s'", name, datatype);
  if (infer_json_length (dims) > INFER_MAX_RANK)
    return infer_json_fail (dims, error,
        "%u dimensions; at most %d are possible", infer_json_length (dims),
        INFER_MAX_RANK);
  desc.shape = infer_shape_of_rank ((int) infer_json_length (dims));
  for (int i = 0; i < desc.shape.rank; i++) {
    gint64 *dim = &desc.shape.dims[i];
    if (!infer_json_to_int (infer_json_at (dims, (guint) i), dim, error))
      return FALSE;
    *dim = MAX (*dim, INFER_DYNAMIC);
  }
  protocol_metadata_add_port (ports, name, &desc);
  return TRUE;
}

static gboolean
read_ports (GArray *ports, InferJsonValue root, const char *key, GError **error)
{
  InferJsonValue list;

  if (!infer_json_get_array (root, key, &list, error))
    return FALSE;
  for (guint i = 0; i < infer_json_length (list); i++)
    if (!read_port (ports, infer_json_at (list, i), error))
      return FALSE;
  return TRUE;
}

static ProtocolMetadata *
read_metadata (InferJsonValue root, GError **error)
{
  const char *name, *platform = "", *version;
  InferJsonValue versions = { 0 };

  if (!infer_json_get_string (root, "name", &name, error)
      || !infer_json_opt_string (root, "platform", &platform, error)
      || !infer_json_opt_array (root, "versions", &versions, error))
    return NULL;
  g_autoptr (ProtocolMetadata) metadata = protocol_metadata_new (name);
  g_free (metadata->platform);
  metadata->platform = g_strdup (platform);
  for (guint i = 0; i < infer_json_length (versions); i++) {
    if (!infer_json_to_string (
            infer_json_at (versions, i), &version, NULL, error))
      return NULL;
    g_ptr_array_add (metadata->versions, g_strdup (version));
  }
  if (!read_ports (metadata->inputs, root, "inputs", error)
      || !read_ports (metadata->outputs, root, "outputs", error))
    return NULL;
  return g_steal_pointer (&metadata);
}

static InferJson *
parse (const char *what, GBytes *body, GError **error)
{
  gsize size;
  const char *data = g_bytes_get_data (body, &size);
  InferJson *json =
      infer_json_parse (what, data != NULL ? data : "", size, error);

  if (json != NULL
      && infer_json_type (infer_json_root (json)) != INFER_JSON_OBJECT) {
    infer_json_fail (infer_json_root (json), error, "an object was expected");
    g_clear_pointer (&json, infer_json_free);
  }
  return json;
}

ProtocolMetadata *
protocol_rest_read_metadata (GBytes *body, GError **error)
{
  g_autoptr (InferJson) json = parse ("the model's metadata", body, error);

  return json != NULL ? read_metadata (infer_json_root (json), error) : NULL;
}

static void
read_settings (InferJsonValue parameters, GPtrArray *settings)
{
  g_ptr_array_set_size (settings, 0);
  for (guint i = 0; i < infer_json_length (parameters); i++) {
    const InferJsonValue value =
        infer_json_find (infer_json_at (parameters, i), "string_value");
    const char *text;

    if (!infer_json_to_string (value, &text, NULL, NULL))
      continue;
    g_ptr_array_add (settings, g_strdup (infer_json_key (parameters, i, NULL)));
    g_ptr_array_add (settings, g_strdup (text));
  }
}

gboolean
protocol_rest_read_config (
    GBytes *body, ProtocolMetadata *metadata, GError **error)
{
  g_autoptr (InferJson) json = parse ("the model's configuration", body, error);
  InferJsonValue parameters = { 0 }, sequences = { 0 };
  gint64 batch = 0, idle = 0;

  if (json == NULL)
    return FALSE;
  const InferJsonValue root = infer_json_root (json);
  if (!infer_json_opt_int (root, "max_batch_size", &batch, error)
      || !infer_json_opt_object (root, "sequence_batching", &sequences, error)
      || !infer_json_opt_object (root, "parameters", &parameters, error))
    return FALSE;
  metadata->batch = (int) CLAMP (batch, 0, G_MAXINT);
  metadata->sequences = infer_json_type (sequences) == INFER_JSON_OBJECT;
  if (metadata->sequences
      && !infer_json_opt_int (
          sequences, "max_sequence_idle_microseconds", &idle, error))
    return FALSE;
  metadata->idle_us = (guint64) MAX (idle, 0);
  read_settings (parameters, metadata->settings);
  return TRUE;
}
