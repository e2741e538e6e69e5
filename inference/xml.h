/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A reader of XML 1.0 in UTF-8, as far as data files need it: elements,
 * attributes, text, CDATA, comments, processing instructions.  What is not
 * well-formed is refused, and so is a document type definition: it brings
 * entities, which bring files and bombs.  Names are taken as they are written,
 * prefixes are part of them.
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
  const char *name;
  const char *text; /* what it holds; "" where that is elements */
  guint line;
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

InferXmlNode *infer_xml_root (const InferXml *xml);

G_END_DECLS
