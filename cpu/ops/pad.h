/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "cpu/base/step.h"

G_BEGIN_DECLS

/* Whether a step is a Pad of floats in CPU_LAYOUT_NSPC that puts zeros behind
 * the channels and does nothing else. */
gboolean cpu_pad_appends_channels (const CpuStep *step);

G_END_DECLS
