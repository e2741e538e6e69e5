/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "infer/error.h"
#include "tools/case.h"
#include "tools/compare.h"
#include "tools/onnx-case.h"
#include "tools/options.h"
#include "tools/progress/progress.h"

#include <string.h>

/* A case while it runs. */
typedef struct
{
  const Case *self;
  InferExecutable *executable;
  InferRequest *request;
} Run;

static void
clear_run (Run *run)
{
  infer_request_free (run->request);
  g_clear_pointer (&run->executable, infer_executable_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, clear_run)

/* Files: in_<set>_<k> of a set, step_<t>_in_<k> of a step. */
typedef struct
{
  char before[32], middle[32];
} Names;

static gboolean
set_inputs (Run *run, const Names *names, GError **error)
{
  for (guint k = 0; k < run->self->inputs->len; k++) {
    const CasePort *port = &g_array_index (run->self->inputs, CasePort, k);
    g_autoptr (InferTensor) tensor = case_read (run->self, &port->desc, error,
        "%sin_%s%u.npy", names->before, names->middle, k);
    if (tensor == NULL
        || !infer_request_set_input (run->request, k, tensor, error)) {
      g_prefix_error (error, "input %u: ", k);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
check_outputs (Run *run, const Names *names, GError **error)
{
  for (guint k = 0; k < run->self->outputs->len; k++) {
    const CasePort *port = &g_array_index (run->self->outputs, CasePort, k);
    g_autoptr (InferTensor) want = case_read (run->self, &port->desc, error,
        "%sout_%s%u.npy", names->before, names->middle, k);
    InferTensor *got =
        want != NULL ? infer_request_get_output (run->request, k, error) : NULL;
    double atol = run->self->near && infer_type_is_integer (port->desc.type)
                      ? MAX (port->atol, 1)
                      : port->atol;
    /* IR v10: OpenVINO reports other types than the graph has. */
    if (got == NULL
        || !tool_compare (
            got, want, port->rtol, atol, run->self->ir == 10, error)) {
      g_prefix_error (error, "output %u: ", k);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
run_once (Run *run, const Names *names, GError **error)
{
  return set_inputs (run, names, error)
         && infer_request_infer (run->request, error)
         && check_outputs (run, names, error);
}

static gboolean
check_sets (Run *run, GError **error)
{
  for (guint set = 0; set < run->self->sets; set++) {
    Names names = { 0 };
    if (run->self->sets > 1)
      g_snprintf (names.middle, sizeof names.middle, "%u_", set);
    if (!run_once (run, &names, error)) {
      if (run->self->sets > 1)
        g_prefix_error (error, "set %u: ", set);
      return FALSE;
    }
  }
  return TRUE;
}

/* --- sequences --- */

static gboolean
move_states (Run *run, GError **error)
{
  g_autoptr (InferRequest) next = infer_request_new (run->executable, error);
  if (next == NULL)
    return FALSE;
  InferStateSet *from = infer_request_get_states (run->request);
  InferStateSet *to = infer_request_get_states (next);
  for (guint i = 0; i < infer_state_set_n_states (from); i++) {
    g_autoptr (GError) cause = NULL;
    g_autoptr (InferTensor) value =
        infer_state_get_value (infer_state_set_get (from, i), &cause);
    /* Reset; the value is unknown before the next step, as in a new set. */
    if (g_error_matches (cause, INFER_ERROR, INFER_ERROR_NOT_FOUND))
      continue;
    if (value == NULL) {
      g_propagate_error (error, g_steal_pointer (&cause));
      return FALSE;
    }
    if (!infer_state_set_value (infer_state_set_get (to, i), value, error))
      return FALSE;
  }
  infer_request_free (run->request);
  run->request = g_steal_pointer (&next);
  return TRUE;
}

static InferType
variable_type (const Case *self, const char *name)
{
  for (guint i = 0; i < self->variables->len; i++) {
    const CaseVariable *variable =
        &g_array_index (self->variables, CaseVariable, i);
    if (g_str_equal (variable->name, name))
      return variable->type;
  }
  return INFER_TYPE_F32;
}

static gboolean
set_state (Run *run, const CaseAction *action, GError **error)
{
  InferDesc desc = { variable_type (run->self, action->variable),
    infer_shape_dynamic () };
  InferState *state = infer_state_set_find (
      infer_request_get_states (run->request), action->variable, error);
  g_autoptr (InferTensor) value =
      state != NULL ? case_read (run->self, &desc, error, "step_%u_set_%s.npy",
          action->step, action->file)
                    : NULL;
  return value != NULL && infer_state_set_value (state, value, error);
}

static gboolean
act (Run *run, const CaseAction *action, GError **error)
{
  InferStateSet *states = infer_request_get_states (run->request);
  InferState *state;
  switch (action->kind) {
    case CASE_RESET:
      infer_state_set_reset (states);
      return TRUE;
    case CASE_RESET_ONE:
      state = infer_state_set_find (states, action->variable, error);
      if (state != NULL)
        infer_state_reset (state);
      return state != NULL;
    case CASE_MOVE:
      return move_states (run, error);
    case CASE_SET:
      return set_state (run, action, error);
  }
  return TRUE;
}

/* States have the tolerance of the least exact output. */
static void
state_tolerance (const Case *self, InferType type, double *rtol, double *atol)
{
  *rtol = *atol = 0;
  if (!infer_type_is_real (type))
    return;
  *rtol = *atol = 1e-5;
  for (guint k = 0; k < self->outputs->len; k++) {
    const CasePort *port = &g_array_index (self->outputs, CasePort, k);
    *rtol = MAX (*rtol, port->rtol);
    *atol = MAX (*atol, port->atol);
  }
}

static gboolean
check_state (Run *run, guint step, const CaseVariable *variable, GError **error)
{
  InferDesc desc = { variable->type, infer_shape_dynamic () };
  double rtol, atol;
  state_tolerance (run->self, variable->type, &rtol, &atol);
  InferState *state = infer_state_set_find (
      infer_request_get_states (run->request), variable->name, error);
  g_autoptr (InferTensor) want =
      state != NULL ? case_read (
          run->self, &desc, error, "step_%u_state_%s.npy", step, variable->file)
                    : NULL;
  g_autoptr (InferTensor) got =
      want != NULL ? infer_state_get_value (state, error) : NULL;
  if (got != NULL
      && tool_compare (got, want, rtol, atol, run->self->ir == 10, error))
    return TRUE;
  g_prefix_error (error, "state '%s': ", variable->name);
  return FALSE;
}

static gboolean
check_step (Run *run, guint step, GError **error)
{
  const Case *self = run->self;
  Names names = { 0 };
  g_snprintf (names.before, sizeof names.before, "step_%u_", step);
  for (guint i = 0; i < self->actions->len; i++) {
    const CaseAction *action = &g_array_index (self->actions, CaseAction, i);
    if (action->step == step && !act (run, action, error))
      return FALSE;
  }
  if (!run_once (run, &names, error))
    return FALSE;
  for (guint i = 0; i < self->variables->len; i++)
    if (!check_state (run, step,
            &g_array_index (self->variables, CaseVariable, i), error))
      return FALSE;
  return TRUE;
}

static gboolean
check_steps (Run *run, GError **error)
{
  for (guint step = 0; step < run->self->steps; step++)
    if (!check_step (run, step, error)) {
      g_prefix_error (error, "step %u: ", step);
      return FALSE;
    }
  return TRUE;
}

/* --- cases --- */

static gboolean
check_ports (const Case *self, const InferModel *model, GError **error)
{
  if (infer_model_n_inputs (model) == self->inputs->len
      && infer_model_n_outputs (model) == self->outputs->len)
    return TRUE;
  return infer_fail (error, INFER_ERROR_FAILED,
      "the model has %u inputs and %u outputs, the case %u and %u",
      infer_model_n_inputs (model), infer_model_n_outputs (model),
      self->inputs->len, self->outputs->len);
}

static gboolean
check_case (const Case *self, InferRuntime *runtime, GError **error)
{
  if (self->onnx)
    return onnx_case_check (self->dir, runtime, error);
  g_autofree char *xml = case_path (self, "model.xml");
  g_autofree char *bin = case_path (self, "model.bin");
  g_autoptr (InferModel) model = infer_model_load (xml, bin, error);
  if (model == NULL || !check_ports (self, model, error))
    return FALSE;
  g_auto (Run) run = { .self = self };
  run.executable = infer_executable_new (model, runtime, error);
  if (run.executable != NULL) {
    infer_executable_settle (run.executable);
    run.request = infer_request_new (run.executable, error);
  }
  return run.request != NULL && check_sets (&run, error)
         && check_steps (&run, error);
}

/* Loading, or the first inference, must fail for the given reason. */
static gboolean
check_refused (const Case *self, InferRuntime *runtime, GError **error)
{
  g_autoptr (GError) cause = NULL;
  if (check_case (self, runtime, &cause))
    return infer_fail (error, INFER_ERROR_FAILED, "it was not refused");
  if (strstr (cause->message, self->refused) != NULL)
    return TRUE;
  return infer_fail (error, INFER_ERROR_FAILED,
      "refused for another reason than '%s': %s", self->refused,
      cause->message);
}

typedef struct
{
  guint passed, failed, skipped;
} Counts;

static void
check_one (const Case *self, InferRuntime *runtime, Counts *counts)
{
  g_autoptr (GError) error = NULL;
  if (self->format != 1) {
    counts->skipped++;
    tool_progress_hide ();
    g_print ("SKIP %s: case.txt is of format %u\n", self->name, self->format);
  } else if (self->refused != NULL ? check_refused (self, runtime, &error)
                                   : check_case (self, runtime, &error)) {
    counts->passed++;
  } else {
    counts->failed++;
    tool_progress_hide ();
    g_strdelimit (error->message, "\r\n", ' ');
    g_print ("FAIL %s: %s\n", self->name, error->message);
  }
}

static int
check_all (GPtrArray *cases, const ToolRuntimeOptions *options)
{
  g_autoptr (GError) error = NULL;
  Counts counts = { 0 };
  g_autoptr (InferRuntime) runtime =
      tool_open_runtime (options, 1, FALSE, &error);
  if (runtime == NULL || !tool_begin_trace (options, &error))
    return tool_fail (error);
  tool_progress_begin ("checking");
  for (guint i = 0; i < cases->len; i++) {
    tool_progress_update ("case %u of %u: %s", i + 1, cases->len,
        ((const Case *) cases->pdata[i])->name);
    check_one (cases->pdata[i], runtime, &counts);
  }
  tool_progress_end ();
  if (!tool_end_trace (options, &error))
    return tool_fail (error);
  g_print ("%u passed, %u failed, %u skipped\n", counts.passed, counts.failed,
      counts.skipped);
  return counts.failed > 0 ? TOOL_FAILED : TOOL_DONE;
}

static void
free_case (gpointer self)
{
  case_free (self);
}

static int
run (int argc, char **argv)
{
  g_auto (ToolRuntimeOptions) options = { .threads = 1 };
  const GOptionEntry entries[] = {
    TOOL_RUNTIME_OPTIONS (&options),
    G_OPTION_ENTRY_NULL,
  };
  g_auto (GStrv) dirs = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) cases = g_ptr_array_new_with_free_func (free_case);
  if (!tool_parse_options (
          &tool_check, entries, &options, argc, argv, 1, G_MAXUINT, &dirs))
    return TOOL_USAGE;
  for (guint i = 0; dirs[i] != NULL; i++) {
    Case *self = case_load (dirs[i], &error);
    if (self == NULL)
      return tool_usage (&tool_check, "%s", error->message);
    g_ptr_array_add (cases, self);
  }
  return check_all (cases, &options);
}

const ToolCommand tool_check = {
  .name = "check",
  .arguments = "CASE_DIR... [--device D] [--threads N] [OPTION]...",
  .summary = "runs conformance cases and compares what comes out",
  .run = run,
};
