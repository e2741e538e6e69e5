/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/onnx/microsoft/importers.h"
#include "inference/onnx/ml/importers.h"
#include "inference/onnx/ops/importers.h"
#include "inference/onnx/preview/importers.h"

#define ONNX(type, function, file) { #type, onnx_import_##function },
static const OnnxImporter importers[] = {
#include "inference/onnx/ops/import-list.h"
};
static const OnnxImporter microsoft[] = {
#include "inference/onnx/microsoft/import-list.h"
};
static const OnnxImporter ml[] = {
#include "inference/onnx/ml/import-list.h"
};
static const OnnxImporter preview[] = {
#include "inference/onnx/preview/import-list.h"
};
#undef ONNX

static const struct
{
  const char *name;
  const OnnxImporter *importers;
  guint n;
} domains[] = {
  { "", importers, G_N_ELEMENTS (importers) },
  { "com.microsoft", microsoft, G_N_ELEMENTS (microsoft) },
  { "ai.onnx.ml", ml, G_N_ELEMENTS (ml) },
  { "ai.onnx.preview", preview, G_N_ELEMENTS (preview) },
};

/* Type → OnnxImporter, for each domain. */
static GHashTable **
make_tables (void)
{
  GHashTable **tables = g_new (GHashTable *, G_N_ELEMENTS (domains));

  for (guint d = 0; d < G_N_ELEMENTS (domains); d++) {
    tables[d] = g_hash_table_new (g_str_hash, g_str_equal);
    for (guint i = 0; i < domains[d].n; i++)
      g_hash_table_insert (tables[d],
          (gpointer) (gsize) domains[d].importers[i].type,
          (gpointer) (gsize) &domains[d].importers[i]);
  }
  return tables;
}

const OnnxImporter *
onnx_find_importer (const char *domain, const char *type)
{
  static gsize once = 0;

  if (g_once_init_enter (&once))
    g_once_init_leave (&once, (gsize) make_tables ());
  for (guint d = 0; d < G_N_ELEMENTS (domains); d++)
    if (g_str_equal (domain, domains[d].name))
      return g_hash_table_lookup (((GHashTable **) once)[d], type);
  return NULL;
}
