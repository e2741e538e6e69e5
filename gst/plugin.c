/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <gst/gst.h>

#include "gst/config.h"
#include "gst/tracer/inferstages.h"
#include "gst/tracer/infertop.h"

#define ELEMENT(name) GST_ELEMENT_REGISTER_DECLARE (name)
#include "gst/element-list.h"
#undef ELEMENT

static gboolean
plugin_init (GstPlugin *plugin)
{
  gboolean ok = TRUE;

#define ELEMENT(name) ok &= GST_ELEMENT_REGISTER (name, plugin);
#include "gst/element-list.h"
#undef ELEMENT
  ok &= gst_infer_stages_register (plugin);
  ok &= gst_infer_top_register (plugin);
  return ok;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, inferfilter,
    "Runs neural networks (OpenVINO IR) inside media pipelines", plugin_init,
    VERSION, "LGPL", PACKAGE, PACKAGE)
