/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <errno.h>
#include <math.h>
#include <string.h>

#include "inference/base/file.h"
#include "inference/base/json/private.h"

#define DEEPEST 64

typedef struct
{
  gpointer items;
  gsize n, size; /* in bytes */
} Vector;

typedef struct
{
  const char *name;
  const char *original; /* of the text, for the place of an error */
  char *text, *at, *end;
  Vector open;  /* nodes whose array or object has not ended */
  Vector nodes; /* the others, items of each array one after the other */
  Vector tables;
  guint depth;
  GError **error;
} Parser;

static gboolean parse_value (Parser *p);

/* --- errors --- */

static gboolean
fail_at (Parser *p, const char *at, const char *reason)
{
  const char *from = p->original, *stop = from + (at - p->text);
  guint line = 1;

  for (const char *c = from; c < stop; c++)
    if (*c == '\n') {
      line++;
      from = c + 1;
    }
  return infer_fail (p->error, INFER_ERROR_INVALID_MODEL,
      "%s:%u:%ld: not valid JSON: %s", p->name, line,
      g_utf8_strlen (from, stop - from) + 1, reason);
}

static gboolean
fail_here (Parser *p, const char *reason)
{
  if (p->at >= p->end)
    return fail_at (p, p->end, "the file ends too early");
  return fail_at (p, p->at, reason);
}

/* --- memory --- */

/* Room for @bytes more.  NULL: no memory, the error is set. */
static gpointer
extend (Parser *p, Vector *vector, gsize bytes)
{
  if (vector->size - vector->n < bytes) {
    const gsize size = MAX (vector->n + bytes, 2 * vector->size);
    gpointer items = g_try_realloc (vector->items, size);

    if (items == NULL) {
      infer_fail (p->error, INFER_ERROR_NO_MEMORY,
          "%s: no memory for its JSON values", p->name);
      return NULL;
    }
    vector->items = items;
    vector->size = size;
  }
  gpointer fresh = (char *) vector->items + vector->n;
  vector->n += bytes;
  return fresh;
}

static gboolean
push (Parser *p, const InferJsonNode *node)
{
  InferJsonNode *place = extend (p, &p->open, sizeof *node);

  if (place == NULL)
    return FALSE;
  *place = *node;
  return TRUE;
}

/* --- strings --- */

static gboolean
parse_hex (const char *at, gunichar *value)
{
  *value = 0;
  for (guint i = 0; i < 4; i++) {
    if (!g_ascii_isxdigit (at[i]))
      return FALSE;
    *value = *value << 4 | (gunichar) g_ascii_xdigit_value (at[i]);
  }
  return TRUE;
}

/* @at: behind "\u".  Returns what follows it, NULL if it is no character. */
static char *
parse_unicode (char *at, gunichar *c)
{
  gunichar low;

  if (!parse_hex (at, c))
    return NULL;
  at += 4;
  if (*c < 0xd800 || *c > 0xdfff)
    return at;
  if (*c > 0xdbff || at[0] != '\\' || at[1] != 'u' || !parse_hex (at + 2, &low)
      || low < 0xdc00 || low > 0xdfff)
    return NULL;
  *c = 0x10000 + ((*c - 0xd800) << 10) + (low - 0xdc00);
  return at + 6;
}

/* An escape, behind its backslash, is never shorter than what it stands for. */
static char *
parse_escape (char *at, char **out)
{
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  const char *found = *at != '\0' ? strchr (from, *at) : NULL;
  gunichar c;

  if (found != NULL) {
    *(*out)++ = to[found - from];
    return at + 1;
  }
  if (*at != 'u')
    return NULL;
  at = parse_unicode (at + 1, &c);
  if (at != NULL)
    *out += g_unichar_to_utf8 (c, *out);
  return at;
}

/* From its first quote on.  It is decoded where it lies; its NUL takes the
 * place of its last quote or of something before that. */
static gboolean
parse_string (Parser *p, InferJsonNode *node)
{
  char *from = p->at + 1, *at = from;

  while (*at != '"' && *at != '\\' && (guchar) *at >= 0x20)
    at++;
  char *out = at;
  while (*at != '"') {
    if (at >= p->end)
      return fail_at (p, p->at, "the string does not end");
    if ((guchar) *at < 0x20)
      return fail_at (p, at, "a control character in a string must be escaped");
    if (*at != '\\') {
      *out++ = *at++;
      continue;
    }
    char *next = parse_escape (at + 1, &out);
    if (next == NULL)
      return fail_at (p, at, "this is no escape of a character");
    at = next;
  }
  *out = '\0';
  p->at = at + 1;
  *node = (InferJsonNode){ .type = INFER_JSON_STRING,
    .n = (guint32) (out - from),
    .at = (guint32) (from - p->text) };
  return TRUE;
}

/* --- numbers, words --- */

static char *
skip_digits (char *at)
{
  while (g_ascii_isdigit (*at))
    at++;
  return at;
}

/* Returns the end of the number at @at, NULL if it is none; *@whole: it has
 * neither fraction nor exponent. */
static char *
skip_number (char *at, gboolean *whole)
{
  char *from = at += *at == '-';

  at = *at == '0' ? at + 1 : skip_digits (at);
  if (at == from)
    return NULL;
  *whole = TRUE;
  if (*at == '.') {
    *whole = FALSE;
    from = ++at;
    at = skip_digits (at);
    if (at == from)
      return NULL;
  }
  if (*at == 'e' || *at == 'E') {
    *whole = FALSE;
    at++;
    at += *at == '+' || *at == '-';
    from = at;
    at = skip_digits (at);
    if (at == from)
      return NULL;
  }
  return at;
}

/* FALSE: @from to @end does not fit, or is the zero that has a sign. */
static gboolean
to_integer (const char *from, const char *end, gint64 *value)
{
  const gboolean minus = *from == '-';
  guint64 sum = 0;

  if (end - from > 20)
    return FALSE;
  for (const char *c = from + minus; c < end; c++) {
    if (sum > (G_MAXINT64 - 9) / 10) {
      char *stop;
      errno = 0;
      *value = g_ascii_strtoll (from, &stop, 10);
      return errno == 0;
    }
    sum = sum * 10 + (guint64) (*c - '0');
  }
  *value = minus ? -(gint64) sum : (gint64) sum;
  return !minus || sum != 0;
}

static gboolean
parse_number (Parser *p)
{
  InferJsonNode node = { .type = INFER_JSON_NUMBER };
  gboolean whole;
  char *end = skip_number (p->at, &whole);

  if (end == NULL)
    return fail_here (p, "a value was expected");
  node.whole = whole && to_integer (p->at, end, &node.integer);
  if (!node.whole)
    node.number = g_ascii_strtod (p->at, NULL);
  if (!node.whole && !isfinite (node.number))
    return fail_here (p, "the number is too large");
  p->at = end;
  return push (p, &node);
}

static gboolean
parse_word (Parser *p)
{
  static const struct
  {
    const char *word;
    InferJsonNode node;
  } words[] = { { "null", { .type = INFER_JSON_NULL } },
    { "true", { .type = INFER_JSON_BOOL, .flag = TRUE } },
    { "false", { .type = INFER_JSON_BOOL, .flag = FALSE } } };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strncmp (p->at, words[i].word, strlen (words[i].word)) == 0) {
      p->at += strlen (words[i].word);
      return push (p, &words[i].node);
    }
  return parse_number (p);
}

/* --- arrays and objects --- */

static void
skip_space (Parser *p)
{
  while (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r')
    p->at++;
}

static gboolean
take (Parser *p, char c)
{
  if (*p->at != c)
    return FALSE;
  p->at++;
  return TRUE;
}

/* Of the members from @at of the nodes; the last of a name is found. */
static gboolean
make_table (Parser *p, InferJsonNode *object)
{
  const InferJsonNode *member =
      (const InferJsonNode *) p->nodes.items + object->at;
  const guint32 slots = infer_json_slots (object->n);
  guint32 *table = extend (p, &p->tables, slots * sizeof *table);

  if (table == NULL)
    return FALSE;
  object->table = (guint32) (table - (guint32 *) p->tables.items);
  memset (table, 0, slots * sizeof *table);
  for (guint32 i = 0; i < object->n; i++) {
    const InferJsonNode *key = &member[2 * i];
    guint32 slot = (guint32) infer_hash_key (p->text + key->at, key->n);

    for (slot &= slots - 1; table[slot] != 0; slot = (slot + 1) & (slots - 1)) {
      const InferJsonNode *other = &member[2 * (table[slot] - 1)];

      if (other->n == key->n
          && memcmp (p->text + other->at, p->text + key->at, key->n) == 0)
        break;
    }
    table[slot] = i + 1;
  }
  return TRUE;
}

/* Moves the open nodes from @first on to their place, and opens the one that
 * has them. */
static gboolean
close_nodes (Parser *p, gsize first, InferJsonType type)
{
  const gsize bytes = p->open.n - first;
  const guint n = (guint) (bytes / sizeof (InferJsonNode));
  InferJsonNode node = { .type = (guint8) type,
    .n = type == INFER_JSON_OBJECT ? n / 2 : n,
    .at = (guint32) (p->nodes.n / sizeof (InferJsonNode)) };

  if (bytes > 0) {
    gpointer place = extend (p, &p->nodes, bytes);

    if (place == NULL)
      return FALSE;
    memcpy (place, (char *) p->open.items + first, bytes);
    p->open.n = first;
  }
  return (type != INFER_JSON_OBJECT || node.n <= INFER_JSON_LINEAR
             || make_table (p, &node))
         && push (p, &node);
}

static gboolean
parse_member (Parser *p)
{
  InferJsonNode key;

  skip_space (p);
  if (*p->at != '"')
    return fail_here (p, "the name of a member, in quotes, was expected");
  if (!parse_string (p, &key) || !push (p, &key))
    return FALSE;
  skip_space (p);
  return (take (p, ':') || fail_here (p, "':' was expected"))
         && parse_value (p);
}

/* Behind its opening bracket. */
static gboolean
parse_items (Parser *p, InferJsonType type)
{
  const gboolean object = type == INFER_JSON_OBJECT;
  const gsize first = p->open.n;

  if (++p->depth > DEEPEST)
    return fail_here (p, "more than 64 arrays and objects in each other");
  skip_space (p);
  if (!take (p, object ? '}' : ']')) {
    do {
      if (!(object ? parse_member (p) : parse_value (p)))
        return FALSE;
    } while (take (p, ','));
    if (!take (p, object ? '}' : ']'))
      return fail_here (
          p, object ? "',' or '}' was expected" : "',' or ']' was expected");
  }
  p->depth--;
  return close_nodes (p, first, type);
}

/* With the space around it. */
static gboolean
parse_value (Parser *p)
{
  InferJsonNode node;
  gboolean ok;

  skip_space (p);
  if (take (p, '{'))
    ok = parse_items (p, INFER_JSON_OBJECT);
  else if (take (p, '['))
    ok = parse_items (p, INFER_JSON_ARRAY);
  else if (*p->at == '"')
    ok = parse_string (p, &node) && push (p, &node);
  else
    ok = parse_word (p);
  skip_space (p);
  return ok;
}

static gboolean
parse_text (Parser *p)
{
  const char *invalid;

  if (!g_utf8_validate_len (p->text, (gsize) (p->end - p->text), &invalid))
    return fail_at (p, invalid,
        *invalid == '\0' ? "a NUL byte" : "a byte that is not UTF-8");
  if (g_str_has_prefix (p->text, "\xef\xbb\xbf"))
    p->at += 3;
  if (!parse_value (p))
    return FALSE;
  return p->at == p->end
         || fail_here (p, "nothing was expected after the value");
}

InferJson *
infer_json_parse (
    const char *name, const char *text, gsize size, GError **error)
{
  if (size > INFER_JSON_MOST) {
    infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "%s: JSON of more than %" G_GSIZE_FORMAT " bytes", name,
        INFER_JSON_MOST);
    return NULL;
  }
  char *copy = g_try_malloc (size + 1);
  if (copy == NULL) {
    infer_fail (error, INFER_ERROR_NO_MEMORY,
        "%s: no memory for its %" G_GSIZE_FORMAT " bytes", name, size);
    return NULL;
  }
  if (size > 0)
    memcpy (copy, text, size);
  copy[size] = '\0';
  Parser p = { .name = name,
    .original = text,
    .text = copy,
    .at = copy,
    .end = copy + size,
    .error = error };
  InferJson *json = g_new0 (InferJson, 1);
  gboolean ok = parse_text (&p);
  json->name = g_strdup (name);
  json->text = copy;
  json->nodes = p.nodes.items;
  json->tables = p.tables.items;
  if (ok)
    json->root = *(InferJsonNode *) p.open.items;
  g_free (p.open.items);
  if (!ok)
    g_clear_pointer (&json, infer_json_free);
  return json;
}

InferJson *
infer_json_read (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = infer_file_read (path, INFER_JSON_MOST, error);
  gsize size;

  if (bytes == NULL)
    return NULL;
  const char *text = g_bytes_get_data (bytes, &size);
  return infer_json_parse (path, text, size, error);
}

gboolean
infer_json_is_valid (const char *text)
{
  g_autoptr (InferJson) json =
      infer_json_parse ("JSON", text, strlen (text), NULL);

  return json != NULL;
}
