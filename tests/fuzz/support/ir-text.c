/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/fuzz/support/ir-text.h"

#include <string.h>

#define MAX_DEPTH 8

typedef struct
{
  IrText *ir;
  gsize starts[MAX_DEPTH]; /* of layers that have not ended */
  TextSpan datas[MAX_DEPTH];
  guint depth;
} Scan;

static gboolean
is_name (char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
         || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == ':';
}

static gsize
skip_name (const GString *text, gsize at)
{
  while (at < text->len && is_name (text->str[at]))
    at++;
  return at;
}

static gsize
find_end (const GString *text, gsize at, char c)
{
  const char *found =
      at < text->len ? memchr (text->str + at, c, text->len - at) : NULL;

  return found != NULL ? (gsize) (found - text->str) : text->len;
}

/* Attributes between @at and the '>' or '/' at @end. */
static void
scan_attributes (IrText *ir, const TextSpan *element, gsize at)
{
  const GString *text = ir->text;
  const gsize end = element->at + element->length;

  while (at < end) {
    if (!is_name (text->str[at])) {
      at++;
      continue;
    }
    const gsize name_end = skip_name (text, at);
    if (name_end + 2 >= end || text->str[name_end] != '='
        || text->str[name_end + 1] != '"') {
      at = name_end + 1;
      continue;
    }
    const gsize value = name_end + 2, value_end = find_end (text, value, '"');
    const TextAttribute attribute = { *element, { at, name_end - at },
      { value, value_end - value } };
    if (value_end >= end)
      return;
    g_array_append_val (ir->attributes, attribute);
    at = value_end + 1;
  }
}

static void
end_layer (Scan *scan, gsize end)
{
  if (scan->depth == 0)
    return;
  scan->depth--;
  if (scan->depth >= MAX_DEPTH)
    return;
  const TextLayer layer = { { scan->starts[scan->depth],
                                end - scan->starts[scan->depth] },
    scan->datas[scan->depth], scan->depth };
  g_array_append_val (scan->ir->layers, layer);
}

static void
take_opening (Scan *scan, const TextSpan *name, const TextSpan *whole)
{
  const GString *text = scan->ir->text;
  const gsize end = whole->at + whole->length;
  const gboolean empty = whole->length > 2 && text->str[end - 2] == '/';

  scan_attributes (scan->ir, whole, name->at + name->length);
  if (ir_text_is (scan->ir, name, "layer")) {
    if (scan->depth < MAX_DEPTH) {
      scan->starts[scan->depth] = whole->at;
      scan->datas[scan->depth] = (TextSpan){ 0, 0 };
    }
    scan->depth++;
    if (empty)
      end_layer (scan, end);
  } else if (ir_text_is (scan->ir, name, "edge")) {
    g_array_append_val (scan->ir->edges, *whole);
  } else if (ir_text_is (scan->ir, name, "data") && empty && scan->depth > 0
             && scan->depth <= MAX_DEPTH) {
    scan->datas[scan->depth - 1] = *whole;
  }
}

static void
take_closing (Scan *scan, const TextSpan *name, const TextSpan *whole)
{
  if (ir_text_is (scan->ir, name, "layer"))
    end_layer (scan, whole->at + whole->length);
  else if (ir_text_is (scan->ir, name, "layers"))
    scan->ir->last_layer_end = *whole;
  else if (ir_text_is (scan->ir, name, "edges"))
    scan->ir->last_edge_end = *whole;
}

static IrText *
new_empty (const GString *text)
{
  IrText *ir = g_new0 (IrText, 1);

  ir->text = text;
  ir->attributes =
      g_array_sized_new (FALSE, FALSE, sizeof (TextAttribute), 200);
  ir->layers = g_array_sized_new (FALSE, FALSE, sizeof (TextLayer), 20);
  ir->edges = g_array_sized_new (FALSE, FALSE, sizeof (TextSpan), 20);
  return ir;
}

IrText *
ir_text_new (const GString *text)
{
  IrText *ir = new_empty (text);
  Scan scan = { .ir = ir };

  for (gsize at = find_end (text, 0, '<'); at < text->len;
       at = find_end (text, at + 1, '<')) {
    const gsize end = find_end (text, at, '>');
    const gboolean closing = at + 1 < text->len && text->str[at + 1] == '/';
    const gsize first = at + 1 + closing;
    const TextSpan whole = { at, end + 1 - at };
    const TextSpan name = { first, skip_name (text, first) - first };

    if (end >= text->len)
      break;
    if (closing)
      take_closing (&scan, &name, &whole);
    else
      take_opening (&scan, &name, &whole);
  }
  return ir;
}

IrText *
ir_text_new_data (const GString *text)
{
  IrText *ir = new_empty (text);

  for (const char *data = strstr (text->str, "<data "); data != NULL;
       data = strstr (data + 1, "<data ")) {
    const gsize at = (gsize) (data - text->str), end = find_end (text, at, '>');
    const TextLayer layer = { .data = { at, end + 1 - at } };

    if (end >= text->len)
      break;
    scan_attributes (ir, &layer.data, at + strlen ("<data"));
    g_array_append_val (ir->layers, layer);
  }
  return ir;
}

void
ir_text_free (IrText *ir)
{
  g_array_unref (ir->attributes);
  g_array_unref (ir->layers);
  g_array_unref (ir->edges);
  g_free (ir);
}

/* The first attribute at @at or behind it; attributes ascend. */
static guint
first_at (const IrText *ir, gsize at)
{
  guint low = 0, high = ir->attributes->len;

  while (low < high) {
    const guint middle = low + (high - low) / 2;

    if (g_array_index (ir->attributes, TextAttribute, middle).name.at < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

const TextAttribute *
ir_text_find (const IrText *ir, const TextSpan *within, const char *name)
{
  const gsize length = strlen (name);

  for (guint i = first_at (ir, within->at); i < ir->attributes->len; i++) {
    const TextAttribute *attribute =
        &g_array_index (ir->attributes, TextAttribute, i);

    if (attribute->name.at >= within->at + within->length)
      break;
    if (attribute->name.length == length
        && memcmp (ir->text->str + attribute->name.at, name, length) == 0)
      return attribute;
  }
  return NULL;
}

char *
ir_text_copy (const IrText *ir, const TextSpan *span)
{
  return g_strndup (ir->text->str + span->at, span->length);
}
