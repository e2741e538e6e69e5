/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/ir/xml-private.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>

#include <string.h>

#include "infer/error.h"

#define BLOCK_BYTES ((gsize) 60 << 10)
/* Longest text of an element.  IR has its data in attributes; the text of a
 * <dim> is a number. */
#define MOST_TEXT ((gsize) 1 << 20)

/* A document being read. */
typedef struct
{
  xmlParserCtxt *context;
  InferXml *xml;
  InferXmlNode *open; /* the innermost open element */
  InferXmlNode *last; /* its last child so far; NULL: none */
  GString *text;      /* its text so far, if it has no child */
  guint depth;
  const char *refusal; /* why reading stopped; nullable */
  int refused_line;
} Reader;

/* --- memory --- */

InferXml *
infer_xml_new_empty (void)
{
  InferXml *xml = g_new0 (InferXml, 1);

  xml->blocks = g_ptr_array_new_with_free_func (g_free);
  return xml;
}

gpointer
infer_xml_take (InferXml *xml, gsize bytes)
{
  if (bytes > xml->left) {
    gsize size = MAX (bytes, BLOCK_BYTES);
    char *block = g_try_malloc (size);

    if (block == NULL)
      return NULL;
    xml->block = block;
    xml->left = size;
    g_ptr_array_add (xml->blocks, block);
  }
  gpointer memory = xml->block;
  xml->block += bytes;
  xml->left -= bytes;
  return memory;
}

/* Keeps the alignment for the next node; NULL: no memory. */
static const char *
take_text (InferXml *xml, const char *text, gsize length)
{
  const gsize align = sizeof (gpointer);
  char *copy = infer_xml_take (xml, (length / align + 1) * align);

  if (copy == NULL)
    return NULL;
  memcpy (copy, text, length);
  copy[length] = '\0';
  return copy;
}

void
infer_xml_free (InferXml *xml)
{
  if (xml == NULL)
    return;
  g_ptr_array_unref (xml->blocks);
  g_clear_pointer (&xml->names, xmlDictFree);
  g_clear_pointer (&xml->packed, g_bytes_unref);
  g_free (xml);
}

const InferXmlNode *
infer_xml_root (const InferXml *xml)
{
  return xml->root;
}

/* --- what libxml2 tells --- */

/* libxml2's own handlers get the same context. */
static Reader *
reader_of (gpointer context)
{
  return ((xmlParserCtxt *) context)->_private;
}

static void
refuse (Reader *self, const char *reason)
{
  self->refusal = reason;
  self->refused_line = self->context->input->line;
  xmlStopParser (self->context);
}

static void
refuse_memory (Reader *self)
{
  refuse (self, "no memory for the document up to here");
}

/* A DTD declares entities, which read files or expand without bound. */
static void
refuse_dtd (void *data, const xmlChar *name, const xmlChar *external,
    const xmlChar *system)
{
  refuse (reader_of (data),
      "a document type definition, which has no place in an IR");
}

static void
add_node (Reader *self, InferXmlNode *node)
{
  node->parent = self->open;
  if (self->last != NULL)
    self->last->next = node;
  else if (self->open != NULL)
    self->open->children = node;
  else
    self->xml->root = node;
  self->open = node;
  self->last = NULL;
  g_string_truncate (self->text, 0);
}

/* @values: name, prefix, namespace, begin and end of the value. */
static void
start_element (void *data, const xmlChar *name, const xmlChar *prefix,
    const xmlChar *uri, int n_namespaces, const xmlChar **namespaces, int n,
    int n_defaulted, const xmlChar **values)
{
  Reader *self = reader_of (data);

  if (n > INFER_XML_MAX_ATTRIBUTES || self->depth == INFER_XML_MAX_DEPTH) {
    refuse (self, n > INFER_XML_MAX_ATTRIBUTES
                      ? "too many attributes"
                      : "elements in elements beyond a depth of 256");
    return;
  }
  self->depth++;
  InferXmlNode *node = infer_xml_take (self->xml, sizeof *node);
  InferXmlAttribute *attributes =
      infer_xml_take (self->xml, (gsize) n * sizeof *attributes);

  if (node == NULL || attributes == NULL) {
    refuse_memory (self);
    return;
  }
  *node = (InferXmlNode){ .name = (const char *) name,
    .text = "",
    .line = (guint) self->context->input->line,
    .attributes = attributes };
  for (const xmlChar **a = values; n > 0; n--, a += 5) {
    if (a[1] != NULL)
      continue;
    const char *value =
        take_text (self->xml, (const char *) a[3], (gsize) (a[4] - a[3]));
    if (value == NULL)
      refuse_memory (self);
    attributes[node->n_attributes++] =
        (InferXmlAttribute){ (const char *) a[0], value };
  }
  add_node (self, node);
}

static void
end_element (
    void *data, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
  Reader *self = reader_of (data);
  InferXmlNode *node = self->open;

  if (node->children == NULL && self->text->len > 0) {
    node->text = take_text (self->xml, self->text->str, self->text->len);
    if (node->text == NULL)
      refuse_memory (self);
  }
  self->last = node;
  self->open = node->parent;
  self->depth--;
}

/* Text beside children is dropped. */
static void
add_text (void *data, const xmlChar *text, int length)
{
  Reader *self = reader_of (data);

  if (self->open == NULL || self->last != NULL)
    return;
  if (self->text->len + (gsize) length > MOST_TEXT)
    refuse (self, "more than 1 MiB of text in one element");
  else
    g_string_append_len (self->text, (const char *) text, length);
}

/* --- the document --- */

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
  if (size > INFER_XML_MAX_BYTES)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%" G_GSIZE_FORMAT " bytes of XML are more than an IR has", size);
  if (!g_utf8_validate_len (data, size, &end))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "byte %" G_GSIZE_FORMAT " is not UTF-8 text, so this is no IR",
        (gsize) (end - data));
  return TRUE;
}

static gboolean
is_utf8 (const char *encoding)
{
  return encoding == NULL || g_ascii_strcasecmp (encoding, "UTF-8") == 0
         || g_ascii_strcasecmp (encoding, "US-ASCII") == 0
         || g_ascii_strcasecmp (encoding, "ASCII") == 0;
}

static gboolean
check_outcome (const Reader *self, const xmlDoc *doc, GError **error)
{
  const xmlError *failure = xmlCtxtGetLastError (self->context);
  g_autofree char *message = NULL;

  if (self->refusal != NULL)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL, "line %d: %s",
        self->refused_line, self->refusal);
  /* A document that libxml2 does not even begin has no error either. */
  if (failure != NULL ? failure->code == XML_ERR_NO_MEMORY : doc == NULL)
    return infer_fail (
        error, INFER_ERROR_NO_MEMORY, "no memory to parse the XML");
  if (doc == NULL || !self->context->wellFormed || self->xml->root == NULL) {
    message = g_strdup (failure != NULL && failure->message != NULL
                            ? failure->message
                            : "it cannot be parsed");
    return infer_fail (error, INFER_ERROR_INVALID_MODEL, "line %d: %s",
        failure != NULL ? failure->line : 0, g_strstrip (message));
  }
  if (!is_utf8 ((const char *) doc->encoding))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "its encoding is %.40s, an IR is UTF-8", (const char *) doc->encoding);
  return TRUE;
}

/* The document that libxml2 builds stays empty. */
static gboolean
read_document (Reader *self, GBytes *bytes, GError **error)
{
  const int options = XML_PARSE_NONET | XML_PARSE_NOENT | XML_PARSE_NOERROR
                      | XML_PARSE_NOWARNING;
  xmlSAXHandler *sax = self->context->sax;

  sax->internalSubset = refuse_dtd;
  sax->startElementNs = start_element;
  sax->endElementNs = end_element;
  sax->characters = sax->ignorableWhitespace = sax->cdataBlock = add_text;
  sax->comment = NULL;
  sax->processingInstruction = NULL;
  xmlDoc *doc =
      xmlCtxtReadMemory (self->context, g_bytes_get_data (bytes, NULL),
          (int) g_bytes_get_size (bytes), NULL, NULL, options);
  gboolean ok = check_outcome (self, doc, error);
  xmlFreeDoc (doc);
  return ok;
}

InferXml *
infer_xml_new (GBytes *bytes, GError **error)
{
  static GOnce once = G_ONCE_INIT;
  g_autoptr (InferXml) xml = NULL;
  Reader reader = { .xml = NULL };

  if (!check_bytes (bytes, error))
    return NULL;
  g_once (&once, init_library, NULL);
  reader.context = xmlNewParserCtxt ();
  if (reader.context == NULL) {
    infer_fail (error, INFER_ERROR_NO_MEMORY, "no memory to parse XML");
    return NULL;
  }
  reader.context->_private = &reader;
  reader.xml = xml = infer_xml_new_empty ();
  reader.text = g_string_new (NULL);
  gboolean ok = read_document (&reader, bytes, error);
  xml->names = reader.context->dict;
  xmlDictReference (xml->names);
  g_string_free (reader.text, TRUE);
  xmlFreeParserCtxt (reader.context);
  return ok ? g_steal_pointer (&xml) : NULL;
}
