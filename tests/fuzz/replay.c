/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Without libFuzzer: the files of a folder, truncated and mutated, the same way
 * every time. */

#include "tests/fuzz/support/fuzz.h"

#include <glib.h>

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CUTS 64

static gint
compare_strings (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* --- the input that fails --- */

static const guint8 *current;
static gsize current_size;

/* Only calls that are safe in a signal handler. */
static void
keep_current (int number)
{
  const char *path = "fuzz-failed-input";
  const int file = open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

  if (file >= 0 && write (file, current, current_size) >= 0)
    (void) !write (STDERR_FILENO, "its input: fuzz-failed-input\n", 29);
  signal (number, SIG_DFL);
  raise (number);
}

static void
run_copy (const char *data, gsize size)
{
  /* Exactly @size bytes, for AddressSanitizer. */
  g_autofree guint8 *copy = g_memdup2 (data, size);

  current = copy;
  current_size = size;
  LLVMFuzzerTestOneInput (copy, size);
}

/* --- changes --- */

static void
change (GString *text, GRand *random)
{
  static const char *const pieces[] = { "-1", "0", "9999999999999999999", "1",
    "\"", "<", ">", "&#0;", "2147483648", "...", "4294967296,4294967296" };
  gsize at = (gsize) g_rand_int_range (random, 0, (gint32) text->len);
  const char *piece =
      pieces[g_rand_int_range (random, 0, G_N_ELEMENTS (pieces))];
  gint n = g_rand_int_range (random, 1, 40);

  switch (g_rand_int_range (random, 0, 4)) {
    case 0:
      text->str[at] = (char) g_rand_int_range (random, 0, 256);
      break;
    case 1:
      n = MIN (n, (gint) (text->len - at));
      g_string_erase (text, (gssize) at, n);
      break;
    case 2:
      g_string_insert (text, (gssize) at, piece);
      break;
    default:
      /* Replaces a number. */
      while (at < text->len && !g_ascii_isdigit (text->str[at]))
        at++;
      if (at < text->len) {
        g_string_erase (text, (gssize) at, 1);
        g_string_insert (text, (gssize) at, piece);
      }
      break;
  }
}

static void
replay (const char *data, gsize size, gint n_changes)
{
  GRand *random = g_rand_new_with_seed (1);

  run_copy (data, size);
  for (gsize i = 0; i < CUTS; i++)
    run_copy (data, size * i / CUTS);
  for (gint i = 0; i < n_changes && size > 0; i++) {
    GString *text = g_string_new_len (data, (gssize) size);
    gint n = g_rand_int_range (random, 1, 5);

    while (n-- > 0 && text->len > 0)
      change (text, random);
    run_copy (text->str, text->len);
    g_string_free (text, TRUE);
  }
  g_rand_free (random);
}

/* The files of a folder, in the order of their names. */
static GPtrArray *
list_files (const char *folder)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (paths, compare_strings);
  return paths;
}

/* replay --changes=N FOLDER */
int
main (int argc, char **argv)
{
  static const int signals[] = { SIGABRT, SIGTRAP, SIGSEGV, SIGFPE, SIGBUS };

  if (argc != 3 || !g_str_has_prefix (argv[1], "--changes=")) {
    g_printerr ("usage: %s --changes=N FOLDER\n", argv[0]);
    return 2;
  }
  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    signal (signals[i], keep_current);
  const gint n_changes = atoi (argv[1] + strlen ("--changes="));
  g_autoptr (GPtrArray) paths = list_files (argv[2]);
  for (guint i = 0; i < paths->len; i++) {
    g_autofree char *data = NULL;
    gsize size;

    if (!g_file_get_contents (paths->pdata[i], &data, &size, NULL)) {
      g_printerr ("cannot read %s\n", (const char *) paths->pdata[i]);
      return EXIT_FAILURE;
    }
    replay (data, size, n_changes);
  }
  g_print ("%u seeds\n", paths->len);
  return paths->len > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
