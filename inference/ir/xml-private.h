/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Inside of InferXml, for its two makers. */

#pragma once

#include <libxml/tree.h>

#include "inference/ir/xml.h"

G_BEGIN_DECLS

struct _InferXml
{
  xmlDict *names; /* holds every name, … */
  GBytes *packed; /* or this every name and text; both nullable */
  GPtrArray *blocks;
  char *block; /* the last one */
  gsize left;  /* bytes free at its end */
  InferXmlNode *root;
};

InferXml *infer_xml_new_empty (void);
/* Lives as long as @xml, fit for pointers if all sizes are. */
gpointer infer_xml_take (InferXml *xml, gsize bytes);

G_END_DECLS
