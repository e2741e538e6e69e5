/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/meta/params-keeper.h"

#include "gst/meta/meta.h"

/* Added after the region's meta, and hence transformed after it. */
typedef struct
{
  GstMeta meta;
  int roi_id;
} Keeper;

static gboolean
keeper_init (GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  ((Keeper *) meta)->roi_id = -1;
  return TRUE;
}

static GstVideoRegionOfInterestMeta *
find_region (GstBuffer *buffer, int roi_id)
{
  return gst_buffer_get_video_region_of_interest_meta_id (buffer, roi_id);
}

static gpointer
copy_structure (gconstpointer structure, gpointer data)
{
  return gst_structure_copy (structure);
}

static gboolean
keeper_transform (GstBuffer *target, GstMeta *meta, GstBuffer *buffer,
    GQuark type, gpointer data)
{
  int roi_id = ((Keeper *) meta)->roi_id;
  const GstVideoRegionOfInterestMeta *from = find_region (buffer, roi_id);
  GstVideoRegionOfInterestMeta *to = find_region (target, roi_id);

  if (from == NULL || to == NULL)
    return FALSE;
  if (to->params == NULL)
    to->params = g_list_copy_deep (from->params, copy_structure, NULL);
  gst_infer_keep_params (target, roi_id);
  return TRUE;
}

static const GstMetaInfo *
keeper_info (void)
{
  static gsize once = 0;

  return gst_infer_meta_register (&once, "GstInferParamsKeeper",
      sizeof (Keeper), keeper_init, NULL, keeper_transform);
}

void
gst_infer_keep_params (GstBuffer *buffer, int roi_id)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, keeper_info ()->api)))
    if (((Keeper *) meta)->roi_id == roi_id)
      return;
  meta = gst_buffer_add_meta (buffer, keeper_info (), NULL);
  ((Keeper *) meta)->roi_id = roi_id;
}
