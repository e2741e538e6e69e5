/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Cancelling what a thread computes.  Whoever starts a step says which flag
 * cancels it; a backend asks for the flag once, then looks at it between
 * operations. */

#pragma once

#include "infer/error.h"

/* The flag of the step that this thread runs; NULL: it cannot be cancelled. */
const gint *infer_cancel_flag (void);

/* Until the next call, steps on this thread are cancelled by @flag (nullable;
 * any thread sets it atomically).  Returns the flag before. */
const gint *infer_cancel_enter (const gint *flag);

/* Loading and compiling: FALSE with INFER_ERROR_CANCELLED if the thread's
 * current GCancellable is cancelled. */
gboolean infer_cancel_check_current (GError **error);

static inline gboolean
infer_cancel_is_set (const gint *flag)
{
  return G_UNLIKELY (
      flag != NULL && __atomic_load_n (flag, __ATOMIC_RELAXED) != 0);
}

/* FALSE with INFER_ERROR_CANCELLED if @flag (nullable) is set. */
static inline gboolean
infer_cancel_check (const gint *flag, GError **error)
{
  return !infer_cancel_is_set (flag)
         || infer_fail (error, INFER_ERROR_CANCELLED, "cancelled");
}
