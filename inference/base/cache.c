/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "infer/error.h"
#include "infer/version.h"
#include "inference/base/build-id.h"
#include "inference/base/file.h"
#include "inference/base/hash.h"

#define MAGIC "InfCache"
#define FORMAT 1
#define ALIGN 64

/* The head of a file; the identity follows, padding to a multiple of ALIGN, and
 * the bytes.  Little endian. */
typedef struct
{
  char magic[8];
  guint32 format;
  guint32 identity_size;
  guint64 size;
  InferHash hash; /* of the bytes, seeded with the identity's */
} Header;

struct _InferCache
{
  gint refs;
  char *folder;
  gint hits, misses;
  gint warned, warned_stale, warned_trust; /* once each */
  gboolean no_mapping;
};

static const char stale[] = "it is of another version or key";

InferCache *
infer_cache_new (const char *folder)
{
  g_return_val_if_fail (folder != NULL, NULL);

  InferCache *cache = g_new0 (InferCache, 1);
  cache->refs = 1;
  cache->folder = g_strdup (folder);
  return cache;
}

InferCache *
infer_cache_ref (InferCache *cache)
{
  g_return_val_if_fail (cache != NULL, NULL);
  g_atomic_int_inc (&cache->refs);
  return cache;
}

void
infer_cache_unref (InferCache *cache)
{
  g_return_if_fail (cache != NULL);
  if (!g_atomic_int_dec_and_test (&cache->refs))
    return;
  g_free (cache->folder);
  g_free (cache);
}

const char *
infer_cache_get_folder (const InferCache *cache)
{
  return cache->folder;
}

void
infer_cache_set_mapping (InferCache *cache, gboolean map)
{
  cache->no_mapping = !map;
}

void
infer_cache_get_counts (const InferCache *cache, guint *hits, guint *misses)
{
  if (hits != NULL)
    *hits = (guint) __atomic_load_n (&cache->hits, __ATOMIC_RELAXED);
  if (misses != NULL)
    *misses = (guint) __atomic_load_n (&cache->misses, __ATOMIC_RELAXED);
}

/* --- names --- */

static char *
make_identity (const char *kind, const char *key)
{
  return g_strdup_printf ("inferfilter " INFER_VERSION_STRING " " INFER_BUILD_ID
                          "\n%s\n%s",
      kind, key);
}

/* Without the version, so that an entry of another version is replaced. */
static char *
make_path (const InferCache *cache, const char *kind, const char *key)
{
  InferHash hash = infer_hash (key, strlen (key), NULL);
  char digits[33];

  infer_hash_to_string (&hash, digits);
  g_autofree char *name = g_strdup_printf ("%s-%s.cache", kind, digits);
  return g_build_filename (cache->folder, name, NULL);
}

static gsize
offset_of_bytes (gsize identity_size)
{
  return (sizeof (Header) + identity_size + ALIGN - 1) / ALIGN * ALIGN;
}

static InferHash
hash_entry (const char *identity, gconstpointer data, gsize size)
{
  InferHash seed = infer_hash (identity, strlen (identity), NULL);
  InferHash hash = infer_hash (data, size, &seed);

  for (guint i = 0; i < G_N_ELEMENTS (hash.words); i++)
    hash.words[i] = GUINT64_TO_LE (hash.words[i]);
  return hash;
}

/* --- checking an entry --- */

/* Returns the fault of a file, or NULL and the range of the bytes. */
static const char *
find_fault (const char *file, gsize file_size, const char *identity,
    gsize *offset, gsize *size)
{
  gsize identity_size = strlen (identity);
  Header header;

  if (file_size < sizeof header)
    return "it is truncated";
  memcpy (&header, file, sizeof header);
  if (memcmp (header.magic, MAGIC, sizeof header.magic) != 0)
    return "it is not a cache file";
  if (GUINT32_FROM_LE (header.format) != FORMAT)
    return "it is of another format";
  if (GUINT32_FROM_LE (header.identity_size) != identity_size
      || file_size - sizeof header < identity_size
      || memcmp (file + sizeof header, identity, identity_size) != 0)
    return stale;
  *offset = offset_of_bytes (identity_size);
  if (file_size < *offset
      || file_size - *offset != GUINT64_FROM_LE (header.size))
    return "it is truncated";
  *size = file_size - *offset;
  InferHash hash = hash_entry (identity, file + *offset, *size);
  if (memcmp (&hash, &header.hash, sizeof hash) != 0)
    return "its checksum is wrong";
  return NULL;
}

/* After an update all entries are stale: one warning is enough. */
static void
warn_of_fault (InferCache *cache, const char *path, const char *fault)
{
  if (fault != stale)
    g_warning ("%s: cache entry ignored: %s", path, fault);
  else if (g_atomic_int_compare_and_exchange (
               &cache->warned_stale, FALSE, TRUE))
    g_warning (
        "%s: cache entry ignored, and replaced, as all such: %s", path, fault);
}

/* --- trust --- */

/* Cache entries determine what is computed: nobody else may write them. */
static gboolean
is_trusted (const struct stat *info)
{
  return (info->st_uid == geteuid () || info->st_uid == 0)
         && (info->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static void
warn_of_trust (InferCache *cache, const char *path, const struct stat *info)
{
  if (g_atomic_int_compare_and_exchange (&cache->warned_trust, FALSE, TRUE))
    g_warning (
        "%s: not used as a cache, nor what is in it: %s; give it to the user "
        "of this process alone (chown, chmod go-w)",
        path,
        info->st_mode & (S_IWGRP | S_IWOTH) ? "other users may write to it"
                                            : "it belongs to another user");
}

/* -1 with errno: there is none, or with EACCES: it is not trusted. */
static int
open_folder (InferCache *cache)
{
  struct stat info;
  int fd = open (cache->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd < 0 || fstat (fd, &info) != 0 || is_trusted (&info))
    return fd;
  warn_of_trust (cache, cache->folder, &info);
  close (fd);
  errno = EACCES;
  return -1;
}

/* --- reading an entry --- */

/* The checksum reads the whole file. */
static void
fill_pages (const InferFile *file)
{
#ifdef MADV_POPULATE_READ
  gsize size;
  gconstpointer data = g_bytes_get_data (file->bytes, &size);

  if (file->mapped)
    madvise ((gpointer) (gsize) data, size, MADV_POPULATE_READ);
#endif
}

static gboolean
open_entry (InferCache *cache, const char *path, gboolean map, InferFile *entry)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_path_get_basename (path);
  int folder = open_folder (cache);

  if (folder < 0)
    return FALSE;
  gboolean ok = infer_file_open_in (entry, folder, name, path, map, &error);
  close (folder);
  if (ok && is_trusted (&entry->opened))
    return TRUE;
  if (ok)
    warn_of_trust (cache, path, &entry->opened);
  else if (!g_error_matches (error, INFER_ERROR, INFER_ERROR_NOT_FOUND))
    g_warning ("cache entry ignored: %s", error->message);
  return FALSE;
}

static GBytes *
read_entry (
    InferCache *cache, const char *path, const char *identity, gboolean map)
{
  g_auto (InferFile) entry = { 0 };
  gsize offset = 0, size = 0, whole;

  if (!open_entry (cache, path, map, &entry))
    return NULL;
  fill_pages (&entry);
  const char *data = g_bytes_get_data (entry.bytes, &whole);
  const char *fault = find_fault (data, whole, identity, &offset, &size);
  if (fault == NULL && !infer_file_check (&entry, NULL))
    fault = "it was changed meanwhile";
  if (fault != NULL) {
    warn_of_fault (cache, path, fault);
    return NULL;
  }
  return g_bytes_new_from_bytes (entry.bytes, offset, size);
}

static GBytes *
get (InferCache *cache, const char *kind, const char *key, gboolean map)
{
  if (cache == NULL)
    return NULL;
  g_autofree char *path = make_path (cache, kind, key);
  g_autofree char *identity = make_identity (kind, key);
  GBytes *bytes = read_entry (cache, path, identity, map);

  g_atomic_int_inc (bytes != NULL ? &cache->hits : &cache->misses);
  return bytes;
}

GBytes *
infer_cache_get (InferCache *cache, const char *kind, const char *key)
{
  return get (cache, kind, key, cache != NULL && !cache->no_mapping);
}

GBytes *
infer_cache_get_copy (InferCache *cache, const char *kind, const char *key)
{
  return get (cache, kind, key, FALSE);
}

/* --- writing --- */

static gboolean
put_in_place (
    const char *path, const char *identity, GBytes *bytes, GError **error)
{
  static const char nothing[ALIGN];
  gsize identity_size = strlen (identity), size;
  gsize gap = offset_of_bytes (identity_size) - sizeof (Header) - identity_size;
  gconstpointer data = g_bytes_get_data (bytes, &size);
  Header header = { .format = GUINT32_TO_LE (FORMAT),
    .identity_size = GUINT32_TO_LE ((guint32) identity_size),
    .size = GUINT64_TO_LE ((guint64) size),
    .hash = hash_entry (identity, data, size) };

  memcpy (header.magic, MAGIC, sizeof header.magic);
  const InferFilePart parts[] = { { &header, sizeof header },
    { identity, identity_size }, { nothing, gap }, { data, size } };
  return infer_file_write (path, parts, G_N_ELEMENTS (parts), 0600, error);
}

/* FALSE without @error: the folder is not trusted, which was said. */
static gboolean
put (InferCache *cache, const char *path, const char *identity, GBytes *bytes,
    GError **error)
{
  int folder = g_mkdir_with_parents (cache->folder, 0700) == 0
                   ? open_folder (cache)
                   : -1;

  if (folder < 0 && g_atomic_int_get (&cache->warned_trust))
    return FALSE;
  if (folder < 0)
    return infer_fail (error, INFER_ERROR_FAILED,
        "cannot make or open the folder: %s", g_strerror (errno));
  close (folder);
  return put_in_place (path, identity, bytes, error);
}

void
infer_cache_put (
    InferCache *cache, const char *kind, const char *key, GBytes *bytes)
{
  if (cache == NULL)
    return;
  g_autofree char *path = make_path (cache, kind, key);
  g_autofree char *identity = make_identity (kind, key);

  g_autoptr (GError) error = NULL;
  if (!put (cache, path, identity, bytes, &error) && error != NULL
      && g_atomic_int_compare_and_exchange (&cache->warned, FALSE, TRUE))
    g_warning ("%s: nothing is cached: %s", cache->folder, error->message);
}
