/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* InferXml, opened for xml-parse.c and xml-pack.c.  One thread, until the
 * document is handed out. */

#pragma once

#include <libxml/tree.h>

#include "inference/ir/xml.h"

struct _InferXml
{
  xmlDict *names; /* owns the names of a parsed document */
  GBytes *packed; /* owns the strings of an unpacked one */
  GPtrArray *blocks;
  char *block; /* the last one */
  gsize left;  /* bytes free at its end */
  InferXmlNode *root;
};

InferXml *infer_xml_new_empty (void);
/* Memory that lives as long as @xml, aligned for pointers if all sizes are
 * multiples of their size; NULL: there is none. */
gpointer infer_xml_take (InferXml *xml, gsize bytes);
