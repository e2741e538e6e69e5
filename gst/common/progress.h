/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* PROGRESS messages of elements that load a model. */

#pragma once

#include <gst/gst.h>

/* Posts progress of the task "load-model": START, then COMPLETE, CANCELED or
 * ERROR.  @name: of the model, nullable. */
void gst_infer_post_progress (
    gpointer element, GstProgressType type, const char *name);
