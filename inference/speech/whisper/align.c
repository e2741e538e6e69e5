/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/speech/whisper/align.h"

#include <math.h>
#include <string.h>

#include "inference/base/memory/pages.h"

#define WIDTH 7 /* of the median filter */
#define MAX_LAYERS 256
/* Tokens that are aligned at a time: few enough for the decoder's weights as it
 * keeps them, of 8 bits for example. */
#define PIECE 24
/* Tokens are filled up to a multiple of this, so that lengths are few. */
#define FILL 8

/* --- path --- */

enum
{
  BOTH,
  DOWN,
  RIGHT
};

/* Costs of the paths to each element of row @row, of those to the row before in
 * @above. */
static void
extend_paths (const float *cost, guint columns, const double *above,
    double *here, guint8 *step)
{
  here[0] = (double) INFINITY;
  for (guint j = 0; j < columns; j++) {
    double both = above[j], down = above[j + 1], right = here[j];

    if (both < down && both < right) {
      here[j + 1] = both + (double) cost[j];
      step[j] = BOTH;
    } else if (down < both && down < right) {
      here[j + 1] = down + (double) cost[j];
      step[j] = DOWN;
    } else {
      here[j + 1] = right + (double) cost[j];
      step[j] = RIGHT;
    }
  }
}

void
whisper_align_path (const float *cost, guint rows, guint columns, guint *begins)
{
  g_autofree guint8 *steps = g_new (guint8, (gsize) rows * columns);
  g_autofree double *sums = g_new (double, 2 * ((gsize) columns + 1));
  double *above = sums, *here = sums + columns + 1;

  for (guint j = 0; j <= columns; j++)
    above[j] = j == 0 ? 0 : (double) INFINITY;
  for (guint i = 0; i < rows; i++) {
    gsize at = (gsize) i * columns;

    extend_paths (cost + at, columns, above, here, steps + at);
    double *swap = above;
    above = here;
    here = swap;
  }
  for (guint i = rows, j = columns; i > 0;) {
    guint8 step =
        j > 1 ? steps[(gsize) (i - 1) * columns + j - 1] : (guint8) DOWN;

    begins[i - 1] = j - 1;
    i -= step == RIGHT ? 0 : 1;
    j -= step == DOWN ? 0 : 1;
  }
}

/* --- scores --- */

/* By a network of exchanges, without branches, that leaves the median of 7 in
 * its place. */
static float
median (const float *window)
{
  static const guint8 pairs[][2] = { { 0, 5 }, { 0, 3 }, { 1, 6 }, { 2, 4 },
    { 0, 1 }, { 3, 5 }, { 2, 6 }, { 2, 3 }, { 3, 6 }, { 4, 5 }, { 1, 4 },
    { 1, 3 }, { 3, 4 } };
  float v[WIDTH];

  memcpy (v, window, sizeof v);
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++) {
    float a = v[pairs[i][0]], b = v[pairs[i][1]];

    v[pairs[i][0]] = MIN (a, b);
    v[pairs[i][1]] = MAX (a, b);
  }
  return v[WIDTH / 2];
}

void
whisper_align_smooth (float *values, guint rows, guint columns)
{
  g_autofree float *padded = g_new (float, columns + WIDTH - 1);

  if (columns <= WIDTH / 2)
    return;
  for (guint i = 0; i < rows; i++) {
    float *row = values + (gsize) i * columns;

    memcpy (padded + WIDTH / 2, row, columns * sizeof *row);
    for (guint k = 1; k <= WIDTH / 2; k++) {
      padded[WIDTH / 2 - k] = row[k];
      padded[WIDTH / 2 + columns - 1 + k] = row[columns - 1 - k];
    }
    for (guint j = 0; j < columns; j++)
      row[j] = median (padded + j);
  }
}

/* The softmax of @scale times each row of @scores, whose rows are @stride
 * apart. */
static void
softmax_rows (const float *scores, gsize stride, float scale, guint rows,
    guint columns, float *weights)
{
  for (guint i = 0; i < rows; i++) {
    const float *from = scores + i * stride;
    float *to = weights + (gsize) i * columns, most = -INFINITY, sum = 0;

    for (guint j = 0; j < columns; j++)
      most = MAX (most, from[j] * scale);
    for (guint j = 0; j < columns; j++)
      sum += to[j] = expf (from[j] * scale - most);
    for (guint j = 0; j < columns; j++)
      to[j] /= sum;
  }
}

/* Each column becomes one of mean 0 and deviation 1. */
static void
normalize_columns (float *weights, guint rows, guint columns)
{
  for (guint j = 0; j < columns; j++) {
    double sum = 0, squares = 0;

    for (guint i = 0; i < rows; i++)
      sum += (double) weights[(gsize) i * columns + j];
    double mean = sum / rows;
    for (guint i = 0; i < rows; i++) {
      double d = (double) weights[(gsize) i * columns + j] - mean;
      squares += d * d;
    }
    double deviation = sqrt (squares / rows);
    for (guint i = 0; i < rows; i++) {
      float *w = &weights[(gsize) i * columns + j];
      *w = deviation > 0 ? (float) (((double) *w - mean) / deviation) : 0;
    }
  }
}

/* Heads, tokens and positions: a batch of 1 may come before them.  NULL: it is
 * another tensor. */
static const gint64 *
last_dims (const InferTensor *scores)
{
  const InferShape *shape = &scores->shape;

  return shape->rank == 3                          ? shape->dims
         : shape->rank == 4 && shape->dims[0] == 1 ? shape->dims + 1
                                                   : NULL;
}

static gboolean
check_scores (const InferTensor *scores, guint head, guint rows, guint columns)
{
  const gint64 *dims = last_dims (scores);

  return scores->type == INFER_TYPE_F32 && dims != NULL && head < dims[0]
         && dims[1] >= rows && dims[2] >= columns;
}

/* --- heads --- */

/* Attention weights of the alignment heads. */
typedef struct
{
  const GArray *heads; /* (element-type WhisperHead) */
  guint rows, columns; /* tokens, positions */
  float *weights;      /* [heads, rows, columns] */
  guint found;         /* heads that the scores have */
} Attention;

static float *
weights_of (const Attention *attention, guint head, guint row)
{
  return attention->weights
         + ((gsize) head * attention->rows + row) * attention->columns;
}

/* Takes @n rows from @row on from @scores of each layer. */
static void
take_rows (Attention *attention, const InferTensor **scores,
    const WhisperGraphs *graphs, guint row, guint n)
{
  attention->found = 0;
  for (guint i = 0; i < attention->heads->len; i++) {
    WhisperHead head = g_array_index (attention->heads, WhisperHead, i);

    if (head.layer >= graphs->n_layers
        || !check_scores (scores[head.layer], head.head, n, attention->columns))
      continue;
    const InferTensor *from = scores[head.layer];
    const gint64 *dims = last_dims (from);
    const gsize stride = (gsize) dims[2];

    softmax_rows (
        (const float *) from->data + head.head * (gsize) dims[1] * stride,
        stride, graphs->scales[head.layer], n, attention->columns,
        weights_of (attention, attention->found++, row));
  }
}

/* Subtracts what the heads pay attention to from @cost [rows, columns]. */
static void
sum_heads (const Attention *attention, float *cost)
{
  const guint rows = attention->rows, columns = attention->columns;

  for (guint k = 0; k < attention->found; k++) {
    float *weights = weights_of (attention, k, 0);

    normalize_columns (weights, rows, columns);
    whisper_align_smooth (weights, rows, columns);
    for (gsize i = 0; i < (gsize) rows * columns; i++)
      cost[i] -= weights[i];
  }
}

/* Runs the aligner, which the session has, on @tokens [@most], of which the
 * first are wanted. */
static gboolean
run_aligner (WhisperSession *session, const gint64 *tokens, guint most,
    Attention *attention, GError **error)
{
  const WhisperGraphs *graphs = &session->networks->graphs;
  const InferTensor *scores[MAX_LAYERS];
  const guint piece =
      infer_model_n_variables (graphs->aligner) > 0 && !graphs->one_by_one
          ? PIECE
          : most;

  for (guint row = 0; row < attention->rows; row += piece) {
    guint n = MIN (piece, attention->rows - row);

    if (!whisper_session_align (
            session, tokens + row, MIN (piece, most - row), scores, error))
      return FALSE;
    take_rows (attention, scores, graphs, row, n);
  }
  return attention->found > 0
         || infer_fail (error, INFER_ERROR_UNSUPPORTED,
             "no head of the decoder follows the speech: words get no times");
}

/* Other streams may wait for the aligner. */
static gboolean
attend (WhisperSession *session, const gint64 *tokens, guint most,
    Attention *attention, GError **error)
{
  const gboolean ok = whisper_session_begin_alignment (session, error)
                      && run_aligner (session, tokens, most, attention, error);

  whisper_session_end_alignment (session);
  return ok;
}

/* --- all --- */

gboolean
whisper_align (WhisperSession *session, const WhisperConfig *config,
    const gint64 *prompt, guint n_prompt, const guint *text, guint n,
    guint positions, guint *begins, GError **error)
{
  const guint rows = n_prompt + 1 + n + 1;
  /* More ends behind change nothing before them. */
  const guint whole = (rows + FILL - 1) / FILL * FILL;
  g_autofree gint64 *tokens = g_new (gint64, whole);
  Attention attention = {
    .heads = config->heads_of_words, .rows = rows, .columns = positions
  };

  if (session->networks->aligner == NULL
      || session->networks->graphs.n_layers > MAX_LAYERS)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "the decoder's attention is not known here: words get no times");
  memcpy (tokens, prompt, n_prompt * sizeof *tokens);
  tokens[n_prompt] = config->no_timestamps;
  for (guint i = 0; i < n; i++)
    tokens[n_prompt + 1 + i] = text[i];
  for (guint i = rows - 1; i < whole; i++)
    tokens[i] = config->end;
  const InferShape shape = infer_shape_make (3,
      (gint64) config->heads_of_words->len, (gint64) rows, (gint64) positions);
  g_autoptr (InferTensor) weights =
      infer_pages_tensor_mapped (INFER_TYPE_F32, &shape, error);
  if (weights == NULL)
    return FALSE;
  attention.weights = weights->data;
  if (!attend (session, tokens, whole <= config->context ? whole : rows,
          &attention, error))
    return FALSE;
  g_autofree float *cost = g_new0 (float, (gsize) rows *positions);
  sum_heads (&attention, cost);
  whisper_align_path (
      cost + (gsize) n_prompt * positions, n + 1, positions, begins);
  return TRUE;
}
