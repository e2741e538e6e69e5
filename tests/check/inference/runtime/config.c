/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/config.h"

static void
test_defaults (void)
{
  static const char *const texts[] = { NULL, "" };
  InferConfig config;

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_assert_true (infer_config_parse (texts[i], &config, NULL));
    g_assert_cmpuint (config.streams, ==, 1);
    g_assert_cmpuint (config.threads, ==, 1);
    g_assert_false (config.perf_count);
    g_assert_false (config.pinning);
  }
}

static void
test_values (void)
{
  InferConfig config;
  g_autoptr (GError) error = NULL;

  g_assert_true (infer_config_parse (
      "NUM_STREAMS=4, INFERENCE_NUM_THREADS = 2 ,PERF_COUNT=YES,"
      "INFERENCE_PRECISION_HINT=f32,CACHE_DIR=,PERFORMANCE_HINT=LATENCY,"
      "ENABLE_CPU_PINNING=yes",
      &config, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (config.streams, ==, 4);
  g_assert_cmpuint (config.threads, ==, 2);
  g_assert_true (config.perf_count);
  g_assert_true (config.pinning);
  g_assert_null (config.cache);
}

static void
test_escapes (void)
{
  static const char folder[] = "/tmp/a,b\\c=d";
  g_autoptr (GString) text = g_string_new (NULL);
  InferConfig config;

  infer_config_append (text, "CACHE_DIR", folder);
  infer_config_append (text, "NUM_STREAMS", "2");
  g_assert_cmpstr (text->str, ==, "CACHE_DIR=/tmp/a\\,b\\\\c=d,NUM_STREAMS=2");
  g_assert_true (infer_config_parse (text->str, &config, NULL));
  g_assert_cmpstr (infer_cache_get_folder (config.cache), ==, folder);
  g_assert_cmpuint (config.streams, ==, 2);
  infer_config_clear (&config);
}

static void
test_precision (void)
{
  static const struct
  {
    const char *text;
    InferPrecision precision;
    guint group;
  } cases[] = {
    { "PERF_COUNT=NO", INFER_PRECISION_F32, 0 },
    { "INFERENCE_PRECISION_HINT=undefined", INFER_PRECISION_F32, 0 },
    { "INFERENCE_PRECISION_HINT=f32", INFER_PRECISION_F32, 0 },
    { "INFERENCE_PRECISION_HINT=f16", INFER_PRECISION_F16, 0 },
    { "EXECUTION_MODE_HINT=ACCURACY", INFER_PRECISION_F32, 0 },
    { "INFERENCE_PRECISION_HINT=bf16", INFER_PRECISION_BF16, 0 },
    { "EXECUTION_MODE_HINT=PERFORMANCE", INFER_PRECISION_ANY, 32 },
    { "EXECUTION_MODE_HINT=PERFORMANCE,INFERENCE_PRECISION_HINT=undefined",
        INFER_PRECISION_ANY, 32 },
    { "INFERENCE_PRECISION_HINT=f16,EXECUTION_MODE_HINT=ACCURACY",
        INFER_PRECISION_F16, 0 },
    { "EXECUTION_MODE_HINT=PERFORMANCE,INFERENCE_PRECISION_HINT=f32",
        INFER_PRECISION_F32, 0 },
    { "EXECUTION_MODE_HINT=PERFORMANCE,INFERENCE_PRECISION_HINT=f16",
        INFER_PRECISION_F16, 32 },
    { "DYNAMIC_QUANTIZATION_GROUP_SIZE=0,EXECUTION_MODE_HINT=PERFORMANCE",
        INFER_PRECISION_ANY, 0 },
    { "DYNAMIC_QUANTIZATION_GROUP_SIZE=96", INFER_PRECISION_F32, 96 },
    { "DYNAMIC_QUANTIZATION_GROUP_SIZE=18446744073709551615",
        INFER_PRECISION_F32, 32768 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    InferConfig config;

    g_assert_true (infer_config_parse (cases[i].text, &config, NULL));
    g_assert_cmpint (config.precision, ==, cases[i].precision);
    g_assert_cmpuint (config.quantized_group, ==, cases[i].group);
  }
}

static void
test_hint (void)
{
  InferConfig config;

  g_assert_true (
      infer_config_parse ("PERFORMANCE_HINT=THROUGHPUT", &config, NULL));
  g_assert_cmpuint (config.streams, ==, g_get_num_processors ());
  g_assert_true (infer_config_parse (
      "NUM_STREAMS=3,PERFORMANCE_HINT=THROUGHPUT", &config, NULL));
  g_assert_cmpuint (config.streams, ==, 3);
}

static void
test_errors (void)
{
  static const struct
  {
    const char *text;
    InferErrorCode code;
    const char *message;
  } cases[] = {
    { "NUM_STREAM=1", INFER_ERROR_INVALID_ARGUMENT, "*'NUM_STREAM'*known*" },
    { "num_streams=1", INFER_ERROR_INVALID_ARGUMENT, "*'num_streams'*" },
    { "NUM_STREAMS=0", INFER_ERROR_INVALID_ARGUMENT, "*NUM_STREAMS*'0'*" },
    { "NUM_STREAMS=-1", INFER_ERROR_INVALID_ARGUMENT, "*'-1'*" },
    { "NUM_STREAMS=1x", INFER_ERROR_INVALID_ARGUMENT, "*'1x'*" },
    { "NUM_STREAMS=99999999999999999999", INFER_ERROR_INVALID_ARGUMENT,
        "*NUM_STREAMS*" },
    { "NUM_STREAMS=", INFER_ERROR_INVALID_ARGUMENT, "*''*" },
    { "NUM_STREAMS=1,NUM_STREAMS=2", INFER_ERROR_INVALID_ARGUMENT, "*twice*" },
    { "NUM_STREAMS", INFER_ERROR_INVALID_ARGUMENT, "*KEY=value*" },
    { "NUM_STREAMS=1,", INFER_ERROR_INVALID_ARGUMENT, "*KEY=value*" },
    { "PERF_COUNT=maybe", INFER_ERROR_INVALID_ARGUMENT, "*'maybe'*" },
    { "PERFORMANCE_HINT=FAST", INFER_ERROR_INVALID_ARGUMENT, "*'FAST'*" },
    { "EXECUTION_MODE_HINT=FAST", INFER_ERROR_INVALID_ARGUMENT, "*'FAST'*" },
    { "DYNAMIC_QUANTIZATION_GROUP_SIZE=33", INFER_ERROR_INVALID_ARGUMENT,
        "*'33'*32*" },
    { "DYNAMIC_QUANTIZATION_GROUP_SIZE=-1", INFER_ERROR_INVALID_ARGUMENT,
        "*'-1'*" },
    { "INFERENCE_PRECISION_HINT=dynamic", INFER_ERROR_UNSUPPORTED,
        "*dynamic*" },
    { "INFERENCE_PRECISION_HINT=f31", INFER_ERROR_INVALID_ARGUMENT, "*f31*" },
    { "DUMP=conv", INFER_ERROR_INVALID_ARGUMENT, "*DUMP without DUMP_DIR*" },
    { "DUMP_DIR=/tmp", INFER_ERROR_INVALID_ARGUMENT,
        "*DUMP_DIR without DUMP*" },
    { "DUMP=a(,DUMP_DIR=/tmp", INFER_ERROR_INVALID_ARGUMENT, "*DUMP: *a(*" },
    { "CACHE_DIR=/tmp/c,CACHE_DIR=/tmp/d", INFER_ERROR_INVALID_ARGUMENT,
        "*twice*" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    InferConfig config;
    g_autoptr (GError) error = NULL;

    g_test_message ("%s", cases[i].text);
    g_assert_false (infer_config_parse (cases[i].text, &config, &error));
    g_assert_error (error, INFER_ERROR, (int) cases[i].code);
    g_assert_true (g_pattern_match_simple (cases[i].message, error->message));
    infer_config_clear (&config);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/config/defaults", test_defaults);
  g_test_add_func ("/config/values", test_values);
  g_test_add_func ("/config/escapes", test_escapes);
  g_test_add_func ("/config/hint", test_hint);
  g_test_add_func ("/config/precision", test_precision);
  g_test_add_func ("/config/errors", test_errors);
  return g_test_run ();
}
