/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Operations that can be computed in several ways: an operation keeps a list of
 * implementations, and each step uses one of them, chosen by rule or as
 * measured (TUNE) from the same list.
 *
 * `problem` is what the operation knows of the step (a geometry, dimensions);
 * it belongs to the operation and lives at least as long as what `prepare`
 * returns.  All but `run` are called in CpuOp.prepare and CpuOp.release. */

#pragma once

#include "cpu/base/step.h"

typedef struct
{
  const char *name; /* in the cache of measured choices: no spaces */

  /* Whether this step can be computed so, and may be.  May pack constants to
   * find out (packs are made once). */
  gboolean (*can) (CpuStep *step, gconstpointer problem);

  /* Called if `can` agreed: the rule chooses the least cost, in any unit that
   * all of the list share.  From shape and machine alone, so that two runs
   * choose the same. Nullable: used wherever it can be, the first of the list,
   * without comparing others, which differ in precision. */
  guint (*cost) (const CpuStep *step, gconstpointer problem);

  /* Called if `can` agreed: packs weights, asks for scratch, sets step->kernel.
   * Returns what `run` gets.  NULL: memory is short or the library refuses, and
   * the next best is used; NULL with @error: the step fails. */
  gpointer (*prepare) (CpuStep *step, gconstpointer problem, GError **error);

  /* As CpuOp.run: allocates and locks nothing. */
  gboolean (*run) (CpuStep *step, gconstpointer self, GError **error);

  /* Nullable: `prepare` returned @problem itself. */
  void (*free) (gpointer self);
} CpuImpl;

/* The implementation of a step. */
typedef struct
{
  const CpuImpl *impl; /* NULL: none yet */
  gpointer self;
} CpuImplUse;

#define CPU_MAX_IMPLS 12

/* In CpuOp.prepare: chooses from the @n entries of @list and prepares.
 * @measurable: the step is large enough for TUNE to compare implementations and
 * numbers of threads.  FALSE with @error: none could be prepared. */
gboolean cpu_impl_prepare (CpuImplUse *use, CpuStep *step,
    const CpuImpl *const *list, guint n, gconstpointer problem,
    gboolean measurable, GError **error);

static inline gboolean
cpu_impl_run (const CpuImplUse *use, CpuStep *step, GError **error)
{
  return use->impl->run (step, use->self, error);
}

void cpu_impl_clear (CpuImplUse *use);

/* Which of the @n of @names (static strings) a step is to use, the rule's
 * first; may set step->threads to 1.  The last call of a `prepare` tells TUNE
 * what there is to measure.  Implemented by cpu/plan/tune.c. */
guint cpu_step_choose (CpuStep *step, guint n, const char *const *names);
