/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* TensorProto, ValueInfoProto. */

#pragma once

#include "inference/base/file.h"
#include "inference/graph/operation.h"
#include "inference/onnx/wire.h"

/* A sum of thousands of dimensions, or a few times one, is still a gint64:
 * importers compute with dimensions, and check no overflow. */
#define ONNX_MAX_DIM ((gint64) 1 << 48)

/* Where tensors are. */
typedef struct
{
  GBytes *bytes;         /* the model */
  gboolean mapped;       /* @bytes are a mapped file */
  const char *folder;    /* of external data; NULL: the model is in memory */
  GBytes *weights;       /* then those of its one file; nullable */
  GHashTable *externals; /* location → InferFile, opened so far */
  const char *path;      /* the model's; nullable */
} OnnxStore;

/* external.c: the file @name with values of tensors. (transfer none) */
const InferFile *onnx_open_external (
    const OnnxStore *store, const char *name, GError **error);
GHashTable *onnx_externals_new (void);
/* After the model was read: whether the files are still what was opened. */
gboolean onnx_externals_check (GHashTable *externals, GError **error);
/* Paths of those that are files; NULL: none.  (transfer full) */
GStrv onnx_externals_paths (GHashTable *externals);

/* The type with the number @number in TensorProto.DataType; FALSE: this build
 * does not have it, with an error that names it. */
gboolean onnx_element_type (gint64 number, InferType *type, GError **error);

/* Fails where a dimension is above ONNX_MAX_DIM. */
gboolean onnx_check_dims (const InferShape *shape, GError **error);

/* Reads a tensor.  Values are used where they are if they are stored as in
 * memory (raw_data, external data), else copied.  *@name (nullable): its name
 * (transfer full). */
InferTensor *onnx_read_tensor (
    const OnnxStore *store, OnnxSpan message, char **name, GError **error);

/* Reads the dense tensor that a SparseTensorProto stands for. */
InferTensor *onnx_read_sparse (
    const OnnxStore *store, OnnxSpan message, char **name, GError **error);

/* Reads name and type of an input or output of a graph.  *@desc is dynamic
 * where the type is not known.  Fails for sequences, maps and optionals. */
gboolean onnx_read_value (
    OnnxSpan message, char **name, InferDesc *desc, GError **error);
