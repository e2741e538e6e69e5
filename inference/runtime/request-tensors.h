/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The tensors of one request: what users gave, what the request owns, and what
 * the backend sees. */

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

/* @model must outlive it. */
void infer_request_tensors_init (
    InferRequestTensors *tensors, const InferModel *model);
void infer_request_tensors_clear (InferRequestTensors *tensors);
/* From now on memory comes from a backend's context: nullable both.  What users
 * may hold stays where it is. */
void infer_request_tensors_set_maker (InferRequestTensors *tensors,
    InferTensor *(*tensor_new) (gpointer context, InferType type,
        const InferShape *shape, GError **error),
    gpointer context);

InferTensor *infer_request_tensors_get_input (
    InferRequestTensors *tensors, guint index, GError **error);
InferTensor *infer_request_tensors_shape_input (InferRequestTensors *tensors,
    guint index, const InferShape *shape, GError **error);
/* @n 0: the own one again; > 1: joined along the first dimension. */
gboolean infer_request_tensors_set_input (InferRequestTensors *tensors,
    guint index, InferTensor *const *given, guint n, GError **error);
/* @settings NULL: none again. */
gboolean infer_request_tensors_set_preprocess (InferRequestTensors *tensors,
    guint index, const InferPreprocess *settings, GError **error);
/* @regions nullable. */
gboolean infer_request_tensors_set_pictures (InferRequestTensors *tensors,
    guint index, const InferImage *pictures, const InferBox *regions, guint n,
    GError **error);
InferTensor *infer_request_tensors_get_output (
    InferRequestTensors *tensors, guint index, GError **error);
gboolean infer_request_tensors_set_output (InferRequestTensors *tensors,
    guint index, InferTensor *given, GError **error);

/* Before a run: checks and converts inputs, fills `in` and `out`. */
gboolean infer_request_tensors_bind (
    InferRequestTensors *tensors, GError **error);
/* After a run: outputs to where the user wants them. */
gboolean infer_request_tensors_deliver (
    InferRequestTensors *tensors, GError **error);

G_END_DECLS
