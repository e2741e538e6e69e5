/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Archives, and the arrays in them. */

#include "tests/fuzz/support/fuzz.h"

#include "inference/base/npy.h"
#include "tools/files/zip.h"

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GBytes) file = g_bytes_new (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) entries = zip_parse ("fuzz", file, &error);

  g_assert_true ((entries == NULL) == (error != NULL));
  for (guint i = 0; entries != NULL && i < entries->len; i++) {
    const ZipEntry *entry = entries->pdata[i];
    g_autoptr (GError) failure = NULL;
    g_autoptr (InferTensor) tensor = infer_npy_from_bytes (
        entry->name, entry->bytes, INFER_TYPE_DYNAMIC, NULL, &failure);

    g_assert_true ((tensor == NULL) == (failure != NULL));
  }
  return 0;
}
