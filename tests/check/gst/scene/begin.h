/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

#include <string.h>

#include "gst/scene/scene.h"

/* A scene of the settings @json, which must be valid.  (transfer full) */
static inline GstInferSceneState *
begin_scene (const char *json)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GstInferSceneSettings) settings =
      gst_infer_scene_settings_parse ("test", json, strlen (json), &error);
  GstInferSceneState *state = gst_infer_scene_state_new ();

  g_assert_no_error (error);
  gst_infer_scene_state_set_settings (state, settings);
  return state;
}
