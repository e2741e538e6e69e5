/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A folder of what was expensive to make: the configuration's CACHE_DIR.
 *
 * Entries are bytes found by a kind ("cpu-pack", "ocl-program": also the
 * beginning of file names, hence letters, digits and '-') and a key: text that
 * names everything the bytes depend on — content (see hash.h), device, version
 * of its driver, instruction set, options.  This project's version and a sum
 * over its sources are part of it unasked.
 *
 * Each is a file of its own, with its whole key and a checksum in it, put in
 * place at once.  One that is of another version, of another key, cut short or
 * altered is as good as absent: a warning says so (of versions only the first)
 * and the next put replaces it.  The checksum finds accidents, not malice: keep
 * the folder to yourself (it is made for its owner alone).  It may be removed
 * at any time; an entry that is in use is mapped, so it must not be cut short
 * in place.  Any thread, any number of processes. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _InferCache InferCache;

/* Nothing is touched until the first put, which makes the folder. */
InferCache *infer_cache_new (const char *folder);
InferCache *infer_cache_ref (InferCache *cache);
void infer_cache_unref (InferCache *cache);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferCache, infer_cache_unref)

const char *infer_cache_get_folder (const InferCache *cache);

/* NULL: there is none that can be used; make it, and put it.  The bytes are
 * mapped and begin at a multiple of 64.  @cache NULL is fine.  Still check what
 * you find in them, as in any file.  (transfer full) */
GBytes *infer_cache_get (InferCache *cache, const char *kind, const char *key);

/* A folder that cannot be written is a warning, given once.  @cache NULL is
 * fine. */
void infer_cache_put (
    InferCache *cache, const char *kind, const char *key, GBytes *bytes);

/* Gets that gave something, and those that did not, so far; nullable. */
void infer_cache_get_counts (
    const InferCache *cache, guint *hits, guint *misses);

G_END_DECLS
