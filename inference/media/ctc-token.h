/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tokens: the result of CTC decoding. */

#pragma once

#include <glib.h>

typedef struct
{
  guint class_index;      /* never the blank */
  guint64 start;          /* its first step, counted from the reset */
  guint64 end;            /* one past its last step */
  double log_probability; /* natural; the sum over its steps */
} InferCtcToken;
