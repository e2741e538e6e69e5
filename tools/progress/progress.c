/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/progress/progress.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Between two updates, and before the first one. */
#define STEP_US (G_USEC_PER_SEC / 5)
#define PATIENCE_US G_USEC_PER_SEC

static struct
{
  GMutex lock;
  GCond changed;
  GThread *thread; /* main thread only */
  char *text;      /* guarded by the lock, as all below; NULL: end */
  gint64 begin;
  gboolean shown;
} progress;

static gboolean silent;

void
tool_progress_silence (void)
{
  silent = TRUE;
}

static void
put (const char *text)
{
  /* A line that is lost is no reason to fail. */
  if (write (STDERR_FILENO, text, strlen (text)) < 0)
    return;
}

/* Columns; the last one stays free, where a terminal may wrap. */
static glong
room (void)
{
  struct winsize size;

  return ioctl (STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1
             ? size.ws_col - 1
             : 79;
}

/* @text in at most @width columns; what is too long lacks its middle, for paths
 * end with what tells them apart.  (transfer full) */
static char *
fit (const char *text, glong width)
{
  const glong n = g_utf8_strlen (text, -1);
  const glong head = MAX (width, 1) / 4, tail = MAX (width - head - 1, 0);

  if (n <= width)
    return g_strdup (text);
  g_autofree char *first = g_utf8_substring (text, 0, head);
  return g_strconcat (
      first, "…", g_utf8_offset_to_pointer (text, n - tail), NULL);
}

static void
show (gint64 now)
{
  g_autofree char *time = g_strdup_printf (
      ", %d s", (int) ((now - progress.begin) / G_USEC_PER_SEC));
  g_autofree char *valid = g_utf8_make_valid (progress.text, -1);
  g_autofree char *text = fit (valid, room () - (glong) strlen (time));
  g_autofree char *line = g_strconcat (text, time, NULL);
  g_autofree char *clipped =
      g_utf8_substring (line, 0, MIN (room (), g_utf8_strlen (line, -1)));

  for (char *at = clipped; *at != '\0'; at++)
    if ((guchar) *at < ' ' || *at == 0x7f)
      *at = ' ';
  g_autofree char *out = g_strdup_printf ("\r%s\033[K", clipped);
  put (out);
  progress.shown = TRUE;
}

static gpointer
run (gpointer data)
{
  g_mutex_lock (&progress.lock);
  while (progress.text != NULL) {
    gint64 now = g_get_monotonic_time ();
    gint64 first = progress.begin + PATIENCE_US;

    if (now >= first || progress.shown)
      show (now);
    g_cond_wait_until (
        &progress.changed, &progress.lock, MAX (now + STEP_US, first));
  }
  if (progress.shown)
    put ("\r\033[K");
  progress.shown = FALSE;
  g_mutex_unlock (&progress.lock);
  return NULL;
}

/* @text: (transfer full) */
static void
set_text (char *text, gboolean begin)
{
  if (silent || !isatty (STDERR_FILENO)) {
    g_free (text);
    return;
  }
  g_mutex_lock (&progress.lock);
  g_free (progress.text);
  progress.text = text;
  if (begin)
    progress.begin = g_get_monotonic_time ();
  g_mutex_unlock (&progress.lock);
  if (progress.thread == NULL)
    progress.thread = g_thread_new ("progress", run, NULL);
}

void
tool_progress_begin (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  set_text (g_strdup_vprintf (format, args), TRUE);
  va_end (args);
}

void
tool_progress_update (const char *format, ...)
{
  va_list args;

  va_start (args, format);
  if (progress.thread != NULL)
    set_text (g_strdup_vprintf (format, args), FALSE);
  va_end (args);
}

void
tool_progress_hide (void)
{
  if (progress.thread == NULL)
    return;
  g_mutex_lock (&progress.lock);
  if (progress.shown)
    put ("\r\033[K");
  g_mutex_unlock (&progress.lock);
}

void
tool_progress_end (void)
{
  if (progress.thread == NULL)
    return;
  g_mutex_lock (&progress.lock);
  g_clear_pointer (&progress.text, g_free);
  g_cond_signal (&progress.changed);
  g_mutex_unlock (&progress.lock);
  g_thread_join (g_steal_pointer (&progress.thread));
}
