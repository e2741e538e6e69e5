/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the elements of a process do, as one line of JSON: the feed of
 * infertop. */

#pragma once

#include <gst/gst.h>

/* @elements: (element-type GstElement).  Any thread; reads properties only.
 * (transfer full) */
char *gst_infer_snapshot (const GPtrArray *elements);
