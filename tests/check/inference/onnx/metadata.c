/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What ONNX files say of themselves. */

#include "tests/check/support/onnx.h"

#define IDENTITY                                                               \
  ONNX_MODEL (ONNX_NODE ("Identity", ONNX_I ("x"), ONNX_O ("y"), "")           \
          ONNX_INPUT ("x", ONNX_F32, ONNX_NAMED ("batch") ONNX_D (2) "1{}")    \
              ONNX_OUTPUT ("y", ONNX_F32, ""))

typedef struct
{
  const char *metadata;
  const char *values[12]; /* key, value, … of model_info; NULL: absent */
} Case;

static void
check (const Case *c)
{
  g_autofree char *text = g_strconcat (IDENTITY, c->metadata, NULL);
  g_autoptr (InferModel) model = onnx_text_load (text);

  for (guint i = 0; i < 12 && c->values[i] != NULL; i += 2)
    g_assert_cmpstr (
        infer_model_get_info (model, c->values[i]), ==, c->values[i + 1]);
}

/* The text builder ends strings at "'": labels have double quotes here. */
static void
test_ultralytics (void)
{
  check (&(Case){ ONNX_META ("names", "{0: \"person\", 1: \"traffic light\"}")
                      ONNX_META ("stride", "32") ONNX_META ("task", "detect")
                          ONNX_META ("imgsz", "[640, 640]"),
      { "labels", "person\ntraffic light\n", "model_type", "YOLO",
          "scale_values", "255", "pad_value", "114", "size_multiple", "32",
          "resize_type", "fit_to_window_letterbox" } });
  check (&(Case){ ONNX_META ("names", "{1: \"b\", 0: \"a\", 3: \"d\\\"\"}")
                      ONNX_META ("stride", "1") ONNX_META ("task", "classify"),
      { "labels", "a\nb\n2\nd\"\n", "model_type", "classification",
          "resize_type", "crop" } });
  check (&(Case){ ONNX_META ("stride", "32") ONNX_META ("task", "detect"),
      { "model_type", NULL } });
}

static void
test_labels (void)
{
  check (&(Case){ ONNX_META ("classes", "[\"cat\", \"dog, big\"]"),
      { "labels", "cat\ndog, big\n" } });
  check (&(Case){ ONNX_META ("names", "{\"0\": \"cat\", \"1\": \"dog\"}"),
      { "labels", "cat\ndog\n" } });
  check (&(Case){ ONNX_META ("labels", "cat,dog"), { "labels", "cat,dog" } });
  /* A number that no model has classes for. */
  check (&(Case){ ONNX_META ("names", "{99999999999: \"x\", 1: \"b\"}"),
      { "labels", "0\nb\n" } });
  check (&(Case){
      ONNX_META ("names", "{0: \"unended"), { "labels", "unended\n" } });
}

static void
test_speech (void)
{
  check (&(Case){ ONNX_META ("model_type", "EncDecCTCModelBPE")
                      ONNX_META ("subsampling_factor", "8"),
      { "model_type", "ctc", "step_ms", "80" } });
  check (&(Case){ ONNX_META ("model_type", "zipformer2_ctc")
                      ONNX_META ("blank_id", "0")
                          ONNX_META ("subsampling_factor", "nonsense"),
      { "model_type", "ctc", "blank", "0" } });
  check (&(Case){
      ONNX_META ("model_type", "zipformer2"), { "model_type", NULL } });
}

static void
test_mean (void)
{
  check (&(Case){ ONNX_META ("mean", "[0.5, 0.4, 0.2]")
                      ONNX_META ("std", "(0.2, 0.2, 0.2)"),
      { "mean_values", "127.5 102 51", "scale_values", "51 51 51" } });
  check (&(Case){ ONNX_META ("mean", "123.675") ONNX_META ("std", "58.4"),
      { "mean_values", "123.675", "scale_values", "58.4" } });
  check (&(Case){ ONNX_META ("mean", "1 2 3 4 5") ONNX_META ("std", "1"),
      { "mean_values", NULL } });
}

/* What the Model API wrote goes before what is derived. */
static void
test_model_api (void)
{
  g_autoptr (InferModel) model = onnx_text_load (
      IDENTITY ONNX_META ("model_info model_type", "ssd") ONNX_META ("names",
          "[\"a\"]") ONNX_META ("stride", "8") ONNX_META ("task", "detect"));

  g_assert_cmpstr (infer_model_get_info (model, "model_type"), ==, "ssd");
  g_assert_cmpstr (infer_model_get_info (model, "labels"), ==, "a\n");
  g_assert_cmpstr (
      infer_model_get_rt_info (model, "metadata/task"), ==, "detect");
  g_assert_cmpstr (
      infer_model_get_rt_info (model, "input_dims/x"), ==, "batch,?,?");
  g_assert_null (infer_model_get_rt_info (model, "output_dims/y"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/metadata/ultralytics", test_ultralytics);
  g_test_add_func ("/metadata/labels", test_labels);
  g_test_add_func ("/metadata/speech", test_speech);
  g_test_add_func ("/metadata/mean", test_mean);
  g_test_add_func ("/metadata/model-api", test_model_api);
  return g_test_run ();
}
