/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Recognises by their names an input and an output that are one state. */

#pragma once

#include <glib.h>

typedef enum
{
  INFER_STATE_NO,
  INFER_STATE_LIKELY, /* "h" and "hn": other tensors are named so too */
  INFER_STATE_SURE,   /* "past_key_values.0.key" and "present.0.key" */
} InferStateMatch;

InferStateMatch infer_state_names_match (const char *input, const char *output);

/* The input of Optimum's merged decoders that is false in the first step. */
#define INFER_STATE_BRANCH "use_cache_branch"
/* In their later steps the outputs of names with this are dummies: the values
 * of the first step stay. */
#define INFER_STATE_ONCE "encoder"
