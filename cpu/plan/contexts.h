/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Contexts of an executable, with the plans in them.  Between runs they hold
 * nothing of a request, so requests take turns with them: there are as many as
 * runs at a time, at most as requests, and the plan that one request has used
 * is still in the caches for the next.  Any thread. */

#pragma once

#include "cpu/graph/graph.h"
#include "cpu/plan/runner.h"

typedef struct _CpuContexts CpuContexts;

CpuContexts *cpu_contexts_new (
    CpuScope *scope, const InferModel *model, const CpuGraph *graph);
/* All are given back, and nobody uses them. */
void cpu_contexts_free (CpuContexts *contexts);

/* A user takes one at a time. */
void cpu_contexts_join (CpuContexts *contexts);
/* There are no more than for the users that are left. */
void cpu_contexts_leave (CpuContexts *contexts);

/* One that has a plan for @inputs if there is an idle one, best of this
 * processor; otherwise @last, the one that the user had before (nullable); or a
 * new one.  (transfer full) */
CpuContext *cpu_contexts_take (
    CpuContexts *contexts, const CpuInput *inputs, const CpuContext *last);
/* The one that the user had last, or any other that has run; NULL: there is
 * none, or all are taken.  (transfer full) */
CpuContext *cpu_contexts_take_used (
    CpuContexts *contexts, const CpuContext *last);
/* @user: whoever took it.  @context: (transfer full) */
void cpu_contexts_give (
    CpuContexts *contexts, CpuContext *context, gconstpointer user);
/* If nobody has used it since @user: the system gets the memory of the last
 * one, and plans of many shapes are forgotten. */
void cpu_contexts_rest (CpuContexts *contexts, gconstpointer user);
/* How many there are, for tests. */
guint cpu_contexts_get_number (CpuContexts *contexts);
