/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What load times and memory are measured in: a process of their own, which has
 * nothing but the one engine and the one model. */

#pragma once

#include "bench/compare/engine.h"

G_BEGIN_DECLS

typedef struct
{
  double open_ms;    /* the library and its devices */
  double load_ms;    /* the model to its first result, the library being open */
  double cpu_ms;     /* load_ms in time of processors: others do not count */
  double first_ms;   /* of that, the first inference */
  double again_ms;   /* load_ms once more, after the model was given back */
  double rss_kb;     /* after some inferences */
  double peak_kb;    /* the most until then */
  double private_kb; /* of rss: not shared with other processes */
  double shared_kb;
} ProcessRun;

/* One line.  (transfer full) */
char *process_run_to_text (const ProcessRun *run);
gboolean process_run_from_text (
    ProcessRun *run, const char *text, GError **error);
/* Of each figure the lesser. */
void process_run_merge (ProcessRun *run, const ProcessRun *other);

/* The process's main function: --child ENGINE and what to run.  Returns an exit
 * status. */
int process_child (int argc, char **argv);

G_END_DECLS
