/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Recurrent cells with weights that are integers times a scale, compared with
 * f32 weights. */

#include "cpu/kernels/isa.h"
#include "tests/check/support/recurrent-ir.h"
#include "tests/check/support/session.h"

#include <string.h>

#define TIME 3
#define INPUT 80
#define HIDDEN 64
#define GATES 4
#define N_W ((gsize) GATES * HIDDEN * INPUT)
#define N_R ((gsize) GATES * HIDDEN * HIDDEN)
#define N_B ((gsize) GATES * HIDDEN)

/* Room for four gates; a GRU uses three. */
static const char lstm_xml[] = IR_LSTM (
    "3", "80", "64", "256", "81920", "81984", "65536", "147520", "1024");

#define GRU(...)                                                               \
  IR_GRU ("3", "80", "64", "192", "61440", "81984", "49152", "147520",         \
      __VA_ARGS__)

static const struct
{
  const char *name, *xml, *kernel; /* NULL: R is not quantised */
} cells[] = {
  { "lstm", lstm_xml, "lstm_i8" },
  { "gru", GRU ("false", "1,192", "768"), NULL },
  { "gru-linear", GRU ("true", "1,256", "1024"), NULL },
};

static void
fill (float *data, gsize n, GRand *rand)
{
  for (gsize i = 0; i < n; i++)
    data[i] = (float) g_rand_double_range (rand, -1, 1);
}

/* Rows of integers, each with its own scale. */
static void
fill_rows (float *data, gsize n, gsize row, GRand *rand)
{
  float scale = 0;

  for (gsize i = 0; i < n; i++) {
    if (i % row == 0)
      scale = (float) g_rand_double_range (rand, 5e-4, 3e-3);
    data[i] = (float) g_rand_int_range (rand, -127, 128) * scale;
  }
}

static InferTensor *
run_cell (const char *xml, const char *isa, const char *config, char **kernel)
{
  static float weights[16 + N_W + N_R + N_B];
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  g_auto (TestSession) session = { 0 };
  const gint64 lengths[] = { TIME, TIME - 1 };

  memcpy (weights, lengths, sizeof lengths);
  fill_rows (weights + 16, N_W, INPUT, rand);
  fill_rows (weights + 16 + N_W, N_R, HIDDEN, rand);
  fill (weights + 16 + N_W + N_R, N_B, rand);
  g_autoptr (InferModel) model = ir_load_good (xml, weights, sizeof weights);
  test_session_open (&session, model, isa, "CPU", config);
  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    InferTensor *input = test_session_input (&session, i);

    fill (input->data, input->size / sizeof (float), rand);
  }
  test_session_infer (&session);
  g_free (*kernel);
  *kernel = test_session_kernel (&session, "op");
  return test_session_output (&session, 0);
}

static void
test_integers (gconstpointer data)
{
  const gsize i = GPOINTER_TO_SIZE (data);
  const gboolean can = g_getenv ("INFER_CPU_ISA") == NULL
                       && (cpu_isa_detect () & CPU_ISA_AVX2) != 0;
  g_autofree char *kernel = NULL;
  g_autoptr (InferTensor) want =
      run_cell (cells[i].xml, "c", "PERF_COUNT=YES", &kernel);
  g_autoptr (InferTensor) got =
      run_cell (cells[i].xml, NULL, "PERF_COUNT=YES", &kernel);

  if (can && cells[i].kernel != NULL)
    g_assert_cmpstr (kernel, ==, cells[i].kernel);
  g_autoptr (InferTensor) two = run_cell (
      cells[i].xml, NULL, "INFERENCE_NUM_THREADS=2,PERF_COUNT=YES", &kernel);
  g_assert_cmpmem (got->data, got->size, two->data, two->size);
  g_assert_cmpuint (got->size, ==, want->size);
  for (gsize k = 0; k < want->size / sizeof (float); k++)
    g_assert_cmpfloat_with_epsilon (
        ((float *) got->data)[k], ((float *) want->data)[k], 2e-6f);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cells); i++) {
    g_autofree char *path =
        g_strdup_printf ("/cpu/recurrent/%s", cells[i].name);

    g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_integers);
  }
  return g_test_run ();
}
