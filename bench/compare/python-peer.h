/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For engines whose wheel has an interface for Python only: a process of a
 * script of compare/ per model, which measures its own time.  The functions are
 * entries of an Engine, or called by them. */

#pragma once

#include "bench/compare/engine.h"

/* @wheel: the name of the wheel's files, "ai_edge_litert".  Its process runs
 * @script, "litert.py". */
gpointer python_peer_open (const char *peers, const char *wheel,
    const char *script, char **version, GError **error);
void python_peer_close (gpointer library);
gpointer python_peer_load (
    gpointer library, const EngineSettings *settings, GError **error);
void python_peer_unload (gpointer model);
/* The process generates inputs of its own. */
gboolean python_peer_set_inputs (
    gpointer model, guint request, const GArray *inputs, GError **error);
gboolean python_peer_turn (
    gpointer model, guint64 budget_ns, GArray *ns, GError **error);
