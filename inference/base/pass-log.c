/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/pass-log.h"

static GMutex lock;
static GString *log_text; /* under lock */
static gint wanted;       /* atomic */

void
infer_pass_log_start (void)
{
  g_mutex_lock (&lock);
  if (log_text == NULL)
    log_text = g_string_new (NULL);
  g_mutex_unlock (&lock);
  g_atomic_int_set (&wanted, 1);
}

gboolean
infer_pass_log_wanted (void)
{
  return g_atomic_int_get (&wanted) != 0;
}

void
infer_pass_log_add (const char *text)
{
  g_mutex_lock (&lock);
  if (log_text != NULL)
    g_string_append (log_text, text);
  g_mutex_unlock (&lock);
}

char *
infer_pass_log_end (void)
{
  char *text = NULL;

  g_atomic_int_set (&wanted, 0);
  g_mutex_lock (&lock);
  if (log_text != NULL)
    text = g_string_free (g_steal_pointer (&log_text), FALSE);
  g_mutex_unlock (&lock);
  return text;
}
