/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* JSON: what is read can be visited, by index and by name. */

#include "tests/fuzz/support/fuzz.h"

#include <string.h>

#include "inference/base/json.h"

static void visit (InferJsonValue value);

static void
visit_string (InferJsonValue value)
{
  g_autoptr (GError) error = NULL;
  const char *string;
  gsize length;

  g_assert_true (infer_json_to_string (value, &string, &length, &error));
  g_assert_true (g_utf8_validate_len (string, length, NULL)
                 || memchr (string, 0, length) != NULL);
  g_assert_cmpint (string[length], ==, '\0');
}

static void
visit_number (InferJsonValue value)
{
  g_autoptr (GError) error = NULL;
  double number;
  gint64 integer;

  g_assert_true (infer_json_to_number (value, &number, &error));
  if (infer_json_to_int (value, &integer, &error))
    g_assert_true ((double) integer == number);
  else
    g_assert_nonnull (error);
}

/* A member that is found by name is the last of that name. */
static void
visit_member (InferJsonValue object, guint i)
{
  gsize length;
  const char *key = infer_json_key (object, i, &length);

  visit (infer_json_at (object, i));
  if (strlen (key) != length)
    return;
  InferJsonValue found = infer_json_find (object, key);
  g_assert_true (found.node >= infer_json_at (object, i).node);
}

static void
visit (InferJsonValue value)
{
  const InferJsonType type = infer_json_type (value);
  const guint n = infer_json_length (value);

  g_assert_cmpint (type, !=, INFER_JSON_ABSENT);
  if (type == INFER_JSON_STRING)
    visit_string (value);
  else if (type == INFER_JSON_NUMBER)
    visit_number (value);
  for (guint i = 0; i < n; i++)
    if (type == INFER_JSON_OBJECT)
      visit_member (value, i);
    else
      visit (infer_json_at (value, i));
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GError) error = NULL, wrong = NULL;
  g_autoptr (InferJson) json =
      infer_json_parse ("fuzz", (const char *) data, size, &error);
  gboolean flag;

  g_assert_true ((json == NULL) == (error != NULL));
  if (json == NULL)
    return 0;
  visit (infer_json_root (json));
  if (!infer_json_get_bool (infer_json_root (json), "a", &flag, &wrong))
    g_assert_nonnull (wrong);
  return 0;
}
