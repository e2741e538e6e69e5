/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infer-top reads two lines of JSON from a process and shows them as text.  The
 * first byte of the input is the width of the terminal. */

#include "tests/fuzz/support/fuzz.h"

#include <string.h>

#include "tools/top/view.h"

static InferJson *
parse (const char *line, gsize size)
{
  g_autoptr (GError) error = NULL;
  InferJson *json = infer_json_parse ("a line", line, size, &error);

  g_assert_true ((json == NULL) == (error != NULL));
  return json;
}

/* Lines end, have no characters that do not print, and fit.  A character may be
 * two columns wide, but none is less than one. */
static void
check_lines (char *text, guint width)
{
  guint column = 0;

  g_assert_true (g_utf8_validate (text, -1, NULL));
  for (char *p = text; *p != '\0'; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);

    if (c == '\n') {
      column = 0;
      continue;
    }
    g_assert_true (g_unichar_isprint (c));
    if (!g_unichar_iszerowidth (c))
      g_assert_cmpuint (++column, <=, width);
  }
  g_assert_cmpuint (column, ==, 0);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (TopSource) source = top_source_new (1);

  if (size < 1)
    return 0;
  const char *first = (const char *) data + 1, *end = first + size - 1;
  const char *second = memchr (first, '\n', size - 1);
  if (second != NULL) {
    source->before = parse (first, (gsize) (second - first));
    first = second + 1;
  }
  source->now = parse (first, (gsize) (end - first));
  if (source->now != NULL) {
    top_view_append (text, source, data[0]);
    check_lines (text->str, data[0]);
  }
  return 0;
}
