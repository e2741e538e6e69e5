/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A server of the Open Inference Protocol over gRPC that does what its models'
 * names say, well or badly.  It prints its port, then serves until it is
 * killed.
 *
 *   double      out = 2 · in, of one row or several
 *   pause       the same, 20 ms later
 *   sum         a sequence: out = the sum of all inputs of it so far, with the
 *               state extension if --state is given; half a message if there
 *               are 5 rows
 *   busy        like double, but refuses every second call
 *               (RESOURCE_EXHAUSTED)
 *   full        refuses every call so
 *   invalid     refuses every call as malformed (INVALID_ARGUMENT)
 *   slow        never answers
 *   truncated   answers half a message
 *   wrong-type  answers INT32 instead of FP32
 *   wrong-shape answers three dimensions
 *   no-output   answers without a tensor
 *   odd-name    answers an output of another name
 *
 * Models that are questions:
 *   count       calls of the others since the last question
 *   sequences   sequences there are
 *   most        sequences there were at a time
 *   checkpoints states that were given
 *   drain       from now on it drains
 *
 * Usage: fake-server [--state] [PORT [ADDRESS]] */

#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/time.h>
#include <inference.pb-c.h>
#include <stdio.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#include "protocol/grpc.h"
#include "protocol/metadata.h"
#include "protocol/status.h"

static gboolean has_state;
static gboolean draining;
static GHashTable *sums; /* sequence's key → float * */
static guint n_calls, n_checkpoints, most_sequences;

/* --- models --- */

static const char *const models[] = { "double", "pause", "sum", "busy", "full",
  "slow", "truncated", "wrong-type", "wrong-shape", "no-output", "odd-name",
  "invalid", "count", "sequences", "most", "checkpoints", "drain" };

static gboolean
has_model (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    if (g_str_equal (models[i], name))
      return TRUE;
  return FALSE;
}

static ProtocolMetadata *
describe (const char *name)
{
  const InferDesc desc = { INFER_TYPE_F32,
    { .rank = 2, .dims = { INFER_DYNAMIC, 3 } } };
  ProtocolMetadata *metadata = protocol_metadata_new (name);

  protocol_metadata_add_port (metadata->inputs, "in", &desc);
  protocol_metadata_add_port (metadata->outputs, "out", &desc);
  metadata->sequences = g_str_equal (name, "sum");
  g_ptr_array_add (metadata->settings,
      g_strdup (PROTOCOL_INFO_PREFIX "confidence_threshold"));
  g_ptr_array_add (metadata->settings, g_strdup ("0.25"));
  return metadata;
}

/* (transfer full); NULL: none. */
static char *
sequence_key (const ProtocolInfer *request)
{
  const ProtocolParameter *id = protocol_infer_find (request, "sequence_id");

  if (id == NULL)
    return NULL;
  return id->type == PROTOCOL_STRING
             ? g_strdup_printf ("'%s'", id->string)
             : g_strdup_printf ("%" G_GINT64_FORMAT, id->integer);
}

/* Adds up the inputs of the request's sequence. */
static const char *
add_up (const ProtocolInfer *request, float *values, gsize n)
{
  g_autofree char *key = sequence_key (request);
  gboolean start = FALSE, end = FALSE;

  if (key == NULL
      || !protocol_infer_get_bool (request, "sequence_start", &start, NULL)
      || !protocol_infer_get_bool (request, "sequence_end", &end, NULL))
    return "no sequence";
  float *sum = g_hash_table_lookup (sums, key);
  if (sum == NULL && !start)
    return "unknown sequence";
  if (start) {
    sum = g_new0 (float, 3);
    g_hash_table_insert (sums, g_strdup (key), sum);
    most_sequences = MAX (most_sequences, g_hash_table_size (sums));
    for (guint i = 0; i < request->tensors->len; i++) {
      const ProtocolTensor *t = protocol_infer_tensor (request, i);

      if (g_str_equal (t->name, PROTOCOL_STATE_EXTENSION) && t->size == 12)
        memcpy (sum, t->data, 12);
    }
  }
  for (gsize i = 0; i < n; i++)
    values[i] = sum[i % 3] += values[i];
  if (end)
    g_hash_table_remove (sums, key);
  return NULL;
}

static void
add_output (ProtocolInfer *response, const char *name, const char *datatype,
    const gint64 *dims, gsize rank, gpointer data, gsize size)
{
  ProtocolTensor *tensor = protocol_infer_add_tensor (response);

  g_assert_true (
      protocol_tensor_set_desc (tensor, name, datatype, dims, rank, NULL));
  protocol_tensor_take_data (tensor, data, size);
}

static gboolean
answer_question (const char *model, float *value)
{
  if (g_str_equal (model, "count")) {
    *value = (float) (n_calls - 1);
    n_calls = 0;
  } else if (g_str_equal (model, "sequences")) {
    *value = (float) g_hash_table_size (sums);
  } else if (g_str_equal (model, "most")) {
    *value = (float) most_sequences;
  } else if (g_str_equal (model, "checkpoints")) {
    *value = (float) n_checkpoints;
  } else if (g_str_equal (model, "drain")) {
    draining = TRUE;
  } else {
    return FALSE;
  }
  return TRUE;
}

/* NULL: with *@code.  (transfer full) */
static ProtocolInfer *
compute (const ProtocolInfer *request, int *code, const char **text)
{
  const char *model = request->model;
  const ProtocolTensor *in =
      request->tensors->len > 0 ? protocol_infer_tensor (request, 0) : NULL;

  *code = PROTOCOL_GRPC_INVALID_ARGUMENT;
  *text = "one FP32 input 'in' of [-1,3] was expected";
  if (g_str_equal (model, "invalid") || in == NULL || in->type != INFER_TYPE_F32
      || in->shape.rank != 2 || in->shape.dims[1] != 3)
    return NULL;
  *code = PROTOCOL_GRPC_RESOURCE_EXHAUSTED;
  *text = "busy";
  if ((g_str_equal (model, "busy") && n_calls % 2 == 1)
      || g_str_equal (model, "full"))
    return NULL;
  if (g_str_equal (model, "pause"))
    g_usleep (20 * 1000);
  const gsize n = in->size / 4;
  float *values = g_memdup2 (in->data, in->size);
  *text = NULL;
  if (g_str_equal (model, "sum"))
    *text = add_up (request, values, n);
  else if (!answer_question (model, &values[0]))
    for (gsize i = 0; i < n; i++)
      values[i] *= 2;
  if (*text != NULL) {
    *code = PROTOCOL_GRPC_FAILED_PRECONDITION;
    g_free (values);
    return NULL;
  }
  ProtocolInfer *response = protocol_infer_new (model, "1");
  const gint64 cube[] = { in->shape.dims[0], 3, 1 };
  if (g_str_equal (model, "no-output"))
    g_free (values);
  else
    add_output (response, g_str_equal (model, "odd-name") ? "other" : "out",
        g_str_equal (model, "wrong-type") ? "INT32" : "FP32", cube,
        g_str_equal (model, "wrong-shape") ? 3 : 2, values, in->size);
  gboolean state = FALSE;
  protocol_infer_get_bool (request, PROTOCOL_STATE_EXTENSION, &state, NULL);
  if (draining)
    protocol_infer_add_bool (response, PROTOCOL_DRAINING, TRUE);
  if (state && has_state) {
    g_autofree char *key = sequence_key (request);
    const gint64 size[] = { 12 };

    n_checkpoints++;
    add_output (response, PROTOCOL_STATE_EXTENSION, "UINT8", size, 1,
        g_memdup2 (g_hash_table_lookup (sums, key), 12), 12);
  }
  return response;
}

/* --- the methods: NULL with *@code and *@text, or the answer --- */

static GBytes *
answer_infer (GBytes *message, int *code, const char **text)
{
  g_autoptr (ProtocolInfer) request =
      protocol_grpc_read_request (message, NULL);
  g_auto (ProtocolParts) parts = { 0 };

  *code = PROTOCOL_GRPC_INVALID_ARGUMENT;
  *text = "malformed";
  n_calls++;
  if (request == NULL)
    return NULL;
  g_autoptr (ProtocolInfer) response = compute (request, code, text);
  if (response == NULL)
    return NULL;
  protocol_parts_init (&parts);
  protocol_grpc_write_response (response, &parts);
  GBytes *joined = protocol_parts_join (&parts);
  if (g_str_equal (request->model, "truncated")
      || (g_str_equal (request->model, "sum")
          && protocol_infer_tensor (request, 0)->shape.dims[0] == 5)) {
    GBytes *half =
        g_bytes_new_from_bytes (joined, 0, g_bytes_get_size (joined) / 2);

    g_bytes_unref (joined);
    return half;
  }
  return joined;
}

static GBytes *
answer_description (
    GBytes *message, gboolean config, int *code, const char **text)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (message, &size);
  Inference__ModelMetadataRequest *request =
      inference__model_metadata_request__unpack (NULL, size, data);
  g_auto (ProtocolParts) parts = { 0 };

  *code = PROTOCOL_GRPC_NOT_FOUND;
  *text = "no such model";
  g_autofree char *name = request != NULL ? g_strdup (request->name) : NULL;
  if (request != NULL)
    inference__model_metadata_request__free_unpacked (request, NULL);
  if (name == NULL || !has_model (name))
    return NULL;
  g_autoptr (ProtocolMetadata) metadata = describe (name);
  protocol_parts_init (&parts);
  if (config)
    protocol_grpc_write_config (metadata, &parts);
  else
    protocol_grpc_write_metadata (metadata, &parts);
  return protocol_parts_join (&parts);
}

static GBytes *
answer_server (void)
{
  Inference__ServerMetadataResponse server =
      INFERENCE__SERVER_METADATA_RESPONSE__INIT;
  char name[] = "fake", extension[] = PROTOCOL_STATE_EXTENSION;
  char *extensions[] = { extension };

  server.name = server.version = name;
  server.n_extensions = has_state;
  server.extensions = extensions;
  gsize size = inference__server_metadata_response__get_packed_size (&server);
  guint8 *data = g_malloc (MAX (size, 1));
  inference__server_metadata_response__pack (&server, data);
  return g_bytes_new_take (data, size);
}

static GBytes *
answer_ready (void)
{
  Inference__ModelReadyResponse ready = INFERENCE__MODEL_READY_RESPONSE__INIT;
  guint8 packed[8];

  ready.ready = !draining;
  return g_bytes_new (
      packed, inference__model_ready_response__pack (&ready, packed));
}

static GBytes *
answer (const char *method, GBytes *message, int *code, const char **text)
{
  if (g_str_has_suffix (method, "/ModelInfer"))
    return answer_infer (message, code, text);
  if (g_str_has_suffix (method, "/ModelMetadata"))
    return answer_description (message, FALSE, code, text);
  if (g_str_has_suffix (method, "/ModelConfig"))
    return answer_description (message, TRUE, code, text);
  if (g_str_has_suffix (method, "/ModelReady"))
    return answer_ready ();
  if (g_str_has_suffix (method, "/ServerMetadata"))
    return answer_server ();
  *code = PROTOCOL_GRPC_UNIMPLEMENTED;
  *text = "no such method";
  return NULL;
}

/* --- calls: one thread, states as tags --- */

typedef struct
{
  grpc_call *call;
  grpc_call_details details;
  grpc_metadata_array metadata;
  grpc_byte_buffer *received, *sent;
  int step, cancelled;
  grpc_slice text;
} Call;

static grpc_server *server;
static grpc_completion_queue *queue;

static void
expect_call (void)
{
  Call *call = g_new0 (Call, 1);

  grpc_call_details_init (&call->details);
  grpc_metadata_array_init (&call->metadata);
  grpc_server_request_call (
      server, &call->call, &call->details, &call->metadata, queue, queue, call);
}

static void
receive (Call *call)
{
  grpc_op ops[2] = { { .op = GRPC_OP_SEND_INITIAL_METADATA },
    { .op = GRPC_OP_RECV_MESSAGE } };

  ops[1].data.recv_message.recv_message = &call->received;
  g_assert_cmpint (
      grpc_call_start_batch (call->call, ops, 2, call, NULL), ==, GRPC_CALL_OK);
}

static GBytes *
take_message (grpc_byte_buffer *buffer)
{
  grpc_byte_buffer_reader reader;

  grpc_byte_buffer_reader_init (&reader, buffer);
  grpc_slice slice = grpc_byte_buffer_reader_readall (&reader);
  GBytes *bytes =
      g_bytes_new (GRPC_SLICE_START_PTR (slice), GRPC_SLICE_LENGTH (slice));
  grpc_slice_unref (slice);
  grpc_byte_buffer_reader_destroy (&reader);
  return bytes;
}

static void
respond (Call *call)
{
  g_autofree char *method = grpc_slice_to_c_string (call->details.method);
  g_autoptr (GBytes) message = take_message (call->received);
  int code = PROTOCOL_GRPC_OK;
  const char *text = "";
  grpc_op ops[3] = { { .op = GRPC_OP_RECV_CLOSE_ON_SERVER },
    { .op = GRPC_OP_SEND_STATUS_FROM_SERVER }, { .op = GRPC_OP_SEND_MESSAGE } };
  g_autoptr (ProtocolInfer) request =
      g_str_has_suffix (method, "/ModelInfer")
          ? protocol_grpc_read_request (message, NULL)
          : NULL;

  ops[0].data.recv_close_on_server.cancelled = &call->cancelled;
  if (request != NULL && g_str_equal (request->model, "slow")) {
    grpc_call_start_batch (call->call, ops, 1, call, NULL);
    return;
  }
  g_autoptr (GBytes) bytes = answer (method, message, &code, &text);
  if (bytes != NULL) {
    gsize size;
    const char *data = g_bytes_get_data (bytes, &size);
    grpc_slice slice = grpc_slice_from_copied_buffer (data, size);

    call->sent = grpc_raw_byte_buffer_create (&slice, 1);
    grpc_slice_unref (slice);
    code = PROTOCOL_GRPC_OK;
  }
  call->text = grpc_slice_from_copied_string (bytes != NULL ? "" : text);
  ops[1].data.send_status_from_server.status = (grpc_status_code) code;
  ops[1].data.send_status_from_server.status_details = &call->text;
  ops[2].data.send_message.send_message = call->sent;
  g_assert_cmpint (grpc_call_start_batch (
                       call->call, ops, bytes != NULL ? 3 : 2, call, NULL),
      ==, GRPC_CALL_OK);
}

static void
go_on (Call *call)
{
  if (call->step++ == 0) {
    expect_call ();
    receive (call);
  } else if (call->step == 2 && call->received != NULL) {
    respond (call);
  } else {
    grpc_call_unref (call->call);
    g_clear_pointer (&call->received, grpc_byte_buffer_destroy);
    g_clear_pointer (&call->sent, grpc_byte_buffer_destroy);
    grpc_call_details_destroy (&call->details);
    grpc_metadata_array_destroy (&call->metadata);
    g_free (call);
  }
}

int
main (int argc, char **argv)
{
  /* A test that fails leaves no server behind. */
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  has_state = argc > 1 && g_str_equal (argv[1], "--state");
  const char *port = argc > 1 + has_state ? argv[1 + has_state] : "0";
  const char *host = argc > 2 + has_state ? argv[2 + has_state] : "127.0.0.1";
  g_autofree char *address = g_strconcat (host, ":", port, NULL);

  sums = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  grpc_init ();
  queue = grpc_completion_queue_create_for_next (NULL);
  server = grpc_server_create (NULL, NULL);
  grpc_server_register_completion_queue (server, queue, NULL);
  grpc_server_credentials *credentials =
      grpc_insecure_server_credentials_create ();
  const int bound = grpc_server_add_http2_port (server, address, credentials);
  grpc_server_credentials_release (credentials);
  if (bound == 0)
    return 1;
  grpc_server_start (server);
  printf ("%d\n", bound);
  fflush (stdout);
  expect_call ();
  for (;;) {
    grpc_event event = grpc_completion_queue_next (
        queue, gpr_inf_future (GPR_CLOCK_REALTIME), NULL);

    if (event.type == GRPC_OP_COMPLETE)
      go_on (event.tag);
  }
}
