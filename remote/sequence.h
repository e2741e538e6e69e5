/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A sequence of requests whose state is on a server, and what is needed to make
 * it again on another one: the last checkpoint, and the inputs since then.  One
 * step at a time. */

#pragma once

#include "inference/runtime/state-backend.h"
#include "remote/servers.h"

/* The inputs of one step. */
typedef struct
{
  guint n;
  InferTensor **inputs;
} RemoteStep;

typedef struct
{
  gatomicrefcount refs;
  RemoteServers *servers;
  GStrv names;
  guint64 key; /* for its rank among servers; stays */
  gint64 id;   /* of the sequence on the server now */
  RemoteServer *server;
  guint epoch;      /* of the servers, when this one was chosen */
  gboolean started; /* the server has it, with all steps so far */
  gboolean broken;  /* the server may have other steps than we have */
  guint64 n_steps;  /* that have succeeded */

  gboolean checkpoints; /* the server can give its state */
  gboolean asked;       /* the step that runs shall bring it */
  gint64 checked;       /* when the last one came; monotonic */
  GBytes *checkpoint;   /* NULL: the state at the beginning */
  GQueue log;           /* (element-type RemoteStep) since then */
  gsize log_bytes;
  /* For the request that ends it. */
  GArray *descs; /* (element-type InferDesc) of the last inputs */
} RemoteSequence;

/* @names: of the inputs; NULL-terminated. */
RemoteSequence *remote_sequence_new (
    RemoteServers *servers, char *const *names, gboolean checkpoints);
RemoteSequence *remote_sequence_ref (RemoteSequence *sequence);
/* The last one tells the server that the sequence has ended. */
void remote_sequence_unref (RemoteSequence *sequence);

/* A new id, on a server that is up, not @avoid (nullable) if there is another
 * one: to be begun again. */
void remote_sequence_move (RemoteSequence *sequence, const RemoteServer *avoid);
/* Moves it if it belongs to another server since the servers have changed. */
void remote_sequence_follow (RemoteSequence *sequence);

/* Whether the next step shall bring a checkpoint: `asked`. */
void remote_sequence_plan_checkpoint (RemoteSequence *sequence, gboolean last);
/* A step has succeeded.  @checkpoint: (transfer full) (nullable). */
gboolean remote_sequence_note_step (RemoteSequence *sequence,
    InferTensor *const *inputs, guint n, GBytes *checkpoint, GError **error);

/* Sets sequence_id, sequence_start and sequence_end. */
void remote_sequence_add_parameters (const RemoteSequence *sequence,
    ProtocolInfer *infer, gboolean start, gboolean end);

/* The value of the variable `sequence`. */
extern const InferStateKeeper remote_sequence_keeper;
