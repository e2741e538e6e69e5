/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/ir-xml.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#include <string.h>

#define MAX_XML_BYTES ((gsize) 128 << 20)

/* A DTD brings entities, which bring files and bombs; an IR has none. */
static void
refuse_dtd (void *data, const xmlChar *name, const xmlChar *external,
    const xmlChar *system)
{
  xmlParserCtxt *context = data;

  context->_private = GINT_TO_POINTER (TRUE);
  xmlStopParser (context);
}

static gpointer
init_library (gpointer unused)
{
  xmlInitParser ();
  return NULL;
}

static gboolean
check_bytes (GBytes *bytes, GError **error)
{
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size), *end;

  if (size == 0)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "the file is empty, no IR");
  if (size > MAX_XML_BYTES)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%" G_GSIZE_FORMAT " bytes of XML are more than an IR has", size);
  if (!g_utf8_validate_len (data, size, &end))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "byte %" G_GSIZE_FORMAT " is not UTF-8 text, so this is no IR",
        (gsize) (end - data));
  return TRUE;
}

static gboolean
check_document (const xmlParserCtxt *context, const xmlDoc *doc, GError **error)
{
  const xmlError *failure = xmlCtxtGetLastError ((void *) (gsize) context);
  g_autofree char *message = NULL;

  if (context->_private != NULL)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "it has a document type definition, which has no place in an IR");
  if (doc == NULL || !context->wellFormed) {
    message = g_strdup (failure != NULL && failure->message != NULL
                            ? failure->message
                            : "it cannot be parsed");
    return infer_fail (error, INFER_ERROR_INVALID_MODEL, "line %d: %s",
        failure != NULL ? failure->line : 0, g_strstrip (message));
  }
  if (doc->encoding != NULL
      && g_ascii_strcasecmp ((const char *) doc->encoding, "UTF-8") != 0
      && g_ascii_strcasecmp ((const char *) doc->encoding, "US-ASCII") != 0
      && g_ascii_strcasecmp ((const char *) doc->encoding, "ASCII") != 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "its encoding is %.40s, an IR is UTF-8", (const char *) doc->encoding);
  return TRUE;
}

xmlDoc *
infer_xml_parse (GBytes *bytes, GError **error)
{
  static GOnce once = G_ONCE_INIT;
  const int options = XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_NOCDATA
                      | XML_PARSE_NOERROR | XML_PARSE_NOWARNING
                      | XML_PARSE_COMPACT;
  g_autoptr (xmlDoc) doc = NULL;
  xmlParserCtxt *context;
  gboolean ok;

  if (!check_bytes (bytes, error))
    return NULL;
  g_once (&once, init_library, NULL);
  context = xmlNewParserCtxt ();
  if (context == NULL) {
    infer_fail (error, INFER_ERROR_NO_MEMORY, "no memory to parse XML");
    return NULL;
  }
  context->sax->internalSubset = refuse_dtd;
  doc = xmlCtxtReadMemory (context, g_bytes_get_data (bytes, NULL),
      (int) g_bytes_get_size (bytes), NULL, NULL, options);
  ok = check_document (context, doc, error);
  xmlFreeParserCtxt (context);
  return ok ? g_steal_pointer (&doc) : NULL;
}

/* --- elements and attributes -------------------------------------------------
 */

gboolean
infer_xml_is (const xmlNode *node, const char *name)
{
  return node->type == XML_ELEMENT_NODE
         && strcmp ((const char *) node->name, name) == 0;
}

xmlNode *
infer_xml_child (const xmlNode *node, const char *name)
{
  for (xmlNode *child = node->children; child != NULL; child = child->next)
    if (infer_xml_is (child, name))
      return child;
  return NULL;
}

xmlNode *
infer_xml_walk (xmlNode *node, const xmlNode *root)
{
  do {
    if (node->type == XML_ELEMENT_NODE && node->children != NULL) {
      node = node->children;
    } else {
      while (node != root && node->next == NULL)
        node = node->parent;
      if (node == root)
        return NULL;
      node = node->next;
    }
  } while (node->type != XML_ELEMENT_NODE);
  return node;
}

char *
infer_xml_attribute (const xmlNode *node, const char *name)
{
  xmlChar *text = xmlGetNoNsProp (node, (const xmlChar *) name);
  char *copy = g_strdup ((const char *) text);

  xmlFree (text);
  return copy;
}

char *
infer_xml_require (const xmlNode *node, const char *name, GError **error)
{
  char *text = infer_xml_attribute (node, name);

  if (text == NULL)
    infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "line %ld: <%s> has no attribute '%s'", xmlGetLineNo (node),
        (const char *) node->name, name);
  return text;
}

static gboolean
parse_int (const xmlNode *node, const char *name, const char *text, gint64 min,
    gint64 *value, GError **error)
{
  return g_ascii_string_to_signed (text, 10, min, G_MAXINT64, value, NULL)
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "line %ld: <%s>: attribute '%s': '%.100s' is no %s",
             xmlGetLineNo (node), (const char *) node->name, name, text,
             min == 0 ? "id" : "integer");
}

gboolean
infer_xml_id (const xmlNode *node, const char *name, gint64 *id, GError **error)
{
  g_autofree char *text = infer_xml_require (node, name, error);

  return text != NULL && parse_int (node, name, text, 0, id, error);
}

gboolean
infer_xml_int (
    const xmlNode *node, const char *name, gint64 *value, GError **error)
{
  g_autofree char *text = infer_xml_attribute (node, name);

  return text == NULL || parse_int (node, name, text, G_MININT64, value, error);
}
