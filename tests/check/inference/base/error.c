/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages of errors are one line of UTF-8, whatever names in files hold. */

#include "infer/error.h"

static void
check (const char *name, const char *expected)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (
      infer_fail (&error, INFER_ERROR_FAILED, "there is no '%s'", name));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_FAILED);
  g_assert_cmpstr (error->message, ==, expected);
}

static void
test_message (void)
{
  check ("input", "there is no 'input'");
  check ("größe", "there is no 'größe'");
  check ("a\nERROR\tb\r\177", "there is no 'a ERROR b  '");
  check ("\033[31mred", "there is no ' [31mred'");
  check ("half a \303", "there is no 'half a \357\277\275'");
}

static void
test_nobody_asks (void)
{
  g_assert_false (infer_fail (NULL, INFER_ERROR_FAILED, "%s", "x"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/error/message", test_message);
  g_test_add_func ("/error/nobody-asks", test_nobody_asks);
  return g_test_run ();
}
