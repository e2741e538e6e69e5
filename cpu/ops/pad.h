/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include "cpu/base/step.h"

/* Whether a step is a Pad of f32 in CPU_LAYOUT_NSPC that only appends zero
 * channels. */
gboolean cpu_pad_appends_channels (const CpuStep *step);
