/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/settings.h"

#include <stddef.h>

static const gsize strings[] = {
  offsetof (GstInferSettings, model),
  offsetof (GstInferSettings, weights),
  offsetof (GstInferSettings, device),
  offsetof (GstInferSettings, config),
  offsetof (GstInferSettings, extra_outputs),
  offsetof (GstInferSettings, state_pairs),
  offsetof (GstInferSettings, dump),
  offsetof (GstInferSettings, dump_dir),
  offsetof (GstInferSettings, model_info),
  offsetof (GstInferSettings, object_class),
  offsetof (GstInferSettings, crop),
  offsetof (GstInferSettings, instance),
};

void
gst_infer_settings_clear (GstInferSettings *settings)
{
  for (guint i = 0; i < G_N_ELEMENTS (strings); i++)
    g_clear_pointer (&G_STRUCT_MEMBER (char *, settings, strings[i]), g_free);
}

void
gst_infer_settings_copy (GstInferSettings *to, const GstInferSettings *from)
{
  gst_infer_settings_clear (to);
  *to = *from;
  for (guint i = 0; i < G_N_ELEMENTS (strings); i++) {
    char **string = &G_STRUCT_MEMBER (char *, to, strings[i]);

    *string = g_strdup (*string);
  }
}

GstClockTime
gst_infer_settings_batch_wait (const GstInferSettings *settings)
{
  return settings->batch_size > 1 && settings->batch_timeout > 0
             ? (GstClockTime) settings->batch_timeout * GST_MSECOND
             : 0;
}
