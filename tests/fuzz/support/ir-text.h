/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For mutate-ir.c: where the parts of an IR are in its text, which need not be
 * well-formed. */

#pragma once

#include <glib.h>

#include <string.h>

typedef struct
{
  gsize at, length;
} TextSpan;

typedef struct
{
  TextSpan element, name, value;
} TextAttribute;

typedef struct
{
  TextSpan whole;
  TextSpan data; /* its <data …/>; length 0: none */
  guint depth;   /* 0: not in a body */
} TextLayer;

typedef struct
{
  const GString *text;
  GArray *attributes;                     /* (element-type TextAttribute) */
  GArray *layers;                         /* (element-type TextLayer) */
  GArray *edges;                          /* (element-type TextSpan): whole */
  TextSpan last_layer_end, last_edge_end; /* </layers>, </edges> */
} IrText;

/* @text must not change while it is used. */
IrText *ir_text_new (const GString *text);
/* The attributes of <data> alone, each in a layer of its own. */
IrText *ir_text_new_data (const GString *text);
void ir_text_free (IrText *ir);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (IrText, ir_text_free)

static inline gboolean
ir_text_is (const IrText *ir, const TextSpan *span, const char *word)
{
  const gsize length = strlen (word);

  return length == span->length
         && memcmp (ir->text->str + span->at, word, length) == 0;
}

/* The value of attribute @name between @within's ends, of the first element
 * that has it; NULL: none. */
const TextAttribute *ir_text_find (
    const IrText *ir, const TextSpan *within, const char *name);
char *ir_text_copy (
    const IrText *ir, const TextSpan *span); /* (transfer full) */
