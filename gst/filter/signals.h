/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* inferfilter's action signals: reset-state, get-state, set-state. */

#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

void gst_infer_filter_install_signals (GObjectClass *klass);

G_END_DECLS
