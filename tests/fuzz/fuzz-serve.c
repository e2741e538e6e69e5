/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* config.json of infer-serve, which a client may send as well. */

#include "tests/fuzz/support/fuzz.h"

#include "tools/serve/model-settings.h"

static const ServeSettings defaults = {
  .device = "CPU",
  .threads = 1,
  .batch = 1,
  .max_waiting = 64,
};

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_auto (ServeModelSettings) settings = { 0 };
  g_autoptr (GError) error = NULL;

  serve_model_settings_init (&settings, &defaults);
  if (!serve_model_settings_read (
          &settings, "config.json", (const char *) data, size, "m", &error)) {
    g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
    return 0;
  }
  g_assert_no_error (error);
  g_assert_nonnull (settings.device);
  g_assert_cmpint (settings.streams, >=, 0);
  g_assert_cmpint (settings.streams, <=, 1024);
  g_assert_cmpint (settings.threads, >=, 1);
  g_assert_cmpint (settings.threads, <=, 1024);
  g_assert_cmpint (settings.batch, >=, 1);
  g_assert_cmpint (settings.batch, <=, 1024);
  g_assert_cmpint (settings.batch_timeout_us, >=, 0);
  g_assert_cmpint (settings.max_waiting, >=, 1);
  g_assert_true (serve_model_settings_share (&settings, &settings));
  return 0;
}
