/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* sched_getcpu() */
#define _GNU_SOURCE
#include "cpu/plan/contexts.h"

#include "cpu/base/context.h"

#include <pthread.h>
#include <sched.h>

/* Processors whose numbers are equal modulo this share a place. */
#define N_PLACES 16

struct _CpuContexts
{
  CpuScope *scope;
  const InferModel *model;
  const CpuGraph *graph;
  guint n_variables;
  /* Atomic: of each processor, the one that it used last, if that is idle: no
   * lock in the steady state. */
  CpuContext *places[N_PLACES];
  pthread_mutex_t lock; /* which ThreadSanitizer understands */
  GPtrArray *idle;      /* (element-type CpuContext) others that are idle */
  guint users, made;    /* requests; contexts that there are */
};

static CpuContext *
context_new (const CpuContexts *contexts)
{
  CpuContext *context = g_new0 (CpuContext, 1);
  const guint n = contexts->n_variables;

  context->scope = contexts->scope;
  context->model = contexts->model;
  context->main = cpu_runner_new_main (context, contexts->graph);
  context->n_variables = n;
  context->spares = g_new0 (InferTensor *, n + 1);
  context->reset = g_new0 (guint64, n / 64 + 1);
  context->assigned = g_new0 (gboolean, n + 1);
  context->grown = g_new0 (CpuValue *, n + 1);
  return context;
}

static void
drop_spares (CpuContext *context)
{
  for (guint i = 0; i < context->n_variables; i++)
    g_clear_pointer (&context->spares[i], infer_tensor_unref);
}

/* (nullable) */
static void
context_free (gpointer data)
{
  CpuContext *context = data;

  if (context == NULL)
    return;
  cpu_runner_free (context->main);
  drop_spares (context);
  g_free (context->spares);
  g_free (context->reset);
  g_free (context->assigned);
  g_free (context->grown);
  g_free (context);
}

CpuContexts *
cpu_contexts_new (
    CpuScope *scope, const InferModel *model, const CpuGraph *graph)
{
  CpuContexts *contexts = g_new0 (CpuContexts, 1);

  contexts->scope = scope;
  contexts->model = model;
  contexts->graph = graph;
  contexts->n_variables = infer_model_n_variables (model);
  pthread_mutex_init (&contexts->lock, NULL);
  contexts->idle = g_ptr_array_new_with_free_func (context_free);
  return contexts;
}

static CpuContext *
empty_place (CpuContext **place)
{
  return __atomic_exchange_n (place, NULL, __ATOMIC_ACQ_REL);
}

/* Locked. */
static void
empty_places (CpuContexts *contexts)
{
  for (guint i = 0; i < N_PLACES; i++) {
    CpuContext *context = empty_place (&contexts->places[i]);

    if (context != NULL)
      g_ptr_array_add (contexts->idle, context);
  }
}

void
cpu_contexts_free (CpuContexts *contexts)
{
  empty_places (contexts);
  g_ptr_array_unref (contexts->idle);
  pthread_mutex_destroy (&contexts->lock);
  g_free (contexts);
}

/* Locked.  There are at most as many contexts as users: putting one down never
 * allocates. */
static void
reserve (CpuContexts *contexts)
{
  const guint n = contexts->idle->len;

  g_ptr_array_set_size (contexts->idle, (gint) MAX (n, contexts->users));
  g_ptr_array_set_size (contexts->idle, (gint) n);
}

void
cpu_contexts_join (CpuContexts *contexts)
{
  pthread_mutex_lock (&contexts->lock);
  contexts->users++;
  reserve (contexts);
  pthread_mutex_unlock (&contexts->lock);
}

void
cpu_contexts_leave (CpuContexts *contexts)
{
  CpuContext *spare = NULL;

  pthread_mutex_lock (&contexts->lock);
  contexts->users--;
  if (contexts->made > contexts->users) {
    empty_places (contexts);
    if (contexts->idle->len > 0) {
      spare = g_ptr_array_steal_index (contexts->idle, 0);
      contexts->made--;
    }
  }
  pthread_mutex_unlock (&contexts->lock);
  if (spare != NULL)
    context_free (spare);
}

/* --- taking one --- */

/* Locked.  -1: no idle one has a plan for @inputs. */
static int
find_ready (const CpuContexts *contexts, const CpuInput *inputs, int processor)
{
  int found = -1;

  for (int i = (int) contexts->idle->len; i-- > 0;) {
    const CpuContext *context = contexts->idle->pdata[i];

    if ((found >= 0 && context->processor != processor)
        || !cpu_runner_has_plan (context->main, inputs))
      continue;
    found = i;
    if (context->processor == processor)
      break;
  }
  return found;
}

/* Locked.  -1: it is not idle. */
static int
find (const CpuContexts *contexts, const CpuContext *context)
{
  for (int i = (int) contexts->idle->len; i-- > 0;)
    if (contexts->idle->pdata[i] == context)
      return i;
  return -1;
}

/* @unsuited: (nullable) (transfer full): the one of the processor's place.
 * NULL: a new one is to be made. */
static CpuContext *
search (CpuContexts *contexts, const CpuInput *inputs, const CpuContext *last,
    CpuContext *unsuited, int processor)
{
  CpuContext *context = NULL;

  pthread_mutex_lock (&contexts->lock);
  if (unsuited != NULL)
    g_ptr_array_add (contexts->idle, unsuited);
  empty_places (contexts);
  int i = find_ready (contexts, inputs, processor);
  if (i < 0)
    i = find (contexts, last);
  if (i < 0 && contexts->made >= contexts->users)
    i = (int) contexts->idle->len - 1;
  if (i >= 0)
    context = g_ptr_array_steal_index (contexts->idle, (guint) i);
  else
    contexts->made++;
  pthread_mutex_unlock (&contexts->lock);
  return context;
}

CpuContext *
cpu_contexts_take (
    CpuContexts *contexts, const CpuInput *inputs, const CpuContext *last)
{
  const int processor = MAX (sched_getcpu (), 0);
  CpuContext *context = empty_place (&contexts->places[processor % N_PLACES]);

  if (G_LIKELY (context != NULL && cpu_runner_has_plan (context->main, inputs)))
    return context;
  context = search (contexts, inputs, last, context, processor);
  return context != NULL ? context : context_new (contexts);
}

CpuContext *
cpu_contexts_take_used (CpuContexts *contexts, const CpuContext *last)
{
  CpuContext *context = NULL;

  pthread_mutex_lock (&contexts->lock);
  empty_places (contexts);
  int i = find (contexts, last);
  if (i < 0)
    i = (int) contexts->idle->len - 1;
  if (i >= 0)
    context = g_ptr_array_steal_index (contexts->idle, (guint) i);
  pthread_mutex_unlock (&contexts->lock);
  return context;
}

void
cpu_contexts_give (
    CpuContexts *contexts, CpuContext *context, gconstpointer user)
{
  const int processor = MAX (sched_getcpu (), 0);
  CpuContext *nothing = NULL;

  context->user = user;
  context->processor = processor;
  if (G_LIKELY (
          __atomic_compare_exchange_n (&contexts->places[processor % N_PLACES],
              &nothing, context, FALSE, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)))
    return;
  pthread_mutex_lock (&contexts->lock);
  g_ptr_array_add (contexts->idle, context);
  pthread_mutex_unlock (&contexts->lock);
}

void
cpu_contexts_rest (CpuContexts *contexts, gconstpointer user)
{
  CpuContext *context = NULL;

  pthread_mutex_lock (&contexts->lock);
  empty_places (contexts);
  for (guint i = 0; i < contexts->idle->len && context == NULL; i++)
    if (((const CpuContext *) contexts->idle->pdata[i])->user == user)
      context = g_ptr_array_steal_index (contexts->idle, i);
  pthread_mutex_unlock (&contexts->lock);
  if (context == NULL)
    return;
  cpu_runner_rest (context->main);
  drop_spares (context);
  cpu_contexts_give (contexts, context, user);
}

guint
cpu_contexts_get_number (CpuContexts *contexts)
{
  pthread_mutex_lock (&contexts->lock);
  const guint n = contexts->made;
  pthread_mutex_unlock (&contexts->lock);
  return n;
}
