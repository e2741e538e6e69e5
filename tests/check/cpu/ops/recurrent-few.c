/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A GRU sequence of few units, in both directions, compared with sums in
 * double. */

#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#include <math.h>
#include <string.h>

#define BATCH 3
#define TIME 300
#define INPUT 3
#define HIDDEN 5
#define GATES 3
#define DIRECTIONS 2
#define N_W (DIRECTIONS * GATES * HIDDEN * INPUT)
#define N_R (DIRECTIONS * GATES * HIDDEN * HIDDEN)
#define N_B (DIRECTIONS * (GATES + 1) * HIDDEN)
#define CLIP 0.75

/* clang-format off */
static const char xml[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "3,300,3") IR_PARAMETER (1, "h", "f32", "3,2,5")
    IR_PARAMETER (2, "n", "i64", "3")
    IR_CONST (3, "w", "f32", "2,15,3", "0", "360")
    IR_CONST (4, "r", "f32", "2,15,5", "360", "600")
    IR_CONST (5, "b", "f32", "2,20", "960", "160")
    IR_LAYER (6, "op", "GRUSequence", "opset5",
      IR_DATA ("hidden_size=\"5\" direction=\"bidirectional\" clip=\"0.75\" "
               "linear_before_reset=\"true\""),
      IR_PORT (0) IR_PORT (1) IR_PORT (2) IR_PORT (3) IR_PORT (4) IR_PORT (5),
      IR_PORT (6) IR_PORT (7))
    IR_RESULT (7, "y") IR_RESULT (8, "last"),
    IR_EDGE (0, 0, 6, 0) IR_EDGE (1, 0, 6, 1) IR_EDGE (2, 0, 6, 2)
    IR_EDGE (3, 0, 6, 3) IR_EDGE (4, 0, 6, 4) IR_EDGE (5, 0, 6, 5)
    IR_EDGE (6, 6, 7, 0) IR_EDGE (6, 7, 8, 0), "");
/* clang-format on */

static struct
{
  float w[DIRECTIONS][GATES][HIDDEN][INPUT],
      r[DIRECTIONS][GATES][HIDDEN][HIDDEN], b[DIRECTIONS][GATES + 1][HIDDEN];
} weights;

/* More steps than run at a time, none, and others in the third. */
static const gint64 lengths[BATCH] = { TIME, 0, 259 };

static double
clamped (double sum)
{
  return CLAMP (sum, -CLIP, CLIP);
}

static double
sigmoid (double sum)
{
  return 1 / (1 + exp (-clamped (sum)));
}

static void
step (guint d, const float *x, double *h)
{
  double next[HIDDEN];

  for (guint j = 0; j < HIDDEN; j++) {
    double of_x[GATES], of_h[GATES];

    for (guint g = 0; g < GATES; g++) {
      of_x[g] = weights.b[d][g][j];
      of_h[g] = g == 2 ? weights.b[d][3][j] : 0;
      for (guint k = 0; k < INPUT; k++)
        of_x[g] += weights.w[d][g][j][k] * x[k];
      for (guint k = 0; k < HIDDEN; k++)
        of_h[g] += weights.r[d][g][j][k] * h[k];
    }
    const double z = sigmoid (of_x[0] + of_h[0]);
    const double reset = sigmoid (of_x[1] + of_h[1]);

    next[j] = (1 - z) * tanh (clamped (of_x[2] + reset * of_h[2])) + z * h[j];
  }
  memcpy (h, next, sizeof next);
}

static void
check (const float *got, const double *want)
{
  for (guint j = 0; j < HIDDEN; j++)
    g_assert_cmpfloat_with_epsilon (got[j], want[j], 2e-6);
}

static void
check_sequence (guint b, guint d, const float *x, const float *h,
    const float *y, const float *last)
{
  const gsize length = (gsize) lengths[b];
  double state[HIDDEN];

  for (guint j = 0; j < HIDDEN; j++)
    state[j] = h[j];
  for (gsize i = 0; i < length; i++) {
    const gsize t = d == 1 ? length - 1 - i : i;

    step (d, x + t * INPUT, state);
    check (y + t * HIDDEN, state);
  }
  check (last, state);
  for (gsize i = length * HIDDEN; i < TIME * HIDDEN; i++)
    g_assert_cmpfloat (y[i], ==, 0);
}

static void
test_few (void)
{
  g_auto (TestSession) session = { 0 };
  const float *in[2];

  test_fill ((float *) &weights, N_W + N_R + N_B, 1);
  g_autoptr (InferModel) model = ir_load_good (xml, &weights, sizeof weights);
  test_session_open (&session, model, NULL, "CPU", NULL);
  for (guint i = 0; i < 2; i++) {
    InferTensor *input = test_session_input (&session, i);

    test_fill (input->data, input->size / sizeof (float), i + 2);
    in[i] = input->data;
  }
  memcpy (test_session_input (&session, 2)->data, lengths, sizeof lengths);
  test_session_infer (&session);
  g_autoptr (InferTensor) y = test_session_output (&session, 0);
  g_autoptr (InferTensor) last = test_session_output (&session, 1);

  for (guint b = 0; b < BATCH; b++)
    for (guint d = 0; d < DIRECTIONS; d++) {
      const gsize at = b * DIRECTIONS + d;

      check_sequence (b, d, in[0] + b * TIME * INPUT, in[1] + at * HIDDEN,
          (const float *) y->data + at * TIME * HIDDEN,
          (const float *) last->data + at * HIDDEN);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/recurrent/few", test_few);
  return g_test_run ();
}
