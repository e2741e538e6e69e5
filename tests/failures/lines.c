/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Lines, scores and tables whose size a peer, a model or caps decide, while
 * memory is short: an error. */

#include <gst/gst.h>
#include <string.h>

#include "gst/decoder/decoders/decoder.h"
#include "gst/motion/grid.h"
#include "gst/publish/publish.h"
#include "gst/publish/results-json.h"
#include "tests/failures/failures.h"

#define LEAST 8192
#define N 20000

/* An object of JSON, and with invalid characters where it is a text. */
static GstBuffer *
new_buffer (gboolean object)
{
  char *text = g_malloc (N);

  memset (text, object ? ' ' : '\xff', N);
  text[0] = '{';
  text[N - 1] = '}';
  return gst_buffer_new_wrapped (text, N);
}

static char *
say (GString *line, GError *failure)
{
  g_autoptr (GError) error = failure;

  if (line == NULL)
    return g_strdup (error->message);
  g_assert_null (error);
  g_string_free (line, TRUE);
  return NULL;
}

static char *
publish_text (gpointer data)
{
  g_autoptr (GstBuffer) buffer = new_buffer (FALSE);
  const GstInferLineInfo info = { 0, NULL, NULL };
  GError *error = NULL;
  gboolean empty;

  failures_start ();
  GString *line = gst_infer_text_to_json (buffer, &info, &empty, &error);
  return say (line, error);
}

static char *
publish_object (gpointer data)
{
  g_autoptr (GstBuffer) buffer = new_buffer (TRUE);
  const GstInferLineInfo info = { 0, NULL, NULL };
  GError *error = NULL;

  failures_start ();
  GString *line = gst_infer_object_to_json (buffer, &info, &error);
  return say (line, error);
}

/* inferdecoder; @data: the kind of decoder */
static char *
decode (gpointer data)
{
  const GstInferDecoderKind *kind = data;
  GstInferTensors tensors = { .n = 1, .fps_d = 1 };
  GstInferDecoderOutput output = G_QUEUE_INIT;
  g_autofree float *values = g_new0 (float, N);
  g_autoptr (GError) error = NULL;

  tensors.descs[0] = (InferDesc){ INFER_TYPE_F32,
    infer_shape_make (2, (gint64) 1, (gint64) N) };
  const GstInferDecoderConfig config = { .tensors = &tensors,
    .separator = "\n" };
  GstInferDecoderInput input = {
    .tensors = &tensors, .data = { values }, .duration = GST_SECOND
  };
  gpointer decoder = kind->create (&config, NULL);
  failures_start ();
  const gboolean ok = kind->decode (decoder, &input, &output, &error);
  g_assert_true (ok || output.length == 0);
  g_queue_clear_full (&output, (GDestroyNotify) gst_mini_object_unref);
  kind->free (decoder);
  return ok ? NULL : g_strdup (error->message);
}

/* infermotion */
static char *
compare_frames (gpointer data)
{
  failures_start ();
  g_autoptr (GstInferMotionGrid) grid = gst_infer_motion_grid_new (2000, 2000);

  return grid == NULL ? g_strdup ("no memory") : NULL;
}

/* inferpublish */
static char *
publish_line (gpointer data)
{
  const GstInferPublishMethod *method = &gst_infer_publish_file;
  const GstInferPublishConfig config = { .file_path = (char *) "/dev/null" };
  g_autofree char *text = g_strnfill (N, 'a');
  const GstInferPublishLine line = { text, N, "key" };
  g_autoptr (GError) error = NULL;
  gpointer target = method->open (&config, &error);

  g_assert_no_error (error);
  failures_start ();
  const GstInferPublishResult result = method->send (target, &line, &error);
  g_assert_cmpuint (result, ==,
      error != NULL ? GST_INFER_PUBLISH_FAILED : GST_INFER_PUBLISH_SENT);
  method->close (target);
  return error != NULL ? g_strdup (error->message) : NULL;
}

static void
test_lines (void)
{
  static const struct
  {
    const char *name;
    FailuresFunc func;
    const GstInferDecoderKind *decoder;
  } cases[] = {
    { "text", publish_text, NULL },
    { "object", publish_object, NULL },
    { "tensors", decode, &gst_infer_decoder_json },
    { "classes", decode, &gst_infer_decoder_classification },
    { "speech", decode, &gst_infer_decoder_vad },
    { "file", publish_line, NULL },
    { "motion", compare_frames, NULL },
  };
  const FailurePlan once = {
    .kind = FAIL_MEMORY, .least = LEAST, .later = TRUE
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpuint (failures_run (cases[i].name, &once, 20, cases[i].func,
                          (gpointer) (gsize) cases[i].decoder),
        >, 0);
}

int
main (int argc, char **argv)
{
  gst_init (NULL, NULL);
  g_test_init (&argc, &argv, NULL);
  if (!failures_are_there ())
    return 77;
  g_test_add_func ("/failures/lines", test_lines);
  return g_test_run ();
}
