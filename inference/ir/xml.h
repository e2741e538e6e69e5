/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A compact tree of an XML document, parsed with libxml2 (SAX2): elements,
 * attributes, and the text of elements without children.  Comments, processing
 * instructions and attributes with a namespace prefix are dropped.
 *
 * The bytes are untrusted.  Parsing reads no other file and no network; a
 * document type definition (entities) is refused, and so are documents that are
 * too large, too deep or not UTF-8.
 *
 * The tree is in a few blocks of memory that are freed with the document. */

#pragma once

#include <glib.h>

typedef struct _InferXml InferXml;
typedef struct _InferXmlNode InferXmlNode;

typedef struct
{
  const char *name, *value;
} InferXmlAttribute;

/* An element, read-only. */
struct _InferXmlNode
{
  const char *name; /* without a prefix */
  const char *text; /* "" if it has children */
  guint line;       /* where its start tag ends */
  guint n_attributes;
  const InferXmlAttribute *attributes;
  InferXmlNode *parent, *children, *next; /* nullable */
};

#define INFER_XML_MAX_BYTES ((gsize) 128 << 20)
#define INFER_XML_MAX_DEPTH 256
#define INFER_XML_MAX_ATTRIBUTES 1024

/* NULL with INFER_ERROR_INVALID_MODEL, naming the line. */
InferXml *infer_xml_new (GBytes *bytes, GError **error);
void infer_xml_free (InferXml *xml);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferXml, infer_xml_free)

const InferXmlNode *infer_xml_root (const InferXml *xml);

/* The document in a binary form that loads faster than the text; readable by
 * this build on machines of the same byte order.  NULL: it would be too large,
 * or there is no memory. */
GBytes *infer_xml_pack (const InferXml *xml);
/* NULL if @packed is malformed; it is untrusted. */
InferXml *infer_xml_unpack (GBytes *packed);
