/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CACHE_DIR with recurrent networks as ONNX and as IR: what is loaded from the
 * cache computes by the same steps as what is loaded without one, and gives the
 * same bytes; weights that are only put into another order have no entries. */

#include <string.h>

#include "inference/base/cache.h"
#include "inference/ir/writer.h"
#include "inference/runtime/runtime-private.h"
#include "tests/check/support/folder.h"
#include "tests/check/support/onnx.h"
#include "tests/check/support/session.h"

#define INPUTS 64
#define HIDDEN 128

typedef struct
{
  const char *type;
  guint gates;
  gboolean joined; /* the model puts the gates into ONNX's order itself */
} Case;

typedef struct
{
  char *folder, *onnx, *ir;
} Fixture;

/* --- the models --- */

static void
add_weights (
    GString *text, GRand *rand, const char *name, const Case *test, guint width)
{
  const guint rows = test->gates * HIDDEN;

  g_string_append_printf (text, "5{2=" ONNX_F32 " 8'%s' %s 1=%u 1=%u 9#", name,
      test->joined ? "" : "1=1", rows, width);
  for (guint i = 0; i < rows * width; i++) {
    const float value = (float) g_rand_double_range (rand, -0.1, 0.1);
    guint8 bytes[4];

    memcpy (bytes, &value, sizeof bytes);
    for (guint k = 0; k < sizeof bytes; k++)
      g_string_append_printf (text, "%02x", bytes[k]);
  }
  g_string_append (text, "}");
}

/* @to = Unsqueeze (Concat (Slice (@from, the last gate), …)). */
static void
add_join (GString *text, const char *from, const char *to, guint gates)
{
  g_autoptr (GString) parts = g_string_new (NULL);

  for (guint i = gates; i-- > 0;) {
    g_string_append_printf (text,
        "1{1'%s' 1'row%u' 1'row%u' 1'zero' 2'%s-%u' 4'Slice'}", from, i, i + 1,
        to, i);
    g_string_append_printf (parts, " 1'%s-%u'", to, i);
  }
  g_string_append_printf (text,
      "1{%s 2'%s-joined' 4'Concat' 5{1'axis' 3=0 20=2}}"
      "1{1'%s-joined' 1'zero' 2'%s' 4'Unsqueeze'}",
      parts->str, to, to, to);
}

static char *
make_text (const Case *test)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  g_autoptr (GString) graph = g_string_new (NULL);

  add_weights (graph, rand, test->joined ? "w" : "W", test, INPUTS);
  add_weights (graph, rand, test->joined ? "r" : "R", test, HIDDEN);
  g_string_append (graph, "5{2=" ONNX_I64 " 8'zero' 1=1 7=0}");
  for (guint i = 0; i <= test->gates; i++)
    g_string_append_printf (
        graph, "5{2=" ONNX_I64 " 8'row%u' 1=1 7=%u}", i, i * HIDDEN);
  if (test->joined) {
    add_join (graph, "w", "W", test->gates);
    add_join (graph, "r", "R", test->gates);
  }
  g_string_append_printf (graph,
      "1{1'x' 1'W' 1'R' 2'all' 2'y' 3'%s' 4'%s' 5{1'hidden_size' 3=%u 20=2}}",
      test->type, test->type, HIDDEN);
  return g_strdup_printf ("1=8 8{2=13} 7{2'test' %s " ONNX_INPUT ("x", ONNX_F32,
                              ONNX_D (5) ONNX_D (1) ONNX_D (INPUTS))
                              ONNX_OUTPUT ("y", ONNX_F32,
                                  ONNX_D (1) ONNX_D (1) ONNX_D (HIDDEN)) "}",
      graph->str);
}

static void
set_up (Fixture *fixture, gconstpointer test)
{
  g_autofree char *text = make_text (test);
  g_autoptr (GBytes) bytes = onnx_text_bytes (text);
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("infer-cache-XXXXXX", NULL);
  fixture->onnx = g_build_filename (fixture->folder, "m.onnx", NULL);
  fixture->ir = g_build_filename (fixture->folder, "m.xml", NULL);
  g_assert_true (g_file_set_contents (fixture->onnx,
      g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes), NULL));
  g_autoptr (InferModel) model = infer_model_load (fixture->onnx, NULL, &error);
  g_assert_no_error (error);
  infer_ir_write (model, fixture->ir, &error);
  g_assert_no_error (error);
}

static void
tear_down (Fixture *fixture, gconstpointer test)
{
  test_remove_folder (fixture->folder);
  g_free (fixture->folder);
  g_free (fixture->onnx);
  g_free (fixture->ir);
}

/* --- what they do --- */

/* The steps, as lines of text, and the output. */
static char *
run (
    const char *path, const char *cache, float *out, guint *hits, guint *misses)
{
  g_autoptr (GString) steps = g_string_new (NULL);
  g_autoptr (GString) config = g_string_new ("PERF_COUNT=YES");
  g_autoptr (GError) error = NULL;

  if (cache != NULL)
    g_string_append_printf (config, ",CACHE_DIR=%s", cache);
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new ("CPU", config->str, &error);
  g_assert_no_error (error);
  g_autoptr (InferModel) model =
      infer_runtime_load (runtime, path, NULL, &error);
  g_assert_no_error (error);
  g_autoptr (InferRequest) request = test_request_on (runtime, model);
  InferTensor *x = infer_request_get_input (request, 0, NULL);
  for (guint i = 0; i < 5 * INPUTS; i++)
    ((float *) x->data)[i] = (float) (i % 13) / 6 - 1;
  infer_request_infer (request, &error);
  g_assert_no_error (error);
  const InferTensor *y = infer_request_get_output (request, 0, NULL);
  g_assert_cmpuint (y->size, ==, HIDDEN * sizeof *out);
  memcpy (out, y->data, y->size);
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);
  for (guint i = 0; i < timings->len; i++) {
    const InferOpTiming *step = &g_array_index (timings, InferOpTiming, i);

    g_string_append_printf (
        steps, "%s %s %s\n", step->type, step->name, step->kernel);
  }
  if (cache != NULL)
    infer_cache_get_counts (runtime->config.cache, hits, misses);
  return g_string_free (g_steal_pointer (&steps), FALSE);
}

static guint
count_entries (const char *cache, const char *kind)
{
  g_autoptr (GDir) dir = g_dir_open (cache, 0, NULL);
  guint n = 0;

  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    n += g_str_has_prefix (name, kind);
  return n;
}

static void
check_form (const Fixture *fixture, const Case *test, const char *path)
{
  g_autofree char *cache = g_strconcat (path, ".cache", NULL);
  float want[HIDDEN], got[HIDDEN];
  guint hits, misses;
  g_autofree char *fresh = run (path, NULL, want, NULL, NULL);

  g_assert_nonnull (strstr (fresh, test->type));
  g_assert_nonnull (strstr (fresh, "Sequence"));
  for (guint turn = 0; turn < 3; turn++) {
    g_autofree char *steps = run (path, cache, got, &hits, &misses);

    g_assert_cmpstr (steps, ==, fresh);
    g_assert_cmpmem (got, sizeof got, want, sizeof want);
    if (turn > 0)
      g_assert_cmpuint (misses, ==, 0);
  }
  g_assert_cmpuint (count_entries (cache, "fold-"), ==, 0);
  if (path == fixture->ir)
    g_assert_cmpuint (count_entries (cache, "xml-"), ==, 1);
}

static void
test_both_forms (Fixture *fixture, gconstpointer test)
{
  check_form (fixture, test, fixture->onnx);
  check_form (fixture, test, fixture->ir);
}

int
main (int argc, char **argv)
{
  static const Case cases[] = {
    { "LSTM", 4, FALSE },
    { "LSTM", 4, TRUE },
    { "GRU", 3, FALSE },
    { "GRU", 3, TRUE },
    { "RNN", 1, FALSE },
    { "RNN", 1, TRUE },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strdup_printf ("/cached-recurrent/%s%s",
        cases[i].type, cases[i].joined ? "-joined" : "");

    g_test_add (path, Fixture, &cases[i], set_up, test_both_forms, tear_down);
  }
  return g_test_run ();
}
