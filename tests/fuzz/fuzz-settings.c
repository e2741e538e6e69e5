/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Settings that are text.  The first byte says which, the text follows. */

#include "tests/fuzz/support/bytes.h"
#include "tests/fuzz/support/fuzz.h"
#include "tests/fuzz/support/temp-file.h"

#include "gst/common/model-info.h"
#include "gst/filter/input/video-input.h"
#include "gst/filter/model/info-file.h"
#include "inference/runtime/config.h"

/* An image [1,3,?,?], and [1,2], which could be a state. */
static const char model_text[] =
    "<net name=\"m\" version=\"11\"><layers>"
    "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\">"
    "<data shape=\"1,3,?,?\" element_type=\"f32\"/>"
    "<output><port id=\"0\" names=\"x\"/></output></layer>"
    "<layer id=\"1\" name=\"s\" type=\"Parameter\" version=\"opset1\">"
    "<data shape=\"1,2\" element_type=\"f32\"/>"
    "<output><port id=\"0\" names=\"s\"/></output></layer>"
    "<layer id=\"2\" name=\"a\" type=\"Abs\" version=\"opset1\">"
    "<input><port id=\"0\"/></input><output><port id=\"1\"/></output></layer>"
    "<layer id=\"3\" name=\"r\" type=\"Result\" version=\"opset1\">"
    "<input><port id=\"0\"/></input></layer>"
    "<layer id=\"4\" name=\"t\" type=\"Result\" version=\"opset1\">"
    "<input><port id=\"0\"/></input></layer></layers><edges>"
    "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"3\" to-port=\"0\"/>"
    "<edge from-layer=\"1\" from-port=\"0\" to-layer=\"2\" to-port=\"0\"/>"
    "<edge from-layer=\"2\" from-port=\"1\" to-layer=\"4\" to-port=\"0\"/>"
    "</edges></net>";

static InferModel *
get_model (void)
{
  static InferModel *model;
  g_autoptr (GError) error = NULL;

  if (model == NULL) {
    g_autoptr (GBytes) xml =
        g_bytes_new_static (model_text, sizeof model_text - 1);

    model = infer_model_load_bytes (xml, NULL, "/nonexistent/m.xml", &error);
    g_assert_no_error (error);
  }
  return model;
}

static void
parse_config (const char *text, GError **error)
{
  InferConfig config;

  infer_config_parse (text, &config, error);
  infer_config_clear (&config);
}

static void
parse_shape (const char *text, GError **error)
{
  InferShape shape, lower, upper;

  if (!infer_shape_parse (text, &shape, &lower, &upper, error))
    return;
  g_assert_cmpint (shape.rank, <=, INFER_MAX_RANK);
  g_free (infer_shape_to_string (&shape));
}

static void
parse_labels (const char *text, GError **error)
{
  g_strfreev (gst_infer_labels_parse (text));
}

/* model-info, and what is then sent downstream and negotiated of it. */
static void
parse_info (const char *text, GError **error)
{
  g_autoptr (InferModel) model =
      gst_infer_model_add_info (infer_model_ref (get_model ()), text, error);
  GstInferVideo video;

  if (model == NULL)
    return;
  gst_event_unref (gst_infer_model_info_event (model));
  g_autoptr (GstCaps) caps = gst_infer_video_caps (model, TRUE);
  g_autoptr (GstCaps) fixed = gst_caps_from_string (
      "video/x-raw,format=RGB,width=8,height=6,framerate=1/1");
  gst_infer_video_negotiate (&video, model, fixed, NULL, error);
}

/* A file beside the model; GStreamer's own form too. */
static void
parse_info_file (const char *text, GError **error)
{
  g_autofree char *model_path =
      g_build_filename (fuzz_folder (), "m.xml", NULL);
  g_autoptr (GBytes) xml =
      g_bytes_new_static (model_text, sizeof model_text - 1);
  InferModel *model = infer_model_load_bytes (xml, NULL, model_path, error);

  g_assert_nonnull (model);
  g_free (fuzz_file ("m.xml.modelinfo", text, strlen (text)));
  model = gst_infer_model_add_info (model, NULL, error);
  if (model != NULL)
    infer_model_unref (model);
}

static void
parse_labels_file (const char *text, GError **error)
{
  g_autofree char *path = fuzz_file ("labels.txt", text, strlen (text));
  GStrv labels = gst_infer_labels_load (path, error);

  for (guint i = 0; labels != NULL && labels[i] != NULL; i++)
    g_assert_true (g_utf8_validate (labels[i], -1, NULL));
  g_strfreev (labels);
}

static void
parse_crop (const char *text, GError **error)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (
      "video/x-raw,format=RGB,width=8,height=6,framerate=1/1");
  GstInferVideo video;

  if (gst_infer_video_negotiate (&video, get_model (), caps, text, error))
    g_assert_true (video.box.x >= 0 && video.box.y >= 0 && video.box.width > 0
                   && video.box.height > 0 && video.box.x + video.box.width <= 8
                   && video.box.y + video.box.height <= 6);
}

static void
parse_states (const char *text, GError **error)
{
  g_auto (GStrv) pairs = g_strsplit (text, ",", -1);
  InferModel *model =
      infer_model_tie_states (get_model (), (const char *const *) pairs, error);

  if (model != NULL)
    infer_model_unref (model);
}

static void
parse_outputs (const char *text, GError **error)
{
  g_auto (GStrv) ports = g_strsplit (text, ",", -1);
  InferModel *model = infer_model_add_outputs (
      get_model (), (const char *const *) ports, error);

  if (model != NULL)
    infer_model_unref (model);
}

static void
parse_number (const char *text, GError **error)
{
  gst_infer_number_parse (text, 1);
  infer_model_find_input (get_model (), text, error);
}

static void (*const parsers[]) (const char *text, GError **error) = {
  parse_config,
  parse_shape,
  parse_labels,
  parse_info,
  parse_crop,
  parse_states,
  parse_outputs,
  parse_number,
  parse_info_file,
  parse_labels_file,
};

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes bytes = { data, size };
  const guint which = fuzz_below (&bytes, G_N_ELEMENTS (parsers));
  g_autofree char *text = fuzz_text (&bytes, size);
  g_autoptr (GError) error = NULL;

  if (!gst_is_initialized ())
    gst_init (NULL, NULL);
  /* DUMP_DIR and CACHE_DIR make folders, TRACE a file. */
  if (which == 0
      && (strstr (text, "DIR") != NULL || strstr (text, "TRACE") != NULL))
    return 0;
  parsers[which](text, &error);
  return 0;
}
