/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Libraries that are loaded when needed: there, missing, too old. */

#include "gst/common/library.h"

#include <math.h>
#include <string.h>

#include "infer/error.h"

static struct
{
  GST_INFER_CALL (cos)
} found;

static void
check_loaded (void)
{
  static const char *const names[] = { GST_INFER_CALL_NAME (cos) };
  GstInferLibrary library = { .file = "libm.so.6",
    .package = "the C library",
    .names = names,
    .n = 1,
    .functions = &found };

  for (int i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;
    gboolean ok = gst_infer_library_load (&library, &error);

    g_assert_no_error (error);
    g_assert_true (ok);
    g_assert_cmpfloat (found.cos (0), ==, 1);
  }
}

static void
check_missing (void)
{
  gpointer to[1] = { NULL };
  const char *const names[] = { "absent_call" };
  GstInferLibrary libraries[] = {
    { .file = "libabsent.so.7", .package = "absent" },
    { .file = "libm.so.6", .package = "absent" },
  };
  const char *said[] = {
    "libabsent.so.7: cannot open shared object file: No such file or "
    "directory; please install absent",
    "libm.so.6 has no function absent_call; please install a newer absent",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (libraries); i++) {
    g_autoptr (GError) error = NULL;

    libraries[i].names = names;
    libraries[i].n = 1;
    libraries[i].functions = to;
    g_assert_false (gst_infer_library_load (&libraries[i], &error));
    g_assert_error (error, INFER_ERROR, INFER_ERROR_NOT_FOUND);
    g_assert_cmpstr (error->message, ==, said[i]);
  }
}

/* What can be left out is looked for once. */
static void
check_found (void)
{
  static const char *const names[] = { GST_INFER_CALL_NAME (cos) };
  GstInferLibrary library = { .file = "libabsent.so.7",
    .package = "absent",
    .names = names,
    .n = 1,
    .functions = &found };

  g_assert_false (gst_infer_library_find (&library));
  library.file = "libm.so.6";
  g_assert_false (gst_infer_library_find (&library));
  library.absent = FALSE;
  g_assert_true (gst_infer_library_find (&library));
  g_assert_true (gst_infer_library_find (&library));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/library/loaded", check_loaded);
  g_test_add_func ("/library/missing", check_missing);
  g_test_add_func ("/library/found", check_found);
  return g_test_run ();
}
