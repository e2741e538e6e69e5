/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/fuzz/support/execute.h"

#include "tests/fuzz/support/runtimes.h"
#include "tests/fuzz/support/tally.h"

#include "infer/infer.h"
#include "inference/base/hash.h"
#include "inference/graph/operation.h"

#include <string.h>

/* Of one value, and of one operation's work. */
#define MAX_ELEMENTS ((gsize) 1 << 12)
#define MAX_OPERATIONS 200

static void
check_error (gboolean ok, GError **error)
{
  if (ok == (*error != NULL))
    g_error ("a failure has an error, a success has none");
  g_clear_error (error);
}

/* --- models that are small enough --- */

static gboolean is_small_graph (const InferGraph *graph, guint *n_left);

static gboolean
is_small (const InferOperation *op, guint *n_left)
{
  gsize n;

  if ((*n_left)-- == 0)
    return FALSE;
  for (guint i = 0; i < op->n_outputs; i++)
    if (infer_shape_is_static (&op->outputs[i].desc.shape)
        && (!infer_shape_elements (&op->outputs[i].desc.shape, &n)
            || n > MAX_ELEMENTS))
      return FALSE;
  for (guint i = 0; i < op->n_bodies; i++)
    if (!is_small_graph (op->bodies[i].graph, n_left))
      return FALSE;
  return TRUE;
}

static gboolean
is_small_graph (const InferGraph *graph, guint *n_left)
{
  for (guint i = 0; i < graph->operations->len; i++)
    if (*n_left == 0 || !is_small (graph->operations->pdata[i], n_left))
      return FALSE;
  return TRUE;
}

static gboolean
is_small_model (const InferModel *model)
{
  guint n_left = MAX_OPERATIONS;

  return is_small_graph (infer_model_get_graph (model), &n_left);
}

/* --- other models made of it --- */

/* *@model becomes @changed, where that is not NULL. */
static void
become (InferModel **model, InferModel *changed, GError **error)
{
  check_error (changed != NULL, error);
  if (changed == NULL)
    return;
  infer_model_unref (*model);
  *model = changed;
}

static void
reshape (InferModel **model, FuzzInput *input)
{
  g_autoptr (GError) error = NULL;
  guint which = 0;

  if (infer_model_n_inputs (*model) == 0)
    return;
  InferShape shape =
      fuzz_input_shape (input, &infer_model_input_desc (*model, which)->shape);
  become (
      model, infer_model_reshape (*model, 1, &which, &shape, &error), &error);
}

static void
add_output (InferModel **model, FuzzInput *input)
{
  const GPtrArray *operations = infer_model_get_graph (*model)->operations;
  const InferOperation *op =
      operations->pdata[fuzz_input_below (input, operations->len)];
  const char *const ports[] = { op->name, NULL };
  g_autoptr (GError) error = NULL;

  become (model, infer_model_add_outputs (*model, ports, &error), &error);
}

static void
tie_states (InferModel **model, FuzzInput *input)
{
  g_autoptr (GError) error = NULL;
  const guint n = infer_model_n_inputs (*model);

  if (n == 0)
    return;
  g_autofree char *pair = g_strdup_printf ("%u=%u", fuzz_input_below (input, n),
      fuzz_input_below (input, infer_model_n_outputs (*model)));
  const char *const pairs[] = { pair, NULL };
  become (model, infer_model_tie_states (*model, pairs, &error), &error);
}

static void
change (InferModel **model, FuzzInput *input)
{
  g_autoptr (GError) error = NULL;

  if (input->actions & FUZZ_ADD_OUTPUT)
    add_output (model, input);
  if (input->actions & FUZZ_RESHAPE)
    reshape (model, input);
  if (input->actions & FUZZ_LOW_LATENCY)
    become (model, infer_model_low_latency (*model, &error), &error);
  if (input->actions & FUZZ_TIE_STATES)
    tie_states (model, input);
}

/* --- running --- */

static gboolean
set_inputs (InferRequest *request, const InferModel *model, FuzzInput *input)
{
  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    g_autoptr (GError) error = NULL;
    const InferDesc *desc = infer_model_input_desc (model, i);
    InferShape shape = fuzz_input_shape (input, &desc->shape);
    gsize n;

    if (!infer_shape_elements (&shape, &n) || n > MAX_ELEMENTS)
      return FALSE;
    InferTensor *tensor =
        infer_request_set_input_shape (request, i, &shape, &error);
    check_error (tensor != NULL, &error);
    if (tensor == NULL)
      return FALSE;
    fuzz_input_fill (input, tensor);
  }
  return TRUE;
}

/* Every byte is read, for sanitizers. */
static void
read_outputs (InferRequest *request, const InferModel *model)
{

  for (guint i = 0; i < infer_model_n_outputs (model); i++) {
    g_autoptr (GError) error = NULL;
    const InferTensor *tensor = infer_request_get_output (request, i, &error);

    check_error (tensor != NULL, &error);
    if (tensor != NULL && tensor->dense)
      infer_hash (tensor->data, tensor->size, NULL);
  }
}

static void
use_states (InferRequest *request, FuzzInput *input)
{
  InferStateSet *states = infer_request_get_states (request);

  if (states == NULL)
    return;
  InferState *state = infer_state_set_get (
      states, fuzz_input_below (input, infer_state_set_n_states (states)));
  g_autoptr (GError) error = NULL;
  g_autoptr (InferTensor) value = infer_state_get_value (state, &error);
  check_error (value != NULL, &error);
  switch (fuzz_input_below (input, 3)) {
    case 0:
      infer_state_reset (state);
      break;
    case 1:
      if (value != NULL)
        check_error (infer_state_set_value (state, value, &error), &error);
      break;
    default:
      break;
  }
}

static void
run (InferModel *model, InferRuntime *runtime, FuzzInput *input)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferExecutable) executable =
      infer_executable_new (model, runtime, &error);

  check_error (executable != NULL, &error);
  if (executable == NULL)
    return;
  fuzz_tally[FUZZ_TALLY_COMPILED]++;
  g_autoptr (InferRequest) request = infer_request_new (executable, &error);
  check_error (request != NULL, &error);
  if (request == NULL)
    return;
  gboolean ran = FALSE;
  for (guint i = 0; i < 2; i++) {
    if (!set_inputs (request, model, input))
      return;
    const gboolean ok = infer_request_infer (request, &error);
    check_error (ok, &error);
    if (ok)
      read_outputs (request, model);
    if (ok && !ran)
      fuzz_tally[FUZZ_TALLY_RUN]++;
    ran |= ok;
    use_states (request, input);
  }
}

void
fuzz_execute (InferModel *given, FuzzInput *input)
{
  g_autoptr (InferModel) model = infer_model_ref (given);

  fuzz_tally[FUZZ_TALLY_READ]++;
  if (!is_small_model (model))
    return;
  change (&model, input);
  if (is_small_model (model))
    run (model, fuzz_runtime (input), input);
}
