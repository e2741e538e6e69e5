/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Attributes of ScaledDotProductAttention. */

#pragma once

#include <glib.h>

typedef struct
{
  gboolean causal;
} InferAttention;
