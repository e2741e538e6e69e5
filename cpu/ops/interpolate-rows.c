/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "cpu/ops/interpolate.h"

/* Stretched rows that are cached. */
#define MOST_TAPS 8

gboolean
cpu_interpolate_rows_suit (const InferInterpolateTable *table)
{
  if (table->taps > MOST_TAPS)
    return FALSE;
  /* Rows that are needed together are cached in different slots. */
  for (gsize i = 0; i < (gsize) table->out; i++) {
    const gint64 *index = table->index + i * table->taps;
    const double *weight = table->weight + i * table->taps;

    for (gsize a = 0; a < table->taps; a++)
      for (gsize b = 0; b < a; b++)
        if ((float) weight[a] != 0 && (float) weight[b] != 0
            && index[a] != index[b]
            && (index[a] - index[b]) % (gint64) table->taps == 0)
          return FALSE;
  }
  return TRUE;
}

/* Stretched rows have as many elements, too. */
gsize
cpu_interpolate_row_size (const CpuInterpolateRows *rows)
{
  return rows->between * (gsize) rows->columns->out * rows->inner;
}

gsize
cpu_interpolate_rows_scratch (const CpuInterpolateRows *rows)
{
  const gsize bytes =
      rows->rows->taps * cpu_interpolate_row_size (rows) * sizeof (float);

  return (bytes + 63) & ~(gsize) 63;
}

typedef struct
{
  float *memory;
  gint64 holds[MOST_TAPS]; /* row of the input; -1: none */
} Kept;

static void
stretch (const CpuInterpolateRows *rows, const float *src, float *dst)
{
  const InferInterpolateTable *table = rows->columns;
  CpuBlend blend = { .index = table->index,
    .weight = table->weight,
    .taps = table->taps,
    .rows = (gsize) table->out,
    .inner = rows->inner };

  for (gsize i = 0; i < rows->between; i++) {
    blend.src = src + i * (gsize) table->in * rows->inner;
    blend.dst = dst + i * (gsize) table->out * rows->inner;
    rows->kernels->blend_f32 (&blend);
  }
}

/* Stretches a row by way of @line; kept parts have @taps places each. */
static void
stretch_transposed (const CpuInterpolateRows *rows, const float *src,
    float *line, float *memory, gsize place)
{
  const gsize columns = (gsize) rows->columns->out, inner = rows->inner;

  stretch (rows, src, line);
  for (gsize at = 0, n; at < columns; at += n) {
    float *part = memory + at * rows->rows->taps * inner;

    n = MIN (CPU_ROW_PART, columns - at);
    rows->kernels->transpose_u32 ((gpointer) (part + place * n * inner), n,
        (gconstpointer) (line + at * inner), inner, n, inner);
  }
}

/* Computes row @row of the output for the outer index at @src; transposed, the
 * row is only at @dst part by part. */
static void
make_row (const CpuInterpolateRows *rows, Kept *kept, const float *src,
    gsize row, float *dst, gsize out_at, guint thread)
{
  const InferInterpolateTable *table = rows->rows;
  const gsize taps = table->taps, size = cpu_interpolate_row_size (rows);
  const gsize in = rows->between * (gsize) rows->columns->in * rows->inner;
  const gsize part = rows->transposed ? CPU_ROW_PART * rows->inner : size;
  const double *weight = table->weight + row * taps;
  int64_t places[MOST_TAPS];
  CpuBlend blend = {
    .dst = dst, .index = places, .weight = weight, .taps = taps, .rows = 1
  };

  for (gsize k = 0; k < taps; k++) {
    const gint64 index = table->index[row * taps + k];
    const gsize place = (gsize) index % taps;
    const float *from = src + (gsize) index * in;

    places[k] = (int64_t) place;
    if ((float) weight[k] == 0 || kept->holds[place] == index)
      continue;
    kept->holds[place] = index;
    if (rows->transposed)
      stretch_transposed (rows, from, dst, kept->memory, place);
    else
      stretch (rows, from, kept->memory + place * size);
  }
  for (gsize i = 0; i < size; i += blend.inner) {
    blend.src = kept->memory + i * taps;
    blend.inner = MIN (part, size - i);
    rows->kernels->blend_f32 (&blend);
    if (rows->transposed)
      rows->done (rows->data, dst, out_at + i, blend.inner, thread);
  }
}

static void
run_range (gpointer data, gsize begin, gsize end, guint thread)
{
  const CpuInterpolateRows *rows = data;
  const gsize n = (gsize) rows->rows->out,
              size = cpu_interpolate_row_size (rows);
  const gsize in = (gsize) rows->rows->in * rows->between
                   * (gsize) rows->columns->in * rows->inner;
  Kept kept = {
    .memory = (gpointer) ((char *) rows->scratch
                          + thread * cpu_interpolate_rows_scratch (rows))
  };

  for (gsize r = begin; r < end; r++) {
    float *dst = rows->dst ? rows->dst + r * size : rows->lines + thread * size;

    for (gsize k = 0; k < MOST_TAPS && (r == begin || r % n == 0); k++)
      kept.holds[k] = -1;
    make_row (
        rows, &kept, rows->src + r / n * in, r % n, dst, r * size, thread);
    for (gsize i = 0, part; i < size && rows->chain != NULL; i += part) {
      part = MIN (CPU_CHAIN_TILE, size - i);
      cpu_chain_apply (rows->chain, dst + i, r * size + i, part);
    }
    if (rows->done != NULL && !rows->transposed)
      rows->done (rows->data, dst, r * size, size, thread);
  }
}

void
cpu_interpolate_rows_run (CpuStep *step, const CpuInterpolateRows *rows)
{
  cpu_step_parallel (step, rows->outer * (gsize) rows->rows->out,
      CPU_INTERPOLATE_GRAIN / MAX (cpu_interpolate_row_size (rows), 1) + 1,
      run_range, (gpointer) (gsize) rows);
}
