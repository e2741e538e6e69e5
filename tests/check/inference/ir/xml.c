/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/ir/xml-private.h"

#include <string.h>

#include "infer/error.h"

static InferXml *
parse (const char *text, GError **error)
{
  /* An exact allocation, so that sanitizers find reads beyond it. */
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  return infer_xml_new (bytes, error);
}

/* An element and its descendants as compact text. */
static void
write (GString *out, const InferXmlNode *node)
{
  g_string_append_printf (out, "(%s", node->name);
  for (guint i = 0; i < node->n_attributes; i++)
    g_string_append_printf (
        out, " %s=[%s]", node->attributes[i].name, node->attributes[i].value);
  if (*node->text)
    g_string_append_printf (out, " '%s'", node->text);
  for (const InferXmlNode *child = node->children; child != NULL;
       child = child->next) {
    g_assert_true (child->parent == node);
    write (out, child);
  }
  g_string_append_c (out, ')');
}

static void
check (const char *text, const char *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (InferXml) xml = parse (text, &error);
  g_autoptr (GString) out = g_string_new (NULL);

  g_assert_no_error (error);
  write (out, infer_xml_root (xml));
  g_assert_cmpstr (out->str, ==, expected);

  g_autoptr (GBytes) packed = infer_xml_pack (xml);
  g_autoptr (InferXml) again = infer_xml_unpack (packed);
  g_assert_nonnull (again);
  g_string_truncate (out, 0);
  write (out, infer_xml_root (again));
  g_assert_cmpstr (out->str, ==, expected);
}

static void
test_elements (void)
{
  check ("<a/>", "(a)");
  check ("<a></a>", "(a)");
  check (" \n<a ></a\t>\n ", "(a)");
  check ("<a><b/><c><d/></c><b/></a>", "(a(b)(c(d))(b))");
  check ("<b _x.1-y='1' \xc3\xa9=\"2\"/>", "(b _x.1-y=[1] \xc3\xa9=[2])");
  check ("<x:b xmlns:x='u' y='1' x:y='2'/>", "(b y=[1])");
}

static void
test_attributes (void)
{
  check ("<a x='1' y = \"2\"/>", "(a x=[1] y=[2])");
  check ("<a x=''/>", "(a x=[])");
  check ("<a x='\"' y=\"'\"/>", "(a x=[\"] y=['])");
  check ("<a x=' 1\n2\t3\r\n4\r5'></a>", "(a x=[ 1 2 3 4 5])");
  check ("<a x='&lt;&gt;&amp;&quot;&apos;&#65;&#x20ac;&#10;'/>",
      "(a x=[<>&\"'A\xe2\x82\xac\n])");
  check ("<a x='>]]>'/>", "(a x=[>]]>])");
}

static void
test_text (void)
{
  check ("<a>1</a>", "(a '1')");
  check ("<a> 1 \r\n2\r3</a>", "(a ' 1 \n2\n3')");
  check ("<a>1<!-- - 2 -->3<?p q?>4</a>", "(a '134')");
  check ("<a>&lt;]] ><![CDATA[<&amp;>\r\n]]]]>&#66;</a>",
      "(a '<]] ><&amp;>\n]]B')");
  /* Text beside elements is dropped. */
  check ("<a>1<b>2</b>&amp;3<c x='4'>5</c><![CDATA[6]]>7</a>",
      "(a(b '2')(c x=[4] '5'))");
}

static void
test_prolog (void)
{
  check ("<?xml version=\"1.0\"?>\n<a/>", "(a)");
  check ("\xef\xbb\xbf<?xml version='1.0' encoding='utf-8' standalone='yes' ?>"
         "<!-- c --><?p?><a/><!-- c --><?p q?>\n",
      "(a)");
}

static void
test_lines (void)
{
  g_autoptr (InferXml) xml = parse (
      "<?xml version=\"1.0\"?>\n<a\nx='\n1'>\n<b/><c\n/>\n\n<d/></a>", NULL);
  const InferXmlNode *node = infer_xml_root (xml);

  g_assert_cmpuint (node->line, ==, 4); /* its end */
  node = node->children;
  g_assert_cmpuint (node->line, ==, 5);
  node = node->next;
  g_assert_cmpuint (node->line, ==, 6);
  node = node->next;
  g_assert_cmpuint (node->line, ==, 8);
}

/* --- what is refused --- */

static void
refuse (const char *text, const char *message)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (parse (text, &error));
  g_assert_error (error, INFER_ERROR, INFER_ERROR_INVALID_MODEL);
  if (strstr (error->message, message) == NULL)
    g_error ("%s: '%s' is not about '%s'", text, error->message, message);
}

static void
test_refused (void)
{
  static const char *const bad[] = { "a", "<", "<a", "<a ", "<a x",
    "<a x=", "<a x='", "<a x='1", "<a x='1'", "<a/", "<a/ >", "<a>", "<a></",
    "<a></a", "<a></b>", "<a></ab>", "<ab></a>", "<a></a>b", "<a/><b/>",
    "<a><b></a>", "</a>", "< a/>", "<1/>", "<a 1='2'/>", "<a x=1/>", "<a x/>",
    "<a x='1'y='2'/>", "<a x='1' x='2'/>", "<a x='<'/>", "<a>&b;</a>",
    "<a>&lt</a>", "<a>&</a>", "<a>&#;</a>", "<a>&#x;</a>", "<a>&#0;</a>",
    "<a>&#xd800;</a>", "<a>&#x110000;</a>", "<a>&#-5;</a>", "<a>&# 5;</a>",
    "<a>&#99999999999999999999999;</a>", "<a x='&b;'/>", "<a>\x01</a>",
    "<a x='\x01'/>", "<a><!-- \x01 --></a>", "<a>]]></a>", "<a><![CDATA[</a>",
    "<a><!-- -- --></a>", "<a><!-- --", "<a><!x></a>", "<a><?xml p?></a>",
    "<a><? p?></a>", "<a><?p</a>", " <?xml version='1.0'?><a/>", "<?xml ?><a/>",
    "<?xml version='2.0'?><a/>", "<?xml encoding='UTF-8'?><a/>",
    "<?xml version='1.0'><a/>", "<!-- -->", "<?xml version='1.0'?>",
    "<a/>&amp;", "<a><!DOCTYPE b></a>" };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    refuse (bad[i], "line 1: ");
  refuse ("", "empty");
  refuse ("\xff", "byte 0 is not UTF-8");
  refuse ("<!DOCTYPE a><a/>", "document type");
  refuse ("<?xml version='1.0' encoding='latin1'?><a/>", "latin1");
  refuse ("<a>\n<b\n>\n</c></a>", "line 4: ");
  refuse ("<a>\n", "line 2: ");
}

/* Reads nothing beyond the end of any truncated text. */
static void
test_cut (void)
{
  static const char text[] =
      "<?xml version='1.0' encoding='UTF-8'?><!-- c --><a x='&#65;'>1&amp;2"
      "<![CDATA[3]]><b y=\"4\"/><?p q?><c>5</c></a><!-- d -->";
  const gsize size = sizeof text - 1;

  for (gsize n = 1; n < size; n++) {
    g_autofree char *cut = g_strndup (text, n);
    g_autoptr (InferXml) xml = parse (cut, NULL);
    /* The last comment may be missing. */
    g_assert_cmpint (xml != NULL, ==, n == size - strlen ("<!-- d -->"));
  }
}

/* --- packed --- */

static GBytes *
pack_sample (void)
{
  g_autoptr (InferXml) xml = parse (
      "<net x='1'><a y='2' z='\xc3\xa9'>3</a><b><c/><c/></b><d/></net>", NULL);
  return infer_xml_pack (xml);
}

/* Either refused or a tree that can be walked. */
static gboolean
try_bytes (gconstpointer data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new (data, size);
  g_autoptr (InferXml) xml = infer_xml_unpack (bytes);
  g_autoptr (GString) out = g_string_new (NULL);

  if (xml == NULL)
    return FALSE;
  write (out, infer_xml_root (xml));
  g_assert_true (g_utf8_validate (out->str, -1, NULL));
  return TRUE;
}

static void
test_packed_damaged (void)
{
  g_autoptr (GBytes) packed = pack_sample ();
  gsize size;
  const guint8 *data = g_bytes_get_data (packed, &size);
  g_autofree guint8 *copy = g_memdup2 (data, size);

  g_assert_true (try_bytes (copy, size));
  for (gsize at = 0; at < size; at++) {
    for (guint value = 0; value < 256; value++) {
      copy[at] = (guint8) value;
      try_bytes (copy, size);
    }
    copy[at] = data[at];
  }
}

static void
test_packed_cut (void)
{
  g_autoptr (GBytes) packed = pack_sample ();
  gsize size;
  const guint8 *data = g_bytes_get_data (packed, &size);

  for (gsize n = 0; n < size; n++) {
    g_assert_false (try_bytes (data, n));
    g_assert_false (try_bytes (data + size - n, n));
  }
}

static void
test_packed_lines (void)
{
  g_autoptr (InferXml) xml = parse ("<a>\n<b/>\n\n<c/></a>", NULL);
  g_autoptr (GBytes) packed = infer_xml_pack (xml);
  g_autoptr (InferXml) again = infer_xml_unpack (packed);
  const InferXmlNode *node = infer_xml_root (again)->children;

  g_assert_cmpuint (node->line, ==, 2);
  g_assert_cmpuint (node->next->line, ==, 4);
}

static void
test_limits (void)
{
  g_autoptr (GString) deep = g_string_new (NULL);
  g_autoptr (GString) wide = g_string_new ("<a");

  for (guint i = 0; i < INFER_XML_MAX_DEPTH; i++)
    g_string_append (deep, "<a>");
  for (guint i = 0; i < INFER_XML_MAX_DEPTH; i++)
    g_string_append (deep, "</a>");
  g_autoptr (InferXml) xml = parse (deep->str, NULL);
  g_assert_nonnull (xml);
  g_autoptr (GBytes) packed = infer_xml_pack (xml);
  g_autoptr (InferXml) again = infer_xml_unpack (packed);
  g_assert_nonnull (again);
  g_string_prepend (deep, "<a>");
  g_string_append (deep, "</a>");
  refuse (deep->str, "depth");

  for (guint i = 0; i < INFER_XML_MAX_ATTRIBUTES; i++)
    g_string_append_printf (wide, " a%u='%u'", i, i);
  g_autofree char *full = g_strconcat (wide->str, "/>", NULL);
  g_autoptr (InferXml) most = parse (full, NULL);
  g_assert_cmpuint (
      infer_xml_root (most)->n_attributes, ==, INFER_XML_MAX_ATTRIBUTES);
  g_assert_cmpstr (infer_xml_root (most)->attributes[1023].value, ==, "1023");
  g_string_append (wide, " b='1'/>");
  refuse (wide->str, "too many attributes");

  g_autofree char *long_text = g_strnfill (1 << 20, '1');
  g_autofree char *longest = g_strconcat ("<a>", long_text, "</a>", NULL);
  g_autofree char *longer = g_strconcat ("<a>", long_text, "1</a>", NULL);
  g_autoptr (InferXml) texts = parse (longest, NULL);
  g_assert_nonnull (texts);
  refuse (longer, "more than 1 MiB of text");
}

/* Strings of more than 4 GiB in all: the ends of one string. */
static void
test_packed_large (void)
{
  const gsize size = 32 << 20;
  g_autofree char *text = g_strnfill (size, 'x');
  g_autofree InferXmlNode *nodes = g_new0 (InferXmlNode, 160);
  g_autoptr (InferXml) xml = infer_xml_new_empty ();

  for (guint i = 0; i < 160; i++)
    nodes[i] = (InferXmlNode){
      .name = "a", .text = text + i, .next = i + 1 < 160 ? &nodes[i + 1] : NULL
    };
  InferXmlNode root = { .name = "root", .text = "", .children = nodes };
  xml->root = &root;
  g_assert_null (infer_xml_pack (xml));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/xml/elements", test_elements);
  g_test_add_func ("/xml/attributes", test_attributes);
  g_test_add_func ("/xml/text", test_text);
  g_test_add_func ("/xml/prolog", test_prolog);
  g_test_add_func ("/xml/lines", test_lines);
  g_test_add_func ("/xml/refused", test_refused);
  g_test_add_func ("/xml/cut", test_cut);
  g_test_add_func ("/xml/limits", test_limits);
  g_test_add_func ("/xml/packed/damaged", test_packed_damaged);
  g_test_add_func ("/xml/packed/cut", test_packed_cut);
  g_test_add_func ("/xml/packed/lines", test_packed_lines);
  g_test_add_func ("/xml/packed/large", test_packed_large);
  return g_test_run ();
}
