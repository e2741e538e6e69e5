/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The text is copied once and cut up where it lies: names and values end with a
 * NUL in place of the character behind them, which has been read by then; what
 * entities and line ends become is never longer than they are. */

#include "inference/xml.h"

#include <string.h>

#include "inference/error.h"

#define MAX_BYTES ((gsize) 128 << 20)
#define BLOCK_BYTES ((gsize) 60 << 10)

struct _InferXml
{
  char *text;
  GPtrArray *blocks;
  char *block; /* the last one */
  gsize left;  /* bytes free at its end */
  InferXmlNode *root;
};

typedef struct
{
  InferXml *xml;
  const char *original; /* as given: for lines */
  char *p;              /* what is read next; the text ends with a NUL */
  InferXmlNode *open;   /* the innermost element */
  InferXmlNode *last;   /* its last child so far; NULL: none */
  char *text_end;       /* of what it holds so far */
  guint depth;
  const char *counted; /* in the original: as far as lines are counted, */
  guint line;          /* and how many there are */
} Parser;

/* --- memory ----------------------------------------------------------------
 */

static gpointer
take (InferXml *xml, gsize bytes)
{
  if (bytes > xml->left) {
    xml->left = MAX (bytes, BLOCK_BYTES);
    xml->block = g_malloc (xml->left);
    g_ptr_array_add (xml->blocks, xml->block);
  }
  gpointer memory = xml->block;
  xml->block += bytes;
  xml->left -= bytes;
  return memory;
}

void
infer_xml_free (InferXml *xml)
{
  if (!xml)
    return;
  g_ptr_array_unref (xml->blocks);
  g_free (xml->text);
  g_free (xml);
}

InferXmlNode *
infer_xml_root (const InferXml *xml)
{
  return xml->root;
}

/* --- characters ------------------------------------------------------------
 */

enum
{
  SPACE = 1 << 0,
  NAME = 1 << 1,       /* may be in a name */
  NAME_START = 1 << 2, /* may begin one */
  PLAIN_TEXT = 1 << 3, /* stands for itself between tags */
  PLAIN_VALUE = 1 << 4 /* and in the value of an attribute, quotes aside */
};

static guint8 classes[256];

static gpointer
init_classes (gpointer unused)
{
  for (guint c = 1; c < 256; c++) {
    const gboolean letter =
        g_ascii_isalpha ((char) c) || c == '_' || c == ':' || c >= 0x80;

    if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
      classes[c] |= SPACE;
    if (letter)
      classes[c] |= NAME_START | NAME;
    if (g_ascii_isdigit ((char) c) || c == '-' || c == '.')
      classes[c] |= NAME;
    if ((c >= ' ' || c == '\t' || c == '\n') && !strchr ("<&]", (int) c))
      classes[c] |= PLAIN_TEXT;
    if (c >= ' ' && !strchr ("<&\"'", (int) c))
      classes[c] |= PLAIN_VALUE;
  }
  return NULL;
}

static inline gboolean
is (char c, guint class)
{
  return (classes[(guint8) c] & class) != 0;
}

/* In which line @at is; asked for from the beginning to the end. */
static guint
line_of (Parser *self, const char *at)
{
  const char *end = self->original + (at - self->xml->text), *found;

  while (self->counted < end
         && (found =
                 memchr (self->counted, '\n', (gsize) (end - self->counted)))) {
    self->line++;
    self->counted = found + 1;
  }
  return self->line;
}

static gboolean
fail (Parser *self, const char *at, const char *what, GError **error)
{
  return infer_fail (error, INFER_ERROR_INVALID_MODEL, "line %u: %s",
      line_of (self, at), what);
}

static gboolean
fail_here (Parser *self, const char *what, GError **error)
{
  return fail (
      self, self->p, *self->p == '\0' ? "it ends too early" : what, error);
}

static gboolean
skip_space (Parser *self)
{
  const char *begin = self->p;

  while (is (*self->p, SPACE))
    self->p++;
  return self->p > begin;
}

static gboolean
skip (Parser *self, const char *text)
{
  const gsize length = strlen (text);

  if (strncmp (self->p, text, length) != 0)
    return FALSE;
  self->p += length;
  return TRUE;
}

/* Where the name ends: the NUL has to wait until what is there is read. */
static char *
skip_name (Parser *self)
{
  if (!is (*self->p, NAME_START))
    return NULL;
  while (is (*self->p, NAME))
    self->p++;
  return self->p;
}

/* Behind the next @end; @what begins at self->p. */
static gboolean
skip_until (Parser *self, const char *end, GError **error)
{
  char *found = strstr (self->p, end);

  for (const char *c = self->p; c < found; c++)
    if (!is (*c, SPACE) && (guint8) *c < ' ')
      return fail (self, c, "a control character", error);
  if (!found)
    return fail (self, self->p, "it ends too early", error);
  self->p = found + strlen (end);
  return TRUE;
}

/* --- entities --------------------------------------------------------------
 */

static gboolean
is_character (guint64 code)
{
  return code == '\t' || code == '\n' || code == '\r'
         || (code >= ' ' && code < 0xd800) || (code >= 0xe000 && code < 0xfffe)
         || (code >= 0x10000 && code < 0x110000);
}

/* "#10;", "#xa;" */
static gboolean
decode_number (Parser *self, char **to, GError **error)
{
  const gboolean hex = self->p[1] == 'x';
  const char *digits = self->p + (hex ? 2 : 1);
  char *end = NULL;
  guint64 code = 0;

  if (hex ? g_ascii_isxdigit (*digits) : g_ascii_isdigit (*digits))
    code = g_ascii_strtoull (digits, &end, hex ? 16 : 10);
  if (!end || *end != ';' || !is_character (code))
    return fail_here (self, "no such character", error);
  self->p = end + 1;
  *to += g_unichar_to_utf8 ((gunichar) code, *to);
  return TRUE;
}

/* What stands at '&' becomes what it stands for, at *@to. */
static gboolean
decode_entity (Parser *self, char **to, GError **error)
{
  static const struct
  {
    const char *name;
    char c;
  } entities[] = { { "lt;", '<' }, { "gt;", '>' }, { "amp;", '&' },
    { "quot;", '"' }, { "apos;", '\'' } };

  self->p++;
  if (*self->p == '#')
    return decode_number (self, to, error);
  for (guint i = 0; i < G_N_ELEMENTS (entities); i++)
    if (skip (self, entities[i].name)) {
      *(*to)++ = entities[i].c;
      return TRUE;
    }
  return fail_here (self, "an entity that is not known", error);
}

/* --- tags ------------------------------------------------------------------
 */

/* The value at a quote; self->p is left behind the closing one. */
static gboolean
read_value (Parser *self, const char **value, GError **error)
{
  const char quote = *self->p;
  char *to = self->p + 1;

  if (quote != '"' && quote != '\'')
    return fail_here (self, "an attribute without a value in quotes", error);
  *value = to;
  for (self->p++; *self->p != quote;) {
    if (G_LIKELY (is (*self->p, PLAIN_VALUE)) || *self->p == '"'
        || *self->p == '\'') {
      *to++ = *self->p++;
    } else if (*self->p == '&') {
      if (!decode_entity (self, &to, error))
        return FALSE;
    } else if (is (*self->p, SPACE)) {
      self->p += *self->p == '\r' && self->p[1] == '\n' ? 2 : 1;
      *to++ = ' ';
    } else {
      return fail_here (
          self, "a character that cannot be in an attribute", error);
    }
  }
  self->p++;
  *to = '\0';
  return TRUE;
}

static gboolean
read_attribute (Parser *self, InferXmlAttribute *list, guint n, GError **error)
{
  char *name = self->p, *name_end = skip_name (self);

  if (!name_end)
    return fail_here (self, "the name of an attribute is missing", error);
  skip_space (self);
  if (*self->p != '=')
    return fail_here (self, "an attribute without a value", error);
  self->p++;
  *name_end = '\0';
  for (guint i = 0; i < n; i++)
    if (strcmp (list[i].name, name) == 0)
      return fail (self, name, "an attribute is there twice", error);
  skip_space (self);
  list[n].name = name;
  return read_value (self, &list[n].value, error);
}

/* Up to '>' or '/'. */
static gboolean
read_attributes (Parser *self, InferXmlNode *node, GError **error)
{
  InferXmlAttribute list[INFER_XML_MAX_ATTRIBUTES];
  guint n = 0;
  gboolean space;

  while ((space = skip_space (self)) && *self->p != '>' && *self->p != '/') {
    if (n == INFER_XML_MAX_ATTRIBUTES)
      return fail_here (self, "too many attributes", error);
    if (!read_attribute (self, list, n, error))
      return FALSE;
    n++;
  }
  if (*self->p != '>' && *self->p != '/')
    return fail_here (self, "a tag is not well-formed", error);
  if (n > 0) {
    node->n_attributes = n;
    node->attributes =
        memcpy (take (self->xml, n * sizeof *list), list, n * sizeof *list);
  }
  return TRUE;
}

static InferXmlNode *
add_node (Parser *self, const char *at)
{
  InferXmlNode *node = take (self->xml, sizeof *node);

  *node = (InferXmlNode){
    .name = at + 1, .text = "", .line = line_of (self, at), .parent = self->open
  };
  if (self->last)
    self->last->next = node;
  else if (self->open)
    self->open->children = node;
  else
    self->xml->root = node;
  if (self->open)
    self->open->text = "";
  return node;
}

static gboolean
read_start (Parser *self, GError **error)
{
  InferXmlNode *node = add_node (self, self->p);
  char *name_end;

  self->p++;
  name_end = skip_name (self);
  if (!name_end)
    return fail_here (self, "the name of an element is missing", error);
  if (!read_attributes (self, node, error))
    return FALSE;
  if (*self->p == '/') {
    self->p++;
    if (*self->p != '>')
      return fail_here (self, "a tag is not well-formed", error);
    self->last = node;
  } else {
    if (++self->depth > INFER_XML_MAX_DEPTH)
      return fail_here (
          self, "elements are nested beyond a depth of 256", error);
    self->open = node;
    self->last = NULL;
    node->text = self->text_end = self->p + 1;
  }
  self->p++;
  *name_end = '\0';
  return TRUE;
}

static gboolean
read_end (Parser *self, GError **error)
{
  InferXmlNode *node = self->open;
  const char *name = self->p += 2;
  const char *name_end = skip_name (self);

  if (!name_end || strncmp (name, node->name, (gsize) (name_end - name)) != 0
      || node->name[name_end - name] != '\0')
    return fail_here (
        self, "an end tag that is not that of the open element", error);
  skip_space (self);
  if (*self->p != '>')
    return fail_here (self, "a tag is not well-formed", error);
  self->p++;
  if (!node->children)
    *self->text_end = '\0';
  self->open = node->parent;
  self->last = node;
  self->depth--;
  return TRUE;
}

/* --- content ---------------------------------------------------------------
 */

/* Where more text goes; beside children nobody wants it. */
static char *
text_place (const Parser *self)
{
  return self->open->children ? self->p : self->text_end;
}

static gboolean
read_text (Parser *self, GError **error)
{
  char *to = text_place (self);

  while (*self->p != '<') {
    if (G_LIKELY (is (*self->p, PLAIN_TEXT))) {
      *to++ = *self->p++;
    } else if (*self->p == '&') {
      if (!decode_entity (self, &to, error))
        return FALSE;
    } else if (*self->p == '\r') {
      self->p += self->p[1] == '\n' ? 2 : 1;
      *to++ = '\n';
    } else if (*self->p == ']' && strncmp (self->p, "]]>", 3) != 0) {
      *to++ = *self->p++;
    } else {
      return fail_here (self, "a character that cannot be in text", error);
    }
  }
  self->text_end = to;
  return TRUE;
}

static gboolean
read_cdata (Parser *self, GError **error)
{
  const char *from = self->p;
  char *to = text_place (self);

  if (!skip_until (self, "]]>", error))
    return FALSE;
  for (const char *end = self->p - 3; from < end; from++) {
    if (*from == '\r' && from[1] == '\n')
      from++;
    *to++ = *from == '\r' ? '\n' : *from;
  }
  self->text_end = to;
  return TRUE;
}

static gboolean
read_comment (Parser *self, GError **error)
{
  const char *begin = self->p;

  if (!skip_until (self, "--", error))
    return FALSE;
  if (*self->p != '>')
    return fail (self, begin, "a comment with -- in it", error);
  self->p++;
  return TRUE;
}

static gboolean
read_instruction (Parser *self, GError **error)
{
  const char *name = self->p, *end = skip_name (self);

  if (!end || (end - name == 3 && g_ascii_strncasecmp (name, "xml", 3) == 0)
      || (!is (*end, SPACE) && strncmp (end, "?>", 2) != 0))
    return fail_here (self, "a processing instruction that is none", error);
  return skip_until (self, "?>", error);
}

/* What may be anywhere; *@found: there was such a thing. */
static gboolean
read_aside (Parser *self, gboolean *found, GError **error)
{
  *found = TRUE;
  if (skip (self, "<!--"))
    return read_comment (self, error);
  if (skip (self, "<?"))
    return read_instruction (self, error);
  *found = FALSE;
  return TRUE;
}

/* Outside the root. */
static gboolean
read_asides (Parser *self, GError **error)
{
  for (gboolean found = TRUE; found;) {
    skip_space (self);
    if (!read_aside (self, &found, error))
      return FALSE;
  }
  if (strncmp (self->p, "<!DOCTYPE", 9) == 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "it has a document type definition, which has no place in an IR");
  return TRUE;
}

static gboolean
read_root (Parser *self, GError **error)
{
  if (*self->p != '<')
    return fail_here (self, "text where an element should be", error);
  if (!read_start (self, error))
    return FALSE;
  while (self->open) {
    gboolean found;

    if (*self->p != '<') {
      if (!read_text (self, error))
        return FALSE;
      continue;
    }
    if (skip (self, "<![CDATA[")) {
      if (!read_cdata (self, error))
        return FALSE;
      continue;
    }
    if (!read_aside (self, &found, error))
      return FALSE;
    if (found)
      continue;
    if (self->p[1] == '/' ? !read_end (self, error) : !read_start (self, error))
      return FALSE;
  }
  return TRUE;
}

/* --- the document ----------------------------------------------------------
 */

static gboolean
check_encoding (const char *encoding, GError **error)
{
  return g_ascii_strcasecmp (encoding, "UTF-8") == 0
         || g_ascii_strcasecmp (encoding, "US-ASCII") == 0
         || g_ascii_strcasecmp (encoding, "ASCII") == 0
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "its encoding is %.40s, an IR is UTF-8", encoding);
}

/* <?xml version="1.0" …?> */
static gboolean
read_declaration (Parser *self, GError **error)
{
  InferXmlAttribute list[3];
  guint n = 0;

  if (strncmp (self->p, "<?xml", 5) != 0 || !is (self->p[5], SPACE))
    return TRUE;
  self->p += 5;
  while (skip_space (self) && *self->p != '?' && n < G_N_ELEMENTS (list)) {
    if (!read_attribute (self, list, n, error))
      return FALSE;
    if (strcmp (list[n].name, "encoding") == 0
        && !check_encoding (list[n].value, error))
      return FALSE;
    n++;
  }
  if (n == 0 || strcmp (list[0].name, "version") != 0
      || strncmp (list[0].value, "1.", 2) != 0 || !skip (self, "?>"))
    return fail_here (self, "the XML declaration is not well-formed", error);
  return TRUE;
}

static gboolean
check_bytes (GBytes *bytes, GError **error)
{
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size), *end;

  if (size == 0)
    return infer_fail (
        error, INFER_ERROR_INVALID_MODEL, "the file is empty, no IR");
  if (size > MAX_BYTES)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%" G_GSIZE_FORMAT " bytes of XML are more than an IR has", size);
  if (!g_utf8_validate_len (data, size, &end))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "byte %" G_GSIZE_FORMAT " is not UTF-8 text, so this is no IR",
        (gsize) (end - data));
  return TRUE;
}

static gboolean
read_document (Parser *self, GError **error)
{
  skip (self, "\xef\xbb\xbf");
  if (!read_declaration (self, error) || !read_asides (self, error)
      || !read_root (self, error) || !read_asides (self, error))
    return FALSE;
  return *self->p == '\0'
         || fail_here (self, "something behind the root element", error);
}

InferXml *
infer_xml_new (GBytes *bytes, GError **error)
{
  static GOnce once = G_ONCE_INIT;
  g_autoptr (InferXml) xml = NULL;
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);

  if (!check_bytes (bytes, error))
    return NULL;
  g_once (&once, init_classes, NULL);
  xml = g_new0 (InferXml, 1);
  xml->blocks = g_ptr_array_new_with_free_func (g_free);
  xml->text = g_malloc (size + 1);
  memcpy (xml->text, data, size);
  xml->text[size] = '\0';
  Parser parser = {
    .xml = xml, .original = data, .p = xml->text, .counted = data, .line = 1
  };
  return read_document (&parser, error) ? g_steal_pointer (&xml) : NULL;
}
