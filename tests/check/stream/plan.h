/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A random stream: settings of the element and a sequence of operations, all
 * derived from the seed.  Any operation can be removed and the rest remains
 * valid, as shrinking requires. */

#pragma once

#include <gst/gst.h>

typedef enum
{
  PLAN_AUDIO,   /* model [1,length], audio/x-raw */
  PLAN_DYNAMIC, /* model [1,?] with a multiple, audio/x-raw; fake devices only
                 */
  PLAN_ROWS,    /* model [1,length,2], other/tensors with any number of rows */
  PLAN_TENSORS, /* model [1,3], one inference per buffer */
  PLAN_N_KINDS
} PlanKind;

typedef struct
{
  PlanKind kind;
  const char *device; /* "CPU", "FAKECPU", "FAKE" */
  gboolean stateful;
  guint rate; /* rows per second */
  guint length, multiple, window_ms, hop_ms;
  guint context;  /* rows of the length that repeat those before the window */
  gboolean media; /* audio leaves sample for sample, … */
  guint latency;  /* … so many later */
  guint nireq;
  guint tail;  /* GstInferTail */
  guint reset; /* GstInferReset */
  GstClockTime max_gap;
  guint delay_us, jitter_us; /* of the device */
  guint sink_us;             /* downstream's delay */
  guint batch_size;
  int batch_timeout;
  guint n_streams;  /* that share the model, each in a thread of its own */
  gboolean row;     /* a second inferfilter behind the first */
  gboolean chained; /* other elements of ours stand beside it: … */
  guint chain;      /* chain_name() */
} PlanConfig;

#define PLAN_MAX_STREAMS 3

#define PLAN_OPS                                                               \
  X (BUFFER, 40)                                                               \
  X (GAP, 4)                                                                   \
  X (SEGMENT, 3)                                                               \
  X (FLUSH, 4)                                                                 \
  X (FLUSH_DURING, 4)                                                          \
  X (SEEK, 2)                                                                  \
  X (CAPS, 2)                                                                  \
  X (STATE, 2)                                                                 \
  X (STATE_DURING, 1)                                                          \
  X (PAUSE, 2)                                                                 \
  X (CUSTOM, 4)                                                                \
  X (TAG, 2)                                                                   \
  X (QUERY, 2)                                                                 \
  X (RESET, 3)                                                                 \
  X (EOS, 2)                                                                   \
  X (STREAM_START, 2)                                                          \
  X (SAVE_RESTORE, 2)                                                          \
  X (SWAP, 1)                                                                  \
  X (RELINK, 1)                                                                \
  X (FAIL, 1)                                                                  \
  X (LIST, 4)                                                                  \
  X (SEGMENT_DONE, 2)                                                          \
  X (CAPS_DURING, 4)                                                           \
  X (BLOCKED, 4)                                                               \
  X (UNLINKED, 2)                                                              \
  X (PAUSE_DURING, 2)                                                          \
  X (SET_DURING, 2)                                                            \
  X (SWAP_DURING, 1)                                                           \
  X (HANDLER, 1)

typedef enum
{
#define X(name, weight) PLAN_##name,
  PLAN_OPS
#undef X
      PLAN_N_OPS
} PlanOpKind;

enum
{
  PLAN_DISCONT = 1,
  PLAN_RESYNC = 2,
  PLAN_NO_PTS = 4,
  /* These change nothing. */
  PLAN_IS_GAP = 8,
  PLAN_DROPPABLE = 16,
  PLAN_CORRUPTED = 32,
};
#define PLAN_N_FLAGS 6

typedef struct
{
  PlanOpKind kind;
  guint number; /* index in the whole plan */
  guint stream;
  guint a, b, c;
  guint32 seed; /* of the values */
} PlanOp;

typedef struct
{
  PlanConfig config;
  guint n_ops;
  PlanOp *ops;
  guint simplified; /* bit i: plan_simplify (i) */
} Plan;

#define PLAN_N_SIMPLER 13

/* (transfer full) */
Plan *plan_new (guint32 seed);
Plan *plan_copy (const Plan *plan);
/* Keeps only the operations of @numbers ("3,7"). */
void plan_keep (Plan *plan, const char *numbers);
/* Removes all operations of these kinds ("SWAP,HANDLER"). */
void plan_drop (Plan *plan, const char *names);
/* The numbers of its operations.  (transfer full) */
char *plan_numbers (const Plan *plan);
/* Gives one setting, @which of PLAN_N_SIMPLER, its simplest value.  FALSE: it
 * has it already. */
gboolean plan_simplify (Plan *plan, guint which);
/* By names ("nireq,hop"), and the names of what was simplified.  (transfer
 * full) */
void plan_simplify_all (Plan *plan, const char *names);
char *plan_simplified (const Plan *plan);
void plan_free (Plan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Plan, plan_free)
const char *plan_op_name (const PlanOp *op);
/* (transfer full) */
char *plan_to_string (const Plan *plan);
