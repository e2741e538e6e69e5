/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A document as a tree of elements, small and quick to make: libxml2 reads
 * (SAX2), this keeps what data files need, elements with attributes, and the
 * text of those that hold nothing else.  Comments, instructions and what has a
 * namespace prefix among the attributes are left out.
 *
 * The bytes may come from anybody.  Nothing but them is ever read, no file, no
 * network; a document type definition, which brings entities, is refused, and
 * so is what is too large, too deep or no UTF-8.
 *
 * Everything lies in a few pieces of memory that go with the document. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _InferXml InferXml;
typedef struct _InferXmlNode InferXmlNode;

typedef struct
{
  const char *name, *value;
} InferXmlAttribute;

/* An element.  Read-only for users. */
struct _InferXmlNode
{
  const char *name; /* without a prefix */
  const char *text; /* what it holds; "" where that is elements */
  guint line;       /* where its start tag ends */
  guint n_attributes;
  const InferXmlAttribute *attributes;
  InferXmlNode *parent, *children, *next; /* nullable */
};

#define INFER_XML_MAX_DEPTH 256
#define INFER_XML_MAX_ATTRIBUTES 1024

/* NULL with INFER_ERROR_INVALID_MODEL, naming the line. */
InferXml *infer_xml_new (GBytes *bytes, GError **error);
void infer_xml_free (InferXml *xml);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (InferXml, infer_xml_free)

const InferXmlNode *infer_xml_root (const InferXml *xml);

/* The document as bytes that are read a lot sooner than the text, by this build
 * on a machine of the same byte order. */
GBytes *infer_xml_pack (const InferXml *xml);
/* NULL: @packed is nothing that infer_xml_pack could have given.  It may be
 * anything. */
InferXml *infer_xml_unpack (GBytes *packed);

G_END_DECLS
