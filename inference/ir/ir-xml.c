/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/ir/ir-xml.h"

#include <string.h>

gboolean
infer_xml_is (const InferXmlNode *node, const char *name)
{
  return strcmp (node->name, name) == 0;
}

const InferXmlNode *
infer_xml_child (const InferXmlNode *node, const char *name)
{
  for (const InferXmlNode *child = node->children; child != NULL;
       child = child->next)
    if (infer_xml_is (child, name))
      return child;
  return NULL;
}

const InferXmlNode *
infer_xml_walk (const InferXmlNode *node, const InferXmlNode *root)
{
  if (node->children != NULL)
    return node->children;
  while (node != root && node->next == NULL)
    node = node->parent;
  return node != root ? node->next : NULL;
}

const char *
infer_xml_attribute (const InferXmlNode *node, const char *name)
{
  for (guint i = 0; i < node->n_attributes; i++)
    if (strcmp (node->attributes[i].name, name) == 0)
      return node->attributes[i].value;
  return NULL;
}

const char *
infer_xml_require (const InferXmlNode *node, const char *name, GError **error)
{
  const char *text = infer_xml_attribute (node, name);

  if (text == NULL)
    infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "line %u: <%s> has no attribute '%s'", node->line, node->name, name);
  return text;
}

static gboolean
parse_int (const InferXmlNode *node, const char *name, const char *text,
    gint64 min, gint64 *value, GError **error)
{
  return g_ascii_string_to_signed (text, 10, min, G_MAXINT64, value, NULL)
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "line %u: <%s>: attribute '%s': '%.100s' is no %s", node->line,
             node->name, name, text, min == 0 ? "id" : "integer");
}

gboolean
infer_xml_id (
    const InferXmlNode *node, const char *name, gint64 *id, GError **error)
{
  const char *text = infer_xml_require (node, name, error);

  return text != NULL && parse_int (node, name, text, 0, id, error);
}

gboolean
infer_xml_int (
    const InferXmlNode *node, const char *name, gint64 *value, GError **error)
{
  const char *text = infer_xml_attribute (node, name);

  return text == NULL || parse_int (node, name, text, G_MININT64, value, error);
}
