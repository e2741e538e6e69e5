/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Format: header, elements in document order, attributes in the same order, and
 * the NUL-terminated strings, each once. */

#include "inference/ir/xml-private.h"

#include <string.h>

typedef struct
{
  guint32 n_elements, n_attributes, n_characters;
} Header;

/* Strings are offsets; the root's depth is 1. */
typedef struct
{
  guint32 name, text, line;
  guint16 n_attributes, depth;
} Element;

typedef struct
{
  guint32 name, value;
} Attribute;

G_STATIC_ASSERT (INFER_XML_MAX_ATTRIBUTES <= G_MAXUINT16);
G_STATIC_ASSERT (INFER_XML_MAX_DEPTH <= G_MAXUINT16);

/* --- packing --- */

/* Offsets have 32 bits; the file of a larger document is parsed each time. */
#define MOST_BYTES ((guint64) 1 << 30)

/* Room in one block, counted before: characters at most. */
typedef struct
{
  guint64 n_elements, n_attributes, n_characters;
} Count;

typedef struct
{
  Element *element;     /* the next one */
  Attribute *attribute; /* the next one */
  char *characters;
  guint32 n_characters;
  GHashTable *offsets; /* string → its offset + 1 */
} Packer;

/* At most INFER_XML_MAX_DEPTH deep. */
static void
count_tree (const InferXmlNode *node, Count *count)
{
  count->n_elements++;
  count->n_attributes += node->n_attributes;
  count->n_characters += strlen (node->name) + strlen (node->text) + 2;
  for (guint i = 0; i < node->n_attributes; i++)
    count->n_characters += strlen (node->attributes[i].name)
                           + strlen (node->attributes[i].value) + 2;
  for (const InferXmlNode *child = node->children; child != NULL;
       child = child->next)
    count_tree (child, count);
}

static guint32
pack_string (Packer *self, const char *string)
{
  guint at = GPOINTER_TO_UINT (g_hash_table_lookup (self->offsets, string));

  if (at == 0) {
    gsize size = strlen (string) + 1;
    at = self->n_characters + 1;
    memcpy (self->characters + self->n_characters, string, size);
    self->n_characters += (guint32) size;
    g_hash_table_insert (
        self->offsets, (gpointer) (gsize) string, GUINT_TO_POINTER (at));
  }
  return at - 1;
}

/* At most INFER_XML_MAX_DEPTH deep. */
static void
pack_tree (Packer *self, const InferXmlNode *node, guint depth)
{
  *self->element++ = (Element){ .name = pack_string (self, node->name),
    .text = pack_string (self, node->text),
    .line = node->line,
    .n_attributes = (guint16) node->n_attributes,
    .depth = (guint16) depth };
  for (guint i = 0; i < node->n_attributes; i++) {
    const InferXmlAttribute *from = &node->attributes[i];

    *self->attribute++ = (Attribute){ pack_string (self, from->name),
      pack_string (self, from->value) };
  }
  for (const InferXmlNode *child = node->children; child != NULL;
       child = child->next)
    pack_tree (self, child, depth + 1);
}

GBytes *
infer_xml_pack (const InferXml *xml)
{
  Count count = { 0 };

  count_tree (xml->root, &count);
  guint64 start = sizeof (Header) + count.n_elements * sizeof (Element)
                  + count.n_attributes * sizeof (Attribute);
  char *block = start + count.n_characters <= MOST_BYTES
                    ? g_try_malloc (start + count.n_characters)
                    : NULL;
  if (block == NULL)
    return NULL;
  Element *elements = (Element *) (gpointer) (block + sizeof (Header));
  Packer self = { .element = elements,
    .attribute = (Attribute *) (gpointer) (elements + count.n_elements),
    .characters = block + start,
    .offsets = g_hash_table_new (g_str_hash, g_str_equal) };
  pack_tree (&self, xml->root, 1);
  g_hash_table_unref (self.offsets);
  const Header header = { (guint32) count.n_elements,
    (guint32) count.n_attributes, self.n_characters };
  memcpy (block, &header, sizeof header);
  return g_bytes_new_take (block, start + self.n_characters);
}

/* --- unpacking --- */

typedef struct
{
  Header header;
  const Element *elements;
  const Attribute *attributes;
  const char *characters;
} Packed;

/* Whether the sizes are consistent. */
static gboolean
split (GBytes *bytes, Packed *packed)
{
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);
  guint64 elements, attributes;

  if (size < sizeof packed->header || (gsize) data % sizeof (guint32) != 0)
    return FALSE;
  memcpy (&packed->header, data, sizeof packed->header);
  elements = (guint64) packed->header.n_elements * sizeof (Element);
  attributes = (guint64) packed->header.n_attributes * sizeof (Attribute);
  if (packed->header.n_elements == 0 || packed->header.n_characters == 0
      || size - sizeof packed->header
             != elements + attributes + packed->header.n_characters)
    return FALSE;
  data += sizeof packed->header;
  packed->elements = (const Element *) (gconstpointer) data;
  packed->attributes = (const Attribute *) (gconstpointer) (data + elements);
  packed->characters = data + elements + attributes;
  return packed->characters[packed->header.n_characters - 1] == '\0';
}

/* NULL: out of range. */
static const char *
string_at (const Packed *packed, guint32 offset)
{
  const char *string = packed->characters + offset;

  return offset < packed->header.n_characters
                 && (offset == 0 || string[-1] == '\0')
             ? string
             : NULL;
}

/* Attributes [first, first + n). */
static gboolean
unpack_attributes (
    const Packed *packed, guint64 first, guint n, InferXmlAttribute *attributes)
{
  if (first + n > packed->header.n_attributes)
    return FALSE;
  for (guint i = 0; i < n; i++) {
    const Attribute *attribute = &packed->attributes[first + i];

    attributes[i].name = string_at (packed, attribute->name);
    attributes[i].value = string_at (packed, attribute->value);
    if (attributes[i].name == NULL || attributes[i].value == NULL)
      return FALSE;
  }
  return TRUE;
}

/* NULL: malformed, or no memory. */
static InferXmlNode *
unpack_element (
    const Packed *packed, InferXml *xml, const Element *element, guint64 first)
{
  InferXmlNode *node = infer_xml_take (xml, sizeof *node);
  InferXmlAttribute *attributes =
      infer_xml_take (xml, element->n_attributes * sizeof *attributes);

  if (node == NULL || attributes == NULL)
    return NULL;
  *node = (InferXmlNode){ .name = string_at (packed, element->name),
    .text = string_at (packed, element->text),
    .line = element->line,
    .n_attributes = element->n_attributes,
    .attributes = attributes };
  return node->name != NULL && node->text != NULL
                 && unpack_attributes (
                     packed, first, element->n_attributes, attributes)
             ? node
             : NULL;
}

static gboolean
unpack_elements (const Packed *packed, InferXml *xml)
{
  InferXmlNode *open[INFER_XML_MAX_DEPTH + 1] = { NULL }; /* the last ones */
  guint depth = 0;
  guint64 n_attributes = 0;

  for (guint32 i = 0; i < packed->header.n_elements; i++) {
    const Element *element = &packed->elements[i];

    if (element->depth > MIN (depth + 1, INFER_XML_MAX_DEPTH)
        || element->depth < (i == 0 ? 1 : 2))
      return FALSE;
    InferXmlNode *node = unpack_element (packed, xml, element, n_attributes);
    if (node == NULL)
      return FALSE;
    node->parent = open[element->depth - 1];
    if (element->depth <= depth)
      open[element->depth]->next = node;
    else if (node->parent != NULL)
      node->parent->children = node;
    n_attributes += element->n_attributes;
    depth = element->depth;
    open[depth] = node;
  }
  xml->root = open[1];
  return n_attributes == packed->header.n_attributes;
}

static gboolean
is_ascii (const Packed *packed)
{
  guint8 bits = 0;

  for (guint32 i = 0; i < packed->header.n_characters; i++)
    bits |= (guint8) packed->characters[i];
  return bits < 0x80;
}

static gboolean
is_text (const Packed *packed)
{
  const char *end = packed->characters + packed->header.n_characters;

  if (is_ascii (packed))
    return TRUE;
  for (const char *at = packed->characters; at < end; at += strlen (at) + 1)
    if (!g_utf8_validate (at, -1, NULL))
      return FALSE;
  return TRUE;
}

InferXml *
infer_xml_unpack (GBytes *bytes)
{
  Packed packed;

  if (!split (bytes, &packed) || !is_text (&packed))
    return NULL;
  g_autoptr (InferXml) xml = infer_xml_new_empty ();
  if (!unpack_elements (&packed, xml))
    return NULL;
  xml->packed = g_bytes_ref (bytes);
  return g_steal_pointer (&xml);
}
