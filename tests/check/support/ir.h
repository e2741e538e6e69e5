/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* IR texts put together in tests. */

#pragma once

#include "inference/model.h"

G_BEGIN_DECLS

#define IR_NET(version, layers, edges, rest)                                   \
  "<?xml version=\"1.0\"?><net name=\"test\" version=\"" version               \
  "\"><layers>" layers "</layers><edges>" edges "</edges>" rest "</net>"

#define IR_DATA(attributes) "<data " attributes "/>"

/* Ports: inputs 0 …, then outputs, as a text of <port>s. */
#define IR_LAYER(id, name, type, opset, data, inputs, outputs)                 \
  "<layer id=\"" #id "\" name=\"" name "\" type=\"" type "\" version=\"" opset \
  "\">" data "<input>" inputs "</input><output>" outputs "</output></layer>"

#define IR_PORT(id) "<port id=\"" #id "\"/>"
#define IR_NAMED_PORT(id, names) "<port id=\"" #id "\" names=\"" names "\"/>"

#define IR_PARAMETER(id, name, type, shape)                                    \
  IR_LAYER (id, name, "Parameter", "opset1",                                   \
      IR_DATA ("element_type=\"" type "\" shape=\"" shape "\""), "",           \
      IR_NAMED_PORT (0, name))
#define IR_CONST(id, name, type, shape, offset, size)                          \
  IR_LAYER (id, name, "Const", "opset1",                                       \
      IR_DATA ("element_type=\"" type "\" shape=\"" shape                      \
               "\" offset=\"" offset "\" size=\"" size "\""),                  \
      "", IR_PORT (0))
#define IR_BINARY(id, name, type)                                              \
  IR_LAYER (id, name, type, "opset1", "", IR_PORT (0) IR_PORT (1),             \
      IR_NAMED_PORT (2, name))
#define IR_UNARY(id, name, type)                                               \
  IR_LAYER (id, name, type, "opset1", "", IR_PORT (0), IR_NAMED_PORT (1, name))
#define IR_RESULT(id, name)                                                    \
  IR_LAYER (id, name, "Result", "opset1", "", IR_PORT (0), "")

#define IR_EDGE(from, from_port, to, to_port)                                  \
  "<edge from-layer=\"" #from "\" from-port=\"" #from_port                     \
  "\" to-layer=\"" #to "\" to-port=\"" #to_port "\"/>"

/* NULL with @error where the text is refused. */
InferModel *ir_load (
    const char *xml, gconstpointer weights, gsize size, GError **error);
/* The text must be right. */
InferModel *ir_load_good (const char *xml, gconstpointer weights, gsize size);
/* The text must be refused with @code and a message that has @part. */
void ir_load_bad (const char *xml, gconstpointer weights, gsize size,
    InferErrorCode code, const char *part);

G_END_DECLS
