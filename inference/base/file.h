/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files, read or written as a whole.  Errors begin with the path.
 *
 * Only regular files are read: a folder, FIFO, device or socket is refused at
 * once (INFER_ERROR_INVALID_ARGUMENT), nothing waits for another process.
 * Memory is aligned to 64. */

#pragma once

#include <glib.h>
#include <sys/stat.h>

typedef struct
{
  char *path;
  GBytes *bytes;
  gboolean mapped; /* else a copy, which no other process changes */
  struct stat opened;
} InferFile;

void infer_file_clear (InferFile *file);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (InferFile, infer_file_clear)

/* A copy of at most @limit bytes; a file that changes meanwhile is an error. */
GBytes *infer_file_read (const char *path, gsize limit, GError **error);

/* Maps the file where it is large and that is safe (mapping.h), else reads it;
 * @map FALSE: always reads it.  *@file: zeroed, or cleared. */
gboolean infer_file_open (
    InferFile *file, const char *path, gboolean map, GError **error);

/* The same for an entry of an open folder; a link is refused, not followed.
 * @path: for errors. */
gboolean infer_file_open_in (InferFile *file, int folder, const char *name,
    const char *path, gboolean map, GError **error);

/* For the end of what read @file: whether it is still what was opened.  FALSE:
 * it was cut short or written to; a file of its name that replaced it does not
 * count. */
gboolean infer_file_check (const InferFile *file, GError **error);

/* The same after reading, which may have failed: what was found in a file that
 * was cut short is replaced by that it was.  *@error may be set. */
gboolean infer_file_confirm (const InferFile *file, GError **error);

/* --- writing --- */

typedef struct
{
  gconstpointer data;
  gsize size;
} InferFilePart;

/* Writes @parts to a new file, which takes the place of @path when it is whole;
 * after a failure nothing is left of it.  @mode: but for the umask. */
gboolean infer_file_write (const char *path, const InferFilePart *parts,
    guint n, int mode, GError **error);
