/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A model on a server as an InferModel: its inputs, one ModelCall, its outputs.
 * A model with sequences has one variable, `sequence`, whose value is on the
 * server. */

#include "inference/formats/source.h"

#include <string.h>

#include "inference/graph/graph.h"
#include "inference/graph/model-private.h"
#include "protocol/datatype.h"
#include "remote/servers.h"

#define VARIABLE "sequence"

/* "f32:1,?,3". */
static char *
describe_desc (const InferDesc *desc)
{
  g_autofree char *shape = infer_shape_to_string (&desc->shape);

  shape[strlen (shape) - 1] = '\0';
  return g_strdup_printf ("%s:%s", infer_type_name (desc->type), shape + 1);
}

static void
name_output (InferOperation *op, guint index, const char *name)
{
  const char *names[] = { name, NULL };

  infer_output_set_names (&op->outputs[index], names);
}

/* --- the call --- */

static InferOperation *
make_call (const char *url, const ProtocolMetadata *metadata,
    gboolean sequences, GError **error)
{
  g_autoptr (GString) outputs = g_string_new (NULL);

  for (guint i = 0; i < metadata->outputs->len; i++) {
    const ProtocolPort *port =
        &g_array_index (metadata->outputs, ProtocolPort, i);
    g_autofree char *text = describe_desc (&port->desc);

    g_string_append_printf (outputs, "%s%s", i > 0 ? ";" : "", text);
  }
  if (sequences)
    g_string_append (outputs, ";u8:8");
  InferOperation *op = infer_operation_make ("ModelCall", metadata->name,
      metadata->inputs->len + sequences, metadata->outputs->len + sequences,
      error, "address", url, "outputs", outputs->str, NULL);
  for (guint i = 0; op != NULL && i < metadata->outputs->len; i++)
    name_output (
        op, i, g_array_index (metadata->outputs, ProtocolPort, i).name);
  return op;
}

static gboolean
add_inputs (InferGraph *graph, InferOperation *call,
    const ProtocolMetadata *metadata, GError **error)
{
  for (guint i = 0; i < metadata->inputs->len; i++) {
    const ProtocolPort *port =
        &g_array_index (metadata->inputs, ProtocolPort, i);
    g_autofree char *text = infer_shape_to_string (&port->desc.shape);

    text[strlen (text) - 1] = '\0';
    InferOperation *op = infer_operation_make ("Parameter", port->name, 0, 1,
        error, "element_type", infer_type_name (port->desc.type), "shape",
        text + 1, NULL);
    if (op == NULL)
      return FALSE;
    name_output (op, 0, port->name);
    infer_graph_add (graph, op);
    infer_operation_connect (call, i, (InferPort){ op, 0 });
  }
  return TRUE;
}

static gboolean
add_outputs (InferGraph *graph, InferOperation *call,
    const ProtocolMetadata *metadata, GError **error)
{
  for (guint i = 0; i < metadata->outputs->len; i++) {
    const ProtocolPort *port =
        &g_array_index (metadata->outputs, ProtocolPort, i);
    InferOperation *op =
        infer_operation_make ("Result", port->name, 1, 1, error, NULL);

    if (op == NULL)
      return FALSE;
    infer_operation_connect (op, 0, (InferPort){ call, i });
    infer_graph_add (graph, op);
  }
  return TRUE;
}

static gboolean
add_sequence (InferGraph *graph, InferOperation *call, GError **error)
{
  const InferDesc desc = { INFER_TYPE_U8, { 1, { 8 } } };
  InferOperation *read = infer_operation_make_read (VARIABLE, &desc, 0, error);

  if (read == NULL)
    return FALSE;
  infer_graph_add (graph, read);
  infer_operation_connect (call, call->n_inputs - 1, (InferPort){ read, 0 });
  InferOperation *assign =
      infer_operation_make_assign (VARIABLE, VARIABLE, error);
  if (assign == NULL)
    return FALSE;
  infer_operation_connect (assign, 0, (InferPort){ call, call->n_outputs - 1 });
  infer_graph_add (graph, assign);
  return TRUE;
}

/* --- the model --- */

/* What the protocol's metadata cannot say, our server says as parameters of the
 * configuration. */
static void
add_settings (InferModel *model, const ProtocolMetadata *metadata)
{
  const gsize prefix = strlen (PROTOCOL_INFO_PREFIX);

  for (guint i = 0; i + 1 < metadata->settings->len; i += 2) {
    const char *key = metadata->settings->pdata[i];

    if (!g_str_has_prefix (key, PROTOCOL_INFO_PREFIX))
      continue;
    g_autofree char *path = g_strconcat ("model_info/", key + prefix, NULL);
    infer_model_put_rt_info (model, path, metadata->settings->pdata[i + 1]);
  }
}

static gboolean
check_ports (const GArray *ports, const char *what, GError **error)
{
  for (guint i = 0; i < ports->len; i++) {
    const ProtocolPort *port = &g_array_index (ports, ProtocolPort, i);

    if (infer_type_size (port->desc.type) == 0)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "%s '%.200s' is of datatype %s; device REMOTE carries numbers only",
          what, port->name, protocol_datatype_name (port->desc.type));
  }
  return TRUE;
}

static gboolean
fill (InferModel *model, const char *url, const ProtocolMetadata *metadata,
    gboolean sequences, GError **error)
{
  if (!check_ports (metadata->inputs, "input", error)
      || !check_ports (metadata->outputs, "output", error))
    return FALSE;
  InferOperation *call = make_call (url, metadata, sequences, error);
  if (call == NULL)
    return FALSE;
  infer_graph_add (model->graph, call);
  add_settings (model, metadata);
  return add_inputs (model->graph, call, metadata, error)
         && add_outputs (model->graph, call, metadata, error)
         && (!sequences || add_sequence (model->graph, call, error))
         && infer_model_settle (model, error);
}

static InferModel *
load (const char *url, GError **error)
{
  g_autoptr (RemoteServers) servers = remote_servers_open (url, error);

  if (servers == NULL)
    return NULL;
  const RemoteAddress *address = servers->address;
  g_autoptr (ProtocolMetadata) metadata =
      remote_servers_describe (servers, error);
  if (metadata == NULL)
    return NULL;
  g_autoptr (InferModel) model =
      infer_model_new (address->model, address->text, 11);
  const gboolean stream = metadata->decoupled
                          && address->stream == REMOTE_USE_AUTO
                          && g_str_equal (address->module, "grpc");
  g_autofree char *call = stream ? g_strdup_printf ("%s%cstream=yes", url,
                              strchr (url, '?') != NULL ? '&' : '?')
                                 : g_strdup (url);
  if (fill (model, call, metadata,
          address->sequence == REMOTE_USE_YES
              || (address->sequence == REMOTE_USE_AUTO && metadata->sequences),
          error))
    return g_steal_pointer (&model);
  g_prefix_error (error, "%s: ", address->text);
  return NULL;
}

static const char *const schemes[] = { "grpc", "grpcs", "http", "https", NULL };

const InferModelSource remote_source = { schemes, load };
