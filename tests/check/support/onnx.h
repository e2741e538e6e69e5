/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* ONNX files as texts of their fields: "1=8" is field 1 with a number, "1'x'"
 * one with a string, "1~0.5" one with a float, "1#00ff" one with bytes, "7{…}"
 * one that is a message, "0!08ff" no field but these bytes.  Field numbers are
 * those of onnx.proto3. */

#pragma once

#include <glib.h>

#include "infer/model.h"

#define ONNX_F32 "1"
#define ONNX_I64 "7"
#define ONNX_BOOL "9"

#define ONNX_MODEL(graph) "1=8 8{2=13} 7{2'test' " graph "}"
/* @inputs, @outputs: of ONNX_I and ONNX_O. */
#define ONNX_NODE(type, inputs, outputs, attributes)                           \
  "1{" inputs outputs "3'" type "' 4'" type "'" attributes "}"
#define ONNX_I(name) "1'" name "'"
#define ONNX_O(name) "2'" name "'"
#define ONNX_INT(name, value) "5{1'" name "' 3=" #value " 20=2}"
#define ONNX_GRAPH(name, graph) "5{1'" name "' 6{2'g' " graph "} 20=5}"
#define ONNX_TENSOR(name, fields) "5{1'" name "' 5{" fields "} 20=4}"
/* @dims: of ONNX_D and ONNX_NAMED. */
#define ONNX_INPUT(name, type, dims)                                           \
  "11{1'" name "' 2{1{1=" type " 2{" dims "}}}}"
#define ONNX_OUTPUT(name, type, dims)                                          \
  "12{1'" name "' 2{1{1=" type " 2{" dims "}}}}"
#define ONNX_D(dim) "1{1=" G_STRINGIFY (dim) "}"
#define ONNX_NAMED(dim) "1{2'" dim "'}"
/* @fields: dims "1=2 1=3" and data. */
#define ONNX_INITIALIZER(name, type, fields)                                   \
  "5{2=" type " 8'" name "' " fields "}"
#define ONNX_META(key, value) "14{1'" key "' 2'" value "'}"

/* From an f32 input [1,3,@height,@width] to the means of its channels, "means"
 * [1,3], whose id in the metadata is "the-means". */
#define ONNX_MEANS(height, width)                                              \
  ONNX_MODEL (ONNX_NODE ("GlobalAveragePool", ONNX_I ("x"), ONNX_O ("pooled"), \
      "") ONNX_NODE ("Flatten", ONNX_I ("pooled"), ONNX_O ("means"), "")       \
          ONNX_INPUT ("x", ONNX_F32,                                           \
              ONNX_D (1) ONNX_D (3) ONNX_D (height) ONNX_D (width))            \
              ONNX_OUTPUT ("means", ONNX_F32, ONNX_D (1) ONNX_D (3)))          \
  ONNX_META ("means", "the-means")

/* (transfer full) */
GBytes *onnx_text_bytes (const char *text);
/* The model must load; and must not, with a message that contains @part. */
InferModel *onnx_text_load (const char *text);
void onnx_text_refuse (const char *text, const char *part);
