/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For implementers of kinds of results (gst/infer/results.h): how inferoverlay
 * draws a kind and inferpublish writes it.  Kinds have no state: any thread. */

#pragma once

#include <gst/video/gstvideometa.h>

#include "gst/draw/canvas.h"
#include "gst/infer/results.h"

/* Drawing of a frame. */
typedef struct
{
  GstInferCanvas *canvas;
  double mask_alpha; /* 0 … 1 */
  int scale;     /* width of thin lines and of a point of the font, pixels */
  GArray *taken; /* places of text so far (element-type GstVideoRectangle) */
} GstInferDrawing;

typedef struct
{
  /* inferoverlay's property that switches the shapes; NULL: no shapes. */
  const char *property, *nick, *blurb;
  /* The API type of the metas of this kind. */
  GType (*api) (void);
  void (*draw_shapes) (GstInferDrawing *drawing, GstBuffer *buffer);
  /* Switched by draw-labels.  NULL: no texts. */
  void (*draw_texts) (GstInferDrawing *drawing, GstBuffer *buffer);
  /* Appends the keys of all results of @roi, or (NULL) of the whole frame, to
   * the object that @line ends in.  Returns how many results these are. */
  guint (*add_json) (
      GString *line, GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi);
} GstInferResultKind;

#define RESULT(id) extern const GstInferResultKind gst_infer_result_##id;
#include "gst/results/kind-list.h"
#undef RESULT

enum
{
#define RESULT(id) GST_INFER_RESULT_INDEX_##id,
#include "gst/results/kind-list.h"
#undef RESULT
  GST_INFER_N_RESULT_KINDS
};

/* In the order of kind-list.h. */
extern const GstInferResultKind
    *const gst_infer_result_kinds[GST_INFER_N_RESULT_KINDS];

/* Calls add_json of every kind and returns the sum. */
guint gst_infer_results_add_json (
    GString *line, GstBuffer *buffer, GstVideoRegionOfInterestMeta *roi);

/* --- labels, for other kinds --- */

/* Returns a label as text, "cat #7 0.87", with valid UTF-8; the class if it has
 * no name, no confidence for texts.  (transfer full) */
char *gst_infer_label_to_text (const GstStructure *s, int object_id);
/* Appends the keys of @label. */
void gst_infer_label_add_json (GString *line, const GstInferLabel *label);

/* --- events of scenes, for inferpublish --- */

/* Appends the next item of a list, from a structure that
 * gst_infer_scene_event_to_structure has made. */
void gst_infer_scene_event_add_json (GString *line, const GstStructure *event);
