/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Consecutive launches of little work become one launch of one work-item: on a
 * processor a launch costs microseconds and a work-item runs as fast as any
 * code.  The source of the chain is that of its kernels, with the hash of each
 * program appended to its names; they are called in loops over their ranges.
 *
 * Sizes and offsets are constants in the source, for the compiler's optimiser.
 * If the model has dynamic shapes they are read from a table, so that one
 * source serves all shapes. */

#include "ocl/passes/chain.h"

#include "ocl/passes/pass.h"

#include <string.h>

/* Elements read and written, at most, of a launch in a chain. */
#define MAX_WORK (3u << 16)
/* Compile time grows faster than linearly. */
#define MAX_LINKS 32
/* Pointers in the 1 kB of arguments that every device accepts. */
#define MAX_BUFFERS 96

/* --- eligible launches --- */

static gsize
work_of (const OclLaunch *launch)
{
  gsize work = launch->work;

  for (guint i = 0; i < launch->args->len; i++) {
    const OclArg *arg = &g_array_index (launch->args, OclArg, i);

    if (arg->value != NULL)
      work += arg->value->n;
  }
  return work;
}

/* Whether work-items can run one after the other: no use of their group. */
static gboolean
goes_alone (const OclLaunch *launch)
{
  const char *text = ocl_program_text (launch->program);

  return launch->local[0] * launch->local[1] * launch->local[2] == 1
         || (strstr (text, "get_local_") == NULL
             && strstr (text, "get_group_") == NULL);
}

static gboolean
can_be_link (const OclLaunch *launch)
{
  return !launch->unknown_scalars && work_of (launch) <= MAX_WORK
         && goes_alone (launch);
}

static gboolean
is_static (const InferModel *model)
{
  for (guint i = 0; i < infer_model_n_inputs (model); i++)
    if (!infer_shape_is_static (&infer_model_input_desc (model, i)->shape))
      return FALSE;
  for (guint v = 0; v < infer_model_n_variables (model); v++)
    if (!infer_shape_is_static (&infer_model_variable (model, v)->desc.shape))
      return FALSE;
  return TRUE;
}

/* --- buffers --- */

/* An argument that identifies the buffer of @arg. */
static OclArg
buffer_of (const OclArg *arg)
{
  OclArg buffer = { .constant = arg->constant, .bare = TRUE };
  gsize offset;

  if (arg->value != NULL)
    buffer.value = ocl_value_root (arg->value, &offset);
  return buffer;
}

static gboolean
is_same (const OclArg *a, const OclArg *b)
{
  if (a->value == NULL || b->value == NULL)
    return a->value == b->value && a->constant == b->constant;
  if (a->value->place != b->value->place)
    return FALSE;
  switch (a->value->place) {
    case OCL_PLACE_ARENA:
      return TRUE;
    case OCL_PLACE_CONSTANT:
      return a->value->constant == b->value->constant;
    default:
      return a->value->index == b->value->index;
  }
}

guint
ocl_chain_find_buffer (const OclChain *chain, const OclArg *arg)
{
  const OclArg buffer = buffer_of (arg);
  guint i = 0;

  while (i < chain->buffers->len
         && !is_same (&g_array_index (chain->buffers, OclArg, i), &buffer))
    i++;
  return i;
}

static void
add_link (OclChain *chain, OclLaunch *launch)
{
  g_ptr_array_add (chain->links, launch);
  if (!g_ptr_array_find (chain->programs, launch->program, NULL))
    g_ptr_array_add (chain->programs, launch->program);
  for (guint i = 0; i < launch->args->len; i++) {
    const OclArg *arg = &g_array_index (launch->args, OclArg, i);

    if (arg->local == 0
        && ocl_chain_find_buffer (chain, arg) == chain->buffers->len) {
      OclArg buffer = buffer_of (arg);

      buffer.index = chain->buffers->len;
      g_array_append_val (chain->buffers, buffer);
    }
  }
}

/* --- the launch --- */

/* (transfer full); NULL: no memory. */
static InferTensor *
make_table (const GArray *numbers)
{
  const InferShape shape = infer_shape_make (1, (gint64) numbers->len);
  InferTensor *table = infer_tensor_new (INFER_TYPE_I64, &shape, NULL);

  if (table != NULL && numbers->len > 0)
    memcpy (table->data, numbers->data, numbers->len * sizeof (gint64));
  return table;
}

/* Bounds the compilations for dynamic shapes. */
static gboolean
may_be_compiled (const OclChain *chain)
{
  if (chain->numbers == NULL
      || ocl_scope_has_text (chain->plan->scope, chain->text->str))
    return TRUE;
  if (*chain->plan->texts_left == 0)
    return FALSE;
  --*chain->plan->texts_left;
  return TRUE;
}

static void
insert (OclStep *step, OclLaunch *launch, const OclLaunch *before)
{
  guint i = 0;

  g_ptr_array_find (step->launches, before, &i);
  g_ptr_array_insert (step->launches, (gint) i, launch);
}

/* The chain takes the place of its first launch. */
static void
replace_links (OclChain *chain, InferTensor *table)
{
  OclLaunch *first = chain->links->pdata[0];
  OclLaunch *launch = ocl_launch_new (first->step, "chain",
      ocl_scope_program_of_text (chain->plan->scope, chain->text->str));

  g_array_append_vals (launch->args, chain->buffers->data, chain->buffers->len);
  g_ptr_array_set_size (launch->scalars, (gint) chain->buffers->len);
  if (table != NULL)
    ocl_launch_table (launch, table);
  ocl_launch_each (launch, 1, 1, 1);
  for (guint i = 0; i < chain->links->len; i++)
    ((OclLaunch *) chain->links->pdata[i])->chained = TRUE;
  insert (first->step, launch, first);
}

static void
finish (OclChain *chain)
{
  if (chain->links->len > 1) {
    InferTensor *table = NULL;

    g_string_truncate (chain->text, 0);
    ocl_chain_append_text (chain);
    if (may_be_compiled (chain)
        && (chain->numbers == NULL
            || (table = make_table (chain->numbers)) != NULL))
      replace_links (chain, table);
  }
  g_ptr_array_set_size (chain->links, 0);
  g_ptr_array_set_size (chain->programs, 0);
  g_array_set_size (chain->buffers, 0);
  if (chain->numbers != NULL)
    g_array_set_size (chain->numbers, 0);
}

static GPtrArray *
list_launches (const OclPlan *plan)
{
  GPtrArray *all = g_ptr_array_new ();

  for (guint i = 0; i < plan->steps->len; i++) {
    const OclStep *step = plan->steps->pdata[i];

    for (guint k = 0; k < step->launches->len; k++)
      if (!ocl_launch_is_empty (step->launches->pdata[k]))
        g_ptr_array_add (all, step->launches->pdata[k]);
  }
  return all;
}

gboolean
ocl_pass_chain (OclPlan *plan, GError **error)
{
  const InferConfig *config = &plan->scope->config;
  g_autoptr (GPtrArray) links = g_ptr_array_new ();
  g_autoptr (GPtrArray) programs = g_ptr_array_new ();
  g_autoptr (GArray) buffers = g_array_new (FALSE, TRUE, sizeof (OclArg));
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GArray) numbers = NULL;

  if (!plan->scope->device->cpu || config->perf_count || config->dump != NULL)
    return TRUE;
  if (!is_static (plan->model))
    numbers = g_array_new (FALSE, FALSE, sizeof (gint64));
  OclChain chain = { plan, links, programs, buffers, text, numbers };
  g_autoptr (GPtrArray) all = list_launches (plan);
  for (guint i = 0; i < all->len; i++) {
    OclLaunch *launch = all->pdata[i];

    if (!can_be_link (launch)) {
      finish (&chain);
      continue;
    }
    if (links->len >= MAX_LINKS
        || buffers->len + launch->args->len > MAX_BUFFERS)
      finish (&chain);
    add_link (&chain, launch);
  }
  finish (&chain);
  return TRUE;
}
