/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/filter/model/fixed-inputs.h"

#include <gst/gst.h>

GST_DEBUG_CATEGORY_EXTERN (gst_infer_filter_debug);
#define GST_CAT_DEFAULT gst_infer_filter_debug

/* The size of the only picture among the inputs; its width comes first, as the
 * models want it. */
static char *
picture_size (const InferModel *model, guint input)
{
  const InferShape *shape = &infer_model_input_desc (model, input)->shape;
  const InferShape *picture = NULL;

  if (shape->rank != 2 || (shape->dims[1] >= 0 && shape->dims[1] != 2))
    return NULL;
  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    const InferShape *other = &infer_model_input_desc (model, i)->shape;

    if (other->rank != 4)
      continue;
    if (picture != NULL)
      return NULL;
    picture = other;
  }
  if (picture == NULL)
    return NULL;
  const int height = picture->dims[3] <= 4 && picture->dims[3] > 0 ? 1 : 2;
  if (picture->dims[height] < 1 || picture->dims[height + 1] < 1)
    return NULL;
  return g_strdup_printf ("%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT,
      picture->dims[height + 1], picture->dims[height]);
}

static char *
sample_rate (const InferModel *model, guint input)
{
  const InferShape *shape = &infer_model_input_desc (model, input)->shape;

  return shape->rank <= 1
             ? g_strdup (infer_model_get_info (model, "sample_rate"))
             : NULL;
}

static const struct
{
  const char *name;
  char *(*value) (const InferModel *model, guint input);
} known[] = {
  { "orig_target_sizes", picture_size },
  { "sr", sample_rate },
};

/* "INPUT=VALUE" of the known inputs.  (transfer full) */
static GPtrArray *
find_known (const InferModel *model)
{
  GPtrArray *texts = g_ptr_array_new_with_free_func (g_free);

  for (guint k = 0; k < G_N_ELEMENTS (known); k++)
    for (guint i = 0; i < infer_model_n_inputs (model); i++) {
      const char *name = infer_model_input_name (model, i);

      if (!g_str_equal (name, known[k].name)
          || !infer_type_is_integer (infer_model_input_desc (model, i)->type))
        continue;
      g_autofree char *value = known[k].value (model, i);
      if (value == NULL)
        continue;
      GST_INFO (
          "%s: input %s is %s", infer_model_get_path (model), name, value);
      g_ptr_array_add (texts, g_strdup_printf ("%s=%s", name, value));
    }
  g_ptr_array_add (texts, NULL);
  return texts;
}

InferModel *
gst_infer_model_fix_inputs (
    InferModel *model, const char *const *values, GError **error)
{
  g_autoptr (InferModel) now = model;

  if (values != NULL && *values != NULL) {
    g_autoptr (InferModel) before = g_steal_pointer (&now);

    now = infer_model_fix_inputs (before, values, error);
    if (now == NULL)
      return NULL;
  }
  g_autoptr (GPtrArray) texts = find_known (now);
  if (texts->len == 1)
    return g_steal_pointer (&now);
  return infer_model_fix_inputs (
      now, (const char *const *) texts->pdata, error);
}
