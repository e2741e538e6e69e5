/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Load times and memory of one engine and one model, measured in a process of
 * their own. */

#pragma once

#include "bench/compare/engine.h"

typedef struct
{
  double open_ms;    /* the library */
  double load_ms;    /* the model to its first result, with what the engine
                      * makes once in a process */
  double cpu_ms;     /* processor time of load_ms */
  double first_ms;   /* the first inference in load_ms */
  double again_ms;   /* the same model again, after it was released: without
                      * what is made once */
  double rss_kb;     /* after some inferences */
  double peak_kb;    /* maximum of rss until then */
  double private_kb; /* of rss: not shared with other processes */
  double shared_kb;
} ProcessRun;

/* One line.  (transfer full) */
char *process_run_to_text (const ProcessRun *run);
gboolean process_run_from_text (
    ProcessRun *run, const char *text, GError **error);
/* Each figure becomes the lesser of both. */
void process_run_merge (ProcessRun *run, const ProcessRun *other);
