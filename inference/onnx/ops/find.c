/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/onnx/ops/importers.h"

static const OnnxImporter importers[] = {
#define ONNX(type, function, file) { #type, onnx_import_##function },
#include "inference/onnx/ops/import-list.h"
#undef ONNX
};

const OnnxImporter *
onnx_find_importer (const char *domain, const char *type)
{
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    GHashTable *table = g_hash_table_new (g_str_hash, g_str_equal);

    for (guint i = 0; i < G_N_ELEMENTS (importers); i++)
      g_hash_table_insert (table, (gpointer) (gsize) importers[i].type,
          (gpointer) (gsize) &importers[i]);
    g_once_init_leave (&once, (gsize) table);
  }
  return *domain == '\0' ? g_hash_table_lookup ((GHashTable *) once, type)
                         : NULL;
}
