/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A pipeline in a gst-launch-1.0 of its own, measured from outside through the
 * tracer infertop: infer-model needs no GStreamer, and what is measured is the
 * line that a user runs. */

#pragma once

#include <glib.h>

/* Of all inferfilter elements together. */
typedef struct
{
  double per_second; /* inferences */
  double p50, p99;   /* ns from a window or frame to its result; the slowest
                      * element's */
  double cpu;        /* ns of the process per inference */
  double joules;     /* of the machine per inference; 0: not measured */
} ToolMeasure;

/* Runs the pipeline @words, and measures for @seconds from its first
 * inferences on.  FALSE if it fails, or ends too early. */
gboolean tool_trial_run (
    GStrv words, double seconds, ToolMeasure *measure, GError **error);

/* Whether energy can be measured; @error says why not. */
gboolean tool_trial_can_measure_energy (GError **error);
