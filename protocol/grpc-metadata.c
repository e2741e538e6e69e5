/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "protocol/datatype.h"
#include "protocol/grpc-private.h"
#include "protocol/metadata.h"

/* The runtime's element types by the number that the configuration has. */
static const InferType config_types[] = {
  INFER_TYPE_DYNAMIC,
  INFER_TYPE_BOOLEAN,
  INFER_TYPE_U8,
  INFER_TYPE_U16,
  INFER_TYPE_U32,
  INFER_TYPE_U64,
  INFER_TYPE_I8,
  INFER_TYPE_I16,
  INFER_TYPE_I32,
  INFER_TYPE_I64,
  INFER_TYPE_F16,
  INFER_TYPE_F32,
  INFER_TYPE_F64,
  INFER_TYPE_STRING,
  INFER_TYPE_BF16,
};

static Inference__DataType
config_type (InferType type)
{
  for (guint i = 0; i < G_N_ELEMENTS (config_types); i++)
    if (config_types[i] == type)
      return (Inference__DataType) i;
  return INFERENCE__DATA_TYPE__TYPE_INVALID;
}

/* Messages of protobuf-c have no const strings; these are only read. */
static char *
text (const char *constant)
{
  return (char *) (guintptr) constant;
}

/* --- metadata --- */

static Inference__TensorMetadata **
write_ports (const GArray *ports)
{
  Inference__TensorMetadata **list =
      g_new (Inference__TensorMetadata *, ports->len);

  for (guint i = 0; i < ports->len; i++) {
    ProtocolPort *port = &g_array_index (ports, ProtocolPort, i);
    const char *datatype = protocol_datatype_name (port->desc.type);

    list[i] = g_new (Inference__TensorMetadata, 1);
    inference__tensor_metadata__init (list[i]);
    list[i]->name = port->name;
    list[i]->datatype = text (datatype != NULL ? datatype : "");
    list[i]->n_shape = (gsize) port->desc.shape.rank;
    list[i]->shape = port->desc.shape.dims;
  }
  return list;
}

static void
free_list (gpointer list, gsize n)
{
  for (gsize i = 0; i < n; i++)
    g_free (((gpointer *) list)[i]);
  g_free (list);
}

void
protocol_grpc_write_metadata (
    const ProtocolMetadata *metadata, ProtocolParts *parts)
{
  Inference__ModelMetadataResponse message =
      INFERENCE__MODEL_METADATA_RESPONSE__INIT;

  message.name = metadata->name;
  message.platform = metadata->platform;
  message.n_versions = metadata->versions->len;
  message.versions = (char **) metadata->versions->pdata;
  message.n_inputs = metadata->inputs->len;
  message.inputs = write_ports (metadata->inputs);
  message.n_outputs = metadata->outputs->len;
  message.outputs = write_ports (metadata->outputs);
  protocol_pack (&message, parts);
  free_list (message.inputs, message.n_inputs);
  free_list (message.outputs, message.n_outputs);
}

static gboolean
read_ports (GArray *ports, Inference__TensorMetadata *const *list, gsize n,
    GError **error)
{
  for (gsize i = 0; i < n; i++) {
    const Inference__TensorMetadata *from = list[i];
    InferDesc desc;

    if (!g_utf8_validate (from->name, -1, NULL))
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "metadata: the name of tensor %zu is not UTF-8", i);
    if (!protocol_datatype_parse (from->datatype, &desc.type))
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "metadata: tensor '%s' has the unknown datatype '%s'", from->name,
          from->datatype);
    if (from->n_shape > INFER_MAX_RANK)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "metadata: tensor '%s' has %zu dimensions; at most %d are possible",
          from->name, from->n_shape, INFER_MAX_RANK);
    desc.shape = infer_shape_new ((int) from->n_shape, from->shape);
    for (gsize d = 0; d < from->n_shape; d++)
      if (desc.shape.dims[d] < 0)
        desc.shape.dims[d] = INFER_DYNAMIC;
    protocol_metadata_add_port (ports, from->name, &desc);
  }
  return TRUE;
}

ProtocolMetadata *
protocol_grpc_read_metadata (GBytes *bytes, GError **error)
{
  ProtocolAllocator allocator;
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  Inference__ModelMetadataResponse *message =
      protocol_unpack (&inference__model_metadata_response__descriptor,
          "ModelMetadataResponse", data, size, &allocator, error);

  if (message == NULL)
    return NULL;
  g_autofree char *name = g_utf8_make_valid (message->name, -1);
  g_autoptr (ProtocolMetadata) metadata = protocol_metadata_new (name);
  g_free (metadata->platform);
  metadata->platform = g_utf8_make_valid (message->platform, -1);
  for (gsize i = 0; i < message->n_versions; i++)
    g_ptr_array_add (
        metadata->versions, g_utf8_make_valid (message->versions[i], -1));
  const gboolean done =
      read_ports (metadata->inputs, message->inputs, message->n_inputs, error)
      && read_ports (
          metadata->outputs, message->outputs, message->n_outputs, error);
  protobuf_c_message_free_unpacked (&message->base, &allocator.allocator);
  return done ? g_steal_pointer (&metadata) : NULL;
}

/* --- configuration --- */

static void
write_config_ports (
    const ProtocolMetadata *metadata, Inference__ModelConfig *config)
{
  config->n_input = metadata->inputs->len;
  config->input = g_new (Inference__ModelInput *, config->n_input);
  for (guint i = 0; i < metadata->inputs->len; i++) {
    ProtocolPort *port = &g_array_index (metadata->inputs, ProtocolPort, i);

    config->input[i] = g_new (Inference__ModelInput, 1);
    inference__model_input__init (config->input[i]);
    config->input[i]->name = port->name;
    config->input[i]->data_type = config_type (port->desc.type);
    config->input[i]->n_dims = (gsize) port->desc.shape.rank;
    config->input[i]->dims = port->desc.shape.dims;
  }
  config->n_output = metadata->outputs->len;
  config->output = g_new (Inference__ModelOutput *, config->n_output);
  for (guint i = 0; i < metadata->outputs->len; i++) {
    ProtocolPort *port = &g_array_index (metadata->outputs, ProtocolPort, i);

    config->output[i] = g_new (Inference__ModelOutput, 1);
    inference__model_output__init (config->output[i]);
    config->output[i]->name = port->name;
    config->output[i]->data_type = config_type (port->desc.type);
    config->output[i]->n_dims = (gsize) port->desc.shape.rank;
    config->output[i]->dims = port->desc.shape.dims;
  }
}

void
protocol_grpc_write_config (
    const ProtocolMetadata *metadata, ProtocolParts *parts)
{
  Inference__ModelConfigResponse response =
      INFERENCE__MODEL_CONFIG_RESPONSE__INIT;
  Inference__ModelConfig config = INFERENCE__MODEL_CONFIG__INIT;
  Inference__ModelSequenceBatching sequences =
      INFERENCE__MODEL_SEQUENCE_BATCHING__INIT;
  Inference__StrategyDirect direct = INFERENCE__STRATEGY_DIRECT__INIT;
  const guint n = metadata->settings->len / 2;
  g_autofree Inference__ModelParameter *values =
      g_new (Inference__ModelParameter, n);
  g_autofree Inference__ModelParameterEntry *entries =
      g_new (Inference__ModelParameterEntry, n);
  g_autofree Inference__ModelParameterEntry **list =
      g_new (Inference__ModelParameterEntry *, n);

  for (guint i = 0; i < n; i++) {
    inference__model_parameter__init (&values[i]);
    inference__model_parameter_entry__init (&entries[i]);
    values[i].string_value = g_ptr_array_index (metadata->settings, 2 * i + 1);
    entries[i].key = g_ptr_array_index (metadata->settings, 2 * i);
    entries[i].value = &values[i];
    list[i] = &entries[i];
  }
  response.config = &config;
  config.name = metadata->name;
  config.platform = metadata->platform;
  config.backend = text ("inferfilter");
  config.max_batch_size = metadata->batch;
  config.n_parameters = n;
  config.parameters = list;
  if (metadata->sequences) {
    sequences.max_sequence_idle_microseconds = metadata->idle_us;
    sequences.strategy_choice_case =
        INFERENCE__MODEL_SEQUENCE_BATCHING__STRATEGY_CHOICE_DIRECT;
    sequences.direct = &direct;
    config.scheduling_choice_case =
        INFERENCE__MODEL_CONFIG__SCHEDULING_CHOICE_SEQUENCE_BATCHING;
    config.sequence_batching = &sequences;
  }
  write_config_ports (metadata, &config);
  protocol_pack (&response, parts);
  free_list (config.input, config.n_input);
  free_list (config.output, config.n_output);
}

static void
read_config (const Inference__ModelConfig *config, ProtocolMetadata *metadata)
{
  metadata->batch = config->max_batch_size;
  metadata->decoupled = config->model_transaction_policy != NULL
                        && config->model_transaction_policy->decoupled;
  metadata->sequences =
      config->scheduling_choice_case
      == INFERENCE__MODEL_CONFIG__SCHEDULING_CHOICE_SEQUENCE_BATCHING;
  metadata->idle_us =
      metadata->sequences && config->sequence_batching != NULL
          ? config->sequence_batching->max_sequence_idle_microseconds
          : 0;
  g_ptr_array_set_size (metadata->settings, 0);
  for (gsize i = 0; i < config->n_parameters; i++) {
    const Inference__ModelParameterEntry *entry = config->parameters[i];

    if (entry->value == NULL)
      continue;
    g_ptr_array_add (metadata->settings, g_utf8_make_valid (entry->key, -1));
    g_ptr_array_add (
        metadata->settings, g_utf8_make_valid (entry->value->string_value, -1));
  }
}

gboolean
protocol_grpc_read_config (
    GBytes *bytes, ProtocolMetadata *metadata, GError **error)
{
  ProtocolAllocator allocator;
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  Inference__ModelConfigResponse *message =
      protocol_unpack (&inference__model_config_response__descriptor,
          "ModelConfigResponse", data, size, &allocator, error);

  if (message == NULL)
    return FALSE;
  const gboolean done = message->config != NULL;
  if (done)
    read_config (message->config, metadata);
  else
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "ModelConfigResponse has no configuration");
  protobuf_c_message_free_unpacked (&message->base, &allocator.allocator);
  return done;
}
