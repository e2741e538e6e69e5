/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The graph of a model as a picture in Graphviz' language, for `info --dot`.
 *
 * Nodes are operations with types, names and the types and shapes of their
 * outputs.  What is constant is written into the operation that reads it.  The
 * body of an If, Loop or TensorIterator is a cluster between a node where its
 * inputs arrive and one that its outputs leave. */

#pragma once

#include "infer/request.h"
#include "inference/graph/operation.h"

typedef struct
{
  /* All nullable; keys are of tool_picture_key(). */
  GHashTable *kernels; /* → kernel */
  GHashTable *steps;   /* → key of the operation whose step computes it */
  /* Lines "'name' (Type opset)…" of operations that cannot run. */
  char *const *unsupported;
} ToolPicture;

/* "type\nname": names alone are not unique.  (transfer full) */
char *tool_picture_key (const InferOperation *op);

/* Sets kernels and steps as of the last run of @request, with PERF_COUNT=YES:
 * steps.c. */
void tool_picture_find_steps (ToolPicture *picture, InferRequest *request);
void tool_picture_clear (ToolPicture *picture);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ToolPicture, tool_picture_clear)

/* (transfer full) */
char *tool_picture_draw (const InferModel *model, const ToolPicture *picture);

/* --- texts: label.c --- */

/* Appends @text, shortened in its middle to @most characters (0: not), escaped
 * for a quoted string of Graphviz.  Characters that do not print, and bytes
 * that are not UTF-8, become U+FFFD. */
void tool_label_append (GString *label, const char *text, guint most);
/* Appends "f32[1,3,224,224]". */
void tool_label_append_desc (GString *label, const InferDesc *desc);
/* Appends the elements of the constant @value where they are few, or its type
 * and shape. */
void tool_label_append_constant (GString *label, const InferTensor *value);
