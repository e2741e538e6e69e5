/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bench/compare/process-run.h"

#include "infer/error.h"

#define N_FIGURES (sizeof (ProcessRun) / sizeof (double))

static double *
figures (ProcessRun *run)
{
  return &run->open_ms;
}

char *
process_run_to_text (const ProcessRun *run)
{
  ProcessRun copy = *run;
  GString *text = g_string_new (NULL);
  for (guint i = 0; i < N_FIGURES; i++)
    g_string_append_printf (text, "%.4f ", figures (&copy)[i]);
  return g_string_free (text, FALSE);
}

gboolean
process_run_from_text (ProcessRun *run, const char *text, GError **error)
{
  const char *at = text;
  for (guint i = 0; i < N_FIGURES; i++) {
    char *end;
    figures (run)[i] = g_ascii_strtod (at, &end);
    if (end == at)
      return infer_fail (error, INFER_ERROR_FAILED,
          "a process wrote '%.100s' instead of figures", text);
    at = end;
  }
  return TRUE;
}

void
process_run_merge (ProcessRun *run, const ProcessRun *other)
{
  ProcessRun copy = *other;
  for (guint i = 0; i < N_FIGURES; i++)
    figures (run)[i] = MIN (figures (run)[i], figures (&copy)[i]);
}
