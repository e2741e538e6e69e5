/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/still.h"

static const GstMetaInfo *
still_info (void)
{
  static gsize info = 0;
  static const char *tags[] = { NULL };

  if (g_once_init_enter (&info)) {
    const GstMetaInfo *found = gst_meta_get_info (GST_INFER_STILL_META);

    if (found == NULL)
      found = gst_meta_register_custom (
          GST_INFER_STILL_META, tags, NULL, NULL, NULL);
    g_once_init_leave (&info, (gsize) found);
  }
  return (const GstMetaInfo *) info;
}

void
gst_infer_mark_still (GstBuffer *buffer)
{
  gst_buffer_add_meta (buffer, still_info (), NULL);
}

gboolean
gst_infer_is_still (GstBuffer *buffer)
{
  gpointer state = NULL;

  return gst_buffer_iterate_meta_filtered (buffer, &state, still_info ()->api)
         != NULL;
}
