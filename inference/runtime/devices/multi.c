/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/devices/auto.h"

gboolean
infer_multi_compile (InferExecutable *executable, GError **error)
{
  const InferRuntime *runtime = executable->runtime;

  for (guint i = 0; i < runtime->n_members; i++) {
    executable->members[i] =
        infer_executable_new_member (executable, runtime->members[i], error);
    if (executable->members[i] == NULL) {
      g_prefix_error (error, "%s: ", runtime->members[i]->name);
      return FALSE;
    }
    executable->n_members++;
  }
  return TRUE;
}

InferExecutable *
infer_multi_choose (InferExecutable *executable)
{
  InferExecutable *best = executable->members[0];

  for (guint i = 1; i < executable->n_members; i++) {
    InferExecutable *member = executable->members[i];

    /* (requests + 1) / optimum, without dividing */
    if ((infer_executable_n_requests (member) + 1)
            * infer_executable_optimal_requests (best)
        < (infer_executable_n_requests (best) + 1)
              * infer_executable_optimal_requests (member))
      best = member;
  }
  return best;
}
