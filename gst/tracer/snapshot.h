/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The state and figures of a process's elements as one line of JSON, which the
 * tracer infertop sends. */

#pragma once

#include <gst/gst.h>

/* @elements: (element-type GstElement).  Any thread; reads properties only.
 * (transfer full) */
char *gst_infer_snapshot (const GPtrArray *elements);
