/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Properties, the settings in use, statistics. */

#include "gst/common/properties.h"
#include "gst/scene/gstinferscene.h"

#define GST_CAT_DEFAULT gst_infer_scene_debug

#define FIELD(name) G_STRUCT_OFFSET (GstInferScene, settings.name)

#define PROP_STATS 1 /* no field has this offset */

/* --- settings --- */

/* The settings with @id's text replaced by @text; @id 0: as they are. */
static GstInferSceneSettings *
read_settings (GstInferScene *self, guint id, const char *text, GError **error)
{
  const GstInferSceneProperties *s = &self->settings;

  GST_OBJECT_LOCK (self);
  g_autofree char *config = g_strdup (id == FIELD (config) ? text : s->config);
  g_autofree char *zones = g_strdup (id == FIELD (zones) ? text : s->zones);
  g_autofree char *tripwires =
      g_strdup (id == FIELD (tripwires) ? text : s->tripwires);
  g_autofree char *speed_lines =
      g_strdup (id == FIELD (speed_lines) ? text : s->speed_lines);
  GST_OBJECT_UNLOCK (self);
  return gst_infer_scene_settings_new (
      config, zones, tripwires, speed_lines, error);
}

/* Takes @settings. */
static void
set_pending (GstInferScene *self, GstInferSceneSettings *settings)
{
  GST_OBJECT_LOCK (self);
  GstInferSceneSettings *old = self->pending;
  self->pending = settings;
  GST_OBJECT_UNLOCK (self);
  if (old != NULL)
    gst_infer_scene_settings_unref (old);
}

static void
warn_of_settings (GstInferScene *self, const GError *error)
{
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("%s; the settings before stay in use", error->message), (NULL));
}

/* The file is looked at once a second. */
static void
reload_file (GstInferScene *self)
{
  g_autoptr (GError) error = NULL;

  if (!gst_infer_config_file_has_changed (&self->file, g_get_monotonic_time ()))
    return;
  GstInferSceneSettings *settings = read_settings (self, 0, NULL, &error);
  if (settings == NULL) {
    warn_of_settings (self, error);
    return;
  }
  GST_INFO_OBJECT (self, "the file of settings has changed");
  set_pending (self, settings);
}

void
gst_infer_scene_take_settings (GstInferScene *self)
{
  reload_file (self);
  GST_OBJECT_LOCK (self);
  g_autoptr (GstInferSceneSettings) settings = g_steal_pointer (&self->pending);
  const guint lost_after = self->settings.lost_after;
  if (settings != NULL)
    gst_infer_config_file_set (&self->file, self->settings.config);
  GST_OBJECT_UNLOCK (self);
  gst_infer_scene_state_set_lost_after (
      self->scene, lost_after * (GstClockTime) GST_MSECOND);
  if (settings == NULL)
    return;
  GST_INFO_OBJECT (
      self, "zones, tripwires and speed lines in use: %u", settings->n);
  gst_infer_scene_state_set_settings (self->scene, settings);
}

gboolean
gst_infer_scene_begin_settings (GstInferScene *self, GError **error)
{
  GST_OBJECT_LOCK (self);
  gst_infer_config_file_set (&self->file, self->settings.config);
  GST_OBJECT_UNLOCK (self);
  GstInferSceneSettings *settings = read_settings (self, 0, NULL, error);
  if (settings == NULL)
    return FALSE;
  set_pending (self, settings);
  GST_OBJECT_LOCK (self);
  self->started = TRUE;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

void
gst_infer_scene_end_settings (GstInferScene *self)
{
  GST_OBJECT_LOCK (self);
  self->started = FALSE;
  GST_OBJECT_UNLOCK (self);
  set_pending (self, NULL);
}

/* --- statistics --- */

/* (transfer full) */
static GstStructure *
make_stats (GstInferScene *self)
{
  GST_OBJECT_LOCK (self);
  const GstInferSceneCounters counters = self->counters;
  GST_OBJECT_UNLOCK (self);
  GstStructure *s = gst_structure_new ("stats", "buffers", G_TYPE_UINT64,
      counters.buffers, "events", G_TYPE_UINT64, counters.events, NULL);

  gst_infer_durations_report (&counters.delay, "delay", s);
  return s;
}

/* --- properties --- */

/* A text of settings: FALSE while running if it has an error. */
static gboolean
check_text (GstInferScene *self, guint id, const GValue *value)
{
  g_autoptr (GError) error = NULL;

  GST_OBJECT_LOCK (self);
  const gboolean started = self->started;
  GST_OBJECT_UNLOCK (self);
  if (!started)
    return TRUE;
  GstInferSceneSettings *settings =
      read_settings (self, id, g_value_get_string (value), &error);
  if (settings == NULL)
    warn_of_settings (self, error);
  else
    set_pending (self, settings);
  return settings != NULL;
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *spec)
{
  if (!G_IS_PARAM_SPEC_STRING (spec)
      || check_text (GST_INFER_SCENE (object), id, value))
    gst_infer_set_property (object, id, value, spec);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  if (id == PROP_STATS)
    g_value_take_boxed (value, make_stats (GST_INFER_SCENE (object)));
  else
    gst_infer_get_property (object, id, value, spec);
}

static void
install_texts (GObjectClass *klass)
{
  g_object_class_install_property (klass, FIELD (config),
      g_param_spec_string ("config", "Configuration file",
          "JSON file with `zones`, `tripwires` and `speed_lines`; it is read "
          "again when it changes (Since: 0.2)",
          NULL, GST_INFER_PLAYING));
  g_object_class_install_property (klass, FIELD (zones),
      g_param_spec_string ("zones", "Zones",
          "JSON list of zones, in place of the file's (Since: 0.2)", NULL,
          GST_INFER_PLAYING));
  g_object_class_install_property (klass, FIELD (tripwires),
      g_param_spec_string ("tripwires", "Tripwires",
          "JSON list of tripwires, in place of the file's (Since: 0.2)", NULL,
          GST_INFER_PLAYING));
  g_object_class_install_property (klass, FIELD (speed_lines),
      g_param_spec_string ("speed-lines", "Speed lines",
          "JSON list of lines of known length, in place of the file's (Since: "
          "0.2)",
          NULL, GST_INFER_PLAYING));
}

void
gst_infer_scene_install_properties (GObjectClass *klass)
{
  klass->set_property = set_property;
  klass->get_property = get_property;
  install_texts (klass);
  g_object_class_install_property (klass, FIELD (lost_after),
      g_param_spec_uint ("lost-after", "Lost after",
          "Milliseconds after which an object that is on no frame is gone "
          "(Since: 0.2)",
          0, G_MAXUINT, 1000, GST_INFER_PLAYING));
  g_object_class_install_property (klass, FIELD (max_gap),
      g_param_spec_uint ("max-gap", "Longest gap",
          "Milliseconds without a frame after which all stays end (Since: 0.2)",
          0, G_MAXUINT, 2000, GST_INFER_PLAYING));
  g_object_class_install_property (klass, FIELD (post_messages),
      g_param_spec_boolean ("post-messages", "Post messages",
          "Post an element message `inferscene` for each event (Since: 0.2)",
          TRUE, GST_INFER_PLAYING));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Frames, events, and the delay from a frame's arrival at the first "
          "infermotion or inferfilter to its events, in nanoseconds; a flush "
          "resets it (Since: 0.2)",
          GST_TYPE_STRUCTURE, GST_INFER_READ_ONLY));
}
