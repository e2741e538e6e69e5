/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files of a cache folder.  The first byte: 0 to 127, the rest changes an
 * entry's file, whose length and checksum few changes pass; from 128, it is
 * parsed XML as an entry holds it. */

#include "tests/fuzz/support/bytes.h"
#include "tests/fuzz/support/fuzz.h"
#include "tests/fuzz/support/temp-file.h"

#include "inference/base/cache.h"
#include "inference/ir/xml.h"

static guint
count (const InferXmlNode *node)
{
  guint n = 0;

  for (; node != NULL; node = node->next) {
    n += (guint) strlen (node->name) + (guint) strlen (node->text);
    for (guint i = 0; i < node->n_attributes; i++)
      n += (guint) strlen (node->attributes[i].name)
           + (guint) strlen (node->attributes[i].value);
    n += count (node->children);
  }
  return n;
}

static void
read_xml (GBytes *packed)
{
  g_autoptr (InferXml) xml = infer_xml_unpack (packed);

  if (xml == NULL)
    return;
  const guint n = count (infer_xml_root (xml));
  g_autoptr (GBytes) again = infer_xml_pack (xml);
  g_autoptr (InferXml) same = infer_xml_unpack (again);
  g_assert_nonnull (same);
  g_assert_cmpuint (count (infer_xml_root (same)), ==, n);
}

typedef struct
{
  InferCache *cache;
  char *name, *contents;
  gsize size;
} Entry;

/* An entry as this build writes it. */
static void
make_entry (Entry *entry)
{
  g_autoptr (GBytes) some = g_bytes_new_static ("some bytes", 10);
  g_autoptr (GError) error = NULL;

  entry->cache = infer_cache_new (fuzz_folder ());
  infer_cache_put (entry->cache, "fuzz", "key", some);
  g_autoptr (GDir) dir = g_dir_open (fuzz_folder (), 0, NULL);
  entry->name = g_strdup (g_dir_read_name (dir));
  g_autofree char *path = g_build_filename (fuzz_folder (), entry->name, NULL);
  g_file_get_contents (path, &entry->contents, &entry->size, &error);
  g_assert_no_error (error);
}

/* Another length, and other bytes. */
static void
read_entry (FuzzBytes *bytes)
{
  static Entry entry;
  guint16 at;

  if (entry.cache == NULL)
    make_entry (&entry);
  const gsize size = entry.size + 8 - fuzz_u8 (bytes) % (entry.size + 9);
  g_autofree guint8 *file = g_malloc0 (size + 1);
  memcpy (file, entry.contents, MIN (size, entry.size));
  while (bytes->left > 0) {
    fuzz_take (bytes, &at, sizeof at);
    file[at % (size + 1)] = fuzz_u8 (bytes);
  }
  g_free (fuzz_file (entry.name, file, size));
  g_autoptr (GBytes) read = infer_cache_get (entry.cache, "fuzz", "key");
  if (read != NULL)
    g_free (g_compute_checksum_for_bytes (G_CHECKSUM_MD5, read));
}

static void
ignore (const char *domain, GLogLevelFlags level, const char *text, gpointer d)
{
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes bytes = { data, size };
  const guint8 which = fuzz_u8 (&bytes);

  g_log_set_default_handler (ignore, NULL);
  if (which < 128) {
    read_entry (&bytes);
  } else {
    g_autoptr (GBytes) packed = g_bytes_new (bytes.data, bytes.left);

    read_xml (packed);
  }
  return 0;
}
