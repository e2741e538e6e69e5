/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* An input as a series of decisions: what is missing at its end is zero. */

#pragma once

#include <glib.h>

#include <string.h>

typedef struct
{
  const guint8 *data;
  gsize left;
} FuzzBytes;

/* *@value: its first @size bytes are read. */
static inline void
fuzz_take (FuzzBytes *bytes, gpointer value, gsize size)
{
  const gsize n = MIN (size, bytes->left);

  memset (value, 0, size);
  if (n > 0)
    memcpy (value, bytes->data, n);
  bytes->data += n;
  bytes->left -= n;
}

static inline guint8
fuzz_u8 (FuzzBytes *bytes)
{
  guint8 value;

  fuzz_take (bytes, &value, sizeof value);
  return value;
}

static inline guint
fuzz_below (FuzzBytes *bytes, guint n)
{
  return fuzz_u8 (bytes) % n;
}

static inline gint64
fuzz_i64 (FuzzBytes *bytes)
{
  gint64 value;

  fuzz_take (bytes, &value, sizeof value);
  return value;
}

static inline double
fuzz_double (FuzzBytes *bytes)
{
  double value;

  fuzz_take (bytes, &value, sizeof value);
  return value;
}

/* Up to a NUL, which is skipped, or @most bytes; any bytes.  (transfer full) */
static inline char *
fuzz_text (FuzzBytes *bytes, gsize most)
{
  const gsize max = MIN (bytes->left, most);
  const guint8 *end = max > 0 ? memchr (bytes->data, 0, max) : NULL;
  const gsize n = end != NULL ? (gsize) (end - bytes->data) : max;
  char *text =
      n > 0 ? g_strndup ((const char *) bytes->data, n) : g_strdup ("");

  bytes->data += n + (end != NULL);
  bytes->left -= n + (end != NULL);
  return text;
}
