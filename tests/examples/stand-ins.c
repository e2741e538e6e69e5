/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Elements with the names of those that need a camera, a microphone or a
 * screen, so that the documentation's examples run as they stand where there
 * is none. */

#include <gst/gst.h>

typedef struct
{
  GstBinClass parent_class;
  const char *content; /* for gst_parse_bin_from_description */
} StandInClass;

static const struct
{
  const char *name, *content;
} elements[] = {
  { "v4l2src", "videotestsrc num-buffers=20 ! capsfilter caps=\"video/x-raw, "
               "format=YUY2, width=640, height=480, framerate=30/1\"" },
  { "autoaudiosrc",
      "audiotestsrc num-buffers=50 wave=pink-noise ! capsfilter "
      "caps=\"audio/x-raw, format=S16LE, rate=44100, channels=2\"" },
  { "autovideosink", "capsfilter caps=video/x-raw ! fakesink" },
  { "autoaudiosink", "capsfilter caps=audio/x-raw ! fakesink" },
};

static void
class_init (gpointer klass, gpointer content)
{
  ((StandInClass *) klass)->content = content;
  gst_element_class_set_static_metadata (
      klass, "Stand-in", "Test", "For what is not there", "inferfilter");
}

static void
instance_init (GTypeInstance *instance, gpointer klass)
{
  g_autoptr (GError) error = NULL;
  GstElement *content = gst_parse_bin_from_description (
      ((StandInClass *) klass)->content, TRUE, &error);

  if (content == NULL)
    g_error ("%s", error->message);
  gst_bin_add (GST_BIN (instance), content);
  for (GList *l = content->pads; l != NULL; l = l->next)
    gst_element_add_pad (GST_ELEMENT (instance),
        gst_ghost_pad_new (GST_PAD_NAME (l->data), l->data));
}

static gboolean
plugin_init (GstPlugin *plugin)
{
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    g_autofree char *type = g_strconcat ("StandIn-", elements[i].name, NULL);
    const GTypeInfo info = {
      .class_size = sizeof (StandInClass),
      .class_init = class_init,
      .class_data = elements[i].content,
      .instance_size = sizeof (GstBin),
      .instance_init = instance_init,
    };

    if (!gst_element_register (plugin, elements[i].name, GST_RANK_NONE,
            g_type_register_static (GST_TYPE_BIN, type, &info, 0)))
      return FALSE;
  }
  return TRUE;
}

#define PACKAGE "inferfilter"
GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, standins,
    "Stand-ins for devices", plugin_init, "1", "LGPL", "inferfilter", "-")
