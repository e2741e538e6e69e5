/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/speech/settings.h"

#include <stddef.h>

static const gsize strings[] = {
  offsetof (GstInferTranscriberSettings, model),
  offsetof (GstInferTranscriberSettings, kind),
  offsetof (GstInferTranscriberSettings, device),
  offsetof (GstInferTranscriberSettings, config),
  offsetof (GstInferTranscriberSettings, vad_model),
  offsetof (GstInferTranscriberSettings, separator),
  offsetof (GstInferTranscriberSettings, language),
  offsetof (GstInferTranscriberSettings, task),
  offsetof (GstInferTranscriberSettings, initial_prompt),
  offsetof (GstInferTranscriberSettings, phrases),
  offsetof (GstInferTranscriberSettings, options),
};

void
gst_infer_transcriber_settings_clear (GstInferTranscriberSettings *settings)
{
  for (guint i = 0; i < G_N_ELEMENTS (strings); i++)
    g_clear_pointer (&G_STRUCT_MEMBER (char *, settings, strings[i]), g_free);
}

void
gst_infer_transcriber_settings_copy (
    GstInferTranscriberSettings *to, const GstInferTranscriberSettings *from)
{
  gst_infer_transcriber_settings_clear (to);
  *to = *from;
  for (guint i = 0; i < G_N_ELEMENTS (strings); i++) {
    char **string = &G_STRUCT_MEMBER (char *, to, strings[i]);

    *string = g_strdup (*string);
  }
}
