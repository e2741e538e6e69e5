/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by the files that change IR: mutate-ir.c (libFuzzer's entries, one
 * model) and mutate-ir-pair.c (parts of another model). */

#pragma once

#include "tests/fuzz/support/ir-text.h"

/* A model while it is changed. */
typedef struct
{
  GString *text;
  GByteArray *rest; /* control bytes, weights */
} IrModel;

void ir_model_replace (IrModel *model, const TextSpan *span, const char *with);
const TextLayer *ir_model_any_layer (const IrText *ir);

/* A layer takes type, opset and attributes from one of another model. */
void ir_model_take_operation (
    IrModel *model, const IrText *ir, const IrText *other);
/* An attribute takes the value of one of the same name. */
void ir_model_take_value (
    IrModel *model, const IrText *ir, const IrText *other);
/* Both graphs in one model; bodies' ids change as well, which does no harm but
 * where port maps name them. */
void ir_model_join (IrModel *model, const IrText *ir, const IrModel *second,
    const IrText *other);
