/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/support/tracers/debug-log.h"

#include <string.h>

#define PATIENCE_US (5 * G_USEC_PER_SEC)

static GMutex lock;
static GCond changed;
/* Guarded by the lock. */
static GString *logged;
static char *kept;

static void
note (GstDebugCategory *category, GstDebugLevel level, const char *file,
    const char *function, int line, GObject *object, GstDebugMessage *message,
    gpointer unused)
{
  if (level > GST_LEVEL_DEBUG)
    return;
  g_mutex_lock (&lock);
  if (kept != NULL
      && strcmp (gst_debug_category_get_name (category), kept) == 0) {
    g_string_append_printf (logged, "%s\n", gst_debug_message_get (message));
    g_cond_broadcast (&changed);
  }
  g_mutex_unlock (&lock);
}

void
test_log_begin (const char *category)
{
  g_mutex_lock (&lock);
  kept = g_strdup (category);
  logged = g_string_new (NULL);
  g_mutex_unlock (&lock);
  gst_debug_set_active (TRUE);
  gst_debug_set_threshold_for_name (category, GST_LEVEL_DEBUG);
  (gst_debug_remove_log_function) (gst_debug_log_default);
  (gst_debug_add_log_function) (note, NULL, NULL);
}

void
test_log_end (void)
{
  (gst_debug_remove_log_function) (note);
  g_mutex_lock (&lock);
  g_clear_pointer (&kept, g_free);
  g_string_free (logged, TRUE);
  g_mutex_unlock (&lock);
}

char *
test_log_take (void)
{
  g_mutex_lock (&lock);
  char *text = g_strdup (logged->str);
  g_string_set_size (logged, 0);
  g_mutex_unlock (&lock);
  return text;
}

char *
test_log_await (const char *part)
{
  const gint64 until = g_get_monotonic_time () + PATIENCE_US;
  gboolean in_time = TRUE;

  g_mutex_lock (&lock);
  while (strstr (logged->str, part) == NULL && in_time)
    in_time = g_cond_wait_until (&changed, &lock, until);
  const gboolean found = strstr (logged->str, part) != NULL;
  char *text = found ? NULL : g_strdup (logged->str);
  g_string_set_size (logged, 0);
  g_mutex_unlock (&lock);
  return text;
}
