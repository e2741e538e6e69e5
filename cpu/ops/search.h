/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Ordering elements of any type. */

#pragma once

#include "cpu/base/step.h"

/* Maps elements to integers of the same order: -0 equals 0, NaN is above all.
 * @dst has 8 bytes per element. */
void cpu_order_keys (gint64 *dst, gconstpointer src, InferType type, gsize n);
