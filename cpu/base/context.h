/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Plans of an executable, and what the request that runs binds to them: its
 * variables and its threads.  Used by the thread that runs the request, and by
 * no other; between runs by none (cpu/plan/contexts.h). */

#pragma once

#include "cpu/base/runner.h"
#include "cpu/base/scope.h"

struct _CpuContext
{
  CpuScope *scope;
  const InferModel *model;
  CpuRunner *main;
  guint n_variables;
  InferState *const *states; /* while running */
  InferTensor **spares;      /* per variable (nullable), between runs: for the
                                next value, of whichever sequence */
  guint64 *reset;            /* variables that are reset, bit set */
  gboolean *assigned;        /* per variable, in this run */
  CpuValue **grown; /* per variable: its next value, in place already */
  CpuTeam *team;
  const gint *cancelled; /* while running; nullable (inference/base/cancel.h) */
  InferDumpRun *dump;    /* while running; NULL: nothing is dumped */
  gconstpointer user;    /* contexts.c: the request that ran last … */
  int processor;         /* … and where */
};

/* Context of a step that runs in a request; NULL while evaluating. */
CpuContext *cpu_step_context (const CpuStep *step);
