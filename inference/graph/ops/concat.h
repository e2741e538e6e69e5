/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of Concat and Split. */

#pragma once

#include <glib.h>

typedef struct
{
  gint64 axis; /* may be negative */
} InferConcat;

typedef struct
{
  gint64 num_splits;
} InferSplit;
