/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tools/files/zip.h"

#include <gio/gio.h>
#include <string.h>

#include "infer/error.h"
#include "inference/base/file.h"

#define LOCAL_SIGNATURE 0x04034b50
#define CENTRAL_SIGNATURE 0x02014b50
#define END_SIGNATURE 0x06054b50
#define LOCAL_SIZE 30
#define CENTRAL_SIZE 46
#define END_SIZE 22
#define UTF8_NAMES 0x800
#define STORED 0
#define DEFLATED 8
/* 1980-01-01, the earliest date: equal archives are equal bytes. */
#define DATE 0x21
/* Deflate makes at most 1032 bytes of one. */
#define MOST_GROWTH 1032

ZipEntry *
zip_entry_new (char *name, GBytes *bytes)
{
  ZipEntry *entry = g_new (ZipEntry, 1);
  *entry = (ZipEntry){ name, bytes };
  return entry;
}

void
zip_entry_free (gpointer data)
{
  ZipEntry *entry = data;
  g_free (entry->name);
  g_bytes_unref (entry->bytes);
  g_free (entry);
}

static guint32
checksum (gconstpointer data, gsize size)
{
  static guint32 table[256];
  static gsize made;
  const guint8 *bytes = data;
  guint32 crc = 0xffffffff;
  if (g_once_init_enter (&made)) {
    for (guint32 i = 0; i < 256; i++) {
      guint32 word = i;
      for (guint bit = 0; bit < 8; bit++)
        word = word >> 1 ^ (word & 1 ? 0xedb88320 : 0);
      table[i] = word;
    }
    g_once_init_leave (&made, 1);
  }
  for (gsize i = 0; i < size; i++)
    crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
  return crc ^ 0xffffffff;
}

/* --- reading --- */

typedef struct
{
  const char *path;
  GBytes *file;
  const guint8 *data;
  gsize size;
  gsize used, unpacked; /* by the entries so far */
} Archive;

static gboolean
fail (const Archive *archive, const char *what, GError **error)
{
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "%s: cannot read the archive: %s", archive->path, what);
}

static guint32
get16 (const guint8 *at)
{
  return at[0] | (guint32) at[1] << 8;
}

static guint32
get32 (const guint8 *at)
{
  return get16 (at) | get16 (at + 2) << 16;
}

/* The end record, before a comment of at most 65535 bytes; NULL: none. */
static const guint8 *
find_end (const Archive *archive)
{
  if (archive->size < END_SIZE)
    return NULL;
  gsize last = archive->size - END_SIZE;
  gsize first = last > G_MAXUINT16 ? last - G_MAXUINT16 : 0;
  for (gsize at = last + 1; at-- > first;)
    if (get32 (archive->data + at) == END_SIGNATURE
        && get16 (archive->data + at + 20) == archive->size - at - END_SIZE)
      return archive->data + at;
  return NULL;
}

static GBytes *
inflate (const Archive *archive, const guint8 *data, gsize size, gsize want,
    GError **error)
{
  g_autofree char *out = g_try_malloc (want + 1);
  g_autoptr (GZlibDecompressor) decompressor =
      g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_RAW);
  gsize have = 0;
  GConverterResult result = G_CONVERTER_CONVERTED;
  while (out != NULL && result == G_CONVERTER_CONVERTED && have <= want) {
    gsize read = 0, written = 0;
    result =
        g_converter_convert (G_CONVERTER (decompressor), data, size, out + have,
            want + 1 - have, G_CONVERTER_INPUT_AT_END, &read, &written, NULL);
    data += read;
    size -= read;
    have += written;
  }
  if (out == NULL || result != G_CONVERTER_FINISHED || have != want) {
    fail (archive, "an entry cannot be unpacked", error);
    return NULL;
  }
  return g_bytes_new_take (g_steal_pointer (&out), want);
}

/* Before any memory is taken for it.  Entries may not share their data: few
 * bytes would become many. */
static gboolean
count_entry (
    Archive *archive, guint method, gsize packed, gsize size, GError **error)
{
  if (packed > archive->size - archive->used)
    return fail (archive, "entries overlap", error);
  archive->used += packed;
  if (method == DEFLATED && size / MOST_GROWTH > packed)
    return fail (archive, "an entry says to be larger than it can be", error);
  if (size > ZIP_MOST_BYTES - archive->unpacked)
    return fail (archive,
        "its entries have more than 2 GiB when unpacked; use a folder", error);
  archive->unpacked += size;
  return TRUE;
}

/* @central: its complete record in the directory. */
static GBytes *
read_bytes (Archive *archive, const guint8 *central, GError **error)
{
  guint method = get16 (central + 10);
  gsize packed = get32 (central + 20), size = get32 (central + 24);
  gsize offset = get32 (central + 42);
  if (offset > archive->size || archive->size - offset < LOCAL_SIZE
      || get32 (archive->data + offset) != LOCAL_SIGNATURE) {
    fail (archive, "an entry is not at its offset", error);
    return NULL;
  }
  const guint8 *local = archive->data + offset;
  gsize start = offset + LOCAL_SIZE + get16 (local + 26) + get16 (local + 28);
  if (start > archive->size || packed > archive->size - start
      || (method == STORED && packed != size)) {
    fail (archive, "an entry is cut short", error);
    return NULL;
  }
  if ((method != STORED && method != DEFLATED) || get16 (central + 8) & 1) {
    fail (archive, "an entry is encrypted or packed in an unknown way", error);
    return NULL;
  }
  if (!count_entry (archive, method, packed, size, error))
    return NULL;
  g_autoptr (GBytes) bytes =
      method == STORED
          ? g_bytes_new_from_bytes (archive->file, start, size)
          : inflate (archive, archive->data + start, packed, size, error);
  if (bytes != NULL
      && checksum (g_bytes_get_data (bytes, NULL), size)
             != get32 (central + 16)) {
    fail (archive, "the checksum of an entry is wrong", error);
    return NULL;
  }
  return g_steal_pointer (&bytes);
}

static gboolean
read_entries (Archive *archive, GPtrArray *entries, GError **error)
{
  const guint8 *end = find_end (archive);
  if (end == NULL)
    return fail (archive, "its end record is missing", error);
  gsize at = get32 (end + 16), limit = (gsize) (end - archive->data);
  for (guint n = get16 (end + 10); n > 0; n--) {
    if (at > limit || limit - at < CENTRAL_SIZE
        || get32 (archive->data + at) != CENTRAL_SIGNATURE)
      return fail (archive, "its directory is damaged", error);
    const guint8 *central = archive->data + at;
    gsize name_size = get16 (central + 28);
    gsize record =
        CENTRAL_SIZE + name_size + get16 (central + 30) + get16 (central + 32);
    if (record > limit - at)
      return fail (archive, "its directory is damaged", error);
    GBytes *bytes = read_bytes (archive, central, error);
    if (bytes == NULL)
      return FALSE;
    const char *name = (const char *) central + CENTRAL_SIZE;
    g_ptr_array_add (
        entries, zip_entry_new (g_strndup (name, name_size), bytes));
    at += record;
  }
  return TRUE;
}

GPtrArray *
zip_parse (const char *path, GBytes *file, GError **error)
{
  g_autoptr (GPtrArray) entries =
      g_ptr_array_new_with_free_func (zip_entry_free);
  Archive archive = { .path = path, .file = file };
  archive.data = g_bytes_get_data (file, &archive.size);
  if (!read_entries (&archive, entries, error))
    return NULL;
  return g_steal_pointer (&entries);
}

GPtrArray *
zip_read (const char *path, GError **error)
{
  g_autoptr (GBytes) file = infer_file_read (path, ZIP_MOST_BYTES, error);

  return file != NULL ? zip_parse (path, file, error) : NULL;
}

/* --- writing --- */

static void
put16 (GByteArray *records, gsize value)
{
  guint8 bytes[2] = { (guint8) value, (guint8) (value >> 8) };
  g_byte_array_append (records, bytes, sizeof bytes);
}

static void
put32 (GByteArray *file, gsize value)
{
  put16 (file, value & 0xffff);
  put16 (file, value >> 16);
}

/* The fields common to the local header and the directory record. */
static void
put_entry (GByteArray *file, const ZipEntry *entry)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (entry->bytes, &size);
  put16 (file, 20); /* version needed: 2.0 */
  put16 (file, UTF8_NAMES);
  put16 (file, STORED);
  put16 (file, 0);
  put16 (file, DATE);
  put32 (file, checksum (data, size));
  put32 (file, size);
  put32 (file, size);
  put16 (file, strlen (entry->name));
  put16 (file, 0); /* no extra field */
}

static void
put_text (GByteArray *file, const char *text)
{
  g_byte_array_append (file, (const guint8 *) text, (guint) strlen (text));
}

static void
put_central (GByteArray *file, const ZipEntry *entry, gsize offset)
{
  put32 (file, CENTRAL_SIGNATURE);
  put16 (file, 20);
  put_entry (file, entry);
  put16 (file, 0); /* no comment */
  put16 (file, 0); /* first disk */
  put16 (file, 0);
  put32 (file, 0);
  put32 (file, offset);
  put_text (file, entry->name);
}

static gboolean
check_size (const char *path, const GPtrArray *entries, GError **error)
{
  guint64 total = END_SIZE;
  for (guint i = 0; i < entries->len; i++) {
    const ZipEntry *entry = entries->pdata[i];
    gsize name = strlen (entry->name);
    if (name > G_MAXUINT16)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "%s: cannot write: a name of %" G_GSIZE_FORMAT " bytes", path, name);
    total +=
        LOCAL_SIZE + CENTRAL_SIZE + 2 * name + g_bytes_get_size (entry->bytes);
  }
  if (total >= G_MAXINT32 || entries->len >= G_MAXUINT16)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "%s: cannot write: too large for one archive; write a folder", path);
  return TRUE;
}

/* Appends what stands before the entries' bytes to @local, all local headers
 * one after the other, and their records to @directory. */
static gsize
put_records (const GPtrArray *entries, GByteArray *local, GByteArray *directory)
{
  gsize offset = 0;
  for (guint i = 0; i < entries->len; i++) {
    const ZipEntry *entry = entries->pdata[i];
    put_central (directory, entry, offset);
    gsize before = local->len;
    put32 (local, LOCAL_SIGNATURE);
    put_entry (local, entry);
    put_text (local, entry->name);
    offset += local->len - before + g_bytes_get_size (entry->bytes);
  }
  return offset;
}

static void
put_end (GByteArray *directory, guint n, gsize start)
{
  gsize size = directory->len;
  put32 (directory, END_SIGNATURE);
  put32 (directory, 0); /* disks */
  put16 (directory, n);
  put16 (directory, n);
  put32 (directory, size);
  put32 (directory, start);
  put16 (directory, 0);
}

gboolean
zip_write (const char *path, const GPtrArray *entries, GError **error)
{
  if (!check_size (path, entries, error))
    return FALSE;
  g_autoptr (GByteArray) local = g_byte_array_new ();
  g_autoptr (GByteArray) directory = g_byte_array_new ();
  gsize start = put_records (entries, local, directory);
  put_end (directory, entries->len, start);
  g_autofree InferFilePart *parts = g_new (InferFilePart, 2 * entries->len + 1);
  const guint8 *at = local->data;
  for (guint i = 0; i < entries->len; i++) {
    const ZipEntry *entry = entries->pdata[i];
    gsize header = LOCAL_SIZE + strlen (entry->name), size;
    gconstpointer data = g_bytes_get_data (entry->bytes, &size);
    parts[2 * i] = (InferFilePart){ at, header };
    parts[2 * i + 1] = (InferFilePart){ data, size };
    at += header;
  }
  parts[2 * entries->len] = (InferFilePart){ directory->data, directory->len };
  return infer_file_write (path, parts, 2 * entries->len + 1, 0666, error);
}
