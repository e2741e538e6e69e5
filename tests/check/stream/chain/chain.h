/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Our elements in a row, for the rig. */

#pragma once

#include "tests/check/stream/plan.h"

#define CHAIN_MAX 6 /* elements */

/* The rows that a plan can have besides inferfilter alone; their number, their
 * elements' names. */
guint chain_n_kinds (void);
const char *chain_name (guint kind);

/* Whether the first inferfilter of row @kind gives audio, and whether it takes
 * feature vectors. */
gboolean chain_gives_audio (guint kind);
gboolean chain_takes_features (guint kind);

/* Whether events may stay in it that a query overtakes. */
gboolean chain_holds_events (guint kind);

/* Fills in unlinked elements (transfer full), returns how many.  *@filter: the
 * first inferfilter (transfer none). */
guint chain_new (
    const PlanConfig *config, GstElement *elements[], GstElement **filter);
