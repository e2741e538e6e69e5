/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* IR texts for tests. */

#pragma once

#include "infer/model.h"

#define IR_NET(version, layers, edges, rest)                                   \
  "<?xml version=\"1.0\"?><net name=\"test\" version=\"" version               \
  "\"><layers>" layers "</layers><edges>" edges "</edges>" rest "</net>"

#define IR_DATA(attributes) "<data " attributes "/>"

/* @inputs, @outputs: texts of <port> elements; inputs are numbered from 0,
 * outputs follow. */
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

/* A port_map entry of a loop or an If. */
#define IR_MAP(tag, external, internal, more)                                  \
  "<" tag " external_port_id=\"" #external "\" internal_layer_id=\"" #internal \
  "\" " more "/>"
/* y = the last h[t] = h[t - 1] + x[t], one slice of x per iteration; needs 4
 * bytes of weights. */
#define IR_LOOP_NET                                                            \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,1") IR_CONST (1, "h0", "f32", "1,1",     \
          "0",                                                                 \
          "4") "<layer id=\"2\" name=\"ti\" type=\"TensorIterator\" "          \
               "version=\"opset1\"><port_map>" IR_MAP ("input", 0, 0,          \
                   "axis=\"0\"") IR_MAP ("input", 1, 1, "") IR_MAP ("output",  \
                   2, 3,                                                       \
                   "") "</port_map><back_edges><edge from-layer=\"3\" "        \
                       "to-layer=\"1\"/></back_edges><input>" IR_PORT (0)      \
                           IR_PORT (1) "</input><output>" IR_PORT (            \
                               2) "</output><body><layers>" IR_PARAMETER (0,   \
                               "xt", "f32",                                    \
                               "1,1") IR_PARAMETER (1, "h", "f32", "1,1")      \
                               IR_BINARY (2, "sum", "Add") IR_RESULT (3,       \
                                   "hn") "</layers><edges>" IR_EDGE (0, 0, 2,  \
                                   0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3,   \
                                   0) "</edges></body></layer>" IR_RESULT (3,  \
                                   "y"),                                       \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "")

/* IR_CONST with numbers for text. */
#define IR_CONST_AT(id, name, type, shape, offset, size)                       \
  IR_CONST (id, name, type, shape, #offset, #size)

/* A Loop of 2^62 iterations whose body is @layers and @edges, from Parameter 0
 * to Result 9; @last describes its output. */
#define IR_ENDLESS_NET(shape, layers, edges, last)                                                                         \
  IR_NET ("11",                                                                                                            \
      IR_CONST_AT (0, "trips", "i64", "", 0, 8) IR_CONST_AT (                                                              \
          1, "go", "boolean", "", 8, 1) IR_PARAMETER (2, "x", "f32",                                                       \
          shape) "<layer id=\"3\" "                                                                                        \
                 "name=\"loop\" type=\"Loop\" version=\"opset5\"><port_map>" IR_MAP (                                      \
                     "input", 2, 0, "") IR_MAP ("output", 3, 9,                                                            \
                     last) IR_MAP ("output", -1, 8,                                                                        \
                     "purpose=\"execution_condition\"") "</port_map><back_edges><edge from-layer=\"9\" to-layer=\"0\"/>"   \
                                                        "</back_edges><input>" IR_PORT (                                   \
                                                            0) IR_PORT (1)                                                 \
                                                            IR_PORT (2) "</input><output>" IR_PORT (                       \
                                                                3) "</output><body><layers>" IR_PARAMETER (0,              \
                                                                "xt", "f32",                                               \
                                                                shape) layers IR_CONST_AT (7,                              \
                                                                "on",                                                      \
                                                                "boolean", "",                                             \
                                                                8,                                                         \
                                                                1) IR_RESULT (8,                                           \
                                                                "more") IR_RESULT (9,                                      \
                                                                "xn") "</layers><edges>" edges                             \
                                                                IR_EDGE (7, 0, 8, 0) "</edges></body></layer>" IR_RESULT ( \
                                                                    4, "y"),                                               \
      IR_EDGE (0, 0, 3, 0) IR_EDGE (1, 0, 3, 1) IR_EDGE (2, 0, 3, 2)                                                       \
          IR_EDGE (3, 3, 4, 0),                                                                                            \
      "")
/* 2^62, true; as hexadecimal digits */
#define IR_ENDLESS_WEIGHTS "000000000000004001"

/* NULL with @error if the text is refused. */
InferModel *ir_load (
    const char *xml, gconstpointer weights, gsize size, GError **error);
/* The text must load. */
InferModel *ir_load_good (const char *xml, gconstpointer weights, gsize size);
/* The text must be refused with @code and a message that contains @part. */
void ir_load_bad (const char *xml, gconstpointer weights, gsize size,
    InferErrorCode code, const char *part);
