/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/cancel.h"

#include <gio/gio.h>

static _Thread_local const gint *current;

const gint *
infer_cancel_flag (void)
{
  return current;
}

const gint *
infer_cancel_enter (const gint *flag)
{
  const gint *before = current;

  current = flag;
  return before;
}

gboolean
infer_cancel_check_current (GError **error)
{
  return !g_cancellable_is_cancelled (g_cancellable_get_current ())
         || infer_fail (error, INFER_ERROR_CANCELLED, "cancelled");
}
