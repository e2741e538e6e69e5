/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/support/tracers/tracers.h"

#include <string.h>
#include <unistd.h>

static void (*on_line) (const char *text);
static gint n_alive; /* atomic */

static void
read_log (GstDebugCategory *category, GstDebugLevel level, const char *file,
    const char *function, int line, GObject *object, GstDebugMessage *message,
    gpointer data)
{
  if (strcmp (gst_debug_category_get_name (category), "GST_TRACER") != 0)
    return;
  const char *text = gst_debug_message_get (message);
  if (g_str_has_prefix (text, "object-alive, type-name=(string)")) {
    g_atomic_int_inc (&n_alive);
    g_printerr ("%s\n", text);
  }
  if (on_line != NULL)
    on_line (text);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" /* in GStreamer's macros */
static void
replace_log_handler (void)
{
  gst_debug_remove_log_function (NULL);
  gst_debug_add_log_function (read_log, NULL, NULL);
}
#pragma GCC diagnostic pop

/* Present in programs with a leak sanitizer. */
extern void __lsan_disable (void) __attribute__ ((weak));
extern void __lsan_enable (void) __attribute__ ((weak));

gboolean
test_tracers_exist (void)
{
  return g_file_test (CORETRACERS, G_FILE_TEST_EXISTS);
}

/* GStreamer leaks a reference to the factory of each tracer that it registers.
 */
void
test_tracers_begin (const char *tracers, void (*line) (const char *text))
{
  g_autofree char *folder = g_dir_make_tmp ("tracers-XXXXXX", NULL);
  g_autofree char *plugin =
      g_build_filename (folder, "libgstcoretracers.so", NULL);
  g_autofree char *registry = g_build_filename (folder, "registry", NULL);
  const char *others = g_getenv ("GST_PLUGIN_PATH_1_0");
  g_autofree char *path = others != NULL
                              ? g_strdup_printf ("%s:%s", folder, others)
                              : g_strdup (folder);

  on_line = line;
  g_assert_cmpint (symlink (CORETRACERS, plugin), ==, 0);
  g_setenv ("GST_PLUGIN_PATH_1_0", path, TRUE);
  g_setenv ("GST_REGISTRY", registry, TRUE);
  g_setenv ("GST_TRACERS", tracers, TRUE);
  g_setenv ("GST_DEBUG", "GST_TRACER:7", TRUE);
  replace_log_handler ();
  if (__lsan_disable != NULL)
    __lsan_disable ();
  gst_init (NULL, NULL);
  if (__lsan_enable != NULL)
    __lsan_enable ();
  unlink (plugin);
  unlink (registry);
  rmdir (folder);
}

guint
test_tracers_end (void)
{
  gst_deinit ();
  return (guint) g_atomic_int_get (&n_alive);
}
