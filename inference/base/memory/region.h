/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory that the system has again as soon as it is freed, which malloc does
 * not promise.  Any thread. */

#pragma once

#include <glib.h>

/* Zeroed; @bytes > 0; @align: a power of 2.  NULL if short. */
gpointer infer_region_new (gsize bytes, gsize align);
/* @bytes: as allocated. */
void infer_region_free (gpointer memory, gsize bytes);
