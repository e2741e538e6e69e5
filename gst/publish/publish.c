/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/publish/publish.h"

const GstInferPublishMethod *const *
gst_infer_publish_methods (void)
{
  static const GstInferPublishMethod *const methods[] = {
#define METHOD(name) &gst_infer_publish_##name,
#include "gst/publish/method-list.h"
#undef METHOD
    NULL,
  };

  return methods;
}
