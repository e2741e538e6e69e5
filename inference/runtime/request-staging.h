/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Converts users' tensors and pictures to what the backend reads: joins parts,
 * preprocesses pictures and converts types, into an input's staged tensor. */

#pragma once

#include "infer/model.h"
#include "infer/preprocess.h"

typedef struct
{
  InferImage image;
  InferBox region;
} InferPicture;

typedef struct
{
  const InferDesc *desc;
  const char *name;
  InferTensor *own;    /* NULL until used */
  InferTensor *staged; /* dense, of the model's type; NULL until used */
  InferTensor **given; /* by the user; more than one: parts of a batch */
  guint n_given, max_given;
  InferPreprocessor *preprocessor; /* nullable */
  InferTensor *image; /* preprocessed f32, if the model's type is another */
  GArray *pictures;   /* (element-type InferPicture) in place of `given` */
} InferRequestInput;

typedef struct
{
  const InferDesc *desc;
  const char *name;
  InferTensor *own;   /* NULL until used */
  InferTensor *given; /* by the user; nullable */
} InferRequestOutput;

typedef struct
{
  const char *model; /* path, for error messages */
  guint n_inputs, n_outputs;
  InferRequestInput *inputs;
  InferRequestOutput *outputs;
  /* The tensors for the backend; borrowed; valid while bound. */
  InferTensor **in, **out;
  gboolean bound;
  /* Allocates the request's own tensors; NULL: infer_tensor_new. */
  InferTensor *(*tensor_new) (gpointer context, InferType type,
      const InferShape *shape, GError **error);
  gpointer context;
} InferRequestTensors;

gboolean infer_request_check_shape (const InferRequestTensors *tensors,
    const char *what, const char *name, const InferShape *wanted,
    const InferShape *given, GError **error);
/* FALSE with an error about part @i of a batch. */
gboolean infer_request_fail_part (const InferRequestTensors *tensors,
    const InferRequestInput *input, guint i, GError **error);
/* Makes *@tensor have the type and shape, reusing its memory. */
gboolean infer_request_ensure (const InferRequestTensors *tensors,
    InferTensor **tensor, InferType type, const InferShape *shape,
    GError **error);

/* The shape of a batch of @pictures (element-type InferPicture). */
gboolean infer_request_pictures_shape (const InferRequestTensors *tensors,
    const InferRequestInput *input, const GArray *pictures, InferShape *joined,
    GError **error);
/* Reads each picture once, and writes the model's type directly if possible. */
gboolean infer_request_stage_pictures (
    InferRequestTensors *tensors, InferRequestInput *input, GError **error);
/* Joins the given tensors, together of @shape, converted to @type. */
gboolean infer_request_stage (const InferRequestTensors *tensors,
    InferRequestInput *input, const InferShape *shape, InferType type,
    GError **error);
