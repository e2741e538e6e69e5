/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Without tuning the rule decides; measured choices are reused; damaged entries
 * are ignored. */

#include <glib/gstdio.h>
#include <string.h>

#include "cpu/base/scope.h"
#include "infer/request.h"
#include "inference/runtime/runtime-private.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"

#define KIND CPU_CHOICE_KIND "\n"

#define CHANNELS 16
#define SIDE 16
#define N_OUT (CHANNELS * SIDE * SIDE)

/* A 3 × 3 convolution: small enough that the rule takes our own kernel, large
 * enough to be measured. */
static const char net[] = IR_NET ("11",
    IR_PARAMETER (0, "x", "f32", "1,16,16,16") IR_CONST (1, "w", "f32",
        "16,16,3,3", "0", "9216") IR_LAYER (2, "y", "Convolution", "opset1",
        IR_DATA ("strides=\"1,1\" pads_begin=\"1,1\" pads_end=\"1,1\" "
                 "dilations=\"1,1\" auto_pad=\"explicit\""),
        IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (3, "out"),
    IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "");

typedef struct
{
  char *folder;
  float w[CHANNELS * CHANNELS * 9];
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (9);

  fixture->folder = g_dir_make_tmp ("infer-tune-XXXXXX", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (fixture->w); i++)
    fixture->w[i] = (float) g_rand_double_range (rand, -1, 1);
}

/* The files of @kind; (transfer full). */
static GPtrArray *
list_files (const Fixture *fixture, const char *kind)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->folder, 0, NULL);
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);

  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    if (g_str_has_prefix (name, kind))
      g_ptr_array_add (files, g_build_filename (fixture->folder, name, NULL));
  return files;
}

static void
tear_down (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GPtrArray) files = list_files (fixture, "");

  for (guint i = 0; i < files->len; i++)
    g_remove (files->pdata[i]);
  g_rmdir (fixture->folder);
  g_free (fixture->folder);
}

/* Creates a runtime and runs; returns the kernel that ran (static). */
static const char *
run (const Fixture *fixture, const char *config, float *out)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strdup_printf (
      "CACHE_DIR=%s,PERF_COUNT=YES%s", fixture->folder, config);
  g_autoptr (InferModel) model =
      ir_load_good (net, fixture->w, sizeof fixture->w);
  g_autoptr (InferRuntime) runtime = infer_runtime_new ("CPU", text, &error);
  g_assert_no_error (error);
  g_autoptr (InferRequest) request = test_request_on (runtime, model);
  float *x = infer_request_get_input (request, 0, NULL)->data;

  for (guint i = 0; i < N_OUT; i++)
    x[i] = (float) (i % 23) / 23;
  infer_request_infer (request, &error);
  g_assert_no_error (error);
  memcpy (out, infer_request_get_output (request, 0, NULL)->data,
      N_OUT * sizeof *out);
  g_autoptr (GArray) timings = infer_request_get_op_timings (request);
  for (guint i = 0; i < timings->len; i++) {
    const InferOpTiming *timing = &g_array_index (timings, InferOpTiming, i);

    if (strcmp (timing->type, "Convolution") == 0)
      return g_intern_string (timing->kernel);
  }
  g_assert_not_reached ();
}

/* Replaces the cached choice by @name, as if this runtime had measured it. */
static void
force (const Fixture *fixture, const char *name)
{
  g_autoptr (GPtrArray) files = list_files (fixture, "cpu-choice-");
  g_autoptr (InferCache) cache = infer_cache_new (fixture->folder);
  g_autofree char *contents = NULL;
  gsize size;

  g_assert_cmpuint (files->len, ==, 1);
  g_assert_true (g_file_get_contents (files->pdata[0], &contents, &size, NULL));
  /* After a head of 40 bytes there is a text, whose last line is the key. */
  guint32 length;
  memcpy (&length, contents + 12, sizeof length);
  const char *end = contents + 40 + GUINT32_FROM_LE (length);
  const char *line = g_strstr_len (contents + 40, end - contents - 40, KIND);
  g_assert_nonnull (line);
  line += strlen (KIND);
  g_autofree char *key = g_strndup (line, (gsize) (end - line));
  g_autoptr (GBytes) bytes = g_bytes_new (name, strlen (name));
  infer_cache_put (cache, CPU_CHOICE_KIND, key, bytes);
}

static gboolean
has_choices (const Fixture *fixture)
{
  g_autoptr (GPtrArray) files = list_files (fixture, "cpu-choice-");

  return files->len > 0;
}

static void
test_rule (Fixture *fixture, gconstpointer unused)
{
  float a[N_OUT], b[N_OUT];
  const char *kernel = run (fixture, "", a);

  g_assert_cmpstr (kernel, !=, "onednn");
  g_assert_false (has_choices (fixture));
  g_assert_cmpstr (run (fixture, "", b), ==, kernel);
  g_assert_cmpmem (a, sizeof a, b, sizeof b);
}

static void
test_measured (Fixture *fixture, gconstpointer unused)
{
  float rule[N_OUT], tuning[N_OUT], a[N_OUT], b[N_OUT];
  const char *kernel = run (fixture, "", rule);

  /* The measuring run computes by the rule. */
  g_assert_cmpstr (run (fixture, ",TUNE=YES", tuning), ==, kernel);
  g_assert_cmpmem (rule, sizeof rule, tuning, sizeof tuning);
  if (!has_choices (fixture)) {
    g_test_skip ("there is but one way here");
    return;
  }
  kernel = run (fixture, "", a);
  g_assert_cmpstr (run (fixture, "", b), ==, kernel);
  g_assert_cmpmem (a, sizeof a, b, sizeof b);
  for (guint i = 0; i < N_OUT; i++)
    g_assert_cmpfloat_with_epsilon (a[i], rule[i], 1e-3f);
  /* The file decides, whichever was faster here. */
  force (fixture, "direct");
  g_assert_cmpstr (run (fixture, "", a), ==, "direct_f32");
  g_assert_cmpstr (run (fixture, "", b), ==, "direct_f32");
  g_assert_cmpmem (a, sizeof a, b, sizeof b);
  for (guint i = 0; i < N_OUT; i++)
    g_assert_cmpfloat_with_epsilon (a[i], rule[i], 1e-3f);
  force (fixture, "winograd");
  g_assert_cmpstr (run (fixture, "", a), ==, "winograd_f32");
  for (guint i = 0; i < N_OUT; i++)
    g_assert_cmpfloat_with_epsilon (a[i], rule[i], 1e-3f);
}

static void
test_spoiled (Fixture *fixture, gconstpointer unused)
{
  float rule[N_OUT], a[N_OUT];
  const char *kernel = run (fixture, ",TUNE=YES", rule);

  if (!has_choices (fixture)) {
    g_test_skip ("there is but one way here");
    return;
  }
  force (fixture, "nonsense");
  g_test_expect_message (
      NULL, G_LOG_LEVEL_WARNING, "*kernel choice 'nonsense' ignored*");
  g_assert_cmpstr (run (fixture, "", a), ==, kernel);
  g_test_assert_expected_messages ();
  g_assert_cmpmem (a, sizeof a, rule, sizeof rule);

  g_autoptr (GPtrArray) files = list_files (fixture, "cpu-choice-");
  g_assert_true (g_file_set_contents (files->pdata[0], "own", -1, NULL));
  g_test_expect_message ("infer", G_LOG_LEVEL_WARNING, "*cache entry ignored*");
  g_assert_cmpstr (run (fixture, "", a), ==, kernel);
  g_test_assert_expected_messages ();
  g_assert_cmpmem (a, sizeof a, rule, sizeof rule);
}

static void
test_needs_folder (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (infer_runtime_new ("CPU", "TUNE=YES", &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_ARGUMENT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define TEST(path, func)                                                       \
  g_test_add ("/cpu-tune/" path, Fixture, NULL, set_up, func, tear_down)
  TEST ("rule", test_rule);
  TEST ("measured", test_measured);
  TEST ("spoiled", test_spoiled);
  TEST ("needs-folder", test_needs_folder);
  return g_test_run ();
}
