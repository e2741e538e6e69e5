/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/op-table.h"

#include "cpu/ops/attention.h"
#include "cpu/ops/dynamic-matmul.h"

static const struct
{
  const InferOpClass *klass;
  const CpuOp *op;
} rows[] = {
#define OP(name, file) { &infer_op_##name, &cpu_op_##name },
#include "cpu/ops/op-list.h"
#undef OP
  { &cpu_attention_class, &cpu_op_fused_attention },
  { &cpu_dynamic_matmul_class, &cpu_op_dynamic_matmul },
};

static gpointer
make_table (gpointer unused)
{
  GHashTable *table = g_hash_table_new (NULL, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    g_hash_table_insert (
        table, (gpointer) (gsize) rows[i].klass, (gpointer) (gsize) rows[i].op);
  return table;
}

const CpuOp *
cpu_op_find (const InferOpClass *klass)
{
  static GOnce once = G_ONCE_INIT;

  return g_hash_table_lookup (g_once (&once, make_table, NULL), klass);
}
