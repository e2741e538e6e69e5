/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "infer/error.h"
#include "inference/base/mapping.h"

/* Smaller files are read: little is saved by mapping them. */
#define LEAST_MAPPED ((gsize) 256 << 10)
#define ALIGN 64

void
infer_file_clear (InferFile *file)
{
  g_clear_pointer (&file->path, g_free);
  g_clear_pointer (&file->bytes, g_bytes_unref);
}

static gboolean
fail_system (const char *path, const char *what, int code, GError **error)
{
  return infer_fail (error,
      code == ENOENT || code == ENOTDIR ? INFER_ERROR_NOT_FOUND
                                        : INFER_ERROR_FAILED,
      "%s: cannot %s: %s", path, what, g_strerror (code));
}

static const char *
kind_of (mode_t mode)
{
  return S_ISDIR (mode)    ? "a folder"
         : S_ISFIFO (mode) ? "a FIFO"
         : S_ISSOCK (mode) ? "a socket"
         : S_ISLNK (mode)  ? "a link"
                           : "a device";
}

static gboolean
check_regular (const char *path, const struct stat *info, GError **error)
{
  return S_ISREG (info->st_mode)
         || infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
             "%s: it is %s; a regular file is needed", path,
             kind_of (info->st_mode));
}

/* A path, or an entry of a folder where links are not followed. */
typedef struct
{
  int folder;
  const char *name;
  const char *path; /* for errors */
} Place;

/* A FIFO or device is not even opened, but for one that takes the file's place
 * in between; -1: an error. */
static int
open_regular (const Place *place, struct stat *info, GError **error)
{
  const gboolean inside = place->folder != AT_FDCWD;
  const char *path = place->path;

  if (fstatat (
          place->folder, place->name, info, inside ? AT_SYMLINK_NOFOLLOW : 0)
          == 0
      && !check_regular (path, info, error))
    return -1;
  int fd = openat (place->folder, place->name,
      O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (inside ? O_NOFOLLOW : 0));
  if (fd < 0 || fstat (fd, info) != 0)
    fail_system (path, "open the file", errno, error);
  else if (check_regular (path, info, error))
    return fd;
  if (fd >= 0)
    close (fd);
  return -1;
}

static gboolean
is_same (const struct stat *a, const struct stat *b)
{
  return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec
         && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static gboolean
fail_changed (const char *path, GError **error)
{
  return infer_fail (error, INFER_ERROR_FAILED,
      "%s: the file was changed while it was being read; load it again when it "
      "is complete",
      path);
}

/* --- copies --- */

static gboolean
fill (int fd, char *at, gsize size, const char *path, GError **error)
{
  while (size > 0) {
    ssize_t n = read (fd, at, size);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return fail_system (path, "read", errno, error);
    if (n == 0)
      return fail_changed (path, error);
    at += n;
    size -= (gsize) n;
  }
  return TRUE;
}

static GBytes *
copy (int fd, const struct stat *info, const char *path, GError **error)
{
  const gsize size = (gsize) info->st_size;
  struct stat now;
  void *data;

  if (posix_memalign (&data, ALIGN, MAX (size, ALIGN)) != 0) {
    infer_fail (error, INFER_ERROR_NO_MEMORY,
        "%s: no memory for its %" G_GSIZE_FORMAT " bytes", path, size);
    return NULL;
  }
  if (!fill (fd, data, size, path, error)) {
    free (data);
    return NULL;
  }
  if (fstat (fd, &now) == 0 && !is_same (info, &now)) {
    free (data);
    fail_changed (path, error);
    return NULL;
  }
  return g_bytes_new_with_free_func (data, size, free, data);
}

GBytes *
infer_file_read (const char *path, gsize limit, GError **error)
{
  struct stat info;
  int fd = open_regular (&(Place){ AT_FDCWD, path, path }, &info, error);
  GBytes *bytes = NULL;

  if (fd < 0)
    return NULL;
  if ((guint64) info.st_size > limit)
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s: it has %" G_GUINT64_FORMAT " bytes, more than the %" G_GSIZE_FORMAT
        " that such a file may have",
        path, (guint64) info.st_size, limit);
  else
    bytes = copy (fd, &info, path, error);
  close (fd);
  return bytes;
}

/* --- mapped --- */

static gboolean
open_place (InferFile *file, const Place *place, gboolean map, GError **error)
{
  const char *path = place->path;
  int fd = open_regular (place, &file->opened, error);

  if (fd < 0)
    return FALSE;
  const gsize size = (gsize) file->opened.st_size;
  if (map && size >= LEAST_MAPPED)
    file->bytes = infer_mapping_new (fd, size, path);
  file->mapped = file->bytes != NULL;
  if (file->bytes == NULL)
    file->bytes = copy (fd, &file->opened, path, error);
  close (fd);
  if (file->bytes == NULL)
    return FALSE;
  file->path = g_strdup (path);
  return TRUE;
}

gboolean
infer_file_open (
    InferFile *file, const char *path, gboolean map, GError **error)
{
  return open_place (file, &(Place){ AT_FDCWD, path, path }, map, error);
}

gboolean
infer_file_open_in (InferFile *file, int folder, const char *name,
    const char *path, gboolean map, GError **error)
{
  return open_place (file, &(Place){ folder, name, path }, map, error);
}

gboolean
infer_file_check (const InferFile *file, GError **error)
{
  struct stat now;

  if (!file->mapped)
    return TRUE;
  if (!infer_mapping_check (g_bytes_get_data (file->bytes, NULL), error))
    return FALSE;
  return stat (file->path, &now) != 0 || now.st_dev != file->opened.st_dev
         || now.st_ino != file->opened.st_ino || is_same (&now, &file->opened)
         || fail_changed (file->path, error);
}

gboolean
infer_file_confirm (const InferFile *file, GError **error)
{
  GError *changed = NULL;

  if (infer_file_check (file, &changed))
    return TRUE;
  if (error != NULL)
    g_clear_error (error);
  g_propagate_error (error, changed);
  return FALSE;
}

/* --- writing --- */

static gboolean
write_all (int fd, const InferFilePart *part)
{
  const char *at = part->data;

  for (gsize left = part->size; left > 0;) {
    ssize_t n = write (fd, at, left);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return FALSE;
    at += n;
    left -= (gsize) n;
  }
  return TRUE;
}

gboolean
infer_file_write (const char *path, const InferFilePart *parts, guint n,
    int mode, GError **error)
{
  g_autofree char *temporary = g_strconcat (path, ".XXXXXX", NULL);
  int fd = g_mkstemp_full (temporary, O_WRONLY | O_CLOEXEC, mode);
  gboolean ok = fd >= 0;

  if (fd < 0)
    return fail_system (path, "write", errno, error);
  for (guint i = 0; ok && i < n; i++)
    ok = write_all (fd, &parts[i]);
  int code = errno;
  if (close (fd) != 0 && ok) {
    code = errno;
    ok = FALSE;
  }
  if (ok && rename (temporary, path) == 0)
    return TRUE;
  if (ok)
    code = errno;
  unlink (temporary);
  return fail_system (path, "write", code, error);
}
