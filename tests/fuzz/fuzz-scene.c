/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Settings of inferscene, up to a NUL; then objects that move through what was
 * read, as bytes: id, x, y; texts, masks and areas are made of the same.
 * Entries less exits are who is inside. */

#include "tests/fuzz/support/bytes.h"
#include "tests/fuzz/support/fuzz.h"

#include "gst/scene/scene.h"

static void
run (GstInferSceneSettings *settings, FuzzBytes *bytes)
{
  g_autoptr (GstInferSceneState) state = gst_infer_scene_state_new ();
  GstClockTime now = 0;
  guint n;

  gst_infer_scene_state_set_settings (state, settings);
  gst_infer_scene_state_set_aspect (state, 16.0 / 9);
  for (guint i = 0; i < 200 && bytes->left > 0; i++) {
    const int id = (int) fuzz_below (bytes, 5);
    const double x = fuzz_u8 (bytes) / 250.0, y = fuzz_u8 (bytes) / 250.0;
    static const char *const texts[] = { NULL, "A 1", "A 7", "B 17" };
    const GstInferSceneObject object = { .id = id + 1,
      .confidence = x,
      .x0 = x - y / 8,
      .y0 = y - x / 8,
      .x1 = x,
      .y1 = y,
      .pose = (guint) (x * 250) & 63,
      .text = texts[(guint) (y * 250) & 3],
      .text_confidence = x,
      .has_mask = i % 2 == 0,
      .mask = { (guint32) (x * 250), (guint32) (y * 250) } };

    now += id * (GstClockTime) (GST_MSECOND * 100);
    if (id == 4)
      gst_infer_scene_state_end (state, GST_INFER_SCENE_FLUSH);
    if (settings->n > 0)
      gst_infer_scene_state_set_area (state, i % settings->n, x);
    gst_infer_scene_state_update (state, now, &object, 1);
  }
  gst_infer_scene_state_end (state, GST_INFER_SCENE_EOS);
  const GstInferSceneShape *shapes =
      gst_infer_scene_state_shapes (state, 64, 48, &n);
  g_assert_cmpuint (n, ==, settings->n);
  for (guint i = 0; i < n; i++) {
    g_assert_cmpuint (shapes[i].count, ==, 0);
    g_assert_true (shapes[i].kind == GST_INFER_SCENE_TRIPWIRE
                   || shapes[i].in == shapes[i].out);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  FuzzBytes bytes = { data, size };
  g_autofree char *text = fuzz_text (&bytes, size);
  g_autoptr (GError) error = NULL;

  if (!gst_is_initialized ())
    gst_init (NULL, NULL);
  g_autoptr (GstInferSceneSettings) settings =
      gst_infer_scene_settings_parse ("fuzz", text, strlen (text), &error);
  g_assert_true ((settings == NULL) == (error != NULL));
  if (settings != NULL)
    run (settings, &bytes);
  return 0;
}
