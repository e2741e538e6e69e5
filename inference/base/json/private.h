/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For value.c and parse.c: how a document lies in memory. */

#pragma once

#include "inference/base/hash.h"
#include "inference/base/json.h"

/* Objects of more members have a table for look-ups. */
#define INFER_JSON_LINEAR 12

struct _InferJsonNode
{
  guint8 type;  /* InferJsonType */
  guint8 whole; /* of a number: it is an exact integer */
  guint32 n;    /* bytes, items or members */
  union
  {
    gint64 integer;
    double number;
    gboolean flag;
    /* In the text, or in the nodes: items one after the other, or members, each
     * its name and its value. */
    struct
    {
      guint32 at;
      guint32 table; /* of an object, in the tables; valid if n is large */
    };
  };
};

struct _InferJson
{
  char *name;
  char *text; /* strings are decoded in place and end with NUL */
  InferJsonNode *nodes;
  InferJsonNode root;
  guint32 *tables; /* open addressing: member + 1, 0 for a free slot */
};

/* Slots of the table of an object: a power of two. */
static inline guint32
infer_json_slots (guint32 n)
{
  return (guint32) 1 << g_bit_storage (2 * (gsize) n - 1);
}
