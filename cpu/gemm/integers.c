/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Products with weights that are small integers times a scale for each column.
 */

#include "cpu/gemm/gemm.h"

#include "cpu/base/integers.h"
#include "cpu/base/scope.h"
#include "cpu/base/widen.h"
#include "cpu/base/unpack.h"

#include <string.h>

/* Packed integers: the head, a scale and an offset for each column of whole
 * panels, then the panels. */
typedef struct
{
  gsize columns;
  gboolean offset; /* some are not zero */
  gboolean digits; /* panels for the _digits kernels */
  char pad[64 - sizeof (gsize) - 2 * sizeof (gboolean)];
} IntegersHead;

static float *
integers_scale (IntegersHead *head)
{
  return (gpointer) (head + 1);
}

static float *
integers_offset (IntegersHead *head)
{
  return integers_scale (head) + head->columns;
}

static gint8 *
integers_panels (IntegersHead *head)
{
  return (gpointer) (integers_offset (head) + head->columns);
}

/* One column, before it is packed. */
typedef struct
{
  const CpuLooseFloat *floats; /* NULL: it is stored as integers, `codes` */
  const guint8 *codes;         /* integers, @zero to be subtracted */
  gboolean is_signed;
  int zero;
  gsize n, stride;
  CpuIntegers found;
} Column;

/* Allocated rows of a panel. */
static gsize
panel_rows (gsize k, gboolean digits)
{
  return digits ? (k + 3) / 4 * 4 : k;
}

/* Four at a time: codes of a column that lie one after the other, for panels
 * of digits.  Returns how many were written. */
static gsize
put_quads (const Column *column, gint8 *to)
{
  const guint32 flip = column->is_signed ? 0x80808080u : 0; /* adds 128 */
  const gsize n = column->n / 4 * 4;

  for (gsize i = 0; i < n; i += 4, to += 4 * CPU_GEMM_PANEL) {
    guint32 quad;

    memcpy (&quad, column->codes + i, sizeof quad);
    quad ^= flip;
    memcpy (to, &quad, sizeof quad);
  }
  return n;
}

static void
put_column (IntegersHead *head, const Column *column, gsize at, int offset)
{
  const gsize lane = at % CPU_GEMM_PANEL;
  gint8 *panel = integers_panels (head)
                 + at / CPU_GEMM_PANEL * CPU_GEMM_PANEL
                       * panel_rows (column->n, head->digits);

  integers_scale (head)[at] = column->found.scale;
  integers_offset (head)[at] = (float) offset;
  head->offset = head->offset || offset != 0;
  gsize first = head->digits && column->floats == NULL && column->stride == 1
                    ? put_quads (column, panel + lane * 4)
                    : 0;
  for (gsize i = first; i < column->n; i++) {
    gint8 *to = head->digits
                    ? panel + i / 4 * 4 * CPU_GEMM_PANEL + lane * 4 + i % 4
                    : panel + i * CPU_GEMM_PANEL + lane;

    if (column->floats != NULL)
      *to = (gint8) (cpu_integers_of (
                         &column->found, column->floats[i * column->stride])
                     - offset);
    else
      *to = (gint8) (column->codes[i * column->stride]
                     ^ (column->is_signed ? 0 : 0x80));
    if (head->digits)
      *to = (gint8) ((guint8) *to ^ 0x80); /* adds 128 */
  }
}

static gboolean
pack_integers_column (IntegersHead *head, Column *column, gsize at)
{
  CpuIntegers *found = &column->found;
  int offset = 0;

  if (column->floats == NULL) {
    put_column (head, column, at, (column->is_signed ? 0 : 128) - column->zero);
    return TRUE;
  }
  if (!cpu_integers_find (column->floats, column->n, column->stride, found)
      || found->high - found->low > 255)
    return FALSE;
  if (found->low < -128 || found->high > 127)
    offset = found->low + 128;
  put_column (head, column, at, offset);
  return TRUE;
}

/* A column of @value as stored integers; FALSE: it is not stored so. */
static gboolean
has_codes (
    const CpuValue *value, gsize first, gsize stride, gsize n, Column *column)
{
  const InferCompressed *stored =
      value->unpack != NULL ? &value->unpack->stored : NULL;

  column->n = n;
  column->stride = stride;
  column->floats = NULL;
  if (stored == NULL
      || !infer_compressed_integers (
          stored, first, stride, n, &column->found.scale, &column->zero))
    return FALSE;
  column->codes = (const guint8 *) stored->codes->data + first;
  column->is_signed = stored->codes->type == INFER_TYPE_I8;
  return TRUE;
}

/* Packs a matrix of @k by @n; the integers begin behind @before bytes. */
static gpointer
pack_integers (const CpuValue *value, const CpuLooseFloat *b, const gint64 *of,
    gsize before, gsize *bytes)
{
  const gsize k = (gsize) of[0], n = (gsize) of[1];
  const gsize k_stride = (gsize) of[2], n_stride = (gsize) of[3];
  const gsize rows = panel_rows (k, of[4] != 0);
  gsize columns = (n + CPU_GEMM_PANEL - 1) / CPU_GEMM_PANEL * CPU_GEMM_PANEL;
  IntegersHead *head;
  CpuIntegers first;

  /* Few weights are integers: the first column tells most others. */
  if (b != NULL && !cpu_integers_find (b, k, k_stride, &first))
    return NULL;
  *bytes = before + sizeof *head + columns * (2 * sizeof (float) + rows);
  char *packed = cpu_alloc_pack (*bytes);
  if (packed == NULL)
    return NULL;
  head = (gpointer) (packed + before);
  memset (packed, 0, before + sizeof *head + columns * 2 * sizeof (float));
  head->columns = columns;
  head->digits = of[4] != 0;
  if (columns > n || rows > k)
    memset (integers_panels (head), 0, columns * rows);
  for (gsize j = 0; j < n; j++) {
    Column column;

    if (b != NULL)
      column =
          (Column){ .floats = b + j * n_stride, .n = k, .stride = k_stride };
    else if (!has_codes (value, j * n_stride, k_stride, k, &column))
      g_assert_not_reached ();
    if (!pack_integers_column (head, &column, j)) {
      cpu_free (packed);
      return NULL;
    }
  }
  return packed;
}

static gboolean
all_codes (const CpuValue *value, const gint64 *of)
{
  Column column;

  for (gint64 j = 0; j < of[1]; j++)
    if (!has_codes (
            value, (gsize) (j * of[3]), (gsize) of[2], (gsize) of[0], &column))
      return FALSE;
  return TRUE;
}

/* Smaller weights stay in the first-level cache anyway. */
#define INTEGERS_MIN 16384

/* Precedes the packed integers; also made for weights that are no integers, so
 * that they are not examined again. */
typedef struct
{
  gboolean found;
  char pad[60];
} MaybeIntegers;

/* @data: the numbers that are the pack's key. */
static gpointer
make_integers (const CpuStep *step, guint input, gpointer data, gsize *bytes)
{
  const CpuValue *value = step->in[input];
  g_autoptr (CpuBorrowedFloats) copy = NULL;
  const CpuLooseFloat *from = NULL;
  MaybeIntegers *maybe = NULL;

  if (value->unpack == NULL || !all_codes (value, data)) {
    from = cpu_gemm_floats (step->kernels, value, &copy);
    if (from == NULL)
      return NULL;
  }
  maybe = pack_integers (value, from, data, sizeof *maybe, bytes);
  if (maybe == NULL) {
    *bytes = sizeof *maybe;
    maybe = cpu_alloc (*bytes);
    if (maybe != NULL)
      memset (maybe, 0, *bytes);
    return maybe;
  }
  maybe->found = TRUE;
  return maybe;
}

/* Number of products of digits whose sum cannot overflow. */
#define MAX_DIGITS 32767

gconstpointer
cpu_gemm_integers (CpuStep *step, guint input, gsize k, gsize n, gsize k_stride,
    gsize n_stride)
{
  const gboolean digits = cpu_isa_has_int8 (step->isa) && k <= MAX_DIGITS;
  gint64 params[] = { (gint64) k, (gint64) n, (gint64) k_stride,
    (gint64) n_stride, digits };

  if ((!digits && !(step->isa & (CPU_ISA_AVX2 | CPU_ISA_AVX512)))
      || k * n < INTEGERS_MIN)
    return NULL;
  const MaybeIntegers *maybe = cpu_step_pack_stored (step, input,
      CPU_PACK_INTEGERS, G_N_ELEMENTS (params), params, make_integers, params);
  return maybe && maybe->found ? maybe + 1 : NULL;
}

/* --- running --- */

gsize
cpu_gemm_bytes_group (const CpuStep *step, guint input, gsize k)
{
  const CpuUnpack *unpack = step->in[input]->unpack;

  if (unpack == NULL || !cpu_isa_has_int8 (step->isa) || k > MAX_DIGITS
      || infer_type_size (unpack->stored.codes->type) != 1)
    return 0;
  return cpu_scope_quantized_group (step->scope);
}

/* Bytes of a packed row of a. */
static gsize
row_size (gsize k, gsize a_group)
{
  return a_group > 0 ? cpu_bytes_size (k, a_group) : cpu_digits_size (k);
}

gsize
cpu_gemm_integers_room (gconstpointer packed, gsize m, gsize k, gsize a_group)
{
  const IntegersHead *head = packed;

  if (head->digits) /* and a copy of a, if its rows are not dense */
    return cpu_scratch_add (
        cpu_scratch_add (0, m, row_size (k, a_group)), m * k, sizeof (float));
  return cpu_scratch_add (0, m, sizeof (float));
}

static void
set_integers (CpuGemm *g, const IntegersHead *head)
{
  const float *numbers = (gconstpointer) (head + 1);

  g->b_scale = numbers;
  g->b_offset = head->offset ? numbers + head->columns : NULL;
  g->b = numbers + 2 * head->columns;
  g->b_panel = panel_rows (g->k, head->digits) * CPU_GEMM_PANEL;
  g->b_k = CPU_GEMM_PANEL;
}

static void
make_sums (const CpuStep *step, CpuGemm *g, float *sums)
{
  g->a_sums = sums;
  for (gsize i = 0; i < g->m; i++) {
    const float *row = g->a + i * g->a_row;

    sums[i] = 0;
    if (g->a_k == 1)
      sums[i] = step->kernels->reduce_f32 (CPU_REDUCE_SUM, row, g->k);
    for (gsize k = 0; g->a_k != 1 && k < g->k; k++)
      sums[i] += row[k * g->a_k];
  }
}

/* Elements per thread from which on waking it pays. */
#define PACK_GRAIN 16384

typedef struct
{
  const CpuKernels *kernels;
  const CpuGemm *g;
  char *to;
} PackRows;

static void
pack_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const PackRows *job = data;
  const CpuGemm *g = job->g;

  for (gsize i = begin; i < end; i++) {
    gpointer to = job->to + i * g->a_packed_row;

    if (g->a_group > 0)
      job->kernels->bytes_f32 (to, g->a + i * g->a_row, g->k, g->a_group);
    else
      job->kernels->digits_f32 (to, g->a + i * g->a_row, g->k);
  }
}

static void
pack_rows (CpuStep *step, CpuGemm *g, char *memory)
{
  const gsize size = row_size (g->k, g->a_group);
  PackRows job = { step->kernels, g, memory };
  float *dense = (gpointer) (memory + g->m * size);

  if (g->a_k != 1) {
    for (gsize i = 0; i < g->m; i++)
      for (gsize k = 0; k < g->k; k++)
        dense[i * g->k + k] = g->a[i * g->a_row + k * g->a_k];
    g->a = dense;
    g->a_row = g->k;
    g->a_k = 1;
  }
  g->a_packed = memory;
  g->a_packed_row = size;
  cpu_step_parallel (
      step, g->m, 1 + PACK_GRAIN / MAX (g->k, 1), pack_range, &job);
}

CpuGemmType
cpu_gemm_set_integers (
    CpuStep *step, CpuGemm *g, gconstpointer packed, gpointer memory)
{
  const IntegersHead *head = packed;
  const CpuGemmType type = !head->digits    ? CPU_GEMM_I8
                           : g->a_group > 0 ? CPU_GEMM_BYTES
                                            : CPU_GEMM_DIGITS;

  set_integers (g, head);
  cpu_gemm_set_order (step, g, type);
  if (head->digits)
    pack_rows (step, g, memory);
  else if (g->b_offset)
    make_sums (step, g, memory);
  return type;
}

void
cpu_gemm_run_integers (
    CpuStep *step, CpuGemm *g, gconstpointer packed, gpointer memory)
{
  const CpuGemmType type = cpu_gemm_set_integers (step, g, packed, memory);

  cpu_gemm_run (step, g, type);
}
