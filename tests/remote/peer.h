/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* fake-server as a process, its models on device REMOTE, and streams through
 * its model "sum".  Anything that fails ends the test. */

#pragma once

#include "infer/request.h"

typedef struct
{
  GPid pid;
  int out;
  guint port;
} FakeServer;

/* @address: NULL for 127.0.0.1; @state: with the state extension; @port 0: any.
 */
FakeServer fake_server_start (const char *address, gboolean state, guint port);
void fake_server_kill (FakeServer *server);

/* (transfer full) */
InferExecutable *remote_open (const char *url);
InferExecutable *remote_open_on (const FakeServer *server, const char *model);
InferRequest *remote_request (InferExecutable *executable);

/* Input 0: @rows × 3 values from @first on. */
void remote_set_input (InferRequest *request, guint rows, float first);
const float *remote_output (InferRequest *request);

typedef struct
{
  InferRequest *request;
  float sum; /* expected */
  guint n;
} SumStream;

/* One more step, whose result must be the sum of all inputs. */
void sum_stream_step (SumStream *stream);

/* The answer of one of fake-server's counters: @model is "count" … */
float fake_server_ask (const FakeServer *server, const char *model);
