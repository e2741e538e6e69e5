/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of MatMul. */

#pragma once

#include <glib.h>

typedef struct
{
  gboolean transpose_a, transpose_b;
} InferMatMul;
