/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/support/ir.h"

#include <string.h>

InferModel *
ir_load (const char *xml, gconstpointer weights, gsize size, GError **error)
{
  g_autoptr (GBytes) text = g_bytes_new (xml, strlen (xml));
  g_autoptr (GBytes) data = g_bytes_new (weights, size);

  return infer_model_load_bytes (text, data, "test.xml", error);
}

InferModel *
ir_load_good (const char *xml, gconstpointer weights, gsize size)
{
  g_autoptr (GError) error = NULL;
  InferModel *model = ir_load (xml, weights, size, &error);

  g_assert_no_error (error);
  g_assert_nonnull (model);
  return model;
}

void
ir_load_bad (const char *xml, gconstpointer weights, gsize size,
    InferErrorCode code, const char *part)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferModel) model = ir_load (xml, weights, size, &error);

  g_assert_null (model);
  g_assert_error (error, INFER_ERROR, (int) code);
  g_assert_true (g_str_has_prefix (error->message, "test.xml: "));
  if (strstr (error->message, part) == NULL)
    g_error ("'%s' does not say '%s'", error->message, part);
}
