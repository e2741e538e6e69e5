/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/chain/chain.h"

#include <string.h>

#include "gst/decoder/gstinferdecoder.h"
#include "gst/features/gstinferfeatures.h"
#include "gst/filter/gstinferfilter.h"
#include "tests/check/stream/models.h"

GType gst_infer_vad_get_type (void); /* its file has no header */

/* "tensors" is an inferfilter that leaves tensors as they are, of any number of
 * rows; "gate" is infervad with GAP events in place of silence. */
static const char *const kinds[] = {
  "features filter",
  "vad filter",
  "filter features",
  "filter vad features",
  "filter gate",
  "filter decoder",
  "features filter decoder",
  "vad filter features tensors decoder",
};

guint
chain_n_kinds (void)
{
  return G_N_ELEMENTS (kinds);
}

const char *
chain_name (guint kind)
{
  return kinds[kind];
}

gboolean
chain_gives_audio (guint kind)
{
  const char *behind = strstr (kinds[kind], "filter") + strlen ("filter");

  return *behind != '\0' && !g_str_has_prefix (behind, " decoder");
}

gboolean
chain_takes_features (guint kind)
{
  return g_str_has_prefix (kinds[kind], "features filter");
}

gboolean
chain_holds_events (guint kind)
{
  return g_str_has_suffix (kinds[kind], "decoder");
}

/* --- elements --- */

static char *
model_path (const PlanConfig *c)
{
  g_autofree char *shape = NULL;
  guint rate = c->kind <= PLAN_DYNAMIC ? c->rate : 0;
  gboolean pairs =
      c->kind == PLAN_ROWS || (c->chained && chain_takes_features (c->chain));

  if (c->kind == PLAN_TENSORS)
    shape = g_strdup ("1,3");
  else if (c->kind == PLAN_DYNAMIC)
    shape = g_strdup (pairs ? "1,?,2" : "1,?");
  else
    shape = g_strdup_printf (pairs ? "1,%u,2" : "1,%u", c->length);
  return test_model_path (
      shape, c->stateful, pairs ? 0 : rate, c->multiple, c->latency);
}

static GstElement *
new_filter (const PlanConfig *c)
{
  g_autofree char *path = model_path (c);
  GstElement *filter = g_object_new (GST_TYPE_INFER_FILTER, "model", path,
      "device", c->device, "nireq", c->nireq, "window", c->window_ms, "hop",
      c->hop_ms, "context", (int) c->context, "tail", c->tail, "state-reset",
      c->reset, "max-gap", c->max_gap, "batch-size", c->batch_size,
      "batch-timeout", c->batch_timeout, NULL);

  gst_util_set_object_arg (
      G_OBJECT (filter), "output", c->media ? "media" : "tensors");
  return filter;
}

/* Its output is its input, tensor for tensor. */
static GstElement *
new_identity (const PlanConfig *c, const char *shape)
{
  g_autofree char *path = test_model_path (shape, FALSE, 0, 1, 0);
  GstElement *filter = g_object_new (GST_TYPE_INFER_FILTER, "model", path,
      "device", c->device, "nireq", c->nireq, "window", 1, NULL);

  gst_util_set_object_arg (G_OBJECT (filter), "output", "tensors");
  return filter;
}

static GstElement *
new_features (const PlanConfig *c)
{
  return g_object_new (GST_TYPE_INFER_FEATURES, "sample-rate", c->rate,
      "window", 16, "hop", 4, "bands", 2, "fmax", c->rate / 2., "frames",
      1 + c->multiple % 3, NULL);
}

static GstElement *
new_vad (gboolean gate)
{
  GstElement *vad =
      g_object_new (gst_infer_vad_get_type (), "min-speech", 10, NULL);

  if (gate)
    gst_util_set_object_arg (G_OBJECT (vad), "gate", "gap");
  return vad;
}

static GstElement *
new_decoder (void)
{
  GstElement *decoder = g_object_new (GST_TYPE_INFER_DECODER, NULL);

  gst_util_set_object_arg (G_OBJECT (decoder), "mode", "json");
  return decoder;
}

static GstElement *
new_element (const PlanConfig *c, const char *name)
{
  if (g_str_equal (name, "filter"))
    return new_filter (c);
  if (g_str_equal (name, "tensors"))
    return new_identity (c, "1,?,2");
  if (g_str_equal (name, "features"))
    return new_features (c);
  if (g_str_equal (name, "decoder"))
    return new_decoder ();
  return new_vad (g_str_equal (name, "gate"));
}

guint
chain_new (const PlanConfig *c, GstElement *elements[], GstElement **filter)
{
  g_auto (GStrv) names =
      g_strsplit (c->chained ? kinds[c->chain] : "filter", " ", CHAIN_MAX);
  guint n = 0;

  *filter = NULL;
  for (; names[n] != NULL; n++) {
    elements[n] = g_object_ref_sink (new_element (c, names[n]));
    if (*filter == NULL && GST_IS_INFER_FILTER (elements[n]))
      *filter = elements[n];
  }
  if (c->row)
    elements[n++] = g_object_ref_sink (
        new_identity (c, c->kind == PLAN_TENSORS ? "1,3" : "1,?"));
  return n;
}
