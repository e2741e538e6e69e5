/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A cache folder for results that are expensive to compute: the
 * configuration's CACHE_DIR.
 *
 * An entry is a block of bytes, found by its kind ("cpu-pack", "ocl-program":
 * the prefix of the file name, hence letters, digits and '-') and its key: text
 * that names everything the bytes depend on: content (see hash.h), device,
 * driver version, instruction set, options.  The cache adds this project's
 * version and a hash of its sources to every key.
 *
 * Each entry is a file with its whole key and a checksum, created atomically.
 * A file of another version or key, truncated or damaged, counts as absent: a
 * warning is logged (once for all versions) and the next put replaces it.  The
 * checksum detects accidents, not attacks: the folder is created with access
 * for its owner only, and a folder or entry that belongs to neither the user of
 * the process nor root, or that others may write to, is not used, with one
 * warning.  It may be removed at any time.  Large entries in use are mapped
 * (see mapping.h).  Any thread, any number of processes. */

#pragma once

#include <glib.h>

typedef struct _InferCache InferCache;

/* The first put creates the folder. */
InferCache *infer_cache_new (const char *folder);
InferCache *infer_cache_ref (InferCache *cache);
void infer_cache_unref (InferCache *cache);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferCache, infer_cache_unref)

const char *infer_cache_get_folder (const InferCache *cache);

/* Before its first use; FALSE: no entry is mapped. */
void infer_cache_set_mapping (InferCache *cache, gboolean map);

/* Returns NULL if there is no usable entry.  The bytes are aligned to 64, and
 * may be mapped: infer_mapping_check_folder says whether they still hold.
 * @cache: nullable.  Callers check the content as that of any file.
 * (transfer full) */
GBytes *infer_cache_get (InferCache *cache, const char *kind, const char *key);
/* Never mapped: nobody changes it after it was checked. */
GBytes *infer_cache_get_copy (
    InferCache *cache, const char *kind, const char *key);

/* Logs a warning, once, if the folder is not writable.  @cache: nullable. */
void infer_cache_put (
    InferCache *cache, const char *kind, const char *key, GBytes *bytes);

/* Calls of infer_cache_get so far, by result; each nullable. */
void infer_cache_get_counts (
    const InferCache *cache, guint *hits, guint *misses);
