/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tracer `inferstages`. */

#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

gboolean gst_infer_stages_register (GstPlugin *plugin);

G_END_DECLS
