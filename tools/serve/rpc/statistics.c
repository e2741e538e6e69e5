/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/serve/statistics.h"

#include "protocol/grpc-private.h"

enum
{
  SUCCESS,
  FAIL,
  QUEUE,
  INPUT,
  COMPUTE,
  OUTPUT,
  N_DURATIONS,
};

/* A model's message, with what it points to. */
typedef struct
{
  Inference__ModelStatistics model;
  Inference__InferStatistics all;
  Inference__StatisticDuration durations[N_DURATIONS];
} Message;

static void
fill (Message *message, const ServeStatistics *from)
{
  const guint64 counts[] = { from->done, from->failed, from->done, from->done,
    from->done, from->done };
  const guint64 ns[] = { from->done_ns, from->failed_ns, from->queue_ns, 0,
    from->compute_ns, 0 };
  Inference__StatisticDuration *d = message->durations;

  inference__model_statistics__init (&message->model);
  inference__infer_statistics__init (&message->all);
  for (guint i = 0; i < N_DURATIONS; i++) {
    inference__statistic_duration__init (&d[i]);
    d[i].count = counts[i];
    d[i].ns = ns[i];
  }
  message->all.success = &d[SUCCESS];
  message->all.fail = &d[FAIL];
  message->all.queue = &d[QUEUE];
  message->all.compute_input = &d[INPUT];
  message->all.compute_infer = &d[COMPUTE];
  message->all.compute_output = &d[OUTPUT];
  /* protobuf-c's texts are not const; they are only read. */
  message->model.name = (char *) (gsize) from->name;
  message->model.version = (char *) (gsize) from->version;
  message->model.last_inference = from->last_ms;
  message->model.inference_count = from->done;
  message->model.execution_count = from->done;
  message->model.inference_stats = &message->all;
}

void
serve_statistics_to_grpc (
    const ServeStatistics *models, guint n, ProtocolParts *parts)
{
  Inference__ModelStatisticsResponse response =
      INFERENCE__MODEL_STATISTICS_RESPONSE__INIT;
  g_autofree Message *messages = g_new (Message, MAX (n, 1));
  g_autofree Inference__ModelStatistics **list =
      g_new (Inference__ModelStatistics *, MAX (n, 1));

  for (guint i = 0; i < n; i++) {
    fill (&messages[i], &models[i]);
    list[i] = &messages[i].model;
  }
  response.n_model_stats = n;
  response.model_stats = list;
  protocol_pack (&response, parts);
}
