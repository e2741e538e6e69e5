/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/settings.h"

#include <stddef.h>

#define N_OF_MODEL 3

static const gsize strings[] = {
  /* First those of the model, as in GST_INFER_MODEL_PROPERTIES. */
  offsetof (GstInferSettings, model),
  offsetof (GstInferSettings, weights),
  offsetof (GstInferSettings, model_info),
  offsetof (GstInferSettings, device),
  offsetof (GstInferSettings, config),
  offsetof (GstInferSettings, extra_outputs),
  offsetof (GstInferSettings, constant_inputs),
  offsetof (GstInferSettings, state_pairs),
  offsetof (GstInferSettings, dump),
  offsetof (GstInferSettings, dump_dir),
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

static const char *
get_string (const GstInferSettings *settings, guint index)
{
  const guint8 *start = (const guint8 *) settings;

  return *(char *const *) (gconstpointer) (start + strings[index]);
}

void
gst_infer_settings_copy_model (
    GstInferSettings *to, const GstInferSettings *from)
{
  for (guint i = 0; i < N_OF_MODEL; i++) {
    char **string = &G_STRUCT_MEMBER (char *, to, strings[i]);

    g_free (*string);
    *string = g_strdup (get_string (from, i));
  }
}

guint
gst_infer_settings_compare_model (
    const GstInferSettings *a, const GstInferSettings *b)
{
  guint differing = 0;

  for (guint i = 0; i < N_OF_MODEL; i++)
    if (g_strcmp0 (get_string (a, i), get_string (b, i)) != 0)
      differing |= 1u << i;
  return differing;
}

GstClockTime
gst_infer_settings_batch_wait (const GstInferSettings *settings)
{
  return settings->batch_size > 1 && settings->batch_timeout > 0
             ? (GstClockTime) settings->batch_timeout * GST_MSECOND
             : 0;
}
