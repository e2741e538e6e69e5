/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The results on a buffer as one line of JSON, with the keys of DL Streamer's
 * gvametaconvert where it has them:
 *
 * {"timestamp":40000000,            stream time in ns; null: not known
 *  "source":"cam1","tags":{…},      as set; absent if not
 *  "resolution":{"width":640,"height":480},
 *  "objects":[
 *    {"x":10,"y":20,"w":64,"h":48,  pixels
 *     "region_id":1,"parent_id":2,  parent_id: of the region it was found in
 *     "id":7,                       of infertrack
 *     "roi_type":"face",
 *     "detection":{"bounding_box":{"x_min":…,"x_max":…,"y_min":…,"y_max":…},
 *                  "confidence":0.97,"label":"face","label_id":0},
 *     "classification":{"label":…,"label_id":…,"confidence":…,
 *                       "model":{"name":…},"layer":…},   more than one: a list
 *     "text":{"label":"STOP","confidence":0.98,…},
 *     "keypoints":[[x,y,score],…]}],   of several models: a list of such
 *  "tensors":[{"name":"classification","label":…,…}],   of the whole frame
 *  "keypoints":[[x,y,score],…],                         of the whole frame
 *  "segmentation":[{"label_id":3,"label":"cat","area":0.17}],
 *  "zones":[{"id":"door","count":2,"in":9,"out":7}],    of inferscene
 *  "tripwires":[{"id":"exit","in":3,"out":1}],
 *  "speed_lines":[{"id":"road","count":0,"in":4,"out":4}],
 *  "events":[{"type":"exit","zone":"door","label":"person","object_id":7,
 *             "time":…,"duration":…,"count":2,"reason":"left"}]}
 *
 * `area` is a fraction of the mask, `time` and `duration` are in ns.  "tensors"
 * and what follows it are absent if there are none.  text/x-raw becomes
 * {"timestamp":…,"duration":…, "text":"…"}; of an object of application/json
 * the members follow "timestamp", "source" and "tags". */

#pragma once

#include <gst/video/video.h>

typedef struct
{
  GstClockTime time;         /* stream time; may be NONE */
  const char *source, *tags; /* nullable; @tags: JSON */
} GstInferLineInfo;

/* @video describes the frame.  *@empty: there are no results.  (transfer full)
 */
GString *gst_infer_results_to_json (GstBuffer *buffer,
    const GstVideoInfo *video, const GstInferLineInfo *info, gboolean *empty);

/* Events of inferscene that no frame carries, a structure
 * GST_INFER_SCENE_EVENTS: "events" alone.  (transfer full) */
GString *gst_infer_scene_to_json (
    const GstStructure *events, const GstInferLineInfo *info);

/* Returns NULL if there is no memory for it.  (transfer full) */
GString *gst_infer_text_to_json (GstBuffer *buffer,
    const GstInferLineInfo *info, gboolean *empty, GError **error);

/* Returns NULL if the buffer is no JSON object, or there is no memory for it.
 * (transfer full) */
GString *gst_infer_object_to_json (
    GstBuffer *buffer, const GstInferLineInfo *info, GError **error);
