/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/media/track/assign.h"

#include <math.h>

/* A pair of a row and a column. */
typedef struct
{
  guint column;
  float gain;
} Pair;

typedef struct
{
  guint begin, end; /* its pairs */
  int column;       /* assigned; -1: none */
  double price;     /* ≤ 0 */
} Row;

typedef struct
{
  int row;         /* assigned; -1: none */
  double price;    /* ≤ 0; 0: never assigned */
  double distance; /* from the row searched for */
  guint from;      /* the row before it on the shortest path */
  guint search;    /* number of the search that reached it last */
  gboolean done;   /* in that search: its distance is final */
} Column;

struct _InferAssignment
{
  GArray *pairs;   /* (element-type Pair), by row */
  GArray *rows;    /* (element-type Row) */
  GArray *columns; /* (element-type Column) */
  GArray *reached; /* (element-type guint): columns, those done first */
  GArray *result;  /* (element-type int) */
  guint search;
};

#define ROW(a, i) (&g_array_index ((a)->rows, Row, i))
#define COLUMN(a, j) (&g_array_index ((a)->columns, Column, j))
#define PAIR(a, k) (&g_array_index ((a)->pairs, Pair, k))

InferAssignment *
infer_assignment_new (void)
{
  InferAssignment *a = g_new0 (InferAssignment, 1);

  a->pairs = g_array_new (FALSE, FALSE, sizeof (Pair));
  a->rows = g_array_new (FALSE, FALSE, sizeof (Row));
  a->columns = g_array_new (FALSE, FALSE, sizeof (Column));
  a->reached = g_array_new (FALSE, FALSE, sizeof (guint));
  a->result = g_array_new (FALSE, FALSE, sizeof (int));
  return a;
}

void
infer_assignment_free (InferAssignment *a)
{
  if (a == NULL)
    return;
  g_array_unref (a->pairs);
  g_array_unref (a->rows);
  g_array_unref (a->columns);
  g_array_unref (a->reached);
  g_array_unref (a->result);
  g_free (a);
}

void
infer_assignment_begin (InferAssignment *a, guint rows, guint columns)
{
  g_array_set_size (a->pairs, 0);
  g_array_set_size (a->rows, rows);
  g_array_set_size (a->columns, columns);
  g_array_set_size (a->result, rows);
  a->search = 0;
  for (guint i = 0; i < rows; i++)
    *ROW (a, i) = (Row){ 0, 0, -1, 0 };
  for (guint j = 0; j < columns; j++)
    *COLUMN (a, j) = (Column){ .row = -1 };
}

void
infer_assignment_add (InferAssignment *a, guint row, guint column, float gain)
{
  const Pair pair = { column, gain };
  Row *r = ROW (a, row);

  if (r->end == 0)
    r->begin = a->pairs->len;
  g_array_append_val (a->pairs, pair);
  r->end = a->pairs->len;
}

/* Lowers the price of row @i to that of its best pair, which it gets if the
 * column is free. */
static void
take_best (InferAssignment *a, guint i)
{
  Row *r = ROW (a, i);
  guint best = 0;

  for (guint k = r->begin; k < r->end; k++)
    if (-(double) PAIR (a, k)->gain < r->price) {
      r->price = -(double) PAIR (a, k)->gain;
      best = PAIR (a, k)->column;
    }
  if (r->price < 0 && COLUMN (a, best)->row < 0) {
    COLUMN (a, best)->row = (int) i;
    r->column = (int) best;
  }
}

/* --- search of a shortest augmenting path --- */

typedef struct
{
  guint done;      /* columns at the front of reached */
  double free_at;  /* distance at which a row may stay without a column … */
  guint free_row;  /* … and which */
  double distance; /* of the end */
  int free_column; /* the end; -1: free_row stays without one */
} Search;

/* Updates the distances of the columns of row @i, which is @distance away. */
static void
scan_row (InferAssignment *a, Search *s, guint i, double distance)
{
  const Row *r = ROW (a, i);

  if (distance - r->price < s->free_at) {
    s->free_at = distance - r->price;
    s->free_row = i;
  }
  for (guint k = r->begin; k < r->end; k++) {
    guint j = PAIR (a, k)->column;
    Column *c = COLUMN (a, j);
    double d = distance - (double) PAIR (a, k)->gain - r->price - c->price;

    if (c->search != a->search) {
      *c = (Column){ c->row, c->price, d, i, a->search, FALSE };
      g_array_append_val (a->reached, j);
    } else if (!c->done && d < c->distance) {
      c->distance = d;
      c->from = i;
    }
  }
}

/* Moves the nearest column that is not done to the done ones.  FALSE: a row
 * that stays without a column is at least as near. */
static gboolean
take_nearest (InferAssignment *a, Search *s, guint *nearest)
{
  guint *reached = (guint *) (gpointer) a->reached->data, at = s->done;

  if (at == a->reached->len)
    return FALSE;
  for (guint k = at + 1; k < a->reached->len; k++)
    if (COLUMN (a, reached[k])->distance < COLUMN (a, reached[at])->distance)
      at = k;
  *nearest = reached[at];
  if (COLUMN (a, *nearest)->distance >= s->free_at)
    return FALSE;
  reached[at] = reached[s->done];
  reached[s->done++] = *nearest;
  COLUMN (a, *nearest)->done = TRUE;
  return TRUE;
}

static void
find_end (InferAssignment *a, Search *s, guint row)
{
  guint j;

  scan_row (a, s, row, 0);
  while (take_nearest (a, s, &j)) {
    const Column *c = COLUMN (a, j);

    if (c->row < 0) {
      s->free_column = (int) j;
      s->distance = c->distance;
      return;
    }
    scan_row (a, s, (guint) c->row, c->distance);
  }
  s->distance = s->free_at;
}

/* Makes the pairs of the path tight, and keeps all others feasible. */
static void
update_prices (InferAssignment *a, const Search *s, guint row)
{
  ROW (a, row)->price += s->distance;
  for (guint k = 0; k < s->done; k++) {
    Column *c = COLUMN (a, g_array_index (a->reached, guint, k));
    double by = s->distance - c->distance;

    c->price -= by;
    if (c->row >= 0)
      ROW (a, (guint) c->row)->price += by;
  }
}

/* Gives row @row a column, or one row of its component none. */
static void
place_row (InferAssignment *a, guint row)
{
  Search s = { 0, INFINITY, 0, 0, -1 };
  int column;

  a->search++;
  g_array_set_size (a->reached, 0);
  find_end (a, &s, row);
  update_prices (a, &s, row);
  column = s.free_column;
  if (column < 0) {
    column = ROW (a, s.free_row)->column;
    ROW (a, s.free_row)->column = -1;
  }
  while (column >= 0) {
    guint from = COLUMN (a, (guint) column)->from;
    int next = ROW (a, from)->column;

    COLUMN (a, (guint) column)->row = (int) from;
    ROW (a, from)->column = column;
    column = from == row ? -1 : next;
  }
}

const int *
infer_assignment_solve (InferAssignment *a)
{
  for (guint i = 0; i < a->rows->len; i++)
    take_best (a, i);
  for (guint i = 0; i < a->rows->len; i++)
    if (ROW (a, i)->column < 0 && ROW (a, i)->price < 0)
      place_row (a, i);
  for (guint i = 0; i < a->rows->len; i++)
    g_array_index (a->result, int, i) = ROW (a, i)->column;
  return (const int *) (gpointer) a->result->data;
}
