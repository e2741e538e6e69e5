/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Libraries that are loaded when they are first needed, so that the plugin does
 * not depend on them.  A library's functions are the members of a struct, in
 * the order of their names:
 *
 *   #define CALLS(CALL) CALL (lib_open) CALL (lib_close)
 *   static struct { CALLS (GST_INFER_CALL) } lib;
 *   static const char *const names[] = { CALLS (GST_INFER_CALL_NAME) };
 *   static GstInferLibrary library = { .file = "liblib.so.1",
 *     .package = "lib", .names = names, .n = G_N_ELEMENTS (names),
 *     .functions = &lib };
 */

#pragma once

#include <glib.h>

#define GST_INFER_CALL(name) __typeof__ (name) *name;
#define GST_INFER_CALL_NAME(name) #name,

typedef struct
{
  const char *file;    /* its soname */
  const char *package; /* what to install where it is missing */
  const char *const *names;
  gsize n;
  gpointer functions; /* [n] */

  gint loaded; /* atomic */
  gint absent; /* atomic: gst_infer_library_find did not find it */
} GstInferLibrary;

/* Loads the library, which then stays, and sets its functions, unless that was
 * done.  FALSE with INFER_ERROR_NOT_FOUND: the library or one of the functions
 * is missing.  Any thread; blocks while another thread loads. */
gboolean gst_infer_library_load (GstInferLibrary *library, GError **error);

/* Like gst_infer_library_load, for what is simply left out without the library:
 * looks for it only once, and says in the debug log that it is missing. */
gboolean gst_infer_library_find (GstInferLibrary *library);
