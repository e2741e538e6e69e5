/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files mapped into memory that may be cut short while they are in use.
 *
 * Reading a page behind the end of a file (or one that the disk cannot give)
 * raises SIGBUS.  While there is a mapping, this process has a handler for it:
 * it replaces the whole mapping by zeros and marks it as broken, so that what
 * reads it goes on, and whoever asks afterwards gets an error with the file's
 * name.  Every other SIGBUS goes to the handler that was there before.  The
 * handler is taken away with the last mapping.
 *
 * Where the application has put a handler of its own in the place of this one,
 * no further file is mapped: callers read it into memory instead.  A thread
 * that blocks SIGBUS is killed by the kernel as without a handler.
 *
 * Any thread. */

#pragma once

#include <glib.h>

/* Maps the first @size bytes of the file, for reading; the path is for errors.
 * NULL: it cannot be mapped, or not be guarded. */
GBytes *infer_mapping_new (int fd, gsize size, const char *path);

extern gint infer_mapping_faults_;

/* How many mappings have broken so far; where it has not changed, none has. */
static inline guint
infer_mapping_faults (void)
{
  return (guint) __atomic_load_n (&infer_mapping_faults_, __ATOMIC_ACQUIRE);
}

/* FALSE, with INFER_ERROR_FAILED and the file's name, if @data is in a mapping
 * that has broken.  The mapping of @data, if it is in one, is alive. */
gboolean infer_mapping_check (gconstpointer data, GError **error);
/* The same for all mapped files of a folder. */
gboolean infer_mapping_check_folder (const char *folder, GError **error);
