/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ZIP archives as NumPy's savez writes them; entries are stored, or deflated
 * when reading. */

#pragma once

#include <glib.h>

typedef struct
{
  char *name; /* as in the archive */
  GBytes *bytes;
} ZipEntry;

/* Of an archive, and of all its entries when unpacked. */
#define ZIP_MOST_BYTES ((gsize) 1 << 31)

/* (transfer full) (element-type ZipEntry); NULL with @error, which names
 * @path. */
GPtrArray *zip_read (const char *path, GError **error);
/* The same for the contents of a file; @path: for messages. */
GPtrArray *zip_parse (const char *path, GBytes *file, GError **error);
gboolean zip_write (const char *path, const GPtrArray *entries, GError **error);

/* For arrays of entries; both (transfer full). */
ZipEntry *zip_entry_new (char *name, GBytes *bytes);
void zip_entry_free (gpointer entry);
