/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/vision/assign.h"

#include <math.h>

/* One-based, as the method is usually written: row and column 0 mean none. */
typedef struct
{
  const float *gains;
  guint rows, columns, n; /* n: side of the padded square */
  double *row_price, *column_price, *least;
  guint *row_of, *way;
  guint8 *used;
} Problem;

static double
cost (const Problem *p, guint row, guint column)
{
  if (row > p->rows || column > p->columns)
    return 0;
  float gain = p->gains[(gsize) (row - 1) * p->columns + column - 1];
  return gain > 0 ? -(double) gain : 0;
}

/* Assigns the row at column 0 along an augmenting path. */
static void
place_row (Problem *p, guint row)
{
  guint column = 0;

  p->row_of[0] = row;
  for (guint j = 0; j <= p->n; j++) {
    p->least[j] = INFINITY;
    p->used[j] = FALSE;
  }
  do {
    guint r = p->row_of[column], next = 0;
    double delta = INFINITY;

    p->used[column] = TRUE;
    for (guint j = 1; j <= p->n; j++) {
      if (p->used[j])
        continue;
      double slack = cost (p, r, j) - p->row_price[r] - p->column_price[j];
      if (slack < p->least[j]) {
        p->least[j] = slack;
        p->way[j] = column;
      }
      if (p->least[j] < delta) {
        delta = p->least[j];
        next = j;
      }
    }
    for (guint j = 0; j <= p->n; j++) {
      if (p->used[j]) {
        p->row_price[p->row_of[j]] += delta;
        p->column_price[j] -= delta;
      } else {
        p->least[j] -= delta;
      }
    }
    column = next;
  } while (p->row_of[column] != 0);
  while (column != 0) {
    guint before = p->way[column];

    p->row_of[column] = p->row_of[before];
    column = before;
  }
}

void
infer_assign (const float *gains, guint rows, guint columns, int *column_of)
{
  guint n = MAX (rows, columns);
  g_autofree double *prices = g_new0 (double, 3 * ((gsize) n + 1));
  g_autofree guint *indices = g_new0 (guint, 2 * ((gsize) n + 1));
  g_autofree guint8 *used = g_new0 (guint8, (gsize) n + 1);
  Problem p = { gains, rows, columns, n, prices, prices + n + 1,
    prices + 2 * ((gsize) n + 1), indices, indices + n + 1, used };

  for (guint row = 1; row <= n; row++)
    place_row (&p, row);
  for (guint row = 0; row < rows; row++)
    column_of[row] = -1;
  for (guint j = 1; j <= columns; j++)
    if (p.row_of[j] >= 1 && p.row_of[j] <= rows
        && gains[(gsize) (p.row_of[j] - 1) * columns + j - 1] > 0)
      column_of[p.row_of[j] - 1] = (int) j - 1;
}
