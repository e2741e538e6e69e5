/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/progress.h"

void
gst_infer_post_progress (
    gpointer element, GstProgressType type, const char *name)
{
  static const char *const texts[] = {
    [GST_PROGRESS_TYPE_START] = "Loading ",
    [GST_PROGRESS_TYPE_COMPLETE] = "Loaded ",
    [GST_PROGRESS_TYPE_CANCELED] = "Cancelled loading ",
    [GST_PROGRESS_TYPE_ERROR] = "Failed to load ",
  };
  g_autofree char *text =
      g_strconcat (texts[type], name != NULL ? name : "a model", NULL);

  gst_element_post_message (
      GST_ELEMENT (element), gst_message_new_progress (GST_OBJECT (element),
                                 type, "load-model", text));
}
