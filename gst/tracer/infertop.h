/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tracer `infertop`. */

#pragma once

#include <gst/gst.h>

gboolean gst_infer_top_register (GstPlugin *plugin);
