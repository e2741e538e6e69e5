/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>

#include "tests/fuzz/support/container.h"
#include "tests/fuzz/support/mutate-ir.h"
#include "tests/fuzz/support/mutate.h"

void
ir_model_take_operation (IrModel *model, const IrText *ir, const IrText *other)
{
  const TextLayer *to = ir_model_any_layer (ir),
                  *from = ir_model_any_layer (other);
  const TextAttribute *type = ir_text_find (ir, &to->whole, "type");
  const TextAttribute *version = ir_text_find (ir, &to->whole, "version");
  const TextAttribute *new_type = ir_text_find (other, &from->whole, "type");
  const TextAttribute *new_version =
      ir_text_find (other, &from->whole, "version");

  if (type == NULL || version == NULL || new_type == NULL || new_version == NULL
      || type->value.at > version->value.at)
    return;
  g_autofree char *type_text = ir_text_copy (other, &new_type->value);
  g_autofree char *version_text = ir_text_copy (other, &new_version->value);
  g_autofree char *data_text = ir_text_copy (other, &from->data);
  const gsize head_end = type->element.at + type->element.length;

  if (to->data.length > 0)
    ir_model_replace (model, &to->data, data_text);
  else if (model->text->str[head_end - 2] != '/')
    g_string_insert (model->text, (gssize) head_end, data_text);
  ir_model_replace (model, &version->value, version_text);
  ir_model_replace (model, &type->value, type_text);
}

void
ir_model_take_value (IrModel *model, const IrText *ir, const IrText *other)
{
  const TextAttribute *attribute = &g_array_index (
      ir->attributes, TextAttribute, fuzz_mutate_below (ir->attributes->len));
  g_autofree char *name = ir_text_copy (ir, &attribute->name);
  const TextSpan rest = { 0, other->text->len };
  const TextAttribute *from = ir_text_find (other, &rest, name);

  if (from == NULL)
    return;
  g_autofree char *value = ir_text_copy (other, &from->value);
  ir_model_replace (model, &attribute->value, value);
}

/* Ids of layers and edges become those + 100000 × @salt, so that a second
 * model fits beside the first. */
static char *
with_other_ids (const IrText *ir, const TextSpan *span, guint salt, guint shift)
{
  GString *text =
      g_string_new_len (ir->text->str + span->at, (gssize) span->length);

  for (guint i = ir->attributes->len; i-- > 0;) {
    const TextAttribute *attribute =
        &g_array_index (ir->attributes, TextAttribute, i);
    const gboolean is_id =
        ir_text_is (ir, &attribute->name, "from-layer")
        || ir_text_is (ir, &attribute->name, "to-layer")
        || (ir_text_is (ir, &attribute->name, "id")
            && g_str_has_prefix (
                ir->text->str + attribute->element.at, "<layer"));
    const gboolean is_offset = ir_text_is (ir, &attribute->name, "offset");

    if (attribute->value.at < span->at
        || attribute->value.at >= span->at + span->length
        || (!is_id && !is_offset))
      continue;
    g_autofree char *value = ir_text_copy (ir, &attribute->value);
    g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT,
        g_ascii_strtoull (value, NULL, 10) + (is_id ? salt : shift));
    g_string_erase (text, (gssize) (attribute->value.at - span->at),
        (gssize) attribute->value.length);
    g_string_insert (text, (gssize) (attribute->value.at - span->at), number);
  }
  return g_string_free (text, FALSE);
}

void
ir_model_join (IrModel *model, const IrText *ir, const IrModel *second,
    const IrText *other)
{
  const char *layers = strstr (other->text->str, "<layers>");
  const guint salt = 1000 * (1 + fuzz_mutate_below (1000));
  const guint shift = model->rest->len - FUZZ_CONTROL;

  if (layers == NULL || ir->last_layer_end.length == 0
      || ir->last_edge_end.length == 0 || other->last_layer_end.length == 0
      || other->last_edge_end.length == 0
      || ir->last_edge_end.at < ir->last_layer_end.at)
    return;
  const gsize start = (gsize) (layers - other->text->str) + strlen ("<layers>");
  const gsize middle = other->last_layer_end.at + strlen ("</layers>");
  const char *edges = strstr (other->text->str + middle, "<edges>");
  if (edges == NULL || start > other->last_layer_end.at)
    return;
  const gsize first_edge =
      (gsize) (edges - other->text->str) + strlen ("<edges>");
  if (first_edge > other->last_edge_end.at)
    return;
  const TextSpan layer_span = { start, other->last_layer_end.at - start };
  const TextSpan edge_span = { first_edge,
    other->last_edge_end.at - first_edge };
  g_autofree char *layer_text =
      with_other_ids (other, &layer_span, salt, shift);
  g_autofree char *edge_text = with_other_ids (other, &edge_span, salt, shift);
  g_string_insert (model->text, (gssize) ir->last_edge_end.at, edge_text);
  g_string_insert (model->text, (gssize) ir->last_layer_end.at, layer_text);
  g_byte_array_append (model->rest, second->rest->data + FUZZ_CONTROL,
      second->rest->len - FUZZ_CONTROL);
}
