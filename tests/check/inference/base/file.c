/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Files that are no regular files, and files that are cut short while they are
 * mapped. */

#include "inference/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "infer/error.h"
#include "inference/base/mapping.h"

#define LARGE ((gsize) 3 << 20)
#define PAGE ((gsize) sysconf (_SC_PAGESIZE))

typedef struct
{
  char *folder, *path;
} Fixture;

static void
write_file (const char *path, gsize size, char value)
{
  g_autofree char *bytes = g_malloc (size);

  memset (bytes, value, size);
  g_assert_true (g_file_set_contents (path, bytes, (gssize) size, NULL));
}

static void
set_up (Fixture *fixture, gconstpointer unused)
{
  fixture->folder = g_dir_make_tmp ("infer-file-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "file", NULL);
  write_file (fixture->path, LARGE, 'x');
}

static void
tear_down (Fixture *fixture, gconstpointer unused)
{
  g_remove (fixture->path);
  g_rmdir (fixture->folder);
  g_free (fixture->path);
  g_free (fixture->folder);
}

static void
assert_says (const GError *error, InferErrorCode code, const char *path,
    const char *part)
{
  g_assert_error (error, INFER_ERROR, (int) code);
  g_assert_true (g_str_has_prefix (error->message, path));
  if (strstr (error->message, part) == NULL)
    g_error ("'%s' does not say '%s'", error->message, part);
}

static void
assert_mapped (InferFile *file, const char *path)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (infer_file_open (file, path, TRUE, &error));
  g_assert_no_error (error);
  g_assert_true (file->mapped);
}

static char
last_byte (const InferFile *file)
{
  gsize size;
  const char *data = g_bytes_get_data (file->bytes, &size);

  return ((const volatile char *) data)[size - 1];
}

/* --- what is no regular file --- */

static void
assert_refused (const char *path, InferErrorCode code, const char *part)
{
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;
    g_auto (InferFile) file = { 0 };

    alarm (10); /* instead of waiting for ever */
    if (i == 0)
      g_assert_false (infer_file_open (&file, path, TRUE, &error));
    else
      g_assert_null (infer_file_read (path, 100, &error));
    alarm (0);
    assert_says (error, code, path, part);
  }
}

static void
test_refused (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *other = g_build_filename (fixture->folder, "other", NULL);
  struct sockaddr_un address = { .sun_family = AF_UNIX };

  assert_refused (other, INFER_ERROR_NOT_FOUND, "cannot open the file");
  assert_refused (fixture->folder, INFER_ERROR_INVALID_ARGUMENT, "a folder");
  assert_refused ("/dev/zero", INFER_ERROR_INVALID_ARGUMENT, "a device");
  g_assert_cmpint (mkfifo (other, 0600), ==, 0);
  assert_refused (other, INFER_ERROR_INVALID_ARGUMENT, "a FIFO");
  g_remove (other);
  int fd = socket (AF_UNIX, SOCK_STREAM, 0);
  g_strlcpy (address.sun_path, other, sizeof address.sun_path);
  g_assert_cmpint (
      bind (fd, (struct sockaddr *) &address, sizeof address), ==, 0);
  assert_refused (other, INFER_ERROR_INVALID_ARGUMENT, "a socket");
  close (fd);
  g_remove (other);
}

static void
test_read (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = infer_file_read (fixture->path, LARGE, &error);
  gsize size;

  g_assert_no_error (error);
  const char *data = g_bytes_get_data (bytes, &size);
  g_assert_cmpuint (size, ==, LARGE);
  g_assert_cmpuint ((gsize) data % 64, ==, 0);
  g_assert_cmpint (data[size - 1], ==, 'x');
  g_assert_null (infer_file_read (fixture->path, LARGE - 1, &error));
  assert_says (error, INFER_ERROR_INVALID_ARGUMENT, fixture->path, "more than");
}

/* Links are followed by path, and refused as entries of a folder. */
static void
test_links (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *link = g_build_filename (fixture->folder, "link", NULL);
  g_autoptr (GError) error = NULL;
  g_auto (InferFile) file = { 0 }, refused = { 0 };
  int folder = open (fixture->folder, O_RDONLY | O_DIRECTORY);

  g_assert_cmpint (symlink ("file", link), ==, 0);
  assert_mapped (&file, link);
  g_assert_false (
      infer_file_open_in (&refused, folder, "link", link, TRUE, &error));
  assert_says (error, INFER_ERROR_INVALID_ARGUMENT, link, "a link");
  close (folder);
  g_remove (link);
}

/* --- cut short --- */

static void
test_cut (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *other = g_build_filename (fixture->folder, "other", NULL);
  g_auto (InferFile) cut = { 0 }, whole = { 0 };
  g_autoptr (GError) error = NULL;

  write_file (other, LARGE, 'o');
  assert_mapped (&cut, fixture->path);
  assert_mapped (&whole, other);
  g_assert_true (infer_file_check (&cut, NULL));
  g_assert_cmpint (last_byte (&cut), ==, 'x');

  guint before = infer_mapping_faults ();
  g_assert_cmpint (truncate (fixture->path, 100), ==, 0);
  g_assert_cmpint (last_byte (&cut), ==, 0);
  g_assert_cmpuint (infer_mapping_faults (), ==, before + 1);
  g_assert_false (infer_file_check (&cut, &error));
  assert_says (error, INFER_ERROR_FAILED, fixture->path, "cut short");
  g_clear_error (&error);
  g_assert_false (infer_mapping_check_folder (fixture->folder, &error));
  assert_says (error, INFER_ERROR_FAILED, fixture->path, "cut short");
  g_assert_true (infer_mapping_check_folder ("/", NULL) == FALSE);
  g_assert_true (infer_mapping_check_folder ("/nowhere", NULL));

  /* The other one is as it was. */
  g_assert_true (infer_file_check (&whole, NULL));
  g_assert_cmpint (last_byte (&whole), ==, 'o');
  /* A new file at the same path can be used. */
  infer_file_clear (&cut);
  write_file (fixture->path, LARGE, 'y');
  g_auto (InferFile) again = { 0 };
  assert_mapped (&again, fixture->path);
  g_assert_true (infer_file_check (&again, NULL));
  g_assert_cmpint (last_byte (&again), ==, 'y');
  g_remove (other);
}

static void
test_changed (Fixture *fixture, gconstpointer unused)
{
  g_auto (InferFile) file = { 0 };
  g_autoptr (GError) error = NULL;

  assert_mapped (&file, fixture->path);
  /* A file that takes the place of ours leaves it as it is. */
  write_file (fixture->path, LARGE, 'y');
  g_assert_true (infer_file_check (&file, NULL));
  g_assert_cmpint (last_byte (&file), ==, 'x');

  infer_file_clear (&file);
  assert_mapped (&file, fixture->path);
  const struct timespec times[] = { { 0, UTIME_OMIT }, { 1, 0 } };
  g_assert_cmpint (utimensat (AT_FDCWD, fixture->path, times, 0), ==, 0);
  g_assert_false (infer_file_check (&file, &error));
  assert_says (error, INFER_ERROR_FAILED, fixture->path, "was changed");
}

static gpointer
read_pages (gpointer data)
{
  const InferFile *file = data;
  gsize size;
  const volatile char *at = g_bytes_get_data (file->bytes, &size);
  guint sum = 0;

  for (guint round = 0; round < 20; round++)
    for (gsize i = 0; i < size; i += 512)
      sum += (guint) at[i];
  return GUINT_TO_POINTER (sum);
}

static void
test_threads (Fixture *fixture, gconstpointer unused)
{
  for (guint round = 0; round < 20; round++) {
    g_auto (InferFile) file = { 0 };
    GThread *threads[4];

    write_file (fixture->path, LARGE, 'x');
    assert_mapped (&file, fixture->path);
    for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
      threads[i] = g_thread_new (NULL, read_pages, &file);
    g_assert_cmpint (truncate (fixture->path, round * 1000), ==, 0);
    for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
      g_thread_join (threads[i]);
    g_assert_cmpint (last_byte (&file), ==, 0);
    g_assert_false (infer_file_check (&file, NULL));
  }
}

/* More than the table has places for: read into memory. */
static void
test_many (Fixture *fixture, gconstpointer unused)
{
  g_autofree InferFile *files = g_new0 (InferFile, 1030);
  guint mapped = 0;

  for (guint i = 0; i < 1030; i++) {
    g_assert_true (infer_file_open (&files[i], fixture->path, TRUE, NULL));
    mapped += files[i].mapped;
    g_assert_cmpint (last_byte (&files[i]), ==, 'x');
  }
  g_assert_cmpuint (mapped, ==, 1024);
  for (guint i = 0; i < 1030; i++)
    infer_file_clear (&files[i]);
  g_auto (InferFile) file = { 0 };
  assert_mapped (&file, fixture->path);
}

/* --- handlers of the application --- */

static sigjmp_buf jump;
static volatile sig_atomic_t n_caught;

static void
catch_bus (int number)
{
  n_caught++;
  siglongjmp (jump, 1);
}

static void
count_bus (int number, siginfo_t *info, gpointer context)
{
  n_caught++;
}

static struct sigaction first; /* the default action, or a sanitizer's */

static gboolean
is_first (void)
{
  struct sigaction now;

  sigaction (SIGBUS, NULL, &now);
  return now.sa_handler == first.sa_handler;
}

/* Reads behind the end of a mapping of somebody else's. */
static void
fault_elsewhere (const char *path)
{
  int fd = open (path, O_RDONLY);
  volatile char *data = mmap (NULL, LARGE, PROT_READ, MAP_PRIVATE, fd, 0);

  g_assert_cmpint (truncate (path, 0), ==, 0);
  close (fd);
  (void) data[LARGE - PAGE];
}

static void
test_no_handler_left (Fixture *fixture, gconstpointer unused)
{
  g_auto (InferFile) one = { 0 }, two = { 0 };

  g_assert_true (is_first ());
  assert_mapped (&one, fixture->path);
  assert_mapped (&two, fixture->path);
  g_assert_false (is_first ());
  infer_file_clear (&one);
  g_assert_false (is_first ());
  infer_file_clear (&two);
  g_assert_true (is_first ());
}

/* Faults of others, and signals that were sent, get to the handler that was
 * there before; it is back afterwards. */
static void
test_passed_on (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *other = g_build_filename (fixture->folder, "other", NULL);
  const struct sigaction theirs = { .sa_handler = catch_bus };
  g_auto (InferFile) file = { 0 };
  struct sigaction now;

  write_file (other, LARGE, 'o');
  sigaction (SIGBUS, &theirs, NULL);
  n_caught = 0;
  assert_mapped (&file, fixture->path);
  if (sigsetjmp (jump, 1) == 0) {
    fault_elsewhere (other);
    g_assert_not_reached ();
  }
  g_assert_cmpint (n_caught, ==, 1);
  if (sigsetjmp (jump, 1) == 0) {
    raise (SIGBUS);
    g_assert_not_reached ();
  }
  g_assert_cmpint (n_caught, ==, 2);
  /* Ours is not theirs. */
  g_assert_cmpint (truncate (fixture->path, 0), ==, 0);
  g_assert_cmpint (last_byte (&file), ==, 0);
  g_assert_cmpint (n_caught, ==, 2);
  infer_file_clear (&file);
  sigaction (SIGBUS, &first, &now);
  g_assert_true (now.sa_handler == catch_bus);
  g_remove (other);
}

/* No file is mapped while the application's SIGBUS handler has replaced ours.
 */
static void
test_covered (Fixture *fixture, gconstpointer unused)
{
  const struct sigaction theirs = { .sa_sigaction = count_bus,
    .sa_flags = SA_SIGINFO };
  g_auto (InferFile) file = { 0 }, read = { 0 }, mapped = { 0 };
  struct sigaction ours, now;

  assert_mapped (&file, fixture->path);
  sigaction (SIGBUS, &theirs, &ours);
  g_assert_true (infer_file_open (&read, fixture->path, TRUE, NULL));
  g_assert_false (read.mapped);
  g_assert_cmpint (truncate (fixture->path, 0), ==, 0);
  g_assert_cmpint (last_byte (&read), ==, 'x');
  infer_file_clear (&file);
  sigaction (SIGBUS, NULL, &now);
  g_assert_true (now.sa_sigaction == count_bus);

  sigaction (SIGBUS, &ours, NULL); /* as if it were taken away again */
  write_file (fixture->path, LARGE, 'x');
  assert_mapped (&mapped, fixture->path);
  infer_file_clear (&mapped);
  g_assert_true (is_first ());
}

static void
test_default (Fixture *fixture, gconstpointer data)
{
  const char *how = data;
  g_auto (InferFile) file = { 0 };

  if (g_test_subprocess ()) {
    assert_mapped (&file, fixture->path);
    if (strcmp (how, "sent") == 0) {
      raise (SIGBUS);
    } else {
      g_autofree char *other = g_strconcat (fixture->path, "2", NULL);
      write_file (other, LARGE, 'o');
      g_unlink (fixture->path);
      g_rename (other, fixture->path);
      fault_elsewhere (fixture->path);
    }
    return;
  }
  g_test_trap_subprocess (NULL, 10 * G_USEC_PER_SEC, 0);
  g_assert_false (g_test_trap_has_passed ());
  g_assert_false (g_test_trap_reached_timeout ());
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  sigaction (SIGBUS, NULL, &first);
#define TEST(path, func)                                                       \
  g_test_add ("/file/" path, Fixture, NULL, set_up, func, tear_down)
  TEST ("refused", test_refused);
  TEST ("read", test_read);
  TEST ("links", test_links);
  TEST ("cut", test_cut);
  TEST ("changed", test_changed);
  TEST ("threads", test_threads);
  TEST ("many", test_many);
  TEST ("no-handler-left", test_no_handler_left);
  TEST ("passed-on", test_passed_on);
  TEST ("covered", test_covered);
  g_test_add (
      "/file/default/sent", Fixture, "sent", set_up, test_default, tear_down);
  g_test_add (
      "/file/default/fault", Fixture, "fault", set_up, test_default, tear_down);
  return g_test_run ();
}
