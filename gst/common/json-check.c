/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/json-check.h"

#include <string.h>

#define DEEPEST 64

/* Each function below moves *p behind what it is named after; FALSE: it is not
 * there. */

static gboolean value (const char **p, guint depth);

static void
space (const char **p)
{
  *p += strspn (*p, " \t\r\n");
}

static gboolean
character (const char **p, char c)
{
  if (**p != c)
    return FALSE;
  (*p)++;
  return TRUE;
}

static gboolean
digits (const char **p)
{
  gsize n = strspn (*p, "0123456789");

  *p += n;
  return n > 0;
}

static gboolean
number (const char **p)
{
  character (p, '-');
  if (!character (p, '0') && !digits (p))
    return FALSE;
  if (character (p, '.') && !digits (p))
    return FALSE;
  if (character (p, 'e') || character (p, 'E')) {
    if (!character (p, '+'))
      character (p, '-');
    return digits (p);
  }
  return TRUE;
}

static gboolean
escape (const char **p)
{
  if (**p != 'u') {
    if (**p == '\0' || strchr ("\"\\/bfnrt", **p) == NULL)
      return FALSE;
    (*p)++;
    return TRUE;
  }
  (*p)++;
  for (guint i = 0; i < 4; i++, (*p)++)
    if (!g_ascii_isxdigit (**p))
      return FALSE;
  return TRUE;
}

static gboolean
string (const char **p)
{
  if (!character (p, '"'))
    return FALSE;
  while (**p != '"') {
    if ((guchar) * *p < 0x20)
      return FALSE;
    if (*(*p)++ == '\\' && !escape (p))
      return FALSE;
  }
  (*p)++;
  return TRUE;
}

static gboolean
member (const char **p, guint depth)
{
  space (p);
  if (!string (p))
    return FALSE;
  space (p);
  return character (p, ':') && value (p, depth);
}

/* An object or an array, behind its opening bracket. */
static gboolean
items (const char **p, char end, guint depth)
{
  space (p);
  if (character (p, end))
    return TRUE;
  do {
    if (!(end == '}' ? member (p, depth) : value (p, depth)))
      return FALSE;
  } while (character (p, ','));
  return character (p, end);
}

static gboolean
word (const char **p, const char *w)
{
  if (!g_str_has_prefix (*p, w))
    return FALSE;
  *p += strlen (w);
  return TRUE;
}

/* With the space around it. */
static gboolean
value (const char **p, guint depth)
{
  gboolean ok;

  space (p);
  if (character (p, '{'))
    ok = depth < DEEPEST && items (p, '}', depth + 1);
  else if (character (p, '['))
    ok = depth < DEEPEST && items (p, ']', depth + 1);
  else if (**p == '"')
    ok = string (p);
  else
    ok =
        word (p, "true") || word (p, "false") || word (p, "null") || number (p);
  space (p);
  return ok;
}

gboolean
gst_infer_json_is_valid (const char *text)
{
  const char *p = text;

  return g_utf8_validate (text, -1, NULL) && value (&p, 0) && *p == '\0';
}
