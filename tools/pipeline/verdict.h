/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether one of several settings is better than what there was, beyond what
 * measurements differ by themselves. */

#pragma once

#include <glib.h>

#define TOOL_MOST_CONTENDERS 8
#define TOOL_MOST_ROUNDS 16

typedef struct
{
  guint winner; /* 0: nothing is better than contender 0 */
  double gain;  /* of the winner over contender 0: 0.1 is 10 % */
  double noise; /* how much one contender's rounds differ, relatively */
  double least; /* the gain that it takes */
} ToolVerdict;

typedef struct
{
  double scores[TOOL_MOST_ROUNDS]; /* larger is better, > 0 */
} ToolRounds;

/* In each round, all contenders were measured one after the other.  Contender 0
 * is what there was, the others are in order of preference among equals. */
ToolVerdict tool_judge (
    const ToolRounds *contenders, guint n_contenders, guint n_rounds);
