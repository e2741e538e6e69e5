/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Without libFuzzer: the given files, truncated and mutated, the same way every
 * time. */

#include "tests/fuzz/fuzz.h"

#include <glib.h>

#include <stdlib.h>

#define CUTS 64
#define CHANGES 3000

static void
run_copy (const char *data, gsize size)
{
  /* Exactly @size bytes, for AddressSanitizer. */
  g_autofree guint8 *copy = g_memdup2 (data, size);

  LLVMFuzzerTestOneInput (copy, size);
}

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
replay (const char *data, gsize size)
{
  GRand *random = g_rand_new_with_seed (1);

  run_copy (data, size);
  for (gsize i = 0; i < CUTS; i++)
    run_copy (data, size * i / CUTS);
  for (guint i = 0; i < CHANGES && size > 0; i++) {
    GString *text = g_string_new_len (data, (gssize) size);
    gint n = g_rand_int_range (random, 1, 5);

    while (n-- > 0 && text->len > 0)
      change (text, random);
    run_copy (text->str, text->len);
    g_string_free (text, TRUE);
  }
  g_rand_free (random);
}

int
main (int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    g_autofree char *data = NULL;
    gsize size;

    if (!g_file_get_contents (argv[i], &data, &size, NULL)) {
      g_printerr ("cannot read %s\n", argv[i]);
      return EXIT_FAILURE;
    }
    replay (data, size);
  }
  g_print ("%d seeds\n", argc - 1);
  return EXIT_SUCCESS;
}
