/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* `infer-model tune --pipeline`: the settings of inferfilter with which a
 * pipeline does best. */

#pragma once

#include <glib.h>

typedef enum
{
  TOOL_GOAL_LATENCY,
  TOOL_GOAL_THROUGHPUT,
  TOOL_GOAL_STREAMS,
  TOOL_GOAL_POWER,
} ToolGoal;

typedef struct
{
  char *pipeline;
  char *element; /* nullable: all inferfilter elements */
  GStrv devices; /* nullable: the pipeline's */
  ToolGoal goal;
  double rate;    /* of a stream, inferences per second; 0: not given */
  double seconds; /* of measuring, all together */
} ToolSearch;

/* FALSE: no such goal. */
gboolean tool_goal_parse (const char *text, ToolGoal *goal);

/* Prints what was tried, and the line to use, on stdout. */
gboolean tool_search_run (const ToolSearch *search, GError **error);
