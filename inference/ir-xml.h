/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The XML side of an IR: a parsed document that came from nowhere but the bytes
 * given, and readers for its attributes. */

#pragma once

#include "inference/error.h"

#include <libxml/tree.h>

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC (xmlDoc, xmlFreeDoc)

/* UTF-8 only, no DTD, bounded depth and size; nothing is ever fetched. */
xmlDoc *infer_xml_parse (GBytes *bytes, GError **error);

gboolean infer_xml_is (const xmlNode *node, const char *name);
/* The first child element of that name, NULL: none. */
xmlNode *infer_xml_child (const xmlNode *node, const char *name);
/* The next element after @node in document order, not leaving @root. */
xmlNode *infer_xml_walk (xmlNode *node, const xmlNode *root);

/* NULL: no such attribute; (transfer full). */
char *infer_xml_attribute (const xmlNode *node, const char *name);
/* The same, but its absence is an error. */
char *infer_xml_require (const xmlNode *node, const char *name, GError **error);
/* 0 ≤ id; absence is an error. */
gboolean infer_xml_id (
    const xmlNode *node, const char *name, gint64 *id, GError **error);
/* Absence leaves *@value. */
gboolean infer_xml_int (
    const xmlNode *node, const char *name, gint64 *value, GError **error);

G_END_DECLS
