/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Scatter updates at constant places, consecutive or not. */

#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#define N 40
#define UPDATES 20

static const char single[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "5,8") IR_PARAMETER (1, "u", "f32", "20")
        IR_CONST (2, "places", "i64", "20,2", "0", "320")
            IR_LAYER (3, "y", "ScatterNDUpdate", "opset4", "",
                IR_PORT (0) IR_PORT (1) IR_PORT (2), IR_PORT (3))
                IR_RESULT (4, "out"),
    IR_EDGE (0, 0, 3, 0) IR_EDGE (2, 0, 3, 1) IR_EDGE (1, 0, 3, 2)
        IR_EDGE (3, 3, 4, 0),
    "");

/* The same places as pairs. */
static const char pairs[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "40,2") IR_PARAMETER (1, "u", "f32", "20,2")
        IR_CONST (2, "places", "i64", "20,1", "0", "160")
            IR_LAYER (3, "y", "ScatterNDUpdate", "opset4", "",
                IR_PORT (0) IR_PORT (1) IR_PORT (2), IR_PORT (3))
                IR_RESULT (4, "out"),
    IR_EDGE (0, 0, 3, 0) IR_EDGE (2, 0, 3, 1) IR_EDGE (1, 0, 3, 2)
        IR_EDGE (3, 3, 4, 0),
    "");

/* @width elements at each of @places. */
static void
check (const char *xml, const gint64 *places, gsize width)
{
  g_auto (TestSession) session = { 0 };
  gint64 indices[2 * UPDATES];
  float want[2 * N], *x, *u;

  for (gsize i = 0; i < UPDATES; i++) {
    indices[width == 1 ? 2 * i : i] = width == 1 ? places[i] / 8 : places[i];
    if (width == 1)
      indices[2 * i + 1] = places[i] % 8;
  }
  g_autoptr (InferModel) model = ir_load_good (xml, indices, sizeof indices);
  test_session_open (&session, model, NULL, "CPU", NULL);
  x = test_session_input (&session, 0)->data;
  u = test_session_input (&session, 1)->data;
  for (gsize i = 0; i < N * width; i++)
    want[i] = x[i] = (float) i;
  for (gsize i = 0; i < UPDATES * width; i++)
    want[(gsize) places[i / width] * width + i % width] = u[i] =
        100 + (float) i;
  test_session_infer (&session);
  g_autoptr (InferTensor) got = test_session_output (&session, 0);
  g_assert_cmpmem (got->data, got->size, want, N * width * sizeof *want);
}

static void
check_both (const gint64 *places)
{
  check (single, places, 1);
  check (pairs, places, 2);
}

static void
test_runs (void)
{
  gint64 places[UPDATES];

  for (gint64 i = 0; i < UPDATES; i++)
    places[i] = i < 6 ? 30 + i : i < 7 ? 39 : 3 + i;
  check_both (places);
}

static void
test_apart (void)
{
  gint64 places[UPDATES];

  for (gint64 i = 0; i < UPDATES; i++)
    places[i] = N - 1 - 2 * i;
  check_both (places);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/scatter/runs", test_runs);
  g_test_add_func ("/cpu/scatter/apart", test_apart);
  return g_test_run ();
}
