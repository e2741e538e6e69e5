/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What users give becomes what the backend sees: parts are joined, pictures
 * preprocessed, types converted, into the staged tensor of an input. */

#pragma once

#include "infer/model.h"
#include "infer/preprocess.h"

G_BEGIN_DECLS

typedef struct
{
  InferImage image;
  InferBox region;
} InferPicture;

typedef struct
{
  const InferDesc *desc;
  const char *name;
  InferTensor *own;    /* NULL until asked for */
  InferTensor *staged; /* dense, of the model's type; NULL until needed */
  InferTensor **given; /* the user's; more than one: parts of a batch */
  guint n_given, max_given;
  InferPreprocessor *preprocessor; /* nullable */
  InferTensor *image; /* its f32, where the model's type is another */
  GArray *pictures;   /* instead of `given`: (element-type InferPicture) */
} InferRequestInput;

typedef struct
{
  const InferDesc *desc;
  const char *name;
  InferTensor *own;   /* NULL until needed */
  InferTensor *given; /* the user's; nullable */
} InferRequestOutput;

typedef struct
{
  const char *model; /* path, for messages */
  guint n_inputs, n_outputs;
  InferRequestInput *inputs;
  InferRequestOutput *outputs;
  /* For the backend; borrowed from the above and right while bound. */
  InferTensor **in, **out;
  gboolean bound;
  /* Makes the request's own tensors; NULL: infer_tensor_new. */
  InferTensor *(*tensor_new) (gpointer context, InferType type,
      const InferShape *shape, GError **error);
  gpointer context;
} InferRequestTensors;

gboolean infer_request_check_shape (const InferRequestTensors *tensors,
    const char *what, const char *name, const InferShape *wanted,
    const InferShape *given, GError **error);
/* Returns: %FALSE, with an error about part @i of a batch */
gboolean infer_request_fail_part (const InferRequestTensors *tensors,
    const InferRequestInput *input, guint i, GError **error);
/* Makes *@tensor one of the type and shape, in the memory that it has. */
gboolean infer_request_ensure (const InferRequestTensors *tensors,
    InferTensor **tensor, InferType type, const InferShape *shape,
    GError **error);

/* The shape of the batch that (element-type InferPicture) @pictures make. */
gboolean infer_request_pictures_shape (const InferRequestTensors *tensors,
    const InferRequestInput *input, const GArray *pictures, InferShape *joined,
    GError **error);
/* One pass over each of the input's pictures, straight to the model's type
 * where that is possible. */
gboolean infer_request_stage_pictures (
    InferRequestTensors *tensors, InferRequestInput *input, GError **error);
/* The tensors given, which make @shape, one after the other, as @type. */
gboolean infer_request_stage (const InferRequestTensors *tensors,
    InferRequestInput *input, const InferShape *shape, InferType type,
    GError **error);

G_END_DECLS
