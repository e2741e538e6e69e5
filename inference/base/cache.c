/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inference/base/build-id.h"
#include "inference/base/hash.h"
#include "infer/version.h"

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
  gint warned, warned_stale; /* once each */
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

/* --- reading --- */

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

/* The checksum reads the whole file. */
static void
fill_pages (GMappedFile *file)
{
#ifdef MADV_POPULATE_READ
  if (g_mapped_file_get_length (file) > 0)
    madvise (g_mapped_file_get_contents (file), g_mapped_file_get_length (file),
        MADV_POPULATE_READ);
#endif
}

static GBytes *
read_entry (InferCache *cache, const char *path, const char *identity)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, &error);
  gsize offset, size;

  if (file == NULL) {
    if (!g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOENT)
        && !g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOTDIR))
      g_warning ("%s: cache entry ignored: %s", path, error->message);
    return NULL;
  }
  fill_pages (file);
  const char *fault = find_fault (g_mapped_file_get_contents (file),
      g_mapped_file_get_length (file), identity, &offset, &size);
  if (fault != NULL) {
    warn_of_fault (cache, path, fault);
    return NULL;
  }
  g_autoptr (GBytes) whole = g_mapped_file_get_bytes (file);
  return g_bytes_new_from_bytes (whole, offset, size);
}

GBytes *
infer_cache_get (InferCache *cache, const char *kind, const char *key)
{
  if (cache == NULL)
    return NULL;
  g_autofree char *path = make_path (cache, kind, key);
  g_autofree char *identity = make_identity (kind, key);
  GBytes *bytes = read_entry (cache, path, identity);

  g_atomic_int_inc (bytes != NULL ? &cache->hits : &cache->misses);
  return bytes;
}

/* --- writing --- */

static gboolean
write_all (int fd, gconstpointer data, gsize size)
{
  const char *at = data;

  while (size > 0) {
    ssize_t n = write (fd, at, size);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return FALSE;
    at += n;
    size -= (gsize) n;
  }
  return TRUE;
}

static gboolean
write_entry (int fd, const char *identity, GBytes *bytes)
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
  return write_all (fd, &header, sizeof header)
         && write_all (fd, identity, identity_size)
         && write_all (fd, nothing, gap) && write_all (fd, data, size);
}

/* Writes a temporary file and renames it, so readers never see a part. */
static gboolean
put_in_place (const char *path, const char *identity, GBytes *bytes)
{
  g_autofree char *temporary = g_strconcat (path, ".XXXXXX", NULL);
  int fd = g_mkstemp_full (temporary, O_WRONLY | O_CLOEXEC, 0600);

  if (fd < 0)
    return FALSE;
  gboolean ok = write_entry (fd, identity, bytes);
  int reason = errno;
  ok = close (fd) == 0 && ok;
  if (ok && g_rename (temporary, path) == 0)
    return TRUE;
  if (ok)
    reason = errno;
  g_unlink (temporary);
  errno = reason;
  return FALSE;
}

void
infer_cache_put (
    InferCache *cache, const char *kind, const char *key, GBytes *bytes)
{
  if (cache == NULL)
    return;
  g_autofree char *path = make_path (cache, kind, key);
  g_autofree char *identity = make_identity (kind, key);

  if (g_mkdir_with_parents (cache->folder, 0700) == 0
      && put_in_place (path, identity, bytes))
    return;
  const char *reason = g_strerror (errno);
  if (g_atomic_int_compare_and_exchange (&cache->warned, FALSE, TRUE))
    g_warning ("%s: nothing is cached: %s", cache->folder, reason);
}
